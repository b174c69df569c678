"""How much of a prompt a rewrite changes, in words. Pure."""

from __future__ import annotations

import difflib
from collections import Counter
from dataclasses import dataclass

from senno.tune.words import words

ALWAYS = 60
"""Words that a rewrite may change in any prompt: a share of a prompt of ten words would allow nothing."""


@dataclass(frozen=True, slots=True)
class Change:
    """Words changed, out of how many, and how many were allowed."""

    changed: int
    total: int
    allowed: int

    @property
    def too_much(self) -> bool:
        """Whether it is more than allowed."""
        return self.changed > self.allowed

    def __str__(self) -> str:
        return f"{self.changed} of {self.total} words changed, {self.allowed} allowed"


def measure(old: str, new: str, max_change: float) -> Change:
    """The change from one prompt to another.

    Lines are aligned (difflib); in lines that differ, the words that came or went are counted, whichever are more, so
    that a word replaced counts once. Words that only move within a line, or lines that are broken anew, count nothing.

    Args:
        old: the prompt before.
        new: and after.
        max_change: share of the words of `old` that may change; `ALWAYS` words may in any case.
    """
    before, after = old.splitlines(), new.splitlines()
    changed = 0
    for tag, i1, i2, j1, j2 in difflib.SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        if tag != "equal":
            gone, come = _bag(before[i1:i2]), _bag(after[j1:j2])
            changed += max((gone - come).total(), (come - gone).total())
    total = len(words(old))
    return Change(changed, total, max(ALWAYS, round(max_change * total)))


def _bag(lines: list[str]) -> Counter[str]:
    return Counter(word for line in lines for word in words(line))

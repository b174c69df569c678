"""Texts of scenarios that a rewrite carries into the prompt. Pure.

A prompt that holds the answers to its own test is better at the test and at nothing else. Two things are looked for in
what is new in a prompt: runs of words of a scenario, and names of a scenario (user names, addresses, long numbers,
first and last name).
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import TYPE_CHECKING

from senno.text import one_line
from senno.tune.words import is_letter, runs, words

if TYPE_CHECKING:
    from senno.tune.scenarios import Scenario

_FEWEST = 3
"""A scenario of fewer words is too common to be told from anything."""

# anna_92, x17-88, a.rossi@example.com, 33845: what one scenario has and no rule needs. Round numbers are of everyone.
_IDENTIFIER = re.compile(
    r"\b[\w.+-]{1,64}@[\w-]{1,64}(?:\.[\w-]{1,64})+|@\w{3,64}|\b[^\W\d_]{2,64}[\w-]{0,32}\d[\w-]{0,32}|\d{5,}"
)
_ROUND = re.compile(r"\d{1,2}0*")
# Two words side by side, not at the beginning of a sentence; both must have a capital.
_WORDS = r"\b(?=([^\W\d_]{2,40}) ([^\W\d_]{2,40})\b)"
_PAIR = re.compile(rf"(?<![.!?:\n«\"“] )(?<!^){_WORDS}", re.MULTILINE)
_PAIR_ANYWHERE = re.compile(_WORDS)


def leaked(old: str, new: str, scenarios: Iterable[str], size: int) -> tuple[str, ...]:
    """What of the scenarios stands in `new` and not in `old`, each as it is found; empty: nothing.

    Args:
        old: the prompt before: what it says already is no leak.
        new: and after.
        scenarios: their texts.
        size: words in a row that are a leak; in a script without spaces twice as many letters. A scenario shorter
            than that is looked for whole, if it has three words.
    """
    found: list[str] = []
    added = _Added(old, new)
    names = _names(new, anywhere=True) - _names(old, anywhere=True)
    for text in scenarios:
        spoken = _spoken(text)
        letters = sum(map(is_letter, spoken)) * 2 > len(spoken)
        if len(spoken) >= (2 * _FEWEST if letters else _FEWEST):
            found += added.shared(spoken, min(len(spoken), 2 * size if letters else size))
        found += sorted(names & _names(text))
    return tuple(one_line(each, 120) for each in dict.fromkeys(found))


def guarded(scenarios: Iterable[Scenario]) -> tuple[str, ...]:
    """What of the scenarios may not be carried into a prompt: what is said in them, and what fills their variables."""
    return tuple(dict.fromkeys(text for one in scenarios for text in (one.text, *one.variables.values())))


class _Added:
    """The runs of words that a text has and the one before it had not, by length; each length is looked for once."""

    def __init__(self, old: str, new: str) -> None:
        self._old, self._new = old, new
        self._kept: dict[int, frozenset[tuple[str, ...]]] = {}

    def shared(self, spoken: tuple[str, ...], length: int) -> list[str]:
        """The first of them that stands in `spoken`; none: an empty list."""
        if length not in self._kept:
            self._kept[length] = runs(self._new, length) - runs(self._old, length)
        added = self._kept[length]
        for start in range(len(spoken) - length + 1) if added else ():
            if spoken[start : start + length] in added:
                return [" ".join(spoken[start : start + length])]
        return []


@lru_cache(maxsize=8192)  # every edit is held against every scenario
def _spoken(text: str) -> tuple[str, ...]:
    return tuple(words(text))


@lru_cache(maxsize=8192)
def _names(text: str, *, anywhere: bool = False) -> frozenset[str]:
    """The names in a text; `anywhere`: those at the beginning of a sentence too, where any word has a capital."""
    marks = {match[0] for match in _IDENTIFIER.finditer(text)}
    pairs = (_PAIR_ANYWHERE if anywhere else _PAIR).findall(text)
    named = {f"{first} {last}" for first, last in pairs if _capital(first) and _capital(last)}
    return frozenset(mark for mark in marks if not _ROUND.fullmatch(mark)) | named


def _capital(word: str) -> bool:
    return len(word) > 1 and word[0].isupper() and word[1:].islower()

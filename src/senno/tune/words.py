"""The words of a text and the runs of them, in any script: what near-duplicates and leaks are found by. Pure."""

from __future__ import annotations

import re

from senno.text import folded

# Scripts that put no spaces between words (Thai, Lao, Burmese, Khmer, Chinese, Japanese): each letter counts as a word.
_NO_SPACES = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_WORD = re.compile(rf"[{_NO_SPACES}]|[^\s{_NO_SPACES}]+")
_LETTER = re.compile(rf"[{_NO_SPACES}]")


def words(text: str) -> list[str]:
    """The words of a text, folded (`senno.text.folded`); of a script without spaces, its letters."""
    return _WORD.findall(folded(text))


def runs(text: str, size: int) -> frozenset[tuple[str, ...]]:
    """The runs of `size` words of a text; a shorter text is one run, a text without words has none."""
    found = words(text)
    if not found:
        return frozenset()
    return frozenset(tuple(found[i : i + size]) for i in range(max(1, len(found) - size + 1)))


def is_letter(word: str) -> bool:
    """Whether one of `words` is a single letter of a script without spaces."""
    return len(word) == 1 and _LETTER.fullmatch(word) is not None

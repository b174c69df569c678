"""How alike two texts are, by the runs of words that they share."""

from __future__ import annotations

import re
from functools import lru_cache

from senno.text import folded

NEAR = 0.85
"""From this Jaccard index on, two texts say the same."""

# Scripts that put no spaces between words (Thai, Lao, Burmese, Khmer, Chinese, Japanese): each letter counts as a word.
_NO_SPACES = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_WORD = re.compile(rf"[{_NO_SPACES}]|[^\s{_NO_SPACES}]+")

_ASCII_WORD = re.compile(r"[a-z0-9+#]+")
"""The same for ASCII, of which `folded` has nothing to fold but case; several times as fast."""


def words(text: str) -> list[str]:
    """The words of a text, folded."""
    return _ASCII_WORD.findall(text.lower()) if text.isascii() else _WORD.findall(folded(text))


@lru_cache(4096)  # each draft is compared with many lessons, and each lesson with many drafts
def shingles(text: str, size: int = 3) -> frozenset[int]:
    """The runs of `size` words, as hashes that hold within one process; a shorter text is one run."""
    found = words(text)
    if len(found) <= size:
        return frozenset({hash(tuple(found))}) if found else frozenset()
    return frozenset(hash(tuple(found[i : i + size])) for i in range(len(found) - size + 1))


def jaccard(a: frozenset[int], b: frozenset[int]) -> float:
    """The share of all runs that both have; two empty texts are alike."""
    return len(a & b) / len(a | b) if a or b else 1.0


def near(a: str, b: str) -> bool:
    """Whether two texts say the same: equal once folded, or at least `NEAR`."""
    one, other = shingles(a), shingles(b)
    if NEAR * max(len(one), len(other)) > min(len(one), len(other)):
        return False  # even if the smaller is all in the greater
    return jaccard(one, other) >= NEAR


def contained(text: str, others: list[str], size: int = 5) -> float:
    """The share of the runs of `text` that are in one of `others`; 0 where `text` has none."""
    own = shingles(text, size)
    there = frozenset[int]().union(*(shingles(other, size) for other in others))
    return len(own & there) / len(own) if own else 0.0

"""What recall asks of whatever holds the lessons: the index, or the few that are held in memory."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from senno.lessons.lesson import Lesson
from senno.lessons.search import Entry, Hit, Where


class Searcher(Protocol):
    """Lessons by key; a key stands for one lesson in one searcher only. Two threads may ask at once."""

    @property
    def notes(self) -> tuple[str, ...]:
        """What is not as it should be, in words."""
        ...

    def lexical(self, text: str, limit: int, where: Where) -> list[Hit]:
        """By words (BM25), best first."""
        ...

    def dense(self, vector: NDArray[np.float32], limit: int, where: Where) -> list[Hit]:
        """By cosine, best first."""
        ...

    def coverage(self, text: str, keys: Sequence[int]) -> Mapping[int, float]:
        """The share of the words of `text` that each lesson has, weighed by their rarity; in [0, 1]."""
        ...

    def entries(self, keys: Sequence[int]) -> Mapping[int, Entry]:
        """What is known of each beside its text."""
        ...

    def vectors(self, keys: Sequence[int]) -> Mapping[int, NDArray[np.float32]]:
        """Of those that have one; norm 1."""
        ...

    def lesson(self, key: int) -> Lesson | None:
        """As its file has it now; `None`: it is gone, or no lesson any more."""
        ...

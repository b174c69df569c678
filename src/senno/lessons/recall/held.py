"""The lessons retrieved most often, held in memory: for a channel that answers within a second."""

from __future__ import annotations

import math
import threading
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from senno.lessons.lesson import Lesson
from senno.lessons.recall.searcher import Searcher
from senno.lessons.search import Entry, Hit, Index, Terms, Where, coverage

COUNT = 50
"""Lessons of a department that are held. Source 002, §55."""

_SECONDS = 60.0
"""After so long they are chosen again."""

_K1, _B = 1.2, 0.75


@dataclass(frozen=True, slots=True)
class _Bag:
    """The words of one lesson."""

    counts: Mapping[str, int]
    length: int


@dataclass(frozen=True, slots=True)
class _Few:
    """The lessons that are held, and of what."""

    at: float
    keys: Sequence[int]
    vectors: Mapping[int, NDArray[np.float32]]
    bags: Mapping[int, _Bag]
    words: float
    """Of a lesson, on average."""


class Held:
    """The most retrieved lessons of those that a department may read. What became of them is asked of the index.

    Args:
        index: of all lessons.
        department: that asks.
        where: which lessons it may read.
        clock: monotonic seconds.
    """

    def __init__(
        self, index: Index, department: str, where: Where, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.department = department
        self._index, self._where, self._clock = index, where, clock
        self._lock = threading.Lock()  # words and vectors are looked for at once
        self._few = self._choose()

    def _choose(self) -> _Few:
        at = self._clock()
        keys = self._index.top_retrieved(self._where, COUNT)
        bags = {key: _bag(terms) for key, terms in self._index.terms(keys).items()}
        words = sum(bag.length for bag in bags.values()) / max(len(bags), 1)
        return _Few(at, keys, dict(self._index.vectors(keys)), bags, words or 1.0)

    @property
    def notes(self) -> tuple[str, ...]:
        """Those of the index."""
        return self._index.notes

    def _now(self) -> _Few:
        with self._lock:
            if self._clock() - self._few.at > _SECONDS:
                self._few = self._choose()
            return self._few

    def _standing(self, few: _Few, where: Where) -> list[int]:
        """The held lessons that are there still, and that no review took out since."""
        return [
            key
            for key, entry in self._index.entries(few.keys).items()
            if (where.deprecated or not entry.deprecated)
            and (where.departments is None or entry.department in where.departments)
        ]

    def lexical(self, text: str, limit: int, where: Where) -> list[Hit]:
        """By words (BM25), best first; how rare a word is, the whole index says."""
        query: Terms = self._index.query(text)
        few = self._now()
        scores: dict[int, float] = {}
        for key in self._standing(few, where):
            bag = few.bags.get(key)
            if bag is None:
                continue
            flat = _K1 * (1 - _B + _B * bag.length / few.words)
            found = ((term.rarity, sum(bag.counts.get(stem, 0) for stem in term.stems)) for term in query.terms)
            score = math.fsum(rarity * n * (_K1 + 1) / (n + flat) for rarity, n in found if n)
            if score > 0:
                scores[key] = score
        return [Hit(key, scores[key]) for key in sorted(scores, key=lambda key: (-scores[key], key))[:limit]]

    def dense(self, vector: NDArray[np.float32], limit: int, where: Where) -> list[Hit]:
        """By cosine, best first."""
        few = self._now()
        if any(len(own) != len(vector) for own in few.vectors.values()):
            return self._of_another_size(vector, where)
        hits = [Hit(key, float(few.vectors[key] @ vector)) for key in self._standing(few, where) if key in few.vectors]
        return sorted(hits, key=lambda hit: (-hit.score, hit.key))[:limit]

    def _of_another_size(self, vector: NDArray[np.float32], where: Where) -> list[Hit]:
        """The embedder has changed under its name: the index begins its vectors anew, and the old ones go."""
        self._index.dense(vector, 1, where)
        with self._lock:
            self._few = self._choose()
        return []

    def coverage(self, text: str, keys: Sequence[int]) -> Mapping[int, float]:
        """See `Searcher.coverage`."""
        bags = self._few.bags
        own = {key: list(bags[key].counts) for key in keys if key in bags}
        return coverage(self._index.query(text), own)

    def entries(self, keys: Sequence[int]) -> Mapping[int, Entry]:
        """See `Searcher.entries`."""
        return self._index.entries(keys)

    def vectors(self, keys: Sequence[int]) -> Mapping[int, NDArray[np.float32]]:
        """See `Searcher.vectors`."""
        vectors = self._few.vectors
        return {key: vectors[key] for key in keys if key in vectors}

    def lesson(self, key: int) -> Lesson | None:
        """As its file has it now."""
        return self._index.lesson(key)


def _bag(terms: Sequence[str]) -> _Bag:
    return _Bag(Counter(terms), len(terms))


_: type[Searcher] = Held

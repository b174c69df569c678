"""A prefilter for very many vectors: the signs of the centred numbers, 48 bytes for a row of 384, compared by XOR.

What the codes choose is compared exactly afterwards, by the caller.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

_SAMPLE = 20_000
"""Rows that the mean is taken of: the first of the file."""


class Codes:
    """The codes of all rows of one file, in their order."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._mean: NDArray[np.float32] | None = None
        self._words = -(-size // 64)
        self._codes: NDArray[np.uint64] = np.empty((self._words, 0), np.uint64)
        self._count = 0

    def add(self, rows: NDArray[np.float32]) -> None:
        """The next rows of the file."""
        if self._mean is None:
            self._mean = rows[:_SAMPLE].mean(axis=0)
        end = self._count + len(rows)
        if end > self._codes.shape[1]:
            grown = np.zeros((self._words, max(end, self._count * 5 // 4)), np.uint64)
            grown[:, : self._count] = self._codes[:, : self._count]
            self._codes = grown
        self._codes[:, self._count : end] = self._coded(rows)
        self._count = end

    def _coded(self, rows: NDArray[np.float32]) -> NDArray[np.uint64]:
        """By word, then by row."""
        assert self._mean is not None
        padded = np.zeros((len(rows), self._words * 8), np.uint8)
        bits = np.packbits(rows > self._mean, axis=1)
        padded[:, : bits.shape[1]] = bits
        return padded.view(np.uint64).T

    def nearest(self, query: NDArray[np.float32], places: NDArray[np.int64], limit: int) -> NDArray[np.int64]:
        """Which of `places` have the codes nearest to that of the query; positions in `places`, in no order."""
        if limit >= len(places):
            return np.arange(len(places))
        own = self._coded(query[None])[:, 0]
        far = np.zeros(self._count, np.uint16)
        for word in range(self._words):
            far += np.bitwise_count(self._codes[word, : self._count] ^ own[word])
        return np.argpartition(far[places], limit - 1)[:limit]

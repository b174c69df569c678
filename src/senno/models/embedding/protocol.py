"""What senno asks of an embedder."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from senno.errors import ModelError

Vector = NDArray[np.float32]


class Embedder(Protocol):
    """Makes vectors of texts whose cosine says how near they are. Threads may share it."""

    @property
    def name(self) -> str:
        """What makes vectors comparable: package and version, or provider and model."""
        ...

    def passages(self, texts: Sequence[str]) -> Vector:
        """A row of norm 1 for each text that is looked through; shape (texts, size).

        Raises:
            ModelError: it failed; never a row of zeros.
        """
        ...

    def query(self, text: str) -> Vector:
        """The vector of norm 1 of a text that is looked for; shape (size,). Raises as `passages` does."""
        ...


def normed(name: str, rows: Vector) -> Vector:
    """Rows of norm 1.

    Raises:
        ModelError: a row has no direction, or is not finite.
    """
    if rows.ndim != 2 or not np.isfinite(rows).all():
        raise ModelError(name, "it gave something else than finite vectors", 1)
    norms = np.linalg.norm(rows, axis=1, keepdims=True)
    if (norms == 0).any():
        raise ModelError(name, "it gave a vector of zeros", 1)
    return (rows / norms).astype(np.float32)


def plain(text: str, most: int) -> str:
    """A text as any embedder can take it: no halves of surrogate pairs, no NUL, at most so many letters."""
    return text[:most].encode("utf-8", "replace").decode("utf-8").replace("\0", " ") or " "

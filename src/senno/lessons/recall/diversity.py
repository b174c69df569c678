"""No lesson twice, and not five that say nearly the same: duplicates collapsed, then MMR. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from senno.lessons.likeness import NEAR, jaccard, shingles

Vector = NDArray[np.float32]


def collapsed(texts: Mapping[int, str]) -> dict[int, int]:
    """By the key of a text that says what an earlier one says (Jaccard index `NEAR` or more), the key of that one.

    Args:
        texts: best first.
    """
    kept: dict[int, frozenset[int]] = {}
    same: dict[int, int] = {}
    for key, text in texts.items():
        runs = shingles(text)
        twin = next((other for other, seen in kept.items() if jaccard(runs, seen) >= NEAR), None)
        if twin is None:
            kept[key] = runs
        else:
            same[key] = twin
    return same


def diversified(scores: Mapping[int, float], vectors: Mapping[int, Vector], lam: float) -> dict[int, float]:
    """The keys in the order of maximal marginal relevance, each with its score; in [0, 1] where the scores are.

    λ·score + (1−λ)·(1 − likeness to the nearest chosen before): Carbonell, Goldstein, "The use of MMR", SIGIR 1998,
    plus the constant 1−λ, which changes no order and keeps scores positive for what comes after. Likeness is the
    cosine, put on [0, 1] by the least and the greatest among these candidates, since some embedders press all cosines
    into a narrow band. A key without a vector is like nothing.

    Args:
        scores: of the candidates, best first.
        vectors: of those that have one, norm 1.
        lam: λ in [0, 1]; at 1 the order stays.
    """
    keys = list(scores)
    likeness = _likeness(keys, vectors)
    rest = list(range(len(keys)))
    nearest = np.zeros(len(keys))
    found: dict[int, float] = {}
    while rest:
        values = [lam * scores[keys[i]] + (1 - lam) * (1 - nearest[i]) for i in rest]
        best = int(np.argmax(values))  # the first of equals: the better score
        chosen = rest.pop(best)
        found[keys[chosen]] = float(values[best])
        nearest = np.maximum(nearest, likeness[chosen])
    return found


def _likeness(keys: Sequence[int], vectors: Mapping[int, Vector]) -> NDArray[np.float64]:
    own = [i for i, key in enumerate(keys) if key in vectors]
    whole = np.zeros((len(keys), len(keys)))
    if len(own) > 1:
        rows = np.stack([vectors[keys[i]] for i in own])
        cosines = (rows @ rows.T).astype(np.float64)
        apart = cosines[~np.eye(len(own), dtype=bool)]
        low, high = float(apart.min()), float(apart.max())
        if high > low:
            whole[np.ix_(own, own)] = np.clip((cosines - low) / (high - low), 0.0, 1.0)
    return whole

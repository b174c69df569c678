"""The first lessons found pull the query towards them: relevance feedback on vectors. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float32]


def towards(query: Vector, found: Sequence[Vector]) -> Vector:
    """The query's vector moved towards the mean of what was found first; of norm 1.

    Rocchio's rule without negatives, both parts with weight 1, the first results taken for relevant: J. J. Rocchio,
    "Relevance feedback in information retrieval", 1971. Lessons on one task are near each other, so the first two lead
    to the others.
    """
    if not found:
        return query
    moved = query + np.mean(np.stack(found), axis=0)
    norm = float(np.linalg.norm(moved))
    return (moved / norm).astype(np.float32) if norm > 0 else query


NEARER = 0.04
"""How much nearer to each other than to the task lessons must be to lead to the rest of their kind."""


def agree(query: Vector, found: Sequence[Vector]) -> bool:
    """Whether the lessons found first are of one kind: each nearer to the others than to the query.

    Where they are not, the first is as likely wrong as right, and following it costs more than it gives: nDCG@5 −0.05
    on the Italian set. Where they are it gives 0.02 on recorded reflections.
    """
    if len(found) < 2:
        return bool(found)
    rows = np.stack(found)
    between = (rows @ rows.T)[~np.eye(len(rows), dtype=bool)]
    return float(between.min()) >= float((rows @ query).max()) + NEARER


def by_cosine(query: Vector, vectors: Mapping[int, Vector]) -> dict[int, float]:
    """The cosine of each key with the query, best first; equal ones by key."""
    if not vectors:
        return {}
    keys = sorted(vectors)
    cosines = np.stack([vectors[key] for key in keys]) @ query
    order = np.argsort(-cosines, kind="stable")
    return {keys[i]: float(cosines[i]) for i in order}

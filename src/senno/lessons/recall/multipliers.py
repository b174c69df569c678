"""What became of a lesson weighs in: archived, promoted, salient, recent. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from senno.lessons.recall.ask import Multipliers

ARCHIVED, PROMOTED = 0.3, 1.5
"""Source 002, §44."""

BOUND = 0.05
"""The most that all of it may change, up or down, where it is bounded."""

_SALIENT, _RECENT, _HALF_LIFE_DAYS = 0.02, 0.02, 90.0


@dataclass(frozen=True, slots=True)
class Standing:
    """What is known of a lesson beside its text."""

    archived: bool
    promoted: bool
    salience: float | None
    """In [0, 1]; `None`: too young."""
    created_at: datetime


def multiplier(standing: Standing, now: datetime, kind: Multipliers) -> tuple[float, Mapping[str, float]]:
    """The factor on a lesson's score, and the parts that it is made of, by name.

    Salience gives up to 2 % and youth up to 2 % (half after 90 days). `bounded` keeps the whole within ±5 %: scores of
    fusion by rank lie close together, so the full factors of the source lift lessons of other tasks over the right one
    (docs/recall.md has the figures).
    """
    if kind == "none":
        return 1.0, {}
    parts: dict[str, float] = {}
    if standing.archived:
        parts["archived"] = ARCHIVED
    elif standing.promoted:
        parts["promoted"] = PROMOTED
    if standing.salience:
        parts["salience"] = 1 + _SALIENT * standing.salience
    days = max((now - standing.created_at).total_seconds(), 0.0) / 86_400
    parts["recency"] = 1 + _RECENT * 0.5 ** (days / _HALF_LIFE_DAYS)
    whole = 1.0
    for part in parts.values():
        whole *= part
    if kind == "bounded":
        whole = min(max(whole, 1 - BOUND), 1 + BOUND)
    return whole, parts

"""Salience: how much a lesson is used, on [0, 1], against the others of its department."""

from __future__ import annotations

import math
from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Protocol

from senno.lessons.settings import Settings

TOP_SHARE = 0.9
"""The percentile whose lesson has a salience of 1."""
LEAST_TOP = 5
"""Retrievals that a salience of 1 takes at least: in a store that is hardly used, one retrieval is not much."""


class Retrieved(Protocol):
    """What salience is made from."""

    @property
    def id(self) -> str: ...  # noqa: D102
    @property
    def created(self) -> datetime: ...  # noqa: D102
    @property
    def retrieval_count(self) -> int: ...  # noqa: D102


def salience(lessons: Iterable[Retrieved], now: datetime, settings: Settings) -> dict[str, float]:
    """The salience of each lesson of one department that is old enough, by id.

    `log(1 + n) / log(1 + top)`, at most 1, where `top` is the 90th percentile of n over these lessons, rounded down to
    a lesson of theirs: whatever one lesson does, a thousand recalls or none, it moves `top` by one place at most, and
    the others keep their salience. Two decimals, so that a day's traffic does not rewrite every file.
    """
    old = [one for one in lessons if now - one.created >= timedelta(days=settings.salience_after_days)]
    if not old:
        return {}
    counts = sorted(one.retrieval_count for one in old)
    top = max(LEAST_TOP, counts[math.floor(TOP_SHARE * (len(counts) - 1))])
    return {one.id: round(min(1.0, math.log1p(one.retrieval_count) / math.log1p(top)), 2) for one in old}

"""The bootstrap: how far a statistic moves when the items are drawn again."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Sequence
from typing import TypeVar

from senno.stats.normal import normal_cdf, normal_quantile
from senno.stats.outcome import Interval, NotMeasured, tail_of

T = TypeVar("T")

_LEAST = 3


def bca_interval(
    items: Sequence[T],
    statistic: Callable[[Sequence[T]], float],
    seed: int,
    level: float = 0.95,
    draws: int = 2000,
    without: Sequence[float] | None = None,
) -> Interval | NotMeasured:
    """The bias-corrected and accelerated bootstrap interval (Efron 1987), of items that are drawn whole.

    For a smooth statistic, such as a mean. One that is biased upwards on small samples, as a calibration error is,
    takes `percentile_interval`.

    Args:
        items: what is drawn, with replacement.
        statistic: of a sample.
        seed: of the draws.
        level: of confidence.
        draws: how many samples.
        without: the statistic of all items but one, for each, where there is a faster way to it; else each is computed.

    Raises:
        ValueError: the level is no confidence, fewer than 100 draws, or not one of `without` for each item.
    """
    tail = tail_of(level)
    drawn = _drawn(items, statistic, seed, draws)
    if isinstance(drawn, NotMeasured):
        return drawn
    seen = statistic(items)
    below = sum(each < seen for each in drawn) + sum(each == seen for each in drawn) / 2
    bias = normal_quantile(min(max(below / draws, 0.5 / draws), 1 - 0.5 / draws))
    left = without if without is not None else [statistic([*items[:n], *items[n + 1 :]]) for n in range(len(items))]
    if len(left) != len(items):
        raise ValueError(f"{len(left)} values without an item; expected one for each of {len(items)}")
    middle = math.fsum(left) / len(left)
    squares = math.fsum((middle - each) ** 2 for each in left)
    if squares == 0:
        return NotMeasured("the statistic does not move when an item is left out: there is no spread to go by")
    skew = math.fsum((middle - each) ** 3 for each in left) / (6 * squares**1.5)

    def end(z: float) -> float:
        moved = bias + z
        return _at(drawn, normal_cdf(bias + moved / (1 - skew * moved)))

    z = normal_quantile(tail)
    return Interval(end(z), end(-z), level)


def percentile_interval(
    items: Sequence[T],
    statistic: Callable[[Sequence[T]], float],
    seed: int,
    level: float = 0.95,
    draws: int = 2000,
) -> Interval | NotMeasured:
    """The bootstrap interval by percentiles (Efron 1979). Arguments and errors are those of `bca_interval`."""
    tail = tail_of(level)
    drawn = _drawn(items, statistic, seed, draws)
    return drawn if isinstance(drawn, NotMeasured) else Interval(_at(drawn, tail), _at(drawn, 1 - tail), level)


def _drawn(
    items: Sequence[T], statistic: Callable[[Sequence[T]], float], seed: int, draws: int
) -> list[float] | NotMeasured:
    if draws < 100:
        raise ValueError(f"{draws} draws; expected at least 100")
    if len(items) < _LEAST:
        return NotMeasured(f"{len(items)} items; it takes {_LEAST}")
    chance = random.Random(seed)  # noqa: S311 - statistics, repeatable
    drawn = sorted(statistic(chance.choices(items, k=len(items))) for _ in range(draws))
    if math.isclose(drawn[0], drawn[-1], rel_tol=1e-12):
        return NotMeasured("every sample gives the same: there is no spread to go by")
    return drawn


def _at(ranked: Sequence[float], share: float) -> float:
    """The quantile of sorted values, between two of them in proportion."""
    place = min(max(share, 0.0), 1.0) * (len(ranked) - 1)
    low = math.floor(place)
    high = min(low + 1, len(ranked) - 1)
    return ranked[low] + (ranked[high] - ranked[low]) * (place - low)

"""Pass or fail on the same items, twice: exact McNemar, and the interval of the difference of two rates."""

from __future__ import annotations

import math
from dataclasses import dataclass

from senno.stats.beta import binomial_cdf
from senno.stats.outcome import Interval, NotMeasured
from senno.stats.proportion import wilson


@dataclass(frozen=True, slots=True)
class McNemar:
    """The items on which two runs disagree."""

    harmful: int
    """Passed before, fails now."""
    helpful: int
    """Failed before, passes now."""
    p: float
    """Two-sided, exact; 1 where they never disagree."""


def mcnemar(harmful: int, helpful: int) -> McNemar:
    """The exact test: of the items that changed, were more for the better than a coin would give (McNemar 1947)?

    Raises:
        ValueError: a count is negative.
    """
    if harmful < 0 or helpful < 0:
        raise ValueError(f"{harmful} and {helpful} changes; expected none or more")
    tail = binomial_cdf(min(harmful, helpful), harmful + helpful, 0.5)
    return McNemar(harmful, helpful, min(1.0, 2 * tail))


def matched_difference(
    both: int, harmful: int, helpful: int, neither: int, level: float = 0.95
) -> Interval | NotMeasured:
    """The interval of (rate now − rate before) on the same items: Newcombe 1998, method 10.

    Raises:
        ValueError: a count is negative, or the level is no confidence.
    """
    n = both + harmful + helpful + neither
    if min(both, harmful, helpful, neither) < 0:
        raise ValueError("a count below 0")
    now, before = wilson(both + helpful, n, level), wilson(both + harmful, n, level)
    if isinstance(now, NotMeasured) or isinstance(before, NotMeasured):
        return NotMeasured("no items")
    link = _phi(both, helpful, harmful, neither)
    return _squared_and_added((both + helpful) / n, now, (both + harmful) / n, before, link)


def independent_difference(k1: int, n1: int, k2: int, n2: int, level: float = 0.95) -> Interval | NotMeasured:
    """The interval of k1/n1 − k2/n2 on different items: Newcombe 1998, method 10 for independent samples.

    Raises:
        ValueError: as `wilson`.
    """
    one, other = wilson(k1, n1, level), wilson(k2, n2, level)
    if isinstance(one, NotMeasured) or isinstance(other, NotMeasured):
        return NotMeasured("no items on one side")
    return _squared_and_added(k1 / n1, one, k2 / n2, other, 0.0)


def _phi(a: int, b: int, c: int, d: int) -> float:
    """How far two runs go together, with Newcombe's correction for continuity."""
    margins = (a + b) * (c + d) * (a + c) * (b + d)
    if not margins:
        return 0.0
    cross = a * d - b * c
    if cross > 0:
        cross = max(cross - (a + b + c + d) / 2, 0)
    return cross / math.sqrt(margins)


def _squared_and_added(p1: float, one: Interval, p2: float, other: Interval, link: float) -> Interval:
    def reach(a: float, b: float) -> float:
        return math.sqrt(max(0.0, a * a - 2 * link * a * b + b * b))

    low = p1 - p2 - reach(p1 - one.low, other.high - p2)
    high = p1 - p2 + reach(one.high - p1, p2 - other.low)
    return Interval(max(-1.0, low), min(1.0, high), one.level)

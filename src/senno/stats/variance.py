"""Repeats of the same items: how far they lie apart within an item, and how far items lie apart (one-way ANOVA)."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from senno.stats.beta import f_quantile
from senno.stats.outcome import Estimate, Interval, NotMeasured, finite, mean_of, tail_of

Groups = Sequence[Sequence[float]]
"""The repeats of each item; those with fewer than two say nothing about the noise and are left out by the caller."""


@dataclass(frozen=True, slots=True)
class OneWay:
    """Mean squares of a one-way analysis, items as groups."""

    between: float
    within: float
    items: int
    repeats: float
    """Per item; of unequal items the n₀ of Searle 1971, which makes the estimates unbiased."""
    total: int


def one_way(groups: Groups) -> OneWay | NotMeasured:
    """The analysis of variance of repeats grouped by item.

    Raises:
        ValueError: a value is not finite, or an item is empty.
    """
    values = [finite(group) for group in groups]
    if any(not group for group in values):
        raise ValueError("an item without repeats")
    total = sum(map(len, values))
    items = len(values)
    if total == items:
        return NotMeasured("no item has two repeats")
    if items < 2:
        return NotMeasured("one item; it takes 2")
    whole = math.fsum(v for group in values for v in group) / total
    means = [mean_of(group) for group in values]
    between = 0.0
    if min(means) < max(means):
        between = math.fsum(len(g) * (m - whole) ** 2 for g, m in zip(values, means, strict=True)) / (items - 1)
    repeats = (total - sum(len(g) ** 2 for g in values) / total) / (items - 1)
    return OneWay(between, _squares(values) / (total - items), items, repeats, total)


def within_sd(groups: Groups) -> float | NotMeasured:
    """The standard deviation within an item, pooled over items: the root of the mean square within.

    Raises:
        ValueError: as `one_way`.
    """
    values = [finite(group) for group in groups]
    freedom = sum(len(group) - 1 for group in values if group)
    if freedom < 1:
        return NotMeasured("no item has two repeats")
    return math.sqrt(_squares([group for group in values if group]) / freedom)


def icc_single(groups: Groups, level: float = 0.95) -> Estimate | NotMeasured:
    """ICC(1,1) of Shrout & Fleiss 1979: the share of the variance of one judging that is of the items.

    Its interval is exact for equal numbers of repeats and near for others. Below 0 where repeats of one item lie
    further apart than items do.

    Raises:
        ValueError: as `one_way`, or the level is no confidence.
    """
    return _icc(groups, level, of_means=False)


def icc_mean(groups: Groups, level: float = 0.95) -> Estimate | NotMeasured:
    """ICC(1,k): the same of the mean of an item's repeats. Raises as `icc_single`."""
    return _icc(groups, level, of_means=True)


def _icc(groups: Groups, level: float, *, of_means: bool) -> Estimate | NotMeasured:
    tail = tail_of(level)
    found = one_way(groups)
    if isinstance(found, NotMeasured):
        return found
    if found.within == 0:
        return NotMeasured("all values are equal" if found.between == 0 else "no repeat of an item ever differs")
    k = found.repeats
    ratio = found.between / found.within
    df1, df2 = found.items - 1, found.total - found.items

    def share(f: float) -> float:
        return 1 - 1 / f if of_means else (f - 1) / (f + k - 1)

    if ratio == 0:
        return NotMeasured("no item differs from another")
    low = ratio / f_quantile(1 - tail, df1, df2)
    high = ratio * f_quantile(1 - tail, df2, df1)
    return Estimate(share(ratio), Interval(share(low), share(high), level), found.items)


def _squares(groups: Iterable[list[float]]) -> float:
    """Squared distances from the item's mean; exactly 0 where repeats are equal, whatever their mean is rounded to."""
    return math.fsum((v - mean_of(g)) ** 2 for g in groups if min(g) < max(g) for v in g)

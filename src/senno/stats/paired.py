"""The mean of paired differences: is B better than A on the same scenarios?"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from senno.stats.beta import student_cdf, student_quantile
from senno.stats.outcome import Interval, NotMeasured, finite, mean_of, tail_of

Alternative = Literal["two-sided", "greater", "less"]


@dataclass(frozen=True, slots=True)
class PairedMean:
    """The mean difference B − A, and what speaks against its being 0."""

    mean: float
    interval: Interval
    se: float
    t: float
    df: int
    p: float
    n: int
    """Pairs."""
    clusters: int
    """Independent groups of pairs; `n` where each pair stands by itself."""


def paired_t(
    differences: Iterable[float], level: float = 0.95, alternative: Alternative = "two-sided"
) -> PairedMean | NotMeasured:
    """Student's interval and test on paired differences (Student 1908). Repeats are averaged within a pair before.

    Raises:
        ValueError: a difference is not finite, or the level is no confidence.
    """
    values = finite(differences)
    return paired_clustered(values, range(len(values)), level, alternative)


def paired_clustered(
    differences: Sequence[float],
    clusters: Iterable[Hashable],
    level: float = 0.95,
    alternative: Alternative = "two-sided",
) -> PairedMean | NotMeasured:
    """The same where some pairs hang together (scenarios of one profile): Miller 2024 (arXiv 2411.00640), section 2.2.

    The variance is Miller's sum over clusters, times G / (G − 1) for G clusters, with t on G − 1 degrees of freedom
    (CR1; Miller has the normal): where each cluster is one pair, this is the paired t.

    Args:
        differences: one a pair.
        clusters: what each pair belongs to.
        level: of confidence.
        alternative: what the test is against.

    Raises:
        ValueError: a difference is not finite, not one cluster for each, or the level is no confidence.
    """
    tail = tail_of(level)
    values = finite(differences)
    named = list(clusters)
    if len(named) != len(values):
        raise ValueError(f"{len(values)} differences and {len(named)} clusters; expected one for each")
    if len(values) < 2:
        return NotMeasured(f"{len(values)} pairs; it takes 2")
    mean = mean_of(values)
    sums: dict[Hashable, list[float]] = {}
    for value, name in zip(values, named, strict=True):
        sums.setdefault(name, []).append(value - mean)
    groups = len(sums)
    if groups < 2:
        return NotMeasured("all pairs are of one cluster; it takes 2")
    squares = math.fsum(math.fsum(parts) ** 2 for parts in sums.values())
    se = math.sqrt(squares * groups / (groups - 1)) / len(values)
    if se <= abs(mean) * 1e-14:  # rounding of equal values leaves no true spread
        return NotMeasured(f"no difference differs from another (all are {mean:g}): there is no spread to compare with")
    half = student_quantile(1 - tail, groups - 1) * se
    t = mean / se
    interval = Interval(mean - half, mean + half, level)
    return PairedMean(mean, interval, se, t, groups - 1, _p(t, groups - 1, alternative), len(values), groups)


def _p(t: float, df: int, alternative: Alternative) -> float:
    if alternative == "greater":
        return student_cdf(-t, df)
    return student_cdf(t, df) if alternative == "less" else 2 * student_cdf(-abs(t), df)

"""Intervals of a single rate: k of n."""

from __future__ import annotations

import math
from typing import Literal

from senno.stats.beta import beta_quantile
from senno.stats.normal import normal_quantile
from senno.stats.outcome import Estimate, Interval, NotMeasured, tail_of


def wilson(k: int, n: int, level: float = 0.95) -> Interval | NotMeasured:
    """The score interval (Wilson 1927, without continuity correction): the one to use by default.

    Raises:
        ValueError: k is not from 0 to n, or the level is no confidence.
    """
    _counted(k, n)
    z = normal_quantile(1 - tail_of(level))
    if n == 0:
        return NotMeasured("no cases")
    middle = (k + z * z / 2) / (n + z * z)
    half = z / (n + z * z) * math.sqrt(k * (n - k) / n + z * z / 4)
    return Interval(0.0 if k == 0 else middle - half, 1.0 if k == n else middle + half, level)


def clopper_pearson(k: int, n: int, level: float = 0.95) -> Interval | NotMeasured:
    """The exact interval (Clopper & Pearson 1934): never covers less than it says; for 0 of n, and where safety counts.

    Raises:
        ValueError: as `wilson`.
    """
    _counted(k, n)
    tail = tail_of(level)
    if n == 0:
        return NotMeasured("no cases")
    low = 0.0 if k == 0 else beta_quantile(tail, k, n - k + 1)
    high = 1.0 if k == n else beta_quantile(1 - tail, k + 1, n - k)
    return Interval(low, high, level)


def rate(k: int, n: int, level: float = 0.95, method: Literal["wilson", "exact"] = "wilson") -> Estimate | NotMeasured:
    """The share k / n with its interval.

    Raises:
        ValueError: as `wilson`.
    """
    interval = (wilson if method == "wilson" else clopper_pearson)(k, n, level)
    return interval if isinstance(interval, NotMeasured) else Estimate(k / n, interval, n)


def _counted(k: int, n: int) -> None:
    if not 0 <= k <= n:
        raise ValueError(f"{k} of {n}; expected from none to all of a number of cases")

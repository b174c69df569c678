"""What a statistic can be beside a number: an interval, or not measured."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class NotMeasured:
    """There is no number, and this is why. Never read as 0."""

    reason: str


@dataclass(frozen=True, slots=True)
class Interval:
    """A two-sided confidence interval."""

    low: float
    high: float
    level: float
    """The confidence, in (0, 1)."""

    def __contains__(self, value: float) -> bool:
        return self.low <= value <= self.high


@dataclass(frozen=True, slots=True)
class Estimate:
    """A number with its interval."""

    value: float
    interval: Interval
    n: int
    """Over how many it is."""


def finite(values: Iterable[float]) -> list[float]:
    """The values as a list.

    Raises:
        ValueError: one of them is NaN or infinite.
    """
    numbers = [float(value) for value in values]
    odd = next((value for value in numbers if not math.isfinite(value)), None)
    if odd is not None:
        raise ValueError(f"{odd} is no measured value; leave out what was not measured, and say how many")
    return numbers


def tail_of(level: float) -> float:
    """What lies beyond one end of an interval of that confidence.

    Raises:
        ValueError: the level is not between 0 and 1.
    """
    if not 0 < level < 1:
        raise ValueError(f"a confidence of {level}; expected a number between 0 and 1")
    return (1 - level) / 2


def mean_of(values: list[float]) -> float:
    """The mean of one value or more, summed without rounding error."""
    return math.fsum(values) / len(values)

"""Is it the same as before? A difference that was not found is not yet equality."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from senno.stats.outcome import Interval, NotMeasured, finite
from senno.stats.paired import paired_t


@dataclass(frozen=True, slots=True)
class Equivalence:
    """Two one-sided tests against a margin."""

    mean: float
    p: float
    """The larger of both: below α, the difference lies inside the margin."""
    interval: Interval
    """At 1 − 2α: inside the margin exactly where p is below α."""
    equivalent: bool
    n: int


def tost(differences: Iterable[float], low: float, high: float, alpha: float = 0.05) -> Equivalence | NotMeasured:
    """TOST on paired differences (Schuirmann 1987).

    Args:
        differences: one a pair.
        low: the lowest mean difference that still counts as the same.
        high: the highest.
        alpha: the risk of calling the same what is not.

    Raises:
        ValueError: the margin is empty, a difference is not finite, or alpha is not between 0 and ½.
    """
    if not low < high or not 0 < alpha < 0.5:
        raise ValueError(f"a margin from {low} to {high} at {alpha}; expected low < high, and alpha between 0 and ½")
    values = finite(differences)
    above = paired_t([value - low for value in values], 1 - 2 * alpha, "greater")
    below = paired_t([value - high for value in values], 1 - 2 * alpha, "less")
    whole = paired_t(values, 1 - 2 * alpha)
    for found in (whole, above, below):
        if isinstance(found, NotMeasured):
            return found
    assert not isinstance(above, NotMeasured)
    assert not isinstance(below, NotMeasured)
    assert not isinstance(whole, NotMeasured)
    p = max(above.p, below.p)
    return Equivalence(whole.mean, p, whole.interval, p < alpha, len(values))

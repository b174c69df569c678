"""What a comparison can see: before it is paid for."""

from __future__ import annotations

import math

from senno.stats.normal import normal_quantile


def needed_pairs(sd: float, difference: float, alpha: float = 0.05, power: float = 0.8) -> int:
    """Pairs that it takes to find a true mean difference: ((z₁₋α/₂ + z_power)·sd / difference)², rounded up.

    By the normal distribution: below 20 pairs, Student's t takes two or three more.

    Args:
        sd: of the paired differences.
        difference: that should be found.
        alpha: two-sided.
        power: the chance of finding it.

    Raises:
        ValueError: sd or difference is not above 0, or alpha or power not between 0 and 1.
    """
    if not (sd > 0 and difference > 0):
        raise ValueError(f"a spread of {sd}, a difference of {difference}; expected numbers above 0")
    return math.ceil((_reach(alpha, power) * sd / difference) ** 2 - 1e-9)


def detectable_difference(sd: float, pairs: int, alpha: float = 0.05, power: float = 0.8) -> float:
    """The smallest true mean difference that so many pairs find with that power. Raises as `needed_pairs`."""
    if not (sd > 0 and pairs > 0):
        raise ValueError(f"a spread of {sd}, {pairs} pairs; expected numbers above 0")
    return _reach(alpha, power) * sd / math.sqrt(pairs)


def _reach(alpha: float, power: float) -> float:
    if not (0 < alpha < 1 and 0 < power < 1):
        raise ValueError(f"alpha {alpha}, power {power}; expected numbers between 0 and 1")
    return normal_quantile(1 - alpha / 2) + normal_quantile(power)

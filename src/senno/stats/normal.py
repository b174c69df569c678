"""The normal distribution."""

from __future__ import annotations

import math


def normal_cdf(x: float) -> float:
    """P(Z ≤ x) of a standard normal Z, exact in both tails."""
    return 0.5 * math.erfc(-x / math.sqrt(2))


def normal_quantile(p: float) -> float:
    """The x with P(Z ≤ x) = p (Wichura 1988, algorithm AS 241).

    Raises:
        ValueError: p is not between 0 and 1.
    """
    from statistics import NormalDist

    if not 0 < p < 1:
        raise ValueError(f"a probability of {p}; expected a number between 0 and 1")
    return NormalDist().inv_cdf(p)

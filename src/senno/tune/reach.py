"""What a comparison can tell: the smallest difference on so many scenarios, and the scenarios for a difference."""

from __future__ import annotations

import math

from senno.stats import needed_pairs, student_quantile

LEAST_CLUSTERS = 6
"""Of five clusters, two of 32 ways to give signs do as well as any: 6 %, so that nothing is ever told."""

_POWER = 0.8


def smallest_difference(sd: float, n: int, clusters: int, alpha: float) -> float | None:
    """The smallest true mean difference that is found four times in five; `None`: none, with so few clusters.

    By Student's t on the clusters: (t₁₋α/₂ + t₀.₈)·sd / √n, which for many is `senno.stats.detectable_difference`.

    Args:
        sd: of the paired differences, by scenario.
        n: scenarios.
        clusters: what they hang together in.
        alpha: two-sided, of this comparison.
    """
    if clusters < LEAST_CLUSTERS:
        return None
    freedom = clusters - 1
    return (student_quantile(1 - alpha / 2, freedom) + student_quantile(_POWER, freedom)) * sd / math.sqrt(n)


def scenarios_needed(sd: float, difference: float, alpha: float, a_cluster: float = 1.0) -> int:
    """Scenarios that it takes to find a true mean difference four times in five.

    Args:
        sd: of the paired differences, by scenario; above 0.
        difference: above 0.
        alpha: two-sided, of the comparison.
        a_cluster: scenarios in a cluster, on average.

    Raises:
        ValueError: sd or difference is not above 0.
    """
    n = max(needed_pairs(sd, difference, alpha, _POWER), math.ceil(LEAST_CLUSTERS * a_cluster))
    while True:
        seen = smallest_difference(sd, n, max(LEAST_CLUSTERS, int(n / a_cluster)), alpha)
        if seen is not None and seen <= difference * (1 + 1e-9):
            return n
        n += max(1, n // 100)

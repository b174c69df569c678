"""The paired permutation test: how often would chance, flipping the sign of each difference, do as well?"""

from __future__ import annotations

import math
import random
from collections.abc import Iterable
from dataclasses import dataclass

from senno.stats.outcome import NotMeasured, finite
from senno.stats.paired import Alternative

MOST_EXACT = 16
"""Pairs up to which all 2ⁿ flips are counted."""


@dataclass(frozen=True, slots=True)
class PermutationTest:
    """The mean difference and its p."""

    mean: float
    p: float
    n: int
    """Pairs."""
    flips: int
    """Assignments of signs that were compared: all of them, or so many drawn."""
    exact: bool


def paired_permutation(
    differences: Iterable[float], seed: int, alternative: Alternative = "two-sided", draws: int = 10_000
) -> PermutationTest | NotMeasured:
    """Fisher's test on paired differences (Fisher 1935): exact up to 16 pairs, by Monte Carlo above.

    The p of a drawn test is (1 + hits) / (1 + draws), so that it is never 0 (Phipson & Smyth 2010). Where all
    differences are 0, p is 1.

    Args:
        differences: one a pair.
        seed: of the draws.
        alternative: what the test is against.
        draws: how many, above 16 pairs.

    Raises:
        ValueError: a difference is not finite, or fewer than one draw.
    """
    values = finite(differences)
    if draws < 1:
        raise ValueError(f"{draws} draws; expected at least 1")
    if not values:
        return NotMeasured("no pairs")
    seen = math.fsum(values)
    near = 1e-12 * math.fsum(map(abs, values))  # sums of the same numbers in another order are equal
    exact = len(values) <= MOST_EXACT
    sums = _all(values) if exact else _drawn(values, seed, draws)
    match alternative:
        case "greater":
            hits = sum(each >= seen - near for each in sums)
        case "less":
            hits = sum(each <= seen + near for each in sums)
        case "two-sided":
            hits = sum(abs(each) >= abs(seen) - near for each in sums)
    p = hits / len(sums) if exact else (1 + hits) / (1 + len(sums))
    return PermutationTest(seen / len(values), p, len(values), len(sums), exact)


def _all(values: list[float]) -> list[float]:
    sums = [0.0]
    for value in values:
        sums = [each + value for each in sums] + [each - value for each in sums]
    return sums


def _drawn(values: list[float], seed: int, draws: int) -> list[float]:
    chance = random.Random(seed)  # noqa: S311 - statistics, repeatable
    whole = math.fsum(values)
    sums: list[float] = []
    for _ in range(draws):
        bits = chance.getrandbits(len(values))
        flipped = [value for n, value in enumerate(values) if bits >> n & 1]
        sums.append(whole - 2 * sum(flipped))
    return sums

"""Can a probability be believed? Brier score, calibration error, reliability table.

Outcomes are 1 and 0, or a share between (a partial success is ½).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from senno.stats.outcome import NotMeasured, finite

Forecasts = Sequence[tuple[float, float]]
"""(probability, outcome) of each case, both in [0, 1]."""


@dataclass(frozen=True, slots=True)
class ReliabilityBin:
    """Cases of like probability."""

    n: int
    predicted: float
    """Their mean probability."""
    observed: float
    """Their mean outcome."""


@dataclass(frozen=True, slots=True)
class BrierParts:
    """Murphy 1973: Brier = reliability − resolution + uncertainty + what lies within bins (Stephenson 2008)."""

    reliability: float
    """How far probabilities lie from what happened; 0 is best."""
    resolution: float
    """How far the cases are told apart; more is better, at most `uncertainty`."""
    uncertainty: float
    """What a constant, the base rate, would score."""
    within_bins: float
    """What is left, since cases of one bin differ in probability."""


def brier_score(cases: Forecasts) -> float | NotMeasured:
    """Mean squared distance (Brier 1950), in [0, 1]: 0 is best, ¼ is what "½" always scores.

    Raises:
        ValueError: a number is outside [0, 1].
    """
    checked = _checked(cases)
    return math.fsum((p - y) ** 2 for p, y in checked) / len(checked) if checked else NotMeasured("no cases")


def equal_mass_bins(cases: Forecasts, count: int) -> tuple[ReliabilityBin, ...]:
    """At most `count` bins of as nearly equal size as ties allow (Zadrozny & Elkan 2001), by rising probability.

    Equal probabilities are never parted: which of them went where would be chance. So there may be fewer bins.

    Raises:
        ValueError: `count` below 1, or a number is outside [0, 1].
    """
    if count < 1:
        raise ValueError(f"{count} bins; expected at least 1")
    ranked = sorted(_checked(cases), key=lambda case: case[0])
    bins: list[ReliabilityBin] = []
    start = 0
    for number in range(1, count + 1):
        end = max(start, round(number * len(ranked) / count))
        while 0 < end < len(ranked) and ranked[end][0] == ranked[end - 1][0]:
            end += 1
        if end > start:
            part = ranked[start:end]
            size = len(part)
            bins.append(
                ReliabilityBin(size, math.fsum(p for p, _ in part) / size, math.fsum(y for _, y in part) / size)
            )
        start = end
    return tuple(bins)


def calibration_error(bins: Sequence[ReliabilityBin]) -> float | NotMeasured:
    """The expected calibration error (Naeini et al. 2015) of a reliability table, in [0, 1]; 0 is best.

    On few cases it is above 0 by chance alone, for the best of judges: `chance_error` says how much.
    """
    total = sum(b.n for b in bins)
    return math.fsum(b.n * abs(b.observed - b.predicted) for b in bins) / total if total else NotMeasured("no cases")


def chance_error(probabilities: Sequence[float], count: int, seed: int, draws: int = 1000) -> tuple[float, float]:
    """The calibration error that a perfect judge would show on so many cases: its mean and its 95th percentile.

    Outcomes are drawn from the probabilities themselves (consistency resampling, Bröcker & Smith 2007).

    Args:
        probabilities: of the cases.
        count: of bins, as in `equal_mass_bins`.
        seed: of the draws.
        draws: how many.

    Raises:
        ValueError: no case, a number outside [0, 1], or fewer than 100 draws.
    """
    import random

    if not probabilities or draws < 100:
        raise ValueError(f"{len(probabilities)} cases, {draws} draws; expected at least 1, and at least 100")
    chance = random.Random(seed)  # noqa: S311 - statistics, repeatable
    ranked = sorted(probabilities)
    sizes = [b.n for b in equal_mass_bins([(p, 0.0) for p in ranked], count)]
    starts = [sum(sizes[:n]) for n in range(len(sizes))]
    parts = [ranked[at : at + size] for at, size in zip(starts, sizes, strict=True)]
    drawn = sorted(
        sum(abs(sum((chance.random() < p) - p for p in part)) for part in parts) / len(ranked) for _ in range(draws)
    )
    return math.fsum(drawn) / draws, drawn[min(draws - 1, math.ceil(0.95 * draws) - 1)]


def brier_parts(cases: Forecasts, bins: Sequence[ReliabilityBin]) -> BrierParts | NotMeasured:
    """The parts of the Brier score over the bins of the same cases.

    Raises:
        ValueError: a number is outside [0, 1], or the bins do not hold as many cases.
    """
    score = brier_score(cases)
    if isinstance(score, NotMeasured):
        return score
    n = len(cases)
    if sum(b.n for b in bins) != n:
        raise ValueError(f"{n} cases and bins of {sum(b.n for b in bins)}; expected bins of the same cases")
    base = math.fsum(y for _, y in cases) / n
    reliability = math.fsum(b.n * (b.predicted - b.observed) ** 2 for b in bins) / n
    resolution = math.fsum(b.n * (b.observed - base) ** 2 for b in bins) / n
    uncertainty = math.fsum((y - base) ** 2 for _, y in cases) / n
    return BrierParts(reliability, resolution, uncertainty, score - (reliability - resolution + uncertainty))


def _checked(cases: Forecasts) -> list[tuple[float, float]]:
    pairs = [(float(p), float(y)) for p, y in cases]
    for value in finite(v for pair in pairs for v in pair):
        if not 0 <= value <= 1:
            raise ValueError(f"{value} is no probability and no outcome; expected a number from 0 to 1")
    return pairs

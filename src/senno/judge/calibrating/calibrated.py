"""One target held against the truth: how often it is right, on each side, and whether to believe its probability."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from senno.judge.calibrating.targets import Graded, Target
from senno.judge.calibrating.thresholds import Proposal, at, propose
from senno.stats import (
    BrierParts,
    Confusion,
    Estimate,
    Interval,
    NotMeasured,
    ReliabilityBin,
    accuracy,
    bca_interval,
    brier_parts,
    brier_score,
    calibration_error,
    chance_error,
    clopper_pearson,
    cohen_kappa,
    corrected_rate,
    equal_mass_bins,
    percentile_interval,
    rate,
    sensitivity,
    specificity,
    youden_j,
)

LEAST_A_SIDE = 10
"""Cases of a side, below which nothing is said of that side: of 10 all right, 72 to 100 %."""
LEAST_CASES = 30
"""Below it no calibration error is given: it is mostly noise."""
CASES_A_BIN = 10
MOST_BINS = 10
_DRAWS = 1000
_MOST_DRAWN = 2_000_000
"""Cases drawn in all: some seconds."""


@dataclass(frozen=True, slots=True)
class Cut:
    """The threshold that accuracy is measured at: yes from `value` on, or over it."""

    value: float = 0.5
    above: bool = False
    of_policy: bool = False


@dataclass(frozen=True, slots=True)
class Calibrated:
    """What the labelled cases say of one target."""

    target: Target
    cut: Cut
    counts: Confusion
    prevalence: Estimate | NotMeasured
    accuracy: Estimate | NotMeasured
    sensitivity: Estimate | NotMeasured
    specificity: Estimate | NotMeasured
    youden: Estimate | NotMeasured
    brier: Estimate | NotMeasured
    parts: BrierParts | NotMeasured
    ece: Estimate | NotMeasured
    by_chance: tuple[float, float] | NotMeasured
    """The calibration error that a perfect judge would show on such cases: mean, and 95th percentile."""
    bins: tuple[ReliabilityBin, ...]
    proposal: Proposal | NotMeasured
    corrected: Estimate | NotMeasured | None
    """The rate of unlabelled cases put right; `None`: none were given."""

    @property
    def n(self) -> int:
        """Cases that were answered."""
        return len(self.target.seen)


def calibrate(target: Target, cut: Cut, *, seed: int, unlabelled: tuple[int, int] | None = None) -> Calibrated:
    """Hold one target against the truth.

    Args:
        target: its cases.
        cut: the threshold of today.
        seed: of resampling and of the split.
        unlabelled: (answered yes, of how many) cases whose truth is not known.
    """
    seen = target.seen
    counts = at(seen, cut.value, above=cut.above)
    enough = _few(len(seen), LEAST_A_SIDE, "cases")
    so = _few(counts.positives, LEAST_A_SIDE, "cases that are truly so")
    not_so = _few(counts.negatives, LEAST_A_SIDE, "cases that are truly not so")
    both = so or not_so
    believed = NotMeasured("a deterministic check has no probability") if target.is_check else None
    believed = believed or _few(len(seen), LEAST_CASES, "cases") or both
    cases = [(each.p, float(each.true)) for each in seen]
    bins = () if believed else equal_mass_bins(cases, min(MOST_BINS, len(cases) // CASES_A_BIN))
    nothing = NotMeasured("a deterministic check has no threshold" if target.is_check else "a rule compares its level")
    corrected = None
    if unlabelled:
        corrected = both or corrected_rate(*unlabelled, counts)
    return Calibrated(
        target,
        cut,
        counts,
        prevalence=rate(counts.positives, len(seen)),
        accuracy=enough or accuracy(counts),
        sensitivity=so or sensitivity(counts),
        specificity=not_so or specificity(counts),
        youden=both or youden_j(counts),
        brier=believed or _brier(cases, seed),
        parts=believed or brier_parts(cases, bins),
        ece=believed or _ece(cases, bins, seed),
        by_chance=believed or chance_error([p for p, _ in cases], len(bins), seed, _draws(len(cases))),
        bins=bins,
        proposal=nothing if target.is_check or target.is_level else propose(seen, cut.value, seed),
        corrected=corrected,
    )


def agreement(graded: Graded) -> tuple[Estimate | NotMeasured, Estimate | NotMeasured]:
    """Of a score or a choice as a whole: the share that is right, and kappa (of levels by their squared distance)."""
    few = _few(len(graded.pairs), LEAST_CASES, "cases")
    if few:
        return few, few
    right = sum(true == said for true, said in graded.pairs)
    weights = "quadratic" if graded.ordered else "none"
    return rate(right, len(graded.pairs)), cohen_kappa(graded.pairs, graded.options, weights)


def _few(found: int, least: int, what: str) -> NotMeasured | None:
    return None if found >= least else NotMeasured(f"too few cases: {found} {what}, and it takes {least}")


def _brier(cases: Sequence[tuple[float, float]], seed: int) -> Estimate | NotMeasured:
    value = brier_score(cases)
    if isinstance(value, NotMeasured):
        return value
    losses = [(p - y) ** 2 for p, y in cases]
    total = math.fsum(losses)
    without = [(total - loss) / (len(losses) - 1) for loss in losses]
    interval = bca_interval(losses, _mean, seed, draws=_draws(len(cases)), without=without)
    return Estimate(value, _known(interval, value, len(cases)), len(cases))


def _ece(cases: Sequence[tuple[float, float]], bins: Sequence[ReliabilityBin], seed: int) -> Estimate:
    count = len(bins)

    def error(sample: Sequence[tuple[float, float]]) -> float:
        found = calibration_error(equal_mass_bins(sample, count))
        assert not isinstance(found, NotMeasured), "a sample has cases"
        return found

    value = error(cases)
    interval = percentile_interval(cases, error, seed, draws=_draws(len(cases)))
    return Estimate(value, _known(interval, value, len(cases)), len(cases))


def _known(interval: Interval | NotMeasured, value: float, n: int) -> Interval:
    """The interval; where no case differs from another, what the share of others yet unseen (0 of n) may change."""
    if isinstance(interval, Interval):
        return interval
    unseen = clopper_pearson(0, n)
    assert isinstance(unseen, Interval)
    return Interval(value * (1 - unseen.high), value + (1 - value) * unseen.high, unseen.level)


def _draws(n: int) -> int:
    """How many samples: fewer of very many cases."""
    return min(_DRAWS, max(100, _MOST_DRAWN // n))


def _mean(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values)

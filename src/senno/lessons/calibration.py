"""Whether the confidence can be believed: of the tasks begun at c = 0.7, do about 70 % succeed?

ECE (Naeini et al. 2015) over bins of equal mass (Zadrozny & Elkan 2001), and the Brier score. A partial counts as
half a success, as it does in the profile that c is made from.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from senno.lessons.profile import SCORE
from senno.lessons.tasks import TaskRecord

LEAST_CASES = 30
"""Below it no number is given: with so few, ECE is mostly noise."""
CASES_A_BIN = 10
MOST_BINS = 10


@dataclass(frozen=True, slots=True)
class Case:
    """A task whose confidence and outcome are both known."""

    confidence: float
    score: float
    """1 success, 0.5 partial, 0 failure."""
    difficulty: str | None = None


@dataclass(frozen=True, slots=True)
class Bin:
    """Tasks of like confidence."""

    n: int
    confidence: float
    """Their mean."""
    score: float
    """The mean of what they came to."""


@dataclass(frozen=True, slots=True)
class Calibration:
    """How well confidence and outcomes agree; `None` where it was not measured, and `missing` says why."""

    n: int
    ece: float | None = None
    """Expected calibration error on [0, 1]; 0 is best."""
    brier: float | None = None
    """Mean squared distance on [0, 1]; 0 is best."""
    confidence: float | None = None
    """The mean confidence: above `score`, the agent is overconfident."""
    score: float | None = None
    bins: tuple[Bin, ...] = ()
    missing: str | None = None


def calibration(cases: Sequence[Case]) -> Calibration:
    """Measure the calibration of the confidence in `cases`, in whatever order they come."""
    n = len(cases)
    if n < LEAST_CASES:
        return Calibration(n, missing=f"{n} cases; it takes {LEAST_CASES}")
    from senno.stats import NotMeasured, brier_score, calibration_error, equal_mass_bins

    forecasts = _forecasts(cases)
    bins = equal_mass_bins(forecasts, min(MOST_BINS, n // CASES_A_BIN))
    ece, brier = calibration_error(bins), brier_score(forecasts)
    assert not isinstance(ece, NotMeasured), "there are cases"
    assert not isinstance(brier, NotMeasured), "there are cases"
    return Calibration(
        n,
        ece=ece,
        brier=brier,
        confidence=_mean(c.confidence for c in cases),
        score=_mean(c.score for c in cases),
        bins=tuple(Bin(b.n, b.predicted, b.observed) for b in bins),
    )


def cases_of(records: Iterable[TaskRecord]) -> tuple[list[Case], int, int]:
    """The cases in a log; beside them how many tries had an outcome but no confidence, and how many the reverse.

    A task that was declined has no outcome: calibration is of the tasks that were attempted.
    """
    cases: list[Case] = []
    unstated = unended = 0
    for record in records:
        if record.start is None or not 0 <= record.start.confidence <= 1:
            unstated += record.outcome is not None
        elif record.outcome is None:
            unended += 1
        else:
            cases.append(Case(record.start.confidence, SCORE[record.outcome], record.start.difficulty))
    return cases, unstated, unended


def by_difficulty(cases: Sequence[Case]) -> dict[str, Calibration]:
    """The same for each difficulty that tasks were given, by name; those that were given none are left out."""
    groups: dict[str, list[Case]] = {}
    for case in cases:
        if case.difficulty is not None:
            groups.setdefault(case.difficulty, []).append(case)
    return {name: calibration(groups[name]) for name in sorted(groups)}


def equal_mass(cases: Sequence[Case], count: int) -> tuple[Bin, ...]:
    """At most `count` bins of like confidence: see `senno.stats.equal_mass_bins`."""
    from senno.stats import equal_mass_bins

    return tuple(Bin(b.n, b.predicted, b.observed) for b in equal_mass_bins(_forecasts(cases), count))


def _forecasts(cases: Sequence[Case]) -> list[tuple[float, float]]:
    return [(case.confidence, case.score) for case in cases]


def _mean(values: Iterable[float]) -> float:
    numbers = list(values)
    return math.fsum(numbers) / len(numbers)

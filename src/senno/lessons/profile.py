"""The capability profile: how an agent's department has done on a task type so far.

The average is exponential with α = 0.1 (MetaCogAgent, arXiv:2605.17292: the last ten tries or so count). Until ten
tries are in, it is the plain mean with a prior of mean 0.5 that weighs as much as two tries, which is Laplace's rule
of succession: one success reads as 2/3, not as certainty, and no history reads as 0.5. An exponential average begun
at 0.5 would give that first guess the weight of nine tries; see `design/lessons.md`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from senno.lessons.lesson import Outcome

SCORE: dict[Outcome, float] = {"success": 1.0, "partial": 0.5, "failure": 0.0}
"""What an outcome counts as."""

ALPHA = 0.1
PRIOR_MEAN = 0.5
PRIOR_TRIES = 2


@dataclass(frozen=True, slots=True)
class Profile:
    """What is known of one task type in one department."""

    tries: int = 0
    successes: int = 0
    partials: int = 0
    failures: int = 0
    average: float = PRIOR_MEAN
    """c_p: never 0 nor 1, since the prior is never wholly forgotten."""
    lessons: int = 0
    """Lessons written so far; below the setting `novelty` the task type is novel."""


def after(profile: Profile, outcome: Outcome) -> Profile:
    """The profile after one more outcome."""
    tries = profile.tries + 1
    step = max(ALPHA, 1 / (tries + PRIOR_TRIES))
    return replace(
        profile,
        tries=tries,
        successes=profile.successes + (outcome == "success"),
        partials=profile.partials + (outcome == "partial"),
        failures=profile.failures + (outcome == "failure"),
        average=profile.average + step * (SCORE[outcome] - profile.average),
    )


def profile_of(outcomes: Iterable[Outcome], lessons: int = 0) -> Profile:
    """The profile that a history makes.

    Args:
        outcomes: of one department and task type, oldest first.
        lessons: written so far on that task type.
    """
    made = Profile(lessons=lessons)
    for outcome in outcomes:
        made = after(made, outcome)
    return made

"""The gate: whether to attempt a task, and whether to reflect on it afterwards. Pure; each answer has its reason.

Reflecting on every task tires: the agent learns to write boilerplate. So only on the failed, the uncertain and the new.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from senno.lessons.confidence import Confidence
from senno.lessons.lesson import Outcome
from senno.lessons.settings import Settings

Attempt = Literal["attempt", "ask", "decline"]


@dataclass(frozen=True, slots=True)
class AttemptDecision:
    """Whether to try the task: `attempt` it, `ask` a person or another agent first, or `decline` it."""

    decision: Attempt
    reason: str
    """`c=0.41 < 0.50`."""


@dataclass(frozen=True, slots=True)
class ReflectDecision:
    """Whether to reflect on the task."""

    reflect: bool
    reason: str
    """`failed`, `partial`, `low_confidence c=0.41 < 0.60`, `novel 1 < 3`, `routine`."""


def attempt(confidence: Confidence, settings: Settings) -> AttemptDecision:
    """Whether to try a task: "tasks that it cannot do, it knows not to try".

    Where the agent's word and its history disagree the bar for an attempt rises, so that somebody is asked; the bar
    for declining does not, since disagreement is doubt and no proof of inability.
    """
    c = confidence.value
    if c < settings.decline_below:
        return AttemptDecision("decline", _below(c, settings.decline_below))
    bar = _raised(settings.ask_below, confidence, settings)
    if c < bar:
        return AttemptDecision("ask", _below(c, bar))
    return AttemptDecision("attempt", f"c={c:.2f} ≥ {bar:.2f}")


def reflect(outcome: Outcome, confidence: Confidence, lessons: int, settings: Settings) -> ReflectDecision:
    """Whether to reflect on a task that has ended. The first reason that holds is given.

    Args:
        outcome: how it ended.
        confidence: as it was before the task.
        lessons: written on this task type so far.
        settings: of the department.
    """
    if outcome != "success":
        return ReflectDecision(True, "failed" if outcome == "failure" else "partial")
    bar = _raised(settings.threshold, confidence, settings)
    if confidence.value < bar:
        return ReflectDecision(True, f"low_confidence {_below(confidence.value, bar)}")
    if lessons < settings.novelty:
        return ReflectDecision(True, f"novel {lessons} < {settings.novelty}")
    return ReflectDecision(False, "routine")


def _raised(bar: float, confidence: Confidence, settings: Settings) -> float:
    return round(bar + settings.conflict_weight * confidence.conflict, 9)


def _below(value: float, bar: float) -> str:
    """`c=0.41 < 0.60`, with as many digits as it takes to see that one is below the other."""
    digits = next((d for d in (2, 4) if round(value, d) != round(bar, d)), 9)
    return f"c={value:.{digits}f} < {bar:.{digits}f}"

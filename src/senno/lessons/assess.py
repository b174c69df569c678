"""A task begins, a task ends: what the log says of its type, what the gate says to it, and what is to be recorded."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from senno.errors import ConfigError
from senno.lessons.confidence import Confidence, composite
from senno.lessons.events import OutcomeEvent, ReflectEvent, TaskEvent, Use
from senno.lessons.gate import AttemptDecision, ReflectDecision, attempt, reflect
from senno.lessons.lesson import Outcome
from senno.lessons.profile import Profile, profile_of
from senno.lessons.settings import Settings
from senno.lessons.tasks import Cost, TaskRecord


@dataclass(frozen=True, slots=True)
class Task:
    """Which task, and whose."""

    task_id: str
    task_type: str
    department: str = ""
    agent: str = ""


@dataclass(frozen=True, slots=True)
class Begun:
    """A task before the attempt."""

    profile: Profile
    confidence: Confidence
    decision: AttemptDecision
    event: TaskEvent


@dataclass(frozen=True, slots=True)
class Ended:
    """A task after its outcome."""

    confidence: Confidence
    """As it was before the task."""
    began: bool
    """False: nobody recorded its beginning, so the confidence is the profile's before this outcome."""
    decision: ReflectDecision
    outcome: OutcomeEvent
    reflect: ReflectEvent


def profile_for(records: Iterable[TaskRecord], department: str, task_type: str, lessons: int = 0) -> Profile:
    """The capability profile that a log gives, its outcomes taken in the order in which they came.

    Args:
        records: the tries at tasks in the log.
        department: whose profile.
        task_type: of what.
        lessons: written on that task type so far.
    """
    own = [r for r in records if r.department == department and r.task_type == task_type]
    own.sort(key=lambda r: r.ended or r.began)
    return profile_of((r.outcome for r in own if r.outcome is not None), lessons)


def begin(
    records: Iterable[TaskRecord],
    task: Task,
    settings: Settings,
    *,
    stated: float | None = None,
    difficulty: str | None = None,
) -> Begun:
    """Decide on the attempt.

    Args:
        records: the tries at tasks in the log so far.
        task: that begins.
        settings: of its department.
        stated: the agent's own confidence on [0, 1], where it stated one.
        difficulty: in the caller's own words (`easy`, `hard`), for calibration by difficulty.

    Raises:
        ValueError: `stated` is not on [0, 1].
    """
    profile = profile_for(records, task.department, task.task_type)
    confidence = composite(stated, profile.average, settings.stated_weight)
    decision = attempt(confidence, settings)
    event = TaskEvent(
        task_id=task.task_id,
        task_type=task.task_type,
        department=task.department,
        agent=task.agent,
        stated=stated,
        profile=profile.average,
        confidence=confidence.value,
        attempt=decision.decision,
        difficulty=difficulty,
    )
    return Begun(profile, confidence, decision, event)


def end(
    records: Sequence[TaskRecord],
    written: int,
    task: Task,
    outcome: Outcome,
    settings: Settings,
    *,
    failure_mode: str | None = None,
    use: Mapping[str, Use] | None = None,
    cost: Cost | None = None,
) -> Ended:
    """Decide whether to reflect.

    Args:
        records: the tries at tasks in the log so far, without this outcome.
        written: lessons of that department on that task type so far, whatever became of them.
        task: that ended.
        outcome: how.
        settings: of its department.
        failure_mode: a label for what went wrong; the same label again is the same mistake.
        use: what lessons that were shown did for it.
        cost: tokens and seconds of the task, recall and reflection not counted.

    Raises:
        ConfigError: a success has a failure mode.
    """
    if failure_mode and outcome == "success":
        raise ConfigError(f"failure_mode {failure_mode!r}: the outcome is success; expected none, or another outcome")
    start = _start(records, task)
    if start is None:
        confidence = composite(
            None, profile_for(records, task.department, task.task_type).average, settings.stated_weight
        )
    else:
        confidence = Confidence(start.confidence, start.profile, start.stated)
    decision = reflect(outcome, confidence, written, settings)
    cost = cost or Cost(None, None)
    names = {"task_id": task.task_id, "task_type": task.task_type, "department": task.department}
    return Ended(
        confidence,
        start is not None,
        decision,
        OutcomeEvent(
            **names,
            agent=task.agent,
            outcome=outcome,
            failure_mode=failure_mode,
            use=dict(use or {}),
            tokens=cost.tokens,
            seconds=cost.seconds,
        ),
        ReflectEvent(**names, reflect=decision.reflect, reason=decision.reason),
    )


def open_try(records: Sequence[TaskRecord], task_id: str, department: str | None = None) -> TaskRecord | None:
    """The last try at a task that has no outcome yet; in any department where none is named."""
    own = [r for r in records if r.task_id == task_id and department in (None, r.department) and r.ended is None]
    return own[-1] if own else None


def _start(records: Sequence[TaskRecord], task: Task) -> TaskEvent | None:
    record = open_try(records, task.task_id, task.department)
    return record.start if record else None

"""Credit: what came of the tasks for which a lesson was shown.

It is no proof that the lesson helped: tasks for which much was recalled may have been the easy ones. What the agent
says of it (helped, harmed, neutral, unused) is counted beside it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Protocol

from senno.lessons.events import Use
from senno.lessons.lesson import Outcome
from senno.lessons.tasks import TaskRecord


@dataclass(frozen=True, slots=True)
class Credit:
    """Of one lesson. `shown` tasks are the successes, partials and failures, and those with no outcome yet."""

    shown: int = 0
    """Tasks for which it was shown, each once however often it was recalled for it."""
    successes: int = 0
    partials: int = 0
    failures: int = 0
    said: Mapping[Use, int] = field(default_factory=dict[Use, int])
    """What agents said that it did, where they did say."""

    @property
    def known(self) -> int:
        """Tasks whose outcome is known."""
        return self.successes + self.partials + self.failures


def credit_of(records: Iterable[TaskRecord]) -> dict[str, Credit]:
    """The credit of each lesson that was shown, by its id, from the tries at tasks in a log.

    What an agent says of a lesson counts only where the lesson was shown for that task.
    """
    shown: Counter[str] = Counter()
    outcomes: Counter[tuple[str, Outcome]] = Counter()
    said: dict[str, Counter[Use]] = {}
    for record in records:
        for lesson_id in record.shown:
            shown[lesson_id] += 1
            if record.outcome is not None:
                outcomes[lesson_id, record.outcome] += 1
            if lesson_id in record.use:
                said.setdefault(lesson_id, Counter())[record.use[lesson_id]] += 1
    return {
        lesson_id: Credit(
            count,
            outcomes[lesson_id, "success"],
            outcomes[lesson_id, "partial"],
            outcomes[lesson_id, "failure"],
            dict(said.get(lesson_id, {})),
        )
        for lesson_id, count in shown.items()
    }


@dataclass(frozen=True, slots=True)
class ClassCredit:
    """Of all lessons written after one outcome. `None`: nothing to divide by."""

    stored: int
    """Lessons."""
    shown: int
    """Showings: a lesson and a task for which it was shown."""
    known: int
    """Showings whose task has an outcome."""
    useful: int
    """Showings followed by success."""

    @property
    def shown_per_lesson(self) -> float | None:
        """How often a stored lesson was shown."""
        return self.shown / self.stored if self.stored else None

    @property
    def success_rate(self) -> float | None:
        """Of the showings with an outcome, the share followed by success."""
        return self.useful / self.known if self.known else None

    @property
    def useful_per_lesson(self) -> float | None:
        """Useful showings per stored lesson. `None` too where there were showings, but no outcome is known yet."""
        return None if not self.stored or (self.shown and not self.known) else self.useful / self.stored


class Written(Protocol):
    """What is asked of a lesson here."""

    @property
    def id(self) -> str: ...  # noqa: D102
    @property
    def outcome(self) -> Outcome: ...  # noqa: D102


def by_outcome(lessons: Iterable[Written], credit: Mapping[str, Credit]) -> dict[Outcome, ClassCredit]:
    """The credit of post-failure, post-partial and post-success lessons."""
    found: dict[Outcome, ClassCredit] = {}
    none = Credit()
    pairs = [(lesson.outcome, credit.get(lesson.id, none)) for lesson in lessons]
    for outcome in ("failure", "partial", "success"):
        own = [one for after, one in pairs if after == outcome]
        found[outcome] = ClassCredit(
            len(own), sum(c.shown for c in own), sum(c.known for c in own), sum(c.successes for c in own)
        )
    return found


def failure_against_success(classes: Mapping[Outcome, ClassCredit]) -> dict[str, float | None]:
    """How many times as often, as well, and as usefully post-failure lessons were shown as post-success ones.

    The source found 2.4, 1.4 and 3.4 on its own tasks.
    """
    failure, success = classes["failure"], classes["success"]
    return {
        "shown_per_lesson": _ratio(failure.shown_per_lesson, success.shown_per_lesson),
        "success_rate": _ratio(failure.success_rate, success.success_rate),
        "useful_per_lesson": _ratio(failure.useful_per_lesson, success.useful_per_lesson),
    }


def _ratio(a: float | None, b: float | None) -> float | None:
    return a / b if a is not None and b else None

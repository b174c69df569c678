"""Lessons and the log → what holds of each lesson at a moment. Pure, and the same whichever way the log was written.

The log is the truth, the frontmatter what a fold wrote there last. Two things are taken from the frontmatter where the
log has nothing: a deprecation, which a person may write there, and the retrievals of a lesson that came from elsewhere.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Literal

from senno.lessons.credit import Credit, credit_of
from senno.lessons.events import (
    ArchivedEvent,
    DeprecatedEvent,
    PinnedEvent,
    PromotedEvent,
    RecallEvent,
    Recorded,
    UnarchivedEvent,
    UndeprecatedEvent,
    UndoneEvent,
    UnpinnedEvent,
    UnpromotedEvent,
)
from senno.lessons.lesson import Deprecation, Lesson, Outcome
from senno.lessons.salience import salience
from senno.lessons.settings import Settings
from senno.lessons.tasks import TaskRecord, merged, task_records
from senno.text import folded

Flag = Literal["archived", "promoted", "pinned", "deprecated"]

TURNS: Mapping[type, tuple[Flag, bool]] = {
    ArchivedEvent: ("archived", True),
    UnarchivedEvent: ("archived", False),
    PromotedEvent: ("promoted", True),
    UnpromotedEvent: ("promoted", False),
    PinnedEvent: ("pinned", True),
    UnpinnedEvent: ("pinned", False),
    DeprecatedEvent: ("deprecated", True),
    UndeprecatedEvent: ("deprecated", False),
}
"""Which flag an event sets, or takes away."""


@dataclass(frozen=True, slots=True)
class Turn:
    """A flag that was set or taken away."""

    at: datetime
    flag: Flag
    on: bool
    reason: str = ""
    job: str = ""
    """The run of the decay that did it; empty: a person did."""
    by: str = ""
    merged_into: str | None = None


@dataclass(frozen=True, slots=True)
class LessonState:
    """What holds of one lesson."""

    id: str
    created: datetime
    department: str
    task_type: str
    outcome: Outcome
    retrievals: tuple[datetime, ...] = ()
    """Each recall that showed it, oldest first."""
    last_retrieved: datetime | None = None
    retrieval_count: int = 0
    turns: tuple[Turn, ...] = ()
    """All that was decided about it and stands, oldest first; what an undone run did is not here."""
    deprecated: Deprecation | None = None
    merged_into: str | None = None
    undone_at: datetime | None = None
    """When a run that had changed it was undone last."""
    recurrences: tuple[datetime, ...] = ()
    """When the mistake it is about was made again later: same department, task type and failure mode."""
    credit: Credit = field(default_factory=Credit)
    salience: float | None = None
    """On [0, 1]; `None`: it is too young."""

    def has(self, flag: Flag, at: datetime | None = None) -> bool:
        """Whether a flag is set; `at` an earlier moment, by the turns up to it."""
        own = [turn.on for turn in self.turns if turn.flag == flag and (at is None or turn.at <= at)]
        return own[-1] if own else False

    @property
    def archived(self) -> bool:
        """Recalled with less weight."""
        return self.has("archived")

    @property
    def promoted(self) -> bool:
        """Recalled with more weight."""
        return self.has("promoted")

    @property
    def pinned(self) -> bool:
        """Exempt from decay."""
        return self.has("pinned")


@dataclass(frozen=True, slots=True)
class Folded:
    """All that a log and its lessons say, as of a moment."""

    as_of: datetime
    states: Mapping[str, LessonState]
    """By id, in the order of the ids. A lesson created later is not here."""
    records: tuple[TaskRecord, ...]
    dangling: Mapping[str, int]
    """By id, how many events name a lesson that is not there. They are counted, and change nothing."""
    jobs: Mapping[str, bool]
    """The runs of the decay that changed something, oldest first, and whether each was undone."""


def fold(
    lessons: Iterable[Lesson],
    events: Iterable[Recorded],
    as_of: datetime,
    settings: Callable[[str], Settings],
) -> Folded:
    """Fold lessons and events into states.

    Args:
        lessons: those in the store.
        events: of all writers, in any order.
        as_of: an aware moment; what came later is left out.
        settings: by department.

    Raises:
        ValueError: `as_of` has no time zone.
    """
    if as_of.tzinfo is None:
        raise ValueError(f"as_of: found {as_of} without a time zone; expected an aware moment")
    now = as_of.astimezone(UTC)
    log = merged(events, now)
    records = task_records(log)
    own = {one.id: one for one in lessons if one.created_at <= now}
    seen = _Seen(frozenset(own))
    for recorded in log:
        seen.take(recorded)
    credit = credit_of(records)
    repeats = _recurrences(own.values(), records)
    states = {
        key: replace(
            _state(own[key], seen, now), credit=credit.get(key, Credit()), recurrences=tuple(repeats.get(key, ()))
        )
        for key in sorted(own)
    }
    for department in sorted({one.department for one in states.values()}):
        of_it = [one for one in states.values() if one.department == department]
        for key, value in salience(of_it, now, settings(department)).items():
            states[key] = replace(states[key], salience=value)
    return Folded(now, states, records, dict(seen.dangling), {job: job in seen.undone for job in seen.jobs})


@dataclass(slots=True)
class _Seen:
    """What the events say, by lesson."""

    known: frozenset[str]
    retrievals: dict[str, list[datetime]] = field(default_factory=dict[str, list[datetime]])
    turns: dict[str, list[Turn]] = field(default_factory=dict[str, list[Turn]])
    undone: dict[str, datetime] = field(default_factory=dict[str, datetime])
    jobs: dict[str, None] = field(default_factory=dict[str, None])
    dangling: Counter[str] = field(default_factory=Counter[str])

    def take(self, recorded: Recorded) -> None:
        event = recorded.event
        match event:
            case RecallEvent():
                for key in dict.fromkeys(event.lessons):
                    if self._there(key):
                        self.retrievals.setdefault(key, []).append(recorded.at)
            case UndoneEvent():
                self.undone[event.job] = recorded.at
            case ArchivedEvent() | UnarchivedEvent() | PromotedEvent() | UnpromotedEvent():
                if event.job:
                    self.jobs[event.job] = None
                self._turn(recorded.at, event.lesson_id, type(event), reason=event.reason, job=event.job)
            case PinnedEvent() | UnpinnedEvent():
                self._turn(recorded.at, event.lesson_id, type(event), by=event.by)
            case DeprecatedEvent() | UndeprecatedEvent():
                self._turn(recorded.at, event.lesson_id, type(event), event.reason, "", event.by, event.merged_into)
            case _:
                pass

    def _turn(
        self,
        at: datetime,
        key: str,
        kind: type,
        reason: str = "",
        job: str = "",
        by: str = "",
        merged_into: str | None = None,
    ) -> None:
        if self._there(key):
            flag, on = TURNS[kind]
            self.turns.setdefault(key, []).append(Turn(at, flag, on, reason, job, by, merged_into))

    def _there(self, key: str) -> bool:
        if key in self.known:
            return True
        self.dangling[key] += 1
        return False


def _state(lesson: Lesson, seen: _Seen, now: datetime) -> LessonState:
    retrievals = tuple(seen.retrievals.get(lesson.id, ()))
    turns = seen.turns.get(lesson.id, [])
    standing = tuple(turn for turn in turns if turn.job not in seen.undone)
    undone = [seen.undone[turn.job] for turn in turns if turn.job in seen.undone]
    came = lesson.last_retrieved if lesson.last_retrieved and lesson.last_retrieved <= now else None
    deprecated, merged_into = _deprecation(lesson, standing)
    return LessonState(
        lesson.id,
        lesson.created_at.astimezone(UTC),
        lesson.department,
        lesson.task_type,
        lesson.outcome,
        retrievals=retrievals,
        last_retrieved=max([*retrievals[-1:], *([came] if came else [])], default=None),
        retrieval_count=max(len(retrievals), lesson.retrieval_count if came else 0),
        turns=standing,
        deprecated=deprecated,
        merged_into=merged_into,
        undone_at=max(undone, default=None),
    )


def _deprecation(lesson: Lesson, turns: Sequence[Turn]) -> tuple[Deprecation | None, str | None]:
    said = [turn for turn in turns if turn.flag == "deprecated"]
    if not said:
        return lesson.deprecated, None
    last = said[-1]
    return (Deprecation(last.reason, last.by, last.at), last.merged_into) if last.on else (None, None)


def failure_key(department: str, task_type: str, failure_mode: str) -> tuple[str, str, str]:
    """What makes two failures the same mistake; modes are compared as folded text."""
    return department, task_type, folded(failure_mode) or failure_mode.strip()


def _recurrences(lessons: Iterable[Lesson], records: Sequence[TaskRecord]) -> dict[str, list[datetime]]:
    """By lesson, when the mistake of its task was made again after it was written."""
    failures: dict[tuple[str, str, str], list[datetime]] = {}
    modes: dict[tuple[str, str], list[tuple[datetime, str]]] = {}
    for record in records:
        if record.ended and record.failure_mode and record.outcome != "success":
            key = failure_key(record.department, record.task_type, record.failure_mode)
            failures.setdefault(key, []).append(record.ended)
            modes.setdefault((record.department, record.task_id), []).append((record.ended, record.failure_mode))
    found: dict[str, list[datetime]] = {}
    for lesson in lessons:
        before = [mode for at, mode in modes.get((lesson.department, lesson.task_id), ()) if at <= lesson.created_at]
        if before:
            times = failures.get(failure_key(lesson.department, lesson.task_type, before[-1]), ())
            found[lesson.id] = sorted(at for at in times if at > lesson.created_at)
    return found

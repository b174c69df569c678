"""The tasks that a log tells of: what was stated before each, shown before it, and came of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from senno.lessons.events import (
    OutcomeEvent,
    RecallEvent,
    Recorded,
    ReflectEvent,
    TaskEvent,
    Use,
    WrittenEvent,
)
from senno.lessons.lesson import Outcome


@dataclass(frozen=True, slots=True)
class Cost:
    """What something took; `None`: not known."""

    tokens: int | None
    seconds: float | None


@dataclass(frozen=True, slots=True)
class TaskRecord:
    """One try at a task, from its first event to what was learned from it."""

    task_id: str
    task_type: str
    department: str
    began: datetime
    """When its first event was recorded."""
    start: TaskEvent | None = None
    """The confidence before it and the decision on the attempt; `None`: nobody recorded that it began."""
    shown: tuple[str, ...] = ()
    """Ids of the lessons recalled for it, each once."""
    recalls: tuple[Cost, ...] = ()
    ended: datetime | None = None
    outcome: Outcome | None = None
    failure_mode: str | None = None
    use: Mapping[str, Use] = field(default_factory=dict[str, Use])
    """What each lesson did for it, where the agent said so."""
    cost: Cost | None = None
    """Of the task itself; `None`: it has not ended."""
    reflect: bool | None = None
    """What the gate said; `None`: it was not asked."""
    reflect_reason: str = ""
    written: tuple[Cost, ...] = ()
    """One for each lesson that was written about it."""


def merged(events: Iterable[Recorded], as_of: datetime | None = None) -> tuple[Recorded, ...]:
    """The events of any number of writers in the one order that all agree on, up to a moment."""
    until = [r for r in events if as_of is None or r.at <= as_of]
    return tuple(sorted(until, key=lambda r: (r.at, r.writer, r.seq)))


def task_records(events: Sequence[Recorded]) -> tuple[TaskRecord, ...]:
    """The tries at tasks in a merged log, in the order in which they began.

    Events belong to one try by department and task id. A try is over with its outcome: a later beginning, recall or
    outcome of the same task is another try. A decision to reflect and a lesson belong to the last try before them; a
    lesson names no department, so task ids that two departments share are told apart only by time.
    """
    made = Records()
    for recorded in events:
        made.take(recorded)
    return tuple(made.records)


@dataclass(slots=True)
class Records:
    """The tries so far, one event after the other in the order of a merged log."""

    records: list[TaskRecord] = field(default_factory=list[TaskRecord])
    last: dict[tuple[str, str], int] = field(default_factory=dict[tuple[str, str], int])
    """By department and task id, where the last try is in `records`."""
    by_task: dict[str, int] = field(default_factory=dict[str, int])

    def take(self, recorded: Recorded) -> None:
        """Take in the next event."""
        event = recorded.event
        match event:
            case TaskEvent():
                at = self._begun(recorded.at, event, again=True)
                self.records[at] = replace(self.records[at], start=event)
            case RecallEvent():
                at = self._begun(recorded.at, event)
                self.records[at] = _with_recall(self.records[at], event)
            case OutcomeEvent():
                at = self._begun(recorded.at, event)
                self.records[at] = _with_outcome(self.records[at], recorded.at, event)
            case ReflectEvent():
                at = self.last.get((event.department, event.task_id), -1)
                if at >= 0:
                    self.records[at] = replace(self.records[at], reflect=event.reflect, reflect_reason=event.reason)
            case WrittenEvent():
                at = self.by_task.get(event.task_id, -1)
                if at >= 0:
                    one = self.records[at]
                    self.records[at] = replace(one, written=(*one.written, Cost(event.tokens, event.seconds)))
            case _:
                pass

    def _begun(self, at: datetime, event: TaskEvent | RecallEvent | OutcomeEvent, *, again: bool = False) -> int:
        """The place of the try that an event belongs to; a new one where the last is over, or has `again` begun."""
        key = event.department, event.task_id
        place = self.last.get(key)
        if place is not None:
            one = self.records[place]
            if one.ended is None and not (again and one.start is not None):
                return place
        self.records.append(TaskRecord(event.task_id, event.task_type, event.department, at))
        self.last[key] = self.by_task[event.task_id] = len(self.records) - 1
        return len(self.records) - 1


def _with_recall(one: TaskRecord, event: RecallEvent) -> TaskRecord:
    shown = tuple(dict.fromkeys((*one.shown, *event.lessons)))
    return replace(one, shown=shown, recalls=(*one.recalls, Cost(event.tokens, event.seconds)))


def _with_outcome(one: TaskRecord, at: datetime, event: OutcomeEvent) -> TaskRecord:
    return replace(
        one,
        task_type=event.task_type or one.task_type,
        ended=at,
        outcome=event.outcome,
        failure_mode=event.failure_mode or None,
        use=event.use,
        cost=Cost(event.tokens, event.seconds),
    )

"""What happened to lessons and tasks: typed events, one JSON object a line, one file a writer, never rewritten."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, ClassVar, Literal

from senno.lessons.lesson import Outcome

Use = Literal["helped", "harmed", "neutral", "unused"]
"""What a recalled lesson did for the task, as the agent says."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskEvent:
    """A task began: how sure the agent was, and what the gate on the attempt said."""

    type: ClassVar[str] = "task"
    task_id: str
    task_type: str
    department: str
    agent: str
    stated: float | None
    """c_v, in [0, 1]."""
    profile: float
    """c_p, in [0, 1]."""
    confidence: float
    """c, in [0, 1]."""
    attempt: Literal["attempt", "ask", "decline"]
    difficulty: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RecallEvent:
    """Lessons were shown before a task."""

    type: ClassVar[str] = "recall"
    recall_id: str
    task_id: str
    task_type: str
    department: str
    agent: str
    lessons: tuple[str, ...]
    """Ids, best first."""
    tokens: int
    seconds: float


@dataclass(frozen=True, slots=True, kw_only=True)
class OutcomeEvent:
    """A task ended."""

    type: ClassVar[str] = "outcome"
    task_id: str
    task_type: str
    department: str
    agent: str
    outcome: Outcome
    failure_mode: str | None = None
    use: Mapping[str, Use] = field(default_factory=dict[str, Use])
    """By the id of a lesson that was shown."""
    tokens: int | None = None
    """Of the whole task; `None`: not known."""
    seconds: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ReflectEvent:
    """The gate decided whether to reflect on a task."""

    type: ClassVar[str] = "reflect"
    task_id: str
    task_type: str
    department: str
    reflect: bool
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class WrittenEvent:
    """A lesson was stored."""

    type: ClassVar[str] = "written"
    lesson_id: str
    task_id: str
    tokens: int | None = None
    """What writing it took; `None`: not known."""
    seconds: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class DuplicateEvent:
    """A lesson was learned again: it was not stored twice."""

    type: ClassVar[str] = "duplicate"
    lesson_id: str
    """The lesson that was there."""
    task_id: str
    """The task that taught it again."""
    draft_id: str = ""
    """The id that the draft came with, where it was written elsewhere before: it is not counted again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Moved:
    lesson_id: str
    reason: str
    job: str
    """The run of the decay that did it; `undone` names it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ArchivedEvent(_Moved):
    """Recalled with less weight from now on."""

    type: ClassVar[str] = "archived"


@dataclass(frozen=True, slots=True, kw_only=True)
class UnarchivedEvent(_Moved):
    """No longer archived."""

    type: ClassVar[str] = "unarchived"


@dataclass(frozen=True, slots=True, kw_only=True)
class PromotedEvent(_Moved):
    """Recalled with more weight from now on."""

    type: ClassVar[str] = "promoted"


@dataclass(frozen=True, slots=True, kw_only=True)
class UnpromotedEvent(_Moved):
    """No longer promoted."""

    type: ClassVar[str] = "unpromoted"


@dataclass(frozen=True, slots=True, kw_only=True)
class UndoneEvent:
    """All that a run of the decay did is void."""

    type: ClassVar[str] = "undone"
    job: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PinnedEvent:
    """A person exempted a lesson from the decay."""

    type: ClassVar[str] = "pinned"
    lesson_id: str
    by: str


@dataclass(frozen=True, slots=True, kw_only=True)
class UnpinnedEvent:
    """The exemption ended."""

    type: ClassVar[str] = "unpinned"
    lesson_id: str
    by: str


@dataclass(frozen=True, slots=True, kw_only=True)
class _Reviewed:
    lesson_id: str
    reason: str
    """`echo_chamber`, `obsolete` or `duplicate`."""
    by: str
    merged_into: str | None = None
    """The lesson that says it better."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DeprecatedEvent(_Reviewed):
    """A review took a lesson out of recall."""

    type: ClassVar[str] = "deprecated"


@dataclass(frozen=True, slots=True, kw_only=True)
class UndeprecatedEvent(_Reviewed):
    """A review put it back."""

    type: ClassVar[str] = "undeprecated"


@dataclass(frozen=True, slots=True, kw_only=True)
class OtherEvent:
    """An event of a type that this version does not know (a newer senno wrote it): kept, and ignored."""

    type: str
    fields: Mapping[str, Any]


Event = (
    TaskEvent
    | RecallEvent
    | OutcomeEvent
    | ReflectEvent
    | WrittenEvent
    | DuplicateEvent
    | ArchivedEvent
    | UnarchivedEvent
    | PromotedEvent
    | UnpromotedEvent
    | UndoneEvent
    | PinnedEvent
    | UnpinnedEvent
    | DeprecatedEvent
    | UndeprecatedEvent
    | OtherEvent
)


@dataclass(frozen=True, slots=True)
class Recorded:
    """An event as it stands in a log. Logs merge by sorting on (`at`, `writer`, `seq`)."""

    at: datetime
    """Aware, UTC."""
    writer: str
    seq: int
    """From 1, in the order in which the writer wrote."""
    event: Event

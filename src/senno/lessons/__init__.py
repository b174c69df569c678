"""Lessons across tasks: Markdown files whose bodies are written once, and a log of what happened to them.

The files and the log are the truth; all else is derived from them.
"""

from senno.lessons.assess import Begun, Ended, Task, begin, end, open_try, profile_for
from senno.lessons.calibration import Calibration, by_difficulty, calibration, cases_of
from senno.lessons.confidence import Confidence, composite
from senno.lessons.credit import Credit, failure_against_success
from senno.lessons.current import current
from senno.lessons.decay import Change, Suspect, due
from senno.lessons.decay_job import DecayReport, Snapshot, run_decay, snapshot, undo
from senno.lessons.document import draft_from_text
from senno.lessons.event_log import EventLog, LogProblem, LogRead
from senno.lessons.events import (
    ArchivedEvent,
    DeprecatedEvent,
    DuplicateEvent,
    Event,
    OtherEvent,
    OutcomeEvent,
    PinnedEvent,
    PromotedEvent,
    RecallEvent,
    Recorded,
    ReflectEvent,
    TaskEvent,
    UnarchivedEvent,
    UndeprecatedEvent,
    UndoneEvent,
    UnpinnedEvent,
    UnpromotedEvent,
    Use,
    WrittenEvent,
)
from senno.lessons.export import lesson_json, to_csv
from senno.lessons.fold import Folded, LessonState, fold
from senno.lessons.from_record import filled, last_try
from senno.lessons.gate import AttemptDecision, ReflectDecision, attempt, reflect
from senno.lessons.lesson import HEADINGS, OUTCOMES, Deprecation, Draft, Language, Lesson, Outcome, Quality
from senno.lessons.listing import Scan, SetAside
from senno.lessons.metrics import Mean, Metrics, Span, counts, measure
from senno.lessons.profile import Profile
from senno.lessons.replay import Replay, replay
from senno.lessons.root import find_root
from senno.lessons.screening import RECALLED_MARK
from senno.lessons.settings import PRESETS, Settings, settings_for
from senno.lessons.store import Added, Store, Stored
from senno.lessons.tasks import Cost, TaskRecord, merged, task_records

__all__ = [
    "HEADINGS",
    "OUTCOMES",
    "PRESETS",
    "RECALLED_MARK",
    "Added",
    "ArchivedEvent",
    "AttemptDecision",
    "Begun",
    "Calibration",
    "Change",
    "Confidence",
    "Cost",
    "Credit",
    "DecayReport",
    "DeprecatedEvent",
    "Deprecation",
    "Draft",
    "DuplicateEvent",
    "Ended",
    "Event",
    "EventLog",
    "Folded",
    "Language",
    "Lesson",
    "LessonState",
    "LogProblem",
    "LogRead",
    "Mean",
    "Metrics",
    "OtherEvent",
    "Outcome",
    "OutcomeEvent",
    "PinnedEvent",
    "Profile",
    "PromotedEvent",
    "Quality",
    "RecallEvent",
    "Recorded",
    "ReflectDecision",
    "ReflectEvent",
    "Replay",
    "Scan",
    "SetAside",
    "Settings",
    "Snapshot",
    "Span",
    "Store",
    "Stored",
    "Suspect",
    "Task",
    "TaskEvent",
    "TaskRecord",
    "UnarchivedEvent",
    "UndeprecatedEvent",
    "UndoneEvent",
    "UnpinnedEvent",
    "UnpromotedEvent",
    "Use",
    "WrittenEvent",
    "attempt",
    "begin",
    "by_difficulty",
    "calibration",
    "cases_of",
    "composite",
    "counts",
    "current",
    "draft_from_text",
    "due",
    "end",
    "failure_against_success",
    "filled",
    "find_root",
    "fold",
    "last_try",
    "lesson_json",
    "measure",
    "merged",
    "open_try",
    "profile_for",
    "reflect",
    "replay",
    "run_decay",
    "settings_for",
    "snapshot",
    "task_records",
    "to_csv",
    "undo",
]

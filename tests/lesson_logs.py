"""Lessons and logs for tests, in a few words each."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

from senno.config import LessonRules, Lessons
from senno.lessons import (
    Lesson,
    OutcomeEvent,
    RecallEvent,
    Recorded,
    TaskEvent,
    fold,
    settings_for,
)

NOW = datetime(2026, 11, 30, 21, 5, 12, tzinfo=UTC)


def settings(**rules):
    return settings_for(Lessons(**rules))


def ago(days=0, **more):
    return NOW - timedelta(days=days, **more)


def lesson(id_, created=NOW, **more):
    given = {
        "task_id": f"task-{id_}",
        "task": "",
        "task_type": "reconcile",
        "outcome": "failure",
        "confidence_at_start": None,
        "model_used": "",
        "department": "finance",
        "agent": "",
        "related_skills": (),
        "tags": (),
        "skill_gap": None,
        "quality": None,
        "what": "w",
        "why": "y",
        "rule": "r",
        "language": "en",
        "path": Path(f"{id_}.md"),
    }
    return Lesson(id=id_, created_at=created, **{**given, **more})


class Log:
    """Events in the order in which they are told, a second apart unless they say when."""

    def __init__(self, writer="w"):
        self.writer = writer
        self.events = []

    def add(self, event, at=None):
        when = at or (self.events[-1].at + timedelta(seconds=1) if self.events else NOW - timedelta(days=200))
        self.events.append(Recorded(when, self.writer, len(self.events) + 1, event))
        return self

    def recall(self, *lessons, at=None, task="t", tokens=0, seconds=0.0, department="finance", kind="reconcile"):
        return self.add(
            RecallEvent(
                recall_id=f"r{len(self.events)}",
                task_id=task,
                task_type=kind,
                department=department,
                agent="a",
                lessons=lessons,
                tokens=tokens,
                seconds=seconds,
            ),
            at,
        )

    def task(self, task="t", confidence=0.5, at=None, department="finance", kind="reconcile", **more):
        given = {"stated": None, "profile": confidence, "attempt": "attempt", "agent": "a", **more}
        return self.add(
            TaskEvent(task_id=task, task_type=kind, department=department, confidence=confidence, **given), at
        )

    def outcome(self, outcome="success", at=None, task="t", department="finance", kind="reconcile", **more):
        return self.add(
            OutcomeEvent(task_id=task, task_type=kind, department=department, agent="a", outcome=outcome, **more),
            at,
        )


def folded(lessons, events=(), at=NOW, **rules):
    return fold(lessons, events, at, lambda _: settings(**rules))


__all__ = ["NOW", "LessonRules", "Log", "ago", "folded", "lesson", "settings"]

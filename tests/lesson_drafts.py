"""Drafts and lessons for tests, each a whole one with what the test changes."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

from senno.lessons import Draft, Lesson

NOON = datetime(2026, 11, 30, 12, 0, 0, tzinfo=UTC)


class Clock:
    """Says NOON, then a second more each time it is asked."""

    def __init__(self, start=NOON, step=timedelta(seconds=1)):
        self.now, self.step = start, step

    def __call__(self):
        self.now += self.step
        return self.now


def draft(**changes):
    return Draft(
        **{
            "task_id": "T-1",
            "outcome": "failure",
            "what": "The parser read 03/04 as the fourth of March.",
            "why": "It took the order of day and month from the locale of the server.",
            "rule": "Give the format of a date to the parser; never let the locale choose it.",
            **changes,
        }
    )


def numbered(number, **changes):
    """A draft that is like no other one."""
    return draft(
        **{
            "task_id": f"T-{number}",
            "what": f"Call {number} to endpoint e{number} returned code c{number}.",
            "why": f"Parameter p{number} went out with value v{number}.",
            "rule": f"Set p{number} to w{number} before e{number}.",
            **changes,
        }
    )


def lesson(**changes):
    return Lesson(
        **{
            "id": "20261130-120000-000000000000",
            "created_at": NOON,
            "task_id": "T-1",
            "task": "Read dates.",
            "task_type": "parsing",
            "outcome": "failure",
            "confidence_at_start": 0.4,
            "model_used": "ollama:llama3.2",
            "department": "sales",
            "agent": "anna",
            "related_skills": ("dates",),
            "tags": ("a", "b"),
            "skill_gap": None,
            "quality": None,
            "what": "W",
            "why": "Y",
            "rule": "R",
            "language": "en",
            "path": Path("reflexions/2026-11/30-T-1.md"),
            **changes,
        }
    )

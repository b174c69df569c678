"""What the index says of a lesson, and what it is asked."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from senno.lessons.lesson import Outcome


@dataclass(frozen=True, slots=True)
class Where:
    """Which lessons are looked at."""

    departments: frozenset[str] | None = None
    """`None`: of all."""
    deprecated: bool = False
    """Also those that a review took out."""


@dataclass(frozen=True, slots=True)
class Hit:
    """One that was found."""

    key: int
    """Stands for a lesson as long as the process lives; see `keys`."""
    score: float


@dataclass(frozen=True, slots=True)
class Entry:
    """A lesson without its text; what the log decides is as the log has it."""

    key: int
    id: str
    path: Path
    """Relative to the root of the store."""
    department: str
    agent: str
    task_id: str
    task_type: str
    outcome: Outcome
    created_at: datetime
    archived: bool
    promoted: bool
    pinned: bool
    deprecated: bool
    retrieval_count: int
    last_retrieved: datetime | None
    salience: float | None
    language: str
    """That it is stemmed by (`english`, …)."""
    digest: bytes
    """Of the bytes of its file (BLAKE2b, 16 bytes)."""

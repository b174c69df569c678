"""What a recall gives: the lessons, why each, which stages ran, and the block for the prompt."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from senno.lessons.events import RecallEvent
from senno.lessons.export import lesson_json
from senno.lessons.lesson import Lesson
from senno.lessons.recall.ask import Ask


@dataclass(frozen=True, slots=True)
class Place:
    """Where one stage put a lesson."""

    rank: int
    """From 1."""
    score: float
    """In the stage's own measure."""


@dataclass(frozen=True, slots=True)
class Why:
    """Why a lesson was recalled: what each stage made of it. A stage that is not here did not rank it."""

    stages: Mapping[str, Place]
    """`words` (BM25), `dense` (cosine), `feedback` (cosine after relevance feedback), `fused`, `mmr`, `rerank`; the
    scores of the last four are comparable with `score`, but for `rerank`'s, which is the reranker's own."""
    multiplier: float
    parts: Mapping[str, float]
    """What the multiplier is made of: `archived`, `promoted`, `salience`, `recency`."""
    cosine: float | None
    """With the task's text; `None`: the lesson has no vector, or the task none."""
    coverage: float
    """The share of the task's words that it has, each weighed by its rarity."""
    same: tuple[str, ...] = ()
    """Lessons that say the same, and were left out for it."""


@dataclass(frozen=True, slots=True)
class RecalledLesson:
    """One lesson that was found."""

    lesson: Lesson
    score: float
    """A share of what fusion gave the best one, after MMR, times the multiplier; comparable within one recall."""
    why: Why
    text: bool = True
    """False: the block had no room for it, and it was not shown."""


@dataclass(frozen=True, slots=True)
class Stage:
    """What one stage took, or why it did not run."""

    name: str
    ran: bool
    seconds: float = 0.0
    note: str = ""


@dataclass(frozen=True, slots=True)
class Recalled:
    """The lessons for a task, best first."""

    recall_id: str
    ask: Ask
    lessons: tuple[RecalledLesson, ...]
    block: str
    """For the prompt; empty: there is nothing to show."""
    tokens: int
    """Of the block, estimated."""
    seconds: float
    stages: tuple[Stage, ...]
    notes: tuple[str, ...] = ()
    """What did not go as it should, in words."""

    @property
    def shown(self) -> tuple[Lesson, ...]:
        """The lessons that are in the block."""
        return tuple(one.lesson for one in self.lessons if one.text)

    def event(self) -> RecallEvent:
        """What goes to the log: which lessons were shown for which task."""
        return RecallEvent(
            recall_id=self.recall_id,
            task_id=self.ask.task_id,
            task_type=self.ask.task_type,
            department=self.ask.department,
            agent=self.ask.agent,
            lessons=tuple(lesson.id for lesson in self.shown),
            tokens=self.tokens,
            seconds=self.seconds,
        )


@dataclass(slots=True)
class Course:
    """The stages of a recall under way, for the result."""

    stages: list[Stage] = field(default_factory=list[Stage])
    notes: list[str] = field(default_factory=list[str])

    def ran(self, name: str, seconds: float, note: str = "") -> None:
        """A stage ran."""
        self.stages.append(Stage(name, True, seconds, note))

    def left_out(self, name: str, why: str, *, fault: bool = True) -> None:
        """A stage did not run; `fault`: it should have."""
        self.stages.append(Stage(name, False, 0.0, why))
        if fault:
            self.notes.append(f"{name} did not run: {why}")


def recalled_json(recalled: Recalled) -> dict[str, Any]:
    """A recall as JSON values."""
    return {
        "schema_version": 1,
        "recall_id": recalled.recall_id,
        "tokens": recalled.tokens,
        "seconds": recalled.seconds,
        "lessons": [_lesson(one) for one in recalled.lessons],
        "stages": [
            {"name": stage.name, "ran": stage.ran, "seconds": stage.seconds, "note": stage.note}
            for stage in recalled.stages
        ],
        "notes": list(recalled.notes),
        "block": recalled.block,
    }


def _lesson(one: RecalledLesson) -> dict[str, Any]:
    why = one.why
    return {
        "shown": one.text,
        "score": one.score,
        "why": {
            "stages": {name: {"rank": place.rank, "score": place.score} for name, place in why.stages.items()},
            "multiplier": why.multiplier,
            "parts": dict(why.parts),
            "cosine": why.cosine,
            "coverage": why.coverage,
            "same": list(why.same),
        },
        "lesson": lesson_json(one.lesson),
    }

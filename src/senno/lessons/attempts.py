"""One try at a task, from its beginning to the lesson."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from types import TracebackType
from typing import TYPE_CHECKING, Self

from senno.errors import ConfigError
from senno.lessons.assess import Begun, Ended, Task, end, open_try
from senno.lessons.events import Use
from senno.lessons.lesson import Draft, Language, Outcome
from senno.lessons.recall import Recalled, passage
from senno.lessons.store import Added
from senno.lessons.tasks import Cost, TaskRecord
from senno.threads import in_daemon_thread

if TYPE_CHECKING:
    from senno.lessons.agent import Lessons


class Attempt:
    """A task under way. As a context manager it records a failure where the block raises."""

    def __init__(
        self,
        lessons: Lessons,
        task: Task,
        text: str = "",
        *,
        begun: Begun | None = None,
        recalled: Recalled | None = None,
        record: TaskRecord | None = None,
    ) -> None:
        self._lessons = lessons
        self._began = time.perf_counter()
        self._text = text
        self._record = record
        self.task = task
        self.begun = begun
        """Profile, confidence, and the decision: attempt, ask or decline; `None`: it began in another process."""
        self.recalled = recalled
        """What was shown before it; `None`: it began in another process."""
        self.outcome: Outcome | None = record.outcome if record else None
        """`None`: the task is under way."""

    @property
    def block(self) -> str:
        """The lessons, ready for the prompt; empty where there are none."""
        return self.recalled.block if self.recalled else ""

    @property
    def shown(self) -> tuple[str, ...]:
        """Ids of the lessons that were shown before the task."""
        if self.recalled is not None:
            return tuple(lesson.id for lesson in self.recalled.shown)
        return self._record.shown if self._record else ()

    def after(
        self,
        outcome: Outcome,
        *,
        failure_mode: str | None = None,
        use: Mapping[str, Use] | None = None,
        tokens: int | None = None,
        seconds: float | None = None,
    ) -> Ended:
        """The task has ended: the outcome is credited to the lessons shown, and the gate says whether to reflect.

        Args:
            outcome: how it ended.
            failure_mode: a label for what went wrong; the same label again is the same mistake.
            use: what lessons that were shown did for it, by id.
            tokens: of the task, where known.
            seconds: of the task; by default since `before` returned.

        Raises:
            ConfigError: the outcome was recorded already, or `use` names a lesson that was not shown.
        """
        if self._known_outcome() is not None:
            raise ConfigError(f"the outcome of {self.task.task_id} was recorded already: {self.outcome}")
        strange = [key for key in use or {} if key not in self.shown]
        if strange:
            expected = f"expected one of {', '.join(self.shown)}" if self.shown else "none was"
            raise ConfigError(f"use: {strange[0]!r} was not shown for this task; {expected}")
        if seconds is None and self.recalled is not None:
            seconds = time.perf_counter() - self._began
        lessons = self._lessons
        ended = end(
            lessons.history.records(),
            lessons.index.written(self.task.department, self.task.task_type),
            self.task,
            outcome,
            lessons.settings,
            failure_mode=failure_mode,
            use=use,
            cost=Cost(tokens, seconds),
        )
        lessons.store.events.append(ended.outcome)
        lessons.store.events.append(ended.reflect)
        self.outcome = outcome
        return ended

    def reflect(
        self,
        *,
        what: str,
        why: str,
        rule: str,
        task: str = "",
        tags: Sequence[str] = (),
        related_skills: Sequence[str] = (),
        skill_gap: str | None = None,
        model_used: str = "",
        language: Language | None = None,
        tokens: int | None = None,
        seconds: float | None = None,
    ) -> Added:
        """Store what the task taught.

        Args:
            what: What happened?
            why: Why?
            rule: What rule should I remember?
            task: the text of the task, where it began in another process.
            tags: words to find it by.
            related_skills: that it is about.
            skill_gap: the tool or the skill that was missing.
            model_used: that did the task.
            language: of the headings; by default `lessons.language`.
            tokens: what writing it took, where known.
            seconds: how long writing it took, where known.

        Raises:
            LessonRefused: it teaches nothing, or copies what was recalled; with the reason.
            ConfigError: the task has no outcome yet.
        """
        outcome = self._known_outcome()
        if outcome is None:
            raise ConfigError(f"{self.task.task_id} has no outcome yet: record it first (after)")
        draft = Draft(
            task_id=self.task.task_id,
            outcome=outcome,
            what=what,
            why=why,
            rule=rule,
            task=self._text or task,
            task_type=self.task.task_type,
            confidence_at_start=self._confidence(),
            model_used=model_used,
            department=self.task.department,
            agent=self.task.agent,
            related_skills=tuple(related_skills),
            tags=tuple(tags),
            skill_gap=skill_gap,
            language=language or self._lessons.language,
        )
        return self._lessons.store.add(draft, recalled=self._shown_texts(), tokens=tokens, seconds=seconds)

    def _known_outcome(self) -> Outcome | None:
        """The outcome, which another process may have recorded meanwhile."""
        name, department = self.task.task_id, self.task.department
        if self.outcome is None:
            records = self._lessons.history.records()
            if open_try(records, name, department) is None:
                own = [r for r in records if (r.task_id, r.department) == (name, department)]
                self.outcome = own[-1].outcome if own else None
        return self.outcome

    def _confidence(self) -> float | None:
        if self.begun is not None:
            return self.begun.confidence.value
        start = self._record.start if self._record else None
        return start.confidence if start else None

    def _shown_texts(self) -> list[str]:
        if self.recalled is not None:
            return [passage(lesson) for lesson in self.recalled.shown]
        texts: list[str] = []
        for lesson_id in self.shown:
            with suppress(ConfigError):  # it is gone: nothing can be a copy of it
                texts.append(passage(self._lessons.store.read(lesson_id)))
        return texts

    def _leave(self, error: BaseException | None) -> None:
        if not isinstance(error, Exception | None) or self._known_outcome() is not None:
            return
        if error is not None:
            self.after("failure", failure_mode=type(error).__name__)
        else:
            raise ConfigError(f"{self.task.task_id} ended and nobody said how: call after() before the block ends")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._leave(error)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await in_daemon_thread(self._leave, error)

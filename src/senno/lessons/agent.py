"""`Lessons`: memory around any agent, in two calls or a context manager. Before a task: confidence, recall, the gate on
the attempt. After it: outcome, credit, the gate on reflection, and the lesson.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from contextvars import ContextVar
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self

from senno import config
from senno.errors import ConfigError
from senno.ledger import CallRow, Ledger
from senno.lessons.assess import Begun, Ended, Task, begin, end, open_try
from senno.lessons.configured import embedder_of
from senno.lessons.events import Use
from senno.lessons.history import History
from senno.lessons.lesson import Draft, Language, Outcome, new_id
from senno.lessons.recall import Ask, Recalled, Rules, passage, readable, recall, rules_of
from senno.lessons.recall.held import Held
from senno.lessons.root import find_root
from senno.lessons.search import Index, Where
from senno.lessons.settings import Settings, settings_for
from senno.lessons.store import Added, Store
from senno.lessons.tasks import Cost, TaskRecord
from senno.models.reranking import reranker
from senno.threads import in_daemon_thread

if TYPE_CHECKING:
    from senno.lessons.recall.searcher import Searcher
    from senno.models.embedding import Embedder
    from senno.models.reranking import Reranker

__all__ = ["Attempt", "Lessons"]


class Lessons:
    """The lessons of a project, for one agent. Threads and tasks of asyncio may share it.

    ```python
    with senno.Lessons(department="finance") as lessons:
        with lessons.before("Reconcile the Swiss invoices", task_type="reconcile", stated=0.8) as attempt:
            answer = my_agent(attempt.block)
            ended = attempt.after("failure", failure_mode="wrong currency")
            if ended.decision.reflect:
                attempt.reflect(what="…", why="…", rule="…")
    ```

    Args:
        root: the folder of the lessons; by default the one that the configuration says.
        department: whose agent this is; by default `lessons.default_department`.
        agent: its name.
        background: make missing vectors, and look for edited files, in a thread; else only when asked (`index`).
        loaded: the configuration; by default that of the current folder.
        clock: the aware moment now.

    Raises:
        ConfigError: a setting cannot be followed; the message says which and what to do.
    """

    def __init__(
        self,
        root: Path | str | None = None,
        *,
        department: str | None = None,
        agent: str = "",
        background: bool = True,
        loaded: config.Loaded | None = None,
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self._loaded = loaded or config.load()
        rules = self._loaded.config.lessons
        self.department = rules.default_department if department is None else department
        self.agent = agent
        self.language: Language = rules.language
        self.settings: Settings = settings_for(rules, self.department)
        self._recorder = _Recorder(self._loaded.ledger)
        home = find_root(self._loaded) if root is None else Path(root)
        self._embedder: Embedder | None
        self._embedder, self._lacking = embedder_of(self._loaded, self._recorder)
        self._reranker: Reranker | None = self._configured_reranker()
        self.index = Index.open(home, self._embedder)
        self.store = Store.open(home, clock, self.index)
        self.history = History(self.store.events)
        self._clock = clock
        if background:
            self.index.work_in_background()
        self._held: Held | None = None
        self._last: ContextVar[Attempt | None] = ContextVar("last", default=None)

    def _configured_reranker(self) -> Reranker | None:
        section = self._loaded.config.recall
        return (
            None
            if section.preset == "voice"
            else reranker(section.reranker, self._loaded.config, ledger=self._recorder)
        )

    @property
    def notes(self) -> tuple[str, ...]:
        """What is not as it should be, in words."""
        return (*self._lacks, *self.index.notes)

    @property
    def _lacks(self) -> tuple[str, ...]:
        return (self._lacking,) if self._lacking else ()

    @property
    def rules(self) -> Rules:
        """What recall goes by, as the configuration says."""
        return rules_of(self._loaded.config.recall)

    def recall(self, ask: Ask, rules: Rules | None = None) -> Recalled:
        """The lessons for a task. Nothing is recorded: `before` does, or `record`."""
        self.index.refresh()
        found = recall(
            self._searcher(ask.department),
            self._embedder,
            ask,
            rules or self.rules,
            departments=readable(self._loaded.config.lessons, ask.department),
            reranker=self._reranker,
            now=self._clock,
        )
        return replace(found, notes=(*self._lacks, *found.notes))

    def _searcher(self, department: str) -> Searcher:
        if self._loaded.config.recall.preset != "voice":
            return self.index
        if self._held is None or self._held.department != department:
            where = Where(departments=readable(self._loaded.config.lessons, department))
            self._held = Held(self.index, department, where)
        return self._held

    def record(self, recalled: Recalled) -> None:
        """Put a recall into the log, so that the task's outcome is credited to what was shown."""
        self.store.events.append(recalled.event())

    def before(
        self,
        task: str,
        *,
        task_id: str = "",
        task_type: str = "",
        stated: float | None = None,
        difficulty: str | None = None,
    ) -> Attempt:
        """A task begins: how sure is the agent, should it try, and what was learned from tasks like it.

        Args:
            task: its text; what lessons are looked for by.
            task_id: by default one is made.
            task_type: what its capability profile is kept by.
            stated: the agent's own confidence on [0, 1], where it stated one.
            difficulty: in your own words, for calibration by difficulty.

        Raises:
            ValueError: `stated` is not on [0, 1].
        """
        own = Task(task_id or f"t-{new_id(self._clock())}", task_type, self.department, self.agent)
        begun = begin(self.history.records(), own, self.settings, stated=stated, difficulty=difficulty)
        self.store.events.append(begun.event)
        found = self.recall(Ask(task, own.department, own.agent, own.task_type, own.task_id))
        self.record(found)
        attempt = Attempt(self, own, task, begun=begun, recalled=found)
        self._last.set(attempt)
        return attempt

    def attempt(self, task_id: str) -> Attempt:
        """A task that began before, maybe in another process: its last try, as the log has it.

        Raises:
            ConfigError: the log knows no such task in this department.
        """
        own = [r for r in self.history.records() if (r.task_id, r.department) == (task_id, self.department)]
        if not own:
            raise ConfigError(f"no task {task_id!r} is in the log: it begins with before(), or with a recall")
        last = own[-1]
        agent = last.start.agent if last.start else self.agent
        return Attempt(self, Task(task_id, last.task_type, last.department, agent), record=last)

    def after(
        self,
        outcome: Outcome,
        *,
        failure_mode: str | None = None,
        use: Mapping[str, Use] | None = None,
        tokens: int | None = None,
        seconds: float | None = None,
    ) -> Ended:
        """The task that began last (in this thread, or this task of asyncio) has ended: see `Attempt.after`.

        Raises:
            ConfigError: no task is under way here.
        """
        attempt = self._last.get()
        if attempt is None:
            raise ConfigError("no task is under way here: call before() first, or after() of what it returned")
        return attempt.after(outcome, failure_mode=failure_mode, use=use, tokens=tokens, seconds=seconds)

    async def before_async(
        self,
        task: str,
        *,
        task_id: str = "",
        task_type: str = "",
        stated: float | None = None,
        difficulty: str | None = None,
    ) -> Attempt:
        """`before`, without holding up the event loop."""

        def begun() -> Attempt:
            return self.before(task, task_id=task_id, task_type=task_type, stated=stated, difficulty=difficulty)

        attempt: Attempt = await in_daemon_thread(begun)
        self._last.set(attempt)
        return attempt

    async def after_async(
        self,
        outcome: Outcome,
        *,
        failure_mode: str | None = None,
        use: Mapping[str, Use] | None = None,
        tokens: int | None = None,
        seconds: float | None = None,
    ) -> Ended:
        """`after`, without holding up the event loop."""

        def ended() -> Ended:
            return self.after(outcome, failure_mode=failure_mode, use=use, tokens=tokens, seconds=seconds)

        return await in_daemon_thread(ended)

    def close(self) -> None:
        """Close the index and the log."""
        self.index.close()
        self.store.events.close()
        self._recorder.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await in_daemon_thread(self.close)


class _Recorder:
    """The ledger, opened when a model behind a server is called for the first time: local ones leave no rows."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._ledger: Ledger | None = None

    def add_call(self, row: CallRow) -> object:
        """See `Ledger.add_call`."""
        if self._ledger is None:
            self._ledger = Ledger.open(self._path)
        return self._ledger.add_call(row)

    def close(self) -> None:
        if self._ledger is not None:
            self._ledger.close()


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

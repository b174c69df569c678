"""`Lessons`: memory around any agent, in two calls or a context manager. Before a task: confidence, recall, the gate on
the attempt. After it: outcome, credit, the gate on reflection, and the lesson.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextvars import ContextVar
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self

from senno import config
from senno.errors import ConfigError
from senno.lessons.assess import Ended, Task, begin
from senno.lessons.attempts import Attempt
from senno.lessons.configured import CallLedger, embedder_of
from senno.lessons.events import Use
from senno.lessons.history import History
from senno.lessons.lesson import Language, Outcome, new_id
from senno.lessons.recall import Ask, Recalled, Rules, readable, recall, rules_of
from senno.lessons.recall.held import Held
from senno.lessons.root import find_root
from senno.lessons.search import Index, Where
from senno.lessons.settings import Settings, settings_for
from senno.lessons.store import Store
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
        self._recorder = CallLedger(self._loaded.ledger)
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

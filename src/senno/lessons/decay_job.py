"""The daily job: reads the store, applies the policy, writes events, and folds the state into the frontmatter.

Everything that is decided is an event first, so a job that was killed half-way is finished by the next one, and agents
that recall or write meanwhile are not in its way: it appends to a file of its own and replaces files whole.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any, Literal

from senno.errors import ConfigError, SennoError
from senno.lessons.decay import Change, Kind, Suspect, all_due, suspects
from senno.lessons.durable import locked
from senno.lessons.event_log import LogRead
from senno.lessons.events import ArchivedEvent, PromotedEvent, Recorded, UnarchivedEvent, UndoneEvent, UnpromotedEvent
from senno.lessons.fold import Folded, LessonState, fold
from senno.lessons.lesson import Lesson, new_id
from senno.lessons.settings import Settings
from senno.lessons.store import Store
from senno.text import did_you_mean

_EVENTS = {
    "archived": ArchivedEvent,
    "unarchived": UnarchivedEvent,
    "promoted": PromotedEvent,
    "unpromoted": UnpromotedEvent,
}


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A store as it was read at a moment."""

    lessons: tuple[Lesson, ...]
    events: tuple[Recorded, ...]
    folded: Folded
    problems: tuple[str, ...]
    """What could not be read: lessons set aside, places of the log. It stays as it is."""


@dataclass(frozen=True, slots=True)
class DecayReport:
    """What a run of the decay did, or would do."""

    state: Literal["applied", "dry_run", "first_run", "paused"]
    """`first_run`: the store has never been decayed, so this shows what would change and changes nothing."""
    at: datetime
    job: str | None
    """The run's id, to undo it by; `None`: it decided nothing."""
    changes: tuple[Change, ...]
    suspects: tuple[Suspect, ...]
    dangling: Mapping[str, int]
    rewritten: int = 0
    """Files whose frontmatter was brought up to date."""
    problems: tuple[str, ...] = ()


def snapshot(store: Store, now: datetime, settings: Callable[[str], Settings]) -> Snapshot:
    """Read a store and its log, and fold them.

    Raises:
        SennoError: a whole file of the log cannot be read: what it tells would be taken as not having happened.
    """
    scan = store.scan()
    log = store.events.read()
    _refuse_holes(log)
    asides = map(str, scan.set_aside)
    folded = fold(scan.lessons, log.events, now, settings)
    return Snapshot(scan.lessons, log.events, folded, (*asides, *map(str, log.problems)))


def run_decay(
    store: Store,
    settings: Callable[[str], Settings],
    *,
    dry_run: bool = False,
    confirmed: bool = False,
    paused: bool = False,
) -> DecayReport:
    """Run the decay once, as of the moment that the store's clock shows. One run at a time; another one waits.

    Args:
        store: whose lessons.
        settings: by department.
        dry_run: change nothing.
        confirmed: also the first run on this store changes what is due.
        paused: the config says that nothing is to change.

    Raises:
        SennoError: the log cannot be read or written whole.
    """
    if dry_run or paused:
        seen = snapshot(store, store.events.clock(), settings)
        return _would(seen, settings, "paused" if paused and not dry_run else "dry_run")
    with _alone(store):
        return _run(store, settings, confirmed=confirmed)


def undo(store: Store, job: str, settings: Callable[[str], Settings]) -> DecayReport:
    """Make void all that one run decided.

    The lessons it changed are then left alone for `archive_idle_days`, so that the next run does not do it again.

    Raises:
        ConfigError: no run has that id, or it was undone before.
    """
    with _alone(store):
        return _undo(store, job, settings)


@contextmanager
def _alone(store: Store) -> Generator[None]:
    """Hold the lock of the decay: two runs at once would each decide what the other decides."""
    if not store.root.is_dir():
        raise ConfigError(f"{store.root}: no lessons here yet; senno lessons add writes the first")
    with ExitStack() as held:
        try:
            held.enter_context(locked(store.root / ".decay.lock"))
        except OSError as error:
            raise ConfigError(f"{store.root}: cannot be written ({error.strerror or error})") from None
        yield


def _undo(store: Store, job: str, settings: Callable[[str], Settings]) -> DecayReport:
    now = store.events.clock()
    before = snapshot(store, now, settings)
    jobs = before.folded.jobs
    if job not in jobs:
        last = f"; the last one is {list(jobs)[-1]}" if jobs else "; none has changed anything"
        raise ConfigError(f"no run {job!r} of the decay{did_you_mean(job, jobs) or last}")
    if jobs[job]:
        raise ConfigError(f"the run {job} was undone already")
    recorded = store.events.append(UndoneEvent(job=job))
    after = fold(before.lessons, (*before.events, recorded), max(now, recorded.at), settings)
    changes = tuple(
        Change(key, kind, f"{job} undone")
        for key, state in after.states.items()
        for kind in _flipped(before.folded.states.get(key, state), state)
    )
    rewritten, problems = _write_back(store, before.lessons, after)
    return DecayReport(
        "applied", after.as_of, job, changes, (), after.dangling, rewritten, (*before.problems, *problems)
    )


def _run(store: Store, settings: Callable[[str], Settings], *, confirmed: bool) -> DecayReport:
    now = store.events.clock()  # not before the lock was held: what another run did meanwhile is not in the future
    seen = snapshot(store, now, settings)
    changes = all_due(seen.folded.states.values(), now, settings)
    if changes and not seen.folded.jobs and not confirmed:
        return _would(seen, settings, "first_run")
    job = f"decay-{new_id(now)}"
    written = [
        store.events.append(_EVENTS[change.kind](lesson_id=change.lesson_id, reason=change.reason, job=job))
        for change in changes
    ]
    # Folded again at the moment of the decision, with what was decided then.
    at = now.astimezone(UTC)
    after = fold(seen.lessons, (*seen.events, *(replace(one, at=at) for one in written)), at, settings)
    rewritten, problems = _write_back(store, seen.lessons, after)
    return DecayReport(
        "applied",
        at,
        job if changes else None,
        changes,
        suspects(after.states.values(), settings),
        after.dangling,
        rewritten,
        (*seen.problems, *problems),
    )


def _would(
    seen: Snapshot, settings: Callable[[str], Settings], state: Literal["dry_run", "first_run", "paused"]
) -> DecayReport:
    states = seen.folded.states.values()
    now = seen.folded.as_of
    changes = all_due(states, now, settings)
    return DecayReport(
        state, now, None, changes, suspects(states, settings), seen.folded.dangling, problems=seen.problems
    )


def _write_back(store: Store, lessons: tuple[Lesson, ...], folded: Folded) -> tuple[int, list[str]]:
    """Bring the frontmatter up to date; a file that cannot be edited is reported and left as it is."""
    rewritten = 0
    problems: list[str] = []
    for lesson in lessons:
        state = folded.states.get(lesson.id)
        wanted = frontmatter(state) if state else {}
        changed = {key: value for key, value in wanted.items() if getattr(lesson, key) != value}
        if changed:
            try:
                store.rewrite_frontmatter(lesson, changed)
                rewritten += 1
            except SennoError as error:
                problems.append(str(error))
    return rewritten, problems


def frontmatter(state: LessonState) -> dict[str, Any]:
    """The fields of a `Lesson` that the log decides. What a review took out reads as archived too."""
    return {
        "salience_score": state.salience,
        "last_retrieved": state.last_retrieved,
        "retrieval_count": state.retrieval_count,
        "archived": state.archived or state.deprecated is not None,
        "promoted": state.promoted and state.deprecated is None,
        "deprecated": state.deprecated,
    }


def _flipped(before: LessonState, after: LessonState) -> list[Kind]:
    kinds: list[Kind] = []
    if before.archived != after.archived:
        kinds.append("archived" if after.archived else "unarchived")
    if before.promoted != after.promoted:
        kinds.append("promoted" if after.promoted else "unpromoted")
    return kinds


def _refuse_holes(log: LogRead) -> None:
    hole = next((problem for problem in log.problems if problem.line is None), None)
    if hole:
        raise SennoError(f"{hole}; nothing was decided, since lessons would seem less used than they are")

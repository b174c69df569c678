"""The store of lessons: Markdown files whose bodies are written once, and a log of what happened to them."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import UTC, datetime
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from senno.errors import ConfigError, FileFormatError, LessonRefused, SennoError
from senno.lessons.document import FIELDS, decoded, from_bytes, to_text, with_changes
from senno.lessons.duplicates import is_retry, same_reason, says_the_same
from senno.lessons.durable import locked, make_folder, replace_whole, write_new
from senno.lessons.event_log import EventLog
from senno.lessons.events import DeprecatedEvent, DuplicateEvent, UndeprecatedEvent, WrittenEvent
from senno.lessons.frontmatter import split
from senno.lessons.lesson import Draft, Lesson, new_id
from senno.lessons.listing import Scan, is_lesson_name, read_bytes, read_lesson, scan
from senno.lessons.names import free_name, month_folder, same_name
from senno.lessons.new_files import NewFiles
from senno.lessons.screening import cleaned, injection_in, screened

if TYPE_CHECKING:
    from senno.lessons.search import Index

EVENTS = "events"

_AT_ONCE = 200
"""Lessons that `add_many` puts on disk together."""

_KEPT = 10_000
"""Lessons that a store keeps in memory as it read them: each is compared with many drafts."""

_IGNORED = """\
# The index, which is derived; what a writer that was killed leaves behind; and the locks.
.index/
.*.tmp
.lock
.decay.lock
"""
_FIXED = frozenset({"id", "created_at"})

Stored = Literal["new", "duplicate", "same_reason", "there"]


@dataclass(frozen=True, slots=True)
class Added:
    """What became of a draft."""

    lesson: Lesson
    """The new lesson, or the one that says the same."""
    path: Path
    """Its file."""
    stored: Stored
    """`new` · `duplicate` of an existing lesson · `same_reason`: a retry that failed as the lesson says · `there`: a
    lesson of that id is there. Only `new` wrote a file; the next two are counted as events."""
    note: str = ""
    """What was left undone, since the index cannot be used; empty: nothing."""


class Store:
    """The lessons under one folder. Any number of processes may add to it and read it at once.

    Make one with `Store.open`. Threads may share it.
    """

    def __init__(self, root: Path, clock: Callable[[], datetime], index: Index | None = None) -> None:
        self.root = root
        self.events = EventLog(root / EVENTS, clock)
        self._clock = clock
        self._adding = threading.Lock()
        self._index = index
        self._asked: Index | None = None
        """The index, while it can be asked."""
        self._names: dict[Path, set[str]] = {}
        self._folder_times: dict[Path, int] = {}
        self._offsets: Mapping[str, int] = {}
        self._reviews: dict[str, tuple[tuple[datetime, str, int], bool]] = {}
        self._parsed: dict[Path, tuple[tuple[int, int], Lesson]] = {}
        self._linked: dict[str, str] = {}
        """By the id that a draft came with, the lesson that said the same then."""

    @classmethod
    def open(
        cls, root: Path, clock: Callable[[], datetime] = lambda: datetime.now(UTC), index: Index | None = None
    ) -> Store:
        """The store in a folder, which is made when the first lesson is added.

        Args:
            root: the folder; lessons are in `reflexions/YYYY-MM`, events in `events`.
            clock: the aware moment now.
            index: of the same folder, where the caller has it open; by default one is opened when it is needed.

        Raises:
            ConfigError: there is a file where the folder should be.
        """
        if root.exists() and not root.is_dir():
            raise ConfigError(f"{root}: this is a file; expected the folder of the lessons")
        return cls(root, clock, index)

    @property
    def index(self) -> Index:
        """Where lessons are looked for."""
        if self._index is None:
            from senno.lessons.search import Index

            self._index = Index.open(self.root)
        return self._index

    def add(
        self, draft: Draft, *, recalled: Sequence[str] = (), tokens: int | None = None, seconds: float | None = None
    ) -> Added:
        """Store a lesson; when this returns, its file and its event are on disk.

        Args:
            draft: what the writer says.
            recalled: the texts of the lessons that the writer was shown before the task.
            tokens: what writing it took, for the log.
            seconds: how long writing it took, for the log.

        Raises:
            LessonRefused: it teaches nothing, or copies what was recalled.
            ConfigError: a field holds what it cannot hold, or the folder cannot be written.
        """
        clean = screened(draft, recalled)
        with self._adding:
            note = self._ready()
            if clean.id:
                self._follow_log()
            lesson, stored = self._placed(clean, [])
            if stored == "new":
                note = note or self._indexed([lesson])
        self.events.append_all(_events(lesson, stored, clean, tokens, seconds))
        return Added(lesson, self.root / lesson.path, stored, note)

    def _ready(self) -> str:
        """Make the index ready to be asked; why it cannot be, in words. A lesson is never lost for the want of it."""
        self._asked = None
        try:
            self.index.refresh()
            self._asked = self.index
        except SennoError as error:
            return f"what is there already was not looked for: {error}"
        return ""

    def _indexed(self, lessons: Sequence[Lesson]) -> str:
        """Let the index take lessons in; why it cannot, in words. The next look at the files does it then."""
        try:
            self.index.add([lesson.path for lesson in lessons])
        except SennoError as error:
            return f"not in the index yet: {error}"
        return ""

    def add_many(self, drafts: Iterable[Draft]) -> Iterator[Added | LessonRefused]:
        """Store many lessons at a time, as `add` does: what became of each, in order, once it is on disk.

        What the process was killed over was not told, and may be there: give drafts that come from elsewhere an `id`,
        and add them again.

        Raises:
            ConfigError: as `add`.
        """
        rest = iter(drafts)
        while batch := list(islice(rest, _AT_ONCE)):
            yield from self._add_batch(batch)

    def _add_batch(self, batch: Sequence[Draft]) -> list[Added | LessonRefused]:
        done: list[tuple[Lesson, Stored, Draft] | LessonRefused] = []
        fresh: list[Lesson] = []
        new = NewFiles(self.root)
        with self._adding:
            note = self._ready()
            self._follow_log()
            try:
                for draft in batch:
                    try:
                        clean = screened(draft)
                    except LessonRefused as refused:
                        done.append(refused)
                    else:
                        done.append((*self._placed(clean, fresh, new), clean))
                moved = new.publish(self._names_in)
            except OSError as error:
                raise ConfigError(f"{self.root}: cannot be written ({error.strerror or error})") from None
            finally:
                new.clear()
            note = note or self._indexed([moved.get(lesson.id, lesson) for lesson in fresh])
        placed = [one for one in done if not isinstance(one, LessonRefused)]
        self.events.append_all([event for one in placed for event in _events(*one, None, None)])
        return [one if isinstance(one, LessonRefused) else self._added(one, moved, note) for one in done]

    def _added(self, placed: tuple[Lesson, Stored, Draft], moved: Mapping[str, Lesson], note: str) -> Added:
        lesson = moved.get(placed[0].id, placed[0])
        return Added(lesson, self.root / lesson.path, placed[1], note)

    def _placed(self, clean: Draft, fresh: list[Lesson], new: NewFiles | None = None) -> tuple[Lesson, Stored]:
        """The lesson that says what the draft says, or the draft written.

        Args:
            clean: screened.
            fresh: lessons that the index has not taken in; the one that is written is added.
            new: takes the file on its way; `None`: it is written at once.
        """
        there = self._there(clean.id, fresh) if clean.id else None
        if there:
            return there, "there"
        tries = self._failed_tries(clean, fresh)
        # What a review took out of another store says nothing about what is known here.
        same = None if clean.deprecated else self._duplicate_of(clean, fresh) or self._same_reason(clean, tries)
        if same:
            if clean.id:
                self._linked[clean.id] = same[0].id
            return same
        last = max(tries, key=lambda lesson: (lesson.created_at, lesson.id), default=None)
        lesson = self._write(clean, last.id if last else None, new)
        fresh.append(lesson)
        return lesson, "new"

    def _there(self, draft_id: str, fresh: Sequence[Lesson]) -> Lesson | None:
        """The lesson that a draft of this id became, or was found to say the same as."""
        for own in (draft_id, self._linked.get(draft_id)):
            indexed = self._asked.starting_with(own) if own and self._asked else ()
            known = chain(self._read_all(indexed), fresh)
            found = next((lesson for lesson in known if lesson.id == own), None)
            if found:
                return found
        return None

    def _duplicate_of(self, draft: Draft, fresh: Sequence[Lesson]) -> tuple[Lesson, Stored] | None:
        indexed = self._asked.maybe_near(draft) if self._asked else ()
        known = chain(self._current(indexed), _standing(fresh))
        same = (lesson for lesson in known if says_the_same(draft, lesson))
        return next(((lesson, "duplicate") for lesson in same), None)

    @staticmethod
    def _same_reason(draft: Draft, tries: Sequence[Lesson]) -> tuple[Lesson, Stored] | None:
        return next(((lesson, "same_reason") for lesson in tries if same_reason(draft, lesson)), None)

    def _failed_tries(self, draft: Draft, fresh: Sequence[Lesson]) -> list[Lesson]:
        """The lessons of earlier tries at the draft's task, where that and they failed."""
        if draft.outcome == "success":
            return []
        indexed = self._asked.of_task(draft.department, draft.task_id) if self._asked else ()
        known = chain(self._current(indexed), _standing(fresh))
        return [lesson for lesson in known if is_retry(draft, lesson)]

    def _current(self, found: Sequence[Path]) -> Iterator[Lesson]:
        """The lessons in files as they are now; without those that are gone, and those a review took out."""
        followed = False
        for path in found:
            for lesson in self._read_quietly(path):
                if not followed:
                    self._follow_log()
                    followed = True
                # By the log; by the frontmatter where the log is silent.
                _, deprecated = self._reviews.get(lesson.id, (None, lesson.deprecated is not None))
                if not deprecated:
                    yield lesson

    def _follow_log(self) -> None:
        read = self.events.read(self._offsets)
        self._offsets = read.offsets
        for recorded in read.events:
            if isinstance(recorded.event, (DeprecatedEvent, UndeprecatedEvent)):
                order = (recorded.at, recorded.writer, recorded.seq)
                lesson_id = recorded.event.lesson_id
                if lesson_id not in self._reviews or self._reviews[lesson_id][0] < order:
                    self._reviews[lesson_id] = order, isinstance(recorded.event, DeprecatedEvent)
            elif isinstance(recorded.event, DuplicateEvent) and recorded.event.draft_id:
                self._linked[recorded.event.draft_id] = recorded.event.lesson_id

    def _write(self, draft: Draft, supersedes: str | None, new: NewFiles | None) -> Lesson:
        created = (draft.created_at or self._clock()).astimezone(UTC)
        folder = Path(month_folder(created))
        given: dict[str, Any] = {
            field.name: getattr(draft, field.name) for field in fields(Draft) if field.name != "id"
        }
        given |= {
            "created_at": created,
            "supersedes": draft.supersedes or supersedes,
            "injection_suspect": injection_in(_texts(draft)),
        }
        try:
            make_folder(self.root / folder)
            self._ignore_leftovers()
            taken = self._names_in(folder)
            while True:
                name = free_name(created, draft.task_id, taken)
                lesson = Lesson(**given, id=draft.id or new_id(created), path=folder / name)
                taken.add(same_name(name))
                if new is not None:
                    new.add(lesson)
                    return lesson
                try:
                    write_new(self.root / lesson.path, to_text(lesson).encode("utf-8"))
                    break
                except FileExistsError:
                    continue  # another writer was quicker: the next name
            self._folder_times[folder] = (self.root / folder).stat().st_mtime_ns
        except OSError as error:
            raise ConfigError(f"{self.root / folder}: cannot be written ({error.strerror or error})") from None
        return lesson

    def _ignore_leftovers(self) -> None:
        file = self.root / ".gitignore"
        if not file.exists():
            try:
                write_new(file, _IGNORED.encode("utf-8"))
            except FileExistsError:
                return

    def _names_in(self, folder: Path) -> set[str]:
        """The names that are taken in a folder."""
        here = self.root / folder
        changed = here.stat().st_mtime_ns
        if self._folder_times.get(folder) != changed:
            self._names[folder] = {same_name(p.name) for p in here.iterdir() if is_lesson_name(p.name)}
            self._folder_times[folder] = changed
        return self._names[folder]

    def _read_quietly(self, path: Path) -> Iterator[Lesson]:
        """The lesson in a file; read again only where the file has changed since."""
        try:
            state = (self.root / path).stat()
            kind = state.st_mtime_ns, state.st_size
            known = self._parsed.get(path)
            lesson = known[1] if known and known[0] == kind else read_lesson(self.root, path)
        except (OSError, FileFormatError):
            return  # `scan` reports it
        if len(self._parsed) >= _KEPT:
            self._parsed.clear()
        self._parsed[path] = kind, lesson
        yield lesson

    def lessons(self) -> Iterator[Lesson]:
        """All lessons, by path; what gives none is in `scan`."""
        return iter(self.scan().lessons)

    def scan(self) -> Scan:
        """All lessons, and all that is wrong in the store. Nothing is written."""
        return scan(self.root)

    def read(self, lesson_id: str) -> Lesson:
        """A lesson by its id, or by the beginning of its id that no other lesson has.

        Raises:
            ConfigError: no lesson has it, or several have; the message names the nearest.
        """
        lessons = self._starting_with(lesson_id)
        exact = [lesson for lesson in lessons if lesson.id == lesson_id]
        if len(exact) == 1 or (not exact and len(lessons) == 1):
            return (exact or lessons)[0]
        if exact:
            files = ", ".join(str(self.root / lesson.path) for lesson in exact)
            raise ConfigError(f"{lesson_id!r} is the id of {len(exact)} lessons: {files}; give each its own")
        if lessons:
            several = ", ".join(lesson.id for lesson in lessons[:3])
            raise ConfigError(f"{lesson_id!r} begins the ids of {len(lessons)} lessons: {several}, …; give more of it")
        from senno.text import did_you_mean

        near_one = did_you_mean(lesson_id, self.index.ids())
        raise ConfigError(f"no lesson {lesson_id!r} in {self.root}{near_one}; senno lessons list shows them")

    def _starting_with(self, lesson_id: str) -> list[Lesson]:
        if not lesson_id:
            return []
        self.index.refresh(deep=True)
        found = self._read_all(self.index.starting_with(lesson_id))
        return [lesson for lesson in found if lesson.id.startswith(lesson_id)]

    def _read_all(self, paths: Iterable[Path]) -> list[Lesson]:
        return [lesson for path in paths for lesson in self._read_quietly(path)]

    def rewrite_frontmatter(self, lesson: str | Lesson, changes: Mapping[str, Any]) -> Lesson:
        """Change fields of a lesson's frontmatter; its body, and all that stands beside them, stay byte for byte.

        Args:
            lesson: one just read, or an id as for `read`, which looks through all files.
            changes: values of `Lesson`, by the name of the field; secrets in them are redacted.

        Raises:
            ConfigError: no such lesson, no such field, or one that never changes.
            FileFormatError: the value cannot be put where it belongs; the file is as it was.
        """
        odd = [key for key in changes if key not in FIELDS or key in _FIXED]
        if odd:
            able = ", ".join(key for key in FIELDS if key not in _FIXED)
            raise ConfigError(f"{odd[0]}: cannot be changed; expected one of {able}")
        path = lesson.path if isinstance(lesson, Lesson) else self.read(lesson).path
        file = self.root / path
        clean = {key: cleaned(key, value) for key, value in changes.items()}
        try:
            self._ignore_leftovers()
            with locked(self.root / ".lock"):
                data = read_bytes(self.root, path)
                text = decoded(str(file), data)
                new = with_changes(str(file), text, clean).encode("utf-8")
                changed = from_bytes(path, new, str(file))
                _check_rewrite(file, text, new, changed, clean)
                if new != data:
                    replace_whole(file, new)
        except OSError as error:
            raise ConfigError(f"{file}: cannot be changed ({error.strerror or error})") from None
        return changed


def _standing(fresh: Sequence[Lesson]) -> Iterator[Lesson]:
    return (lesson for lesson in fresh if not lesson.deprecated)


def _events(
    lesson: Lesson, stored: Stored, draft: Draft, tokens: int | None, seconds: float | None
) -> list[WrittenEvent | DuplicateEvent]:
    if stored == "new":
        return [WrittenEvent(lesson_id=lesson.id, task_id=lesson.task_id, tokens=tokens, seconds=seconds)]
    if stored == "there":
        return []
    return [DuplicateEvent(lesson_id=lesson.id, task_id=draft.task_id, draft_id=draft.id)]


def _texts(draft: Draft) -> str:
    """All that a reader of the lesson will see."""
    about = (
        draft.task,
        draft.task_type,
        draft.department,
        draft.agent,
        *draft.tags,
        *draft.related_skills,
        draft.skill_gap or "",
    )
    return "\n".join((*about, draft.what, draft.why, draft.rule))


def _check_rewrite(file: Path, text: str, new: bytes, lesson: Lesson, changes: Mapping[str, Any]) -> None:
    body = split(str(file), text).rest.encode("utf-8")
    if not new.endswith(body) or any(getattr(lesson, key) != value for key, value in changes.items()):
        raise SennoError(f"{file}: the change of {', '.join(changes)} did not come out as asked; the file is as it was")

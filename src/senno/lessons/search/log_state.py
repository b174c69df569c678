"""What the log says of lessons, taken into the index event by event. The same in whatever order files are read."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable
from dataclasses import dataclass, field
from hashlib import blake2b
from pathlib import Path

from senno.lessons.event_log import FileRead, read_from
from senno.lessons.events import RecallEvent, Recorded, UndoneEvent
from senno.lessons.fold import TURNS
from senno.lessons.search.database import Connection, Database
from senno.lessons.search.rows import micros, refold, refold_all
from senno.lessons.search.seen import folder_time

_LIVE_NS = 3_600_000_000_000
_LIVE_FILES = 256
"""A file of the log that nothing was written to for so long, or that is not among the latest, is looked at by deep
refreshes only: a store has one file for each process that ever wrote to it."""

_BEFORE = 64
"""Bytes before an offset that must be as they were, or the file is another one."""


@dataclass(slots=True)
class LogFollower:
    """Which files of the log have grown since they were read last, at the price of a few `stat`."""

    folder: Path
    taken: dict[str, int]
    """By file, the byte up to which it was taken in."""
    _folder_time: int = -1
    _live: list[str] = field(default_factory=list[str])
    _times: dict[str, int] = field(default_factory=dict[str, int])
    """Of the live files, in nanoseconds; `_known`: as they were when they were read last."""
    _known: dict[str, int] = field(default_factory=dict[str, int])

    def grown(self, *, deep: bool) -> set[str] | None:
        """Files that are longer or shorter than what was taken in; `None`: one is gone, so all is to be read again."""
        try:
            changed = folder_time(self.folder)
            listed = deep or changed != self._folder_time or not changed
            sizes = self._look() if listed else {name: self._size(name) for name in self._live}
        except FileNotFoundError:
            return None if self.taken else set()
        except OSError:
            return set()  # `verify` says what is wrong with it
        self._folder_time = changed
        if listed and not self.taken.keys() <= sizes.keys():
            return None
        written = {name for name, at in self._times.items() if at != self._known.get(name)}
        self._known |= {name: self._times[name] for name in written}
        return {name for name, size in sizes.items() if size != self.taken.get(name, 0)} | written

    def _size(self, name: str) -> int:
        found = (self.folder / name).stat()
        self._times[name] = found.st_mtime_ns
        return found.st_size

    def _look(self) -> dict[str, int]:
        sizes: dict[str, int] = {}
        times: dict[str, int] = {}
        with os.scandir(self.folder) as files:
            for file in files:
                if file.name.endswith(".jsonl") and not file.name.startswith("."):
                    found = file.stat()
                    sizes[file.name], times[file.name] = found.st_size, found.st_mtime_ns
        since = time.time_ns() - _LIVE_NS
        self._live = sorted((name for name in times if times[name] >= since), key=lambda n: -times[n])[:_LIVE_FILES]
        self._times = {name: times[name] for name in self._live}
        return sizes


def offsets_in(db: Connection) -> dict[str, int]:
    """By file, the byte up to which it was taken in."""
    return dict(db.execute("SELECT name, offset FROM logfile").fetchall())  # pyright: ignore[reportArgumentType]


def take_log(database: Database, folder: Path, names: Iterable[str] | None) -> dict[str, int]:
    """Take in what is new in these files of the log; `None`: all of it, from its beginning.

    A file that was cut, replaced or deleted voids what was taken from it, which cannot be told apart: then all of the
    log is read again.

    Returns:
        By file, the byte up to which it was taken in.
    """
    if names is not None:
        with database.reading() as db:
            known = {name: _known(db, name) for name in names}
        whole = all(_as_before(folder / name, *known[name]) for name in known)
        read = {name: read_from(folder / name, offset) for name, (offset, _) in known.items()} if whole else {}
        if whole and not any(one.cut for one in read.values()):
            return _add(database, folder, known, read)
    return _all(database, folder)


def _known(db: Connection, name: str) -> tuple[int, bytes]:
    found = db.execute("SELECT offset, before FROM logfile WHERE name = ?", (name,)).fetchall()
    return found[0] if found else (0, b"")


def _before(file: Path, offset: int) -> bytes:
    with file.open("rb") as data:
        data.seek(max(offset - _BEFORE, 0))
        return blake2b(data.read(min(offset, _BEFORE)), digest_size=8).digest()


def _as_before(file: Path, offset: int, before: bytes) -> bool:
    """Whether the file begins with what was taken from it, by the bytes before that end."""
    if not offset:
        return True
    try:
        return _before(file, offset) == before
    except FileNotFoundError:
        return False
    except OSError:
        return True  # it cannot be read now: nothing is concluded from that


def _add(
    database: Database, folder: Path, known: dict[str, tuple[int, bytes]], read: dict[str, FileRead]
) -> dict[str, int]:
    if all(read[name].offset == known[name][0] for name in read):
        return {name: one.offset for name, one in read.items()}
    with database.writing() as db:
        # Of a file whose offset is another one now, another process took in the same.
        current = {name: one for name, one in read.items() if _known(db, name) == known[name]}
        touched = take_events(db, folder, current)
        refold(db, sorted(touched))
    return {name: one.offset for name, one in current.items()}


def _all(database: Database, folder: Path) -> dict[str, int]:
    with database.writing() as db:
        for table in ("retrieval", "turn", "undone", "logfile"):
            db.execute(f"DELETE FROM {table}")  # noqa: S608 - the names stand in the line above
        take_whole_log(db, folder)
        refold_all(db)
        return offsets_in(db)


def take_whole_log(db: Connection, folder: Path) -> None:
    """All events into empty tables."""
    files = sorted(p for p in folder.glob("*.jsonl") if not p.name.startswith("."))
    take_events(db, folder, {file.name: read_from(file, 0) for file in files})


def take_events(db: Connection, folder: Path, read: dict[str, FileRead]) -> set[str]:
    """Events into the tables; the lessons that they touch."""
    touched: set[str] = set()
    for name in sorted(read):
        offset = read[name].offset
        if not offset:
            continue
        try:
            row = (name, offset, _before(folder / name, offset))
        except OSError:
            continue  # it went away just now: the next look says so
        for recorded in read[name].events:
            touched |= _event(db, recorded)
        db.execute("INSERT OR REPLACE INTO logfile VALUES (?, ?, ?)", row)
    return touched


def _event(db: Connection, recorded: Recorded) -> set[str]:
    event, at = recorded.event, micros(recorded.at)
    if isinstance(event, RecallEvent):
        shown = set(event.lessons)
        db.executemany(
            "INSERT INTO retrieval VALUES (?1, 1, ?2)"
            " ON CONFLICT DO UPDATE SET count = count + 1, last = max(last, ?2)",
            [(lesson, at) for lesson in sorted(shown)],
        )
        return shown
    if isinstance(event, UndoneEvent):
        db.execute("INSERT OR IGNORE INTO undone VALUES (?)", (event.job,))
        return {row[0] for row in db.execute("SELECT DISTINCT lesson FROM turn WHERE job = ?", (event.job,)).fetchall()}
    turn = TURNS.get(type(event))
    if turn is None:
        return set()
    flag, on = turn
    lesson: str = getattr(event, "lesson_id")  # noqa: B009 - all types in TURNS have one, which the type does not say
    row = (lesson, flag, at, recorded.writer, recorded.seq, on, getattr(event, "job", ""))
    db.execute("INSERT OR REPLACE INTO turn VALUES (?, ?, ?, ?, ?, ?, ?)", row)
    return {lesson}

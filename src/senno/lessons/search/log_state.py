"""What the log says of lessons, taken into the index event by event. The same in whatever order files are read."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Mapping
from pathlib import Path

from senno.lessons.event_log import FileRead, read_from
from senno.lessons.events import RecallEvent, Recorded, UndoneEvent
from senno.lessons.fold import TURNS
from senno.lessons.search.database import Connection, Database
from senno.lessons.search.rows import micros, refold

_LIVE_SECONDS = 3600.0
"""A file of the log that nothing was written to for so long is looked at by deep refreshes only."""


class LogFollower:
    """Which files of the log have grown since they were read last, at the price of a few `stat`."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._folder_time = -1
        self._sizes: dict[str, tuple[int, float]] = {}

    def grown(self, offsets: Mapping[str, int], *, deep: bool) -> list[Path]:
        """Files whose size is not the byte up to which they were read."""
        try:
            changed = self._folder.stat().st_mtime_ns
        except OSError:
            return []  # there is no log, or `verify` says what is wrong with it
        if deep or changed != self._folder_time:
            self._look()
            self._folder_time = changed
        else:
            live = time.time() - _LIVE_SECONDS
            for name, (_, at) in list(self._sizes.items()):
                if at >= live:
                    self._stat(name)
        return [self._folder / name for name, (size, _) in self._sizes.items() if size != offsets.get(name, 0)]

    def _look(self) -> None:
        try:
            with os.scandir(self._folder) as files:
                names = [f.name for f in files if f.name.endswith(".jsonl") and not f.name.startswith(".")]
        except OSError:
            return
        self._sizes = {name: seen for name, seen in self._sizes.items() if name in set(names)}
        for name in names:
            self._stat(name)

    def _stat(self, name: str) -> None:
        try:
            found = (self._folder / name).stat()
        except OSError:
            self._sizes.pop(name, None)
        else:
            self._sizes[name] = found.st_size, found.st_mtime


def offsets_in(db: Connection) -> dict[str, int]:
    """By file, the byte up to which it was taken in."""
    return dict(db.execute("SELECT name, offset FROM logfile").fetchall())  # pyright: ignore[reportArgumentType]


def take_log(database: Database, files: Iterable[Path], folder: Path) -> None:
    """Take in what is new in these files of the log.

    A file that was cut voids what was taken from it, which cannot be told apart: then all of the log is read again.
    """
    with database.reading() as db:
        offsets = offsets_in(db)
    read = {path: read_from(path, offsets.get(path.name, 0)) for path in files}
    if any(one.cut for one in read.values()):
        with database.writing() as db:
            for table in ("retrieval", "turn", "undone", "logfile"):
                db.execute(f"DELETE FROM {table}")  # noqa: S608 - the names stand in the line above
        everything = sorted(p for p in folder.glob("*.jsonl") if not p.name.startswith("."))
        read = {path: read_from(path, 0) for path in everything}
        with database.writing() as db:
            _take(db, {}, read)
            refold(db, [row[0] for row in db.execute("SELECT id FROM lesson").fetchall()])
        return
    if any(one.offset != offsets.get(path.name, 0) for path, one in read.items()):
        with database.writing() as db:
            touched = _take(db, offsets, read)
            refold(db, sorted(touched))


def _take(db: Connection, known: Mapping[str, int], read: Mapping[Path, FileRead]) -> set[str]:
    """The events into the tables, unless another process was quicker; the lessons that they touch."""
    touched: set[str] = set()
    now = offsets_in(db)
    for path in sorted(read):
        if now.get(path.name, 0) != known.get(path.name, 0):
            continue  # another process took it in meanwhile
        for recorded in read[path].events:
            touched |= _event(db, recorded)
        db.execute("INSERT OR REPLACE INTO logfile VALUES (?, ?)", (path.name, read[path].offset))
    return touched


def _event(db: Connection, recorded: Recorded) -> set[str]:
    event, at = recorded.event, micros(recorded.at)
    if isinstance(event, RecallEvent):
        shown = set(event.lessons)
        db.executemany(
            "INSERT INTO retrieval VALUES (?, 1, ?) ON CONFLICT DO UPDATE SET count = count + 1, last = max(last, ?)",
            ((lesson, at, at) for lesson in sorted(shown)),
        )
        return shown
    if isinstance(event, UndoneEvent):
        db.execute("INSERT OR IGNORE INTO undone VALUES (?)", (event.job,))
        return {row[0] for row in db.execute("SELECT DISTINCT lesson FROM turn WHERE job = ?", (event.job,)).fetchall()}
    turn = TURNS.get(type(event))
    if turn is None:
        return set()
    flag, on = turn
    lesson = getattr(event, "lesson_id")  # noqa: B009 - all types in TURNS have one, which the type does not say
    job = getattr(event, "job", "")
    row = (lesson, flag, at, recorded.writer, recorded.seq, on, job)
    db.execute("INSERT OR REPLACE INTO turn VALUES (?, ?, ?, ?, ?, ?, ?)", row)
    return {lesson}

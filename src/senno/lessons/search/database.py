"""The file of the index: its tables, and connections to it for any number of threads."""

from __future__ import annotations

import contextlib
import os
import queue
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Protocol, cast

import apsw

from senno.lessons.search.tokens import VERSION

SCHEMA = "2"

_BUSY_MS = 10_000
_CHECKPOINT_PAGES = 1000

TABLES = """
CREATE TABLE meta (name TEXT PRIMARY KEY, value) WITHOUT ROWID;
CREATE TABLE lesson (
    key INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    path TEXT NOT NULL UNIQUE,
    digest BLOB NOT NULL,
    passage BLOB NOT NULL,
    said BLOB NOT NULL,
    language TEXT NOT NULL,
    department TEXT NOT NULL,
    agent TEXT NOT NULL,
    task_id TEXT NOT NULL,
    task_type TEXT NOT NULL,
    outcome TEXT NOT NULL,
    created INTEGER NOT NULL,
    salience REAL,
    front_count INTEGER NOT NULL,
    front_last INTEGER,
    front_deprecated INTEGER NOT NULL,
    proof INTEGER NOT NULL,
    archived INTEGER NOT NULL DEFAULT 0,
    promoted INTEGER NOT NULL DEFAULT 0,
    pinned INTEGER NOT NULL DEFAULT 0,
    deprecated INTEGER NOT NULL DEFAULT 0,
    retrievals INTEGER NOT NULL DEFAULT 0,
    last_retrieved INTEGER
);
CREATE INDEX lesson_task ON lesson (department, task_id);
CREATE INDEX lesson_type ON lesson (department, task_type);
CREATE INDEX lesson_passage ON lesson (passage);
CREATE INDEX lesson_said ON lesson (said);
CREATE TABLE aside (path TEXT PRIMARY KEY, digest BLOB NOT NULL, problem TEXT NOT NULL, twin TEXT) WITHOUT ROWID;
CREATE INDEX aside_twin ON aside (twin) WHERE twin IS NOT NULL;
CREATE VIRTUAL TABLE text USING fts5 (task, rule, body, tags, tokenize = "ascii tokenchars '_'");
CREATE TABLE df (term TEXT PRIMARY KEY, lessons INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE language (name TEXT PRIMARY KEY, lessons INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE logfile (name TEXT PRIMARY KEY, offset INTEGER NOT NULL, before BLOB NOT NULL) WITHOUT ROWID;
CREATE TABLE retrieval (lesson TEXT PRIMARY KEY, count INTEGER NOT NULL, last INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE turn (
    lesson TEXT NOT NULL, flag TEXT NOT NULL, at INTEGER NOT NULL, writer TEXT NOT NULL, seq INTEGER NOT NULL,
    value INTEGER NOT NULL, job TEXT NOT NULL, PRIMARY KEY (lesson, flag, at, writer, seq)
) WITHOUT ROWID;
CREATE INDEX turn_job ON turn (job);
CREATE TABLE undone (job TEXT PRIMARY KEY) WITHOUT ROWID;
CREATE TABLE embedder (
    id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, size INTEGER NOT NULL, next INTEGER NOT NULL,
    complete INTEGER NOT NULL
);
CREATE TABLE vector (
    embedder INTEGER NOT NULL, passage BLOB NOT NULL, place INTEGER NOT NULL, sum INTEGER NOT NULL,
    PRIMARY KEY (embedder, passage)
) WITHOUT ROWID;
CREATE UNIQUE INDEX vector_place ON vector (embedder, place);
CREATE TABLE todo (embedder INTEGER NOT NULL, passage BLOB NOT NULL, PRIMARY KEY (embedder, passage)) WITHOUT ROWID;
"""
"""`path` is relative to the root, with `/`. Moments are microseconds since 1970 in UTC. `digest` is of a file's bytes,
`passage` of the text that a vector is made of (a lesson that moves keeps its vector), `said` of its folded words.
`proof` is a checksum of the columns that come from the file. What is folded from the log and what only the
frontmatter says stand apart (`front_*`), since the log goes before. `aside.twin` is an id that another file has.
`todo` has the passages that lack a vector. `text` is pre-tokenised, and read as ASCII: there a byte that is none
belongs to a word, whatever its script, while `unicode61` knows the letters of an old Unicode."""

BROKEN = (
    apsw.CorruptError,
    apsw.NotADBError,
    apsw.FormatError,
    apsw.SchemaChangeError,
    apsw.SQLError,
    apsw.MismatchError,
    apsw.RangeError,
    apsw.IOError,
    apsw.CantOpenError,
    apsw.ConstraintError,
    apsw.ReadOnlyError,
)
"""What a damaged file raises, or one that was replaced. The index is then made again from the lessons."""


class Cursor(Protocol):
    """The rows of a statement."""

    def fetchall(self) -> list[tuple[Any, ...]]: ...  # noqa: D102

    def __iter__(self) -> Iterator[tuple[Any, ...]]: ...


class Connection(Protocol):
    """What is used of `apsw.Connection`."""

    def execute(self, statements: str, bindings: Sequence[Any] = ()) -> Cursor: ...  # noqa: D102
    def executemany(self, statements: str, bindings: Iterable[Sequence[Any]]) -> Cursor: ...  # noqa: D102
    def last_insert_rowid(self) -> int: ...  # noqa: D102
    def changes(self) -> int: ...  # noqa: D102
    def pragma(self, name: str, value: Any = None) -> Any: ...  # noqa: D102
    def set_wal_hook(self, hook: Callable[[Any, str, int], int]) -> None: ...  # noqa: D102
    def wal_checkpoint(self, *, mode: int) -> tuple[int, int]: ...  # noqa: D102
    def close(self) -> None: ...  # noqa: D102


def marks(values: Sequence[Any]) -> str:
    """A `?` for each value."""
    return ", ".join("?" * len(values))


class Database:
    """Connections to one file of an index, each used by one thread at a time.

    Args:
        file: of the index.
        checkpointed: called after what was in the write-ahead log went into the file, with whether all of it did.
    """

    def __init__(self, file: Path, checkpointed: Callable[[bool], None] = lambda _: None) -> None:
        self.file = file
        self._checkpointed = checkpointed
        self._idle: queue.LifoQueue[Connection] = queue.LifoQueue()
        self._pid = os.getpid()
        self._closed = False
        self.trusted = False
        """It was found sound: `checkpointed` may be told."""

    def fits(self) -> bool:
        """Whether it is of this schema, and its terms are those that this version makes."""
        with self.reading() as db:
            found = dict(db.execute("SELECT name, value FROM meta WHERE name IN ('schema', 'tokens')").fetchall())
        return found == {"schema": SCHEMA, "tokens": VERSION}

    @contextmanager
    def reading(self) -> Generator[Connection]:
        """A connection, for reads that need not be of one moment."""
        if self._pid != os.getpid():  # SQLite's connections must not go over a fork; theirs are left alone
            self._idle, self._pid = queue.LifoQueue(), os.getpid()
        try:
            connection = self._idle.get_nowait()
        except queue.Empty:
            connection = self._connected()
        try:
            yield connection
        except BROKEN:
            connection.close()
            raise
        except BaseException:
            self._give_back(connection)
            raise
        self._give_back(connection)

    def _give_back(self, connection: Connection) -> None:
        if self._closed:
            connection.close()
        else:
            self._idle.put(connection)

    @contextmanager
    def snapshot(self) -> Generator[Connection]:
        """A connection that reads the index as it was at one moment."""
        with self.reading() as connection, _transaction(connection, "BEGIN"):
            yield connection

    @contextmanager
    def writing(self) -> Generator[Connection]:
        """A transaction that writes: whole, or not at all. Other writers wait."""
        with self.reading() as connection, _transaction(connection, "BEGIN IMMEDIATE"):
            yield connection

    def _connected(self) -> Connection:
        connection = cast("Connection", apsw.Connection(str(self.file), flags=apsw.SQLITE_OPEN_READWRITE))
        try:
            connection.pragma("busy_timeout", _BUSY_MS)
            connection.pragma("journal_mode", "wal")
            connection.pragma("synchronous", "normal")
            connection.pragma("cache_size", -32_768)
            connection.set_wal_hook(self._committed)
        except BaseException:
            connection.close()
            raise
        return connection

    def _committed(self, connection: Connection, _: str, pages: int) -> int:
        if pages >= _CHECKPOINT_PAGES:
            with contextlib.suppress(apsw.BusyError):
                there, done = connection.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_PASSIVE)
                if self.trusted:
                    self._checkpointed(there == done)
        return apsw.SQLITE_OK

    def close(self) -> None:
        """Close all connections that are not in use; those in use are closed when they are given back."""
        self._closed = True
        closed = False
        while self._pid == os.getpid():
            try:
                self._idle.get_nowait().close()
                closed = True
            except queue.Empty:
                break
        if (
            closed and self.trusted and not self.file.with_name(f"{self.file.name}-wal").exists()
        ):  # we were the last who had it open
            self._checkpointed(True)


@contextmanager
def _transaction(connection: Connection, begin: str) -> Generator[None]:
    connection.execute(begin)
    try:
        yield
    except BaseException:
        with contextlib.suppress(apsw.Error):  # a fault may have ended it already
            connection.execute("ROLLBACK")
        raise
    try:
        connection.execute("COMMIT")
    except BaseException:
        with contextlib.suppress(apsw.Error):
            connection.execute("ROLLBACK")
        raise


@contextmanager
def begun(file: Path, meta: dict[str, Any]) -> Generator[Connection]:
    """A new file with empty tables, filled in one transaction that no other process sees; then on disk, whole.

    Its bytes depend on what is written, in which order, and on nothing else.
    """
    connection = cast("Connection", apsw.Connection(str(file)))
    try:
        connection.pragma("journal_mode", "off")
        connection.pragma("synchronous", "off")
        connection.pragma("cache_size", -262_144)
        connection.execute("BEGIN EXCLUSIVE")
        connection.execute(TABLES)
        rows = {"schema": SCHEMA, "tokens": VERSION, "changes": 0, **meta}
        connection.executemany("INSERT INTO meta VALUES (?, ?)", sorted(rows.items()))
        yield connection
        connection.execute("INSERT INTO text (text) VALUES ('optimize')")
        connection.execute("COMMIT")
        connection.pragma("journal_mode", "wal")
    finally:
        connection.close()
    handle = os.open(file, os.O_RDWR | getattr(os, "O_BINARY", 0))
    try:
        os.fsync(handle)
    finally:
        os.close(handle)

"""The file of the index: its tables, and connections to it for any number of threads."""

from __future__ import annotations

import queue
from collections.abc import Generator, Iterable, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Protocol, cast

import apsw

from senno.lessons.search.tokens import VERSION

SCHEMA = "1"

_BUSY_MS = 30_000

TABLES = """
CREATE TABLE meta (name TEXT PRIMARY KEY, value) WITHOUT ROWID;
CREATE TABLE lesson (
    key INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    path TEXT NOT NULL UNIQUE,
    digest BLOB NOT NULL,
    passage BLOB NOT NULL,
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
CREATE TABLE aside (path TEXT PRIMARY KEY, digest BLOB NOT NULL, problem TEXT NOT NULL, twin TEXT) WITHOUT ROWID;
CREATE INDEX aside_twin ON aside (twin) WHERE twin IS NOT NULL;
CREATE VIRTUAL TABLE text USING fts5 (terms, tokenize = "ascii");
CREATE TABLE df (term TEXT PRIMARY KEY, lessons INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE language (name TEXT PRIMARY KEY, lessons INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE logfile (name TEXT PRIMARY KEY, offset INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE retrieval (lesson TEXT PRIMARY KEY, count INTEGER NOT NULL, last INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE turn (
    lesson TEXT NOT NULL, flag TEXT NOT NULL, at INTEGER NOT NULL, writer TEXT NOT NULL, seq INTEGER NOT NULL,
    value INTEGER NOT NULL, job TEXT NOT NULL, PRIMARY KEY (lesson, flag, at, writer, seq)
) WITHOUT ROWID;
CREATE INDEX turn_job ON turn (job) WHERE job <> '';
CREATE TABLE undone (job TEXT PRIMARY KEY) WITHOUT ROWID;
CREATE TABLE embedder (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, size INTEGER NOT NULL);
CREATE TABLE vector (
    embedder INTEGER NOT NULL, passage BLOB NOT NULL, place INTEGER NOT NULL, crc INTEGER NOT NULL,
    PRIMARY KEY (embedder, passage)
) WITHOUT ROWID;
CREATE UNIQUE INDEX vector_place ON vector (embedder, place);
"""
"""`path` is relative to the root, with `/`. Moments are microseconds since 1970 in UTC. `passage` is the digest of the
text that a vector is made of: a lesson that moves keeps its vector. What is folded from the log and what only the
frontmatter says stand apart (`front_*`), since the log goes before."""

BROKEN = (
    apsw.CorruptError,
    apsw.NotADBError,
    apsw.FormatError,
    apsw.SchemaChangeError,
    apsw.SQLError,
    apsw.MismatchError,
    apsw.IOError,
    apsw.CantOpenError,
    apsw.ConstraintError,
)
"""What a damaged file raises. The index is then made again from the lessons."""


class Cursor(Protocol):
    """The rows of a statement."""

    def fetchall(self) -> list[tuple[Any, ...]]: ...  # noqa: D102

    def __iter__(self) -> Generator[tuple[Any, ...]]: ...


class Connection(Protocol):
    """What is used of `apsw.Connection`."""

    def execute(self, statements: str, bindings: Sequence[Any] = ()) -> Cursor: ...  # noqa: D102
    def executemany(self, statements: str, bindings: Iterable[Sequence[Any]]) -> Cursor: ...  # noqa: D102
    def last_insert_rowid(self) -> int: ...  # noqa: D102
    def pragma(self, name: str, value: Any = None) -> Any: ...  # noqa: D102
    def close(self) -> None: ...  # noqa: D102


class Database:
    """Connections to one file of an index, each used by one thread at a time."""

    def __init__(self, file: Path) -> None:
        self.file = file
        self._idle: queue.LifoQueue[Connection] = queue.LifoQueue()
        self._closed = False

    @classmethod
    def made(cls, file: Path, meta: dict[str, Any]) -> Database:
        """A new file with empty tables."""
        database = cls(file)
        with database.writing() as db:
            if not db.execute("SELECT name FROM sqlite_schema WHERE name = 'meta'").fetchall():
                db.execute(TABLES)
                rows = {"schema": SCHEMA, "tokens": VERSION, **meta}
                db.executemany("INSERT INTO meta VALUES (?, ?)", sorted(rows.items()))
        return database

    def fits(self) -> bool:
        """Whether it is of this schema, and its terms are those that this version makes."""
        with self.reading() as db:
            found = dict(db.execute("SELECT name, value FROM meta WHERE name IN ('schema', 'tokens')").fetchall())
        return found == {"schema": SCHEMA, "tokens": VERSION}

    @contextmanager
    def reading(self) -> Generator[Connection]:
        """A connection, for reads that need not be of one moment."""
        try:
            connection = self._idle.get_nowait()
        except queue.Empty:
            connection = self._connected()
        try:
            yield connection
        except BROKEN:
            connection.close()
            raise
        if self._closed:
            connection.close()
        else:
            self._idle.put(connection)

    @contextmanager
    def writing(self) -> Generator[Connection]:
        """A transaction that writes: whole, or not at all. Other writers wait."""
        with self.reading() as connection:
            connection.execute("BEGIN IMMEDIATE")
            try:
                yield connection
            except BaseException:
                connection.execute("ROLLBACK")
                raise
            connection.execute("COMMIT")

    def _connected(self) -> Connection:
        connection = cast("Connection", apsw.Connection(str(self.file)))
        try:
            connection.pragma("busy_timeout", _BUSY_MS)
            connection.pragma("journal_mode", "wal")
            connection.pragma("synchronous", "normal")
            connection.pragma("cache_size", -32_768)
            connection.pragma("mmap_size", 1 << 30)
        except BaseException:
            connection.close()
            raise
        return connection

    def close(self) -> None:
        """Close all connections that are not in use; those in use are closed when they are given back."""
        self._closed = True
        while True:
            try:
                self._idle.get_nowait().close()
            except queue.Empty:
                return

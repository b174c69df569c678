"""Vectors of lessons: rows of float32 in one file an embedder, scanned whole. The tables say which row is whose."""

from __future__ import annotations

import contextlib
import os
import threading
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from senno.lessons.durable import locked
from senno.lessons.search.codes import Codes
from senno.lessons.search.database import Connection, Database, marks
from senno.lessons.search.entry import Hit, Where
from senno.lessons.search.rows import touched

Vector = NDArray[np.float32]

_NORM = 1e-3
"""A row whose norm is further from 1 than this is damaged."""

IN_MEMORY = 200_000
"""Rows up to which all are held in memory and scanned; of more only their codes are."""

_CHUNK = 20_000
"""Rows that are read from the file at once."""

RESCORED = 2_000
"""Rows that are compared exactly, where codes chose them."""


def file_name(name: str, size: int) -> str:
    """Of the rows of an embedder."""
    return f"vectors-{blake2b(f'{name}/{size}'.encode(), digest_size=6).hexdigest()}.f32"


def sums(rows: Vector) -> NDArray[np.int64]:
    """A checksum of each row, in 32 bits: any one bit that changes, changes it.

    Each word by an odd factor of its place, so that rows of the same numbers in another order differ.
    """
    words = np.ascontiguousarray(rows, np.float32).view(np.uint32)
    factors = np.arange(1, 2 * words.shape[1], 2, dtype=np.uint32)
    return np.einsum("ij,j->i", words, factors).astype(np.int64)


@dataclass(frozen=True, slots=True)
class Kept:
    """An embedder as the tables have it."""

    id: int
    size: int
    complete: bool
    """Every lesson has had a vector of it at some time."""


def kept(db: Connection, name: str) -> Kept | None:
    """What is known of an embedder; `None`: it never made a vector."""
    found = db.execute("SELECT id, size, complete FROM embedder WHERE name = ?", (name,)).fetchall()
    return Kept(found[0][0], found[0][1], bool(found[0][2])) if found else None


class Vectors:
    """The vectors of one embedder, as this process knows them. Threads may share it."""

    def __init__(self, database: Database, folder: Path, name: str) -> None:
        self._database, self._folder, self.name = database, folder, name
        self._lock = threading.RLock()
        self.damaged = 0
        """Rows found damaged so far; they are made again."""
        self._clear()

    def _clear(self) -> None:
        self._kept: Kept | None = None
        self._changes = -1
        self._most_key = self._most_place = -1
        self._keys: NDArray[np.int64] = np.empty(0, np.int64)
        self._places: NDArray[np.int64] = np.empty(0, np.int64)
        self._homes: NDArray[np.int32] = np.empty(0, np.int32)
        self._departments: dict[str, int] = {}
        self._rows: Vector = np.empty((0, 0), np.float32)
        self._codes: Codes | None = None
        self._loaded = 0

    @property
    def size(self) -> int:
        """Numbers of a vector; 0: not known yet."""
        return self._kept.size if self._kept else 0

    def _file(self, size: int) -> Path:
        return self._folder / file_name(self.name, size)

    def refresh(self) -> None:
        """Take in what was added since, each row checked against its sum."""
        with self._lock:
            with self._database.snapshot() as db:
                ((changes,),) = db.execute("SELECT value FROM meta WHERE name = 'changes'").fetchall()
                if changes == self._changes:
                    return
                now = kept(db, self.name)
                if now is None or (self._kept and (now.id, now.size) != (self._kept.id, self._kept.size)):
                    self._clear()
                self._kept = now
                if now is None:
                    return
                fresh = self._more(db, now)
            self._changes = changes
            if fresh:
                self._load(now, fresh)

    def _more(self, db: Connection, now: Kept) -> dict[int, int]:
        """Join lessons to rows that were added since; the rows not loaded yet, each with its sum."""
        rows = db.execute(
            # CROSS JOIN is SQLite's word for "in this order": what is new is looked up, not all that there is.
            "SELECT l.key, v.place, l.department, v.sum FROM vector v CROSS JOIN lesson l USING (passage)"
            " WHERE v.embedder = ?1 AND v.place > ?2"
            " UNION ALL SELECT l.key, v.place, l.department, v.sum FROM lesson l CROSS JOIN vector v"
            " ON v.passage = l.passage AND v.embedder = ?1 WHERE l.key > ?3 AND v.place <= ?2",
            (now.id, self._most_place, self._most_key),
        ).fetchall()
        ((self._most_key,),) = db.execute("SELECT coalesce(max(key), -1) FROM lesson").fetchall()
        if not rows:
            return {}
        keys, places, homes, checks = zip(*rows, strict=True)
        codes = [self._departments.setdefault(home, len(self._departments)) for home in homes]
        all_places = np.concatenate([self._places, np.array(places, np.int64)])
        order = np.argsort(all_places, kind="stable")
        self._places = all_places[order]
        self._keys = np.concatenate([self._keys, np.array(keys, np.int64)])[order]
        self._homes = np.concatenate([self._homes, np.array(codes, np.int32)])[order]
        self._most_place = max(self._most_place, int(self._places[-1]))
        return {place: check for place, check in zip(places, checks, strict=True) if place >= self._loaded}

    def _load(self, now: Kept, fresh: dict[int, int]) -> None:
        """Read rows into memory. Those that are not there, or not what they were, are forgotten, and made again."""
        end = self._most_place + 1
        if end > IN_MEMORY and self._codes is None:
            self._codes, self._rows, self._loaded = Codes(now.size), np.empty((0, now.size), np.float32), 0
        elif self._codes is None and len(self._rows) < end:
            grown = np.empty((max(end, len(self._rows) * 5 // 4), now.size), np.float32)
            if self._loaded:
                grown[: self._loaded] = self._rows[: self._loaded]
            self._rows = grown
        bad: list[int] = []
        for first in range(self._loaded, end, _CHUNK):
            last = min(first + _CHUNK, end)
            rows = self._rows[first:last] if self._codes is None else np.empty((last - first, now.size), np.float32)
            self._read(now, first, rows)
            checks = sums(rows)
            checks[~(np.abs(_norms(rows) - 1) <= _NORM)] = -1
            bad += [place for place, check in enumerate(checks.tolist(), first) if fresh.get(place, check) != check]
            if self._codes is not None:
                self._codes.add(rows)
        self._loaded = end
        self._forget(now, bad)

    def _read(self, now: Kept, place: int, rows: Vector) -> None:
        """Fill rows from the file, from a place on; with zeros where it has none."""
        rows[:] = 0
        with contextlib.suppress(OSError), self._file(now.size).open("rb", buffering=0) as file:
            file.seek(place * now.size * 4)
            into = rows.data.cast("B")
            while into and (count := file.readinto(into)):
                into = into[count:]

    def _forget(self, now: Kept, places: Sequence[int]) -> None:
        if not places:
            return
        keep = ~np.isin(self._places, np.array(places))
        self.damaged += len(places)
        self._places, self._keys, self._homes = self._places[keep], self._keys[keep], self._homes[keep]
        with self._database.writing() as db:
            for place in places:
                db.execute(
                    "INSERT OR IGNORE INTO todo SELECT embedder, passage FROM vector WHERE embedder = ? AND place = ?",
                    (now.id, place),
                )
                db.execute("DELETE FROM vector WHERE embedder = ? AND place = ?", (now.id, place))
            touched(db)

    def nearest(self, query: Vector, limit: int, where: Where) -> list[Hit]:
        """The keys with the greatest cosines, best first; lessons that are gone or taken out are left to the caller."""
        with self._lock:
            now, rows, codes = self._kept, self._rows, self._codes
            keys, places, homes = self._keys, self._places, self._homes
            departments = dict(self._departments)
        if now is None or not len(keys) or limit < 1:
            return []
        query = np.ascontiguousarray(query, np.float32)
        if where.departments is not None:
            own = [code for name, code in departments.items() if name in where.departments]
            mine = np.isin(homes, own)
            keys, places = keys[mine], places[mine]
        if codes is not None:
            chosen = codes.nearest(query, places, max(RESCORED, 4 * limit))
            keys, places = keys[chosen], places[chosen]
            return _best(keys, self._exact(now, query, places), limit)
        # Not `@`: one thread, and as fast, since the time goes into reading the rows.
        return _best(keys, np.einsum("ij,j->i", rows, query)[places], limit)

    def _exact(self, now: Kept, query: Vector, places: NDArray[np.int64]) -> Vector:
        rows = np.zeros((len(places), now.size), np.float32)
        with contextlib.suppress(OSError), self._file(now.size).open("rb", buffering=0) as file:
            for row, place in zip(rows, places.tolist(), strict=True):
                file.seek(place * now.size * 4)
                file.readinto(row.data)
        return np.einsum("ij,j->i", rows, query)

    def of(self, db: Connection, keys: Sequence[int]) -> dict[int, Vector]:
        """The vectors of these lessons, each checked against its sum: a damaged one is left out, and made again."""
        now = kept(db, self.name)
        if now is None:
            return {}
        found = db.execute(
            "SELECT l.key, v.place, v.sum FROM lesson l CROSS JOIN vector v ON v.passage = l.passage AND v.embedder = ?"  # noqa: S608
            f" WHERE l.key IN ({marks(keys)})",
            (now.id, *keys),
        ).fetchall()
        vectors: dict[int, Vector] = {}
        bad: list[int] = []
        for key, place, check in found:
            held = self._codes is None and place < self._loaded
            row = self._rows[place : place + 1] if held else np.empty((1, now.size), np.float32)
            if not held:
                self._read(now, place, row)
            if sums(row)[0] == check:
                vectors[key] = row[0].copy()
            else:
                bad.append(place)
        if bad:
            with self._lock:
                self._forget(now, bad)
        return vectors

    # Writing.

    def begin(self, size: int) -> Kept:
        """See to it that the tables know this embedder, with vectors of this size; those of another are forgotten."""
        with self._database.writing() as db:
            now = kept(db, self.name)
            if now is None or now.size != size:
                register(db, self.name, size)
                touched(db)
                now = kept(db, self.name)
        assert now is not None
        return now

    def add(self, passages: Sequence[bytes], rows: Vector) -> None:
        """Write vectors: the rows are on disk before a table names them."""
        data = np.ascontiguousarray(rows, np.float32)
        with locked(self._folder / ".vectors.lock"):
            now = self.begin(data.shape[1])
            with self._database.reading() as db:
                ((place,),) = db.execute("SELECT next FROM embedder WHERE id = ?", (now.id,)).fetchall()
            write_rows(self._file(now.size), place * now.size * 4, data.tobytes())
            with self._database.writing() as db:
                name_rows(db, now.id, place, zip(passages, sums(data).tolist(), strict=True))
                touched(db)

    def pending(self, db: Connection, limit: int) -> list[tuple[bytes, str]]:
        """Passages without a vector, each with the file of a lesson that has it, by path."""
        now = kept(db, self.name)
        if now is None:
            sql = "SELECT passage, min(path) FROM lesson GROUP BY passage ORDER BY min(path) LIMIT ?"
            return db.execute(sql, (limit,)).fetchall()
        return db.execute(
            "SELECT t.passage, min(l.path) FROM todo t JOIN lesson l USING (passage) WHERE t.embedder = ?"
            " GROUP BY t.passage LIMIT ?",
            (now.id, limit),
        ).fetchall()


def _norms(rows: Vector) -> Vector:
    with np.errstate(over="ignore", invalid="ignore"):
        return np.sqrt(np.einsum("ij,ij->i", rows, rows))


def _best(keys: NDArray[np.int64], scores: Vector, limit: int) -> list[Hit]:
    if not len(keys):
        return []
    limit = min(limit, len(scores))
    first = np.argpartition(-scores, limit - 1)[:limit]
    first = first[np.lexsort((keys[first], -scores[first]))]
    return [Hit(key, score) for key, score in zip(keys[first].tolist(), scores[first].tolist(), strict=True)]


def register(db: Connection, name: str, size: int) -> int:
    """Begin the vectors of an embedder: all passages are to be done."""
    found = db.execute("SELECT id FROM embedder WHERE name = ?", (name,)).fetchall()
    if found:
        for table in ("vector", "todo"):
            db.execute(f"DELETE FROM {table} WHERE embedder = ?", found[0])  # noqa: S608
        db.execute("UPDATE embedder SET size = ?, next = 0, complete = 0 WHERE id = ?", (size, *found[0]))
    else:
        db.execute("INSERT INTO embedder (name, size, next, complete) VALUES (?, ?, 0, 0)", (name, size))
        found = db.execute("SELECT id FROM embedder WHERE name = ?", (name,)).fetchall()
    db.execute("INSERT OR IGNORE INTO todo SELECT ?, passage FROM lesson", found[0])
    return found[0][0]


def name_rows(db: Connection, embedder: int, place: int, rows: Iterable[tuple[bytes, int]]) -> None:
    """Say whose the rows of a file are, from a place on; each passage with the sum of its row."""
    count = 0
    for passage, check in rows:
        there = db.execute("SELECT 1 FROM todo WHERE embedder = ? AND passage = ?", (embedder, passage)).fetchall()
        if there:  # else it was made meanwhile, or no lesson says so any more
            db.execute("INSERT OR REPLACE INTO vector VALUES (?, ?, ?, ?)", (embedder, passage, place + count, check))
            db.execute("DELETE FROM todo WHERE embedder = ? AND passage = ?", (embedder, passage))
        count += 1
    db.execute(
        "UPDATE embedder SET next = ?1, complete = complete OR NOT EXISTS (SELECT 1 FROM todo WHERE embedder = ?2)"
        " WHERE id = ?2",
        (place + count, embedder),
    )


def write_rows(file: Path, offset: int, data: bytes) -> None:
    """Bytes at an offset of a file, on disk when this returns."""
    handle = os.open(file, os.O_WRONLY | os.O_CREAT | getattr(os, "O_BINARY", 0), 0o666)
    try:
        os.lseek(handle, offset, os.SEEK_SET)
        view = memoryview(data)
        while view:
            view = view[os.write(handle, view) :]
        os.fsync(handle)
    finally:
        os.close(handle)

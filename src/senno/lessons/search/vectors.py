"""Vectors of lessons: rows of float32 in one file an embedder, scanned whole. The tables say which row is whose."""

from __future__ import annotations

import os
import threading
import zlib
from collections.abc import Sequence
from hashlib import blake2b
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from senno.errors import SennoError
from senno.lessons.durable import locked
from senno.lessons.search.database import Connection, Database
from senno.lessons.search.entry import Hit, Where

Vector = NDArray[np.float32]

_BYTES = 4
_NORM = 1e-3
"""A row whose norm is further from 1 than this is damaged."""


class Vectors:
    """The vectors of one embedder, as this process knows them. Threads may share it."""

    def __init__(self, database: Database, folder: Path, name: str) -> None:
        self._database, self._folder, self.name = database, folder, name
        self._file = folder / f"vectors-{blake2b(name.encode(), digest_size=6).hexdigest()}.f32"
        self._lock = threading.Lock()
        self._id = self._size = 0
        self._changes = -1
        self._most_key = self._most_place = -1
        self._places: NDArray[np.int64] = np.empty(0, np.int64)
        self._keys: NDArray[np.int64] = np.empty(0, np.int64)
        self._homes: NDArray[np.int32] = np.empty(0, np.int32)
        self._departments: dict[str, int] = {}
        self._rows: NDArray[np.float32] = np.empty((0, 0), np.float32)
        self._checked = 0
        self.damaged = 0
        """Rows found damaged so far; they are made again."""

    @property
    def count(self) -> int:
        """Lessons that have one."""
        return len(self._keys)

    def refresh(self) -> None:
        """Take in what was added since."""
        with self._lock, self._database.reading() as db:
            ((changes,),) = db.execute("SELECT value FROM meta WHERE name = 'changes'").fetchall()
            if changes == self._changes:
                return
            if not self._id and not self._known(db):
                return
            self._more(db)
            self._map()
            self._changes = changes
        self._check()

    def _known(self, db: Connection) -> bool:
        found = db.execute("SELECT id, size FROM embedder WHERE name = ?", (self.name,)).fetchall()
        if found:
            self._id, self._size = found[0]
        return bool(found)

    def _more(self, db: Connection) -> None:
        rows = db.execute(
            "SELECT l.key, v.place, l.department FROM vector v JOIN lesson l USING (passage)"
            " WHERE v.embedder = ?1 AND v.place > ?2"
            " UNION ALL SELECT l.key, v.place, l.department FROM lesson l JOIN vector v"
            " ON v.passage = l.passage AND v.embedder = ?1 WHERE l.key > ?3 AND v.place <= ?2",
            (self._id, self._most_place, self._most_key),
        ).fetchall()
        ((self._most_key,),) = db.execute("SELECT coalesce(max(key), -1) FROM lesson").fetchall()
        if not rows:
            return
        keys, places, homes = zip(*rows, strict=True)
        codes = [self._departments.setdefault(home, len(self._departments)) for home in homes]
        self._keys = np.concatenate([self._keys, np.array(keys, np.int64)])
        self._places = np.concatenate([self._places, np.array(places, np.int64)])
        self._homes = np.concatenate([self._homes, np.array(codes, np.int32)])
        order = np.argsort(self._places, kind="stable")
        self._keys, self._places, self._homes = self._keys[order], self._places[order], self._homes[order]
        self._most_place = max(self._most_place, int(self._places[-1]))

    def _map(self) -> None:
        wanted = self._most_place + 1
        if not wanted or len(self._rows) >= wanted:
            return
        try:
            there = self._file.stat().st_size // (self._size * _BYTES)
        except OSError:
            there = 0
        count = min(wanted, there)
        shape = (count, self._size)
        self._rows = (
            np.memmap(self._file, np.float32, "r", shape=shape) if count else np.empty((0, self._size), np.float32)
        )

    def _check(self) -> None:
        """Rows that are not there, or are no vectors, are forgotten, and so made again."""
        with self._lock:
            rows = self._rows[self._checked :]
            norms = np.sqrt(np.einsum("ij,ij->i", rows, rows)) if len(rows) else np.empty(0)
            bad = (np.flatnonzero(~(np.abs(norms - 1) <= _NORM)) + self._checked).tolist()
            self._checked = len(self._rows)
            missing = self._places[self._places >= len(self._rows)].tolist()
        self._forget([*bad, *missing])

    def _forget(self, places: Sequence[int]) -> None:
        if not places:
            return
        with self._lock:
            keep = ~np.isin(self._places, np.array(places))
            self.damaged += int((~keep).sum())
            self._places, self._keys, self._homes = self._places[keep], self._keys[keep], self._homes[keep]
        with self._database.writing() as db:
            db.executemany(
                "DELETE FROM vector WHERE embedder = ? AND place = ?", ((self._id, int(place)) for place in places)
            )

    def nearest(self, query: Vector, limit: int, where: Where) -> list[Hit]:
        """The keys with the greatest cosines, best first; those that a review took out are left to the caller."""
        if not len(self._keys):
            return []
        if len(query) != self._size:
            raise SennoError(
                f"{self.name} gave a vector of {len(query)} numbers, and before of {self._size}: senno lessons reindex"
            )
        with self._lock:
            rows, places, keys, homes = self._rows, self._places, self._keys, self._homes
        # Not `@`: one thread, and as fast, since the time goes into reading the rows.
        scores = np.einsum("ij,j->i", rows, query)[places]
        if where.departments is not None:
            own = [code for name, code in self._departments.items() if name in where.departments]
            scores = np.where(np.isin(homes, own), scores, -np.inf)
        limit = min(limit, len(scores))
        first = np.argpartition(-scores, limit - 1)[:limit]
        first = first[np.lexsort((keys[first], -scores[first]))]
        return [Hit(int(keys[i]), float(scores[i])) for i in first if np.isfinite(scores[i])]

    def of(self, db: Connection, keys: Sequence[int]) -> dict[int, Vector]:
        """The vectors of these lessons, each checked against its sum; a damaged one is left out, and made again."""
        marks = ", ".join("?" * len(keys))
        found = db.execute(
            f"SELECT l.key, v.place, v.crc FROM lesson l JOIN vector v ON v.passage = l.passage AND v.embedder = ?"  # noqa: S608 - marks
            f" WHERE l.key IN ({marks})",
            (self._id, *keys),
        ).fetchall()
        vectors: dict[int, Vector] = {}
        bad: list[int] = []
        for key, place, crc in found:
            if place >= len(self._rows):
                continue
            row = np.array(self._rows[place])
            if zlib.crc32(row.tobytes()) == crc:
                vectors[key] = row
            else:
                bad.append(place)
        self._forget(bad)
        return vectors

    def add(self, passages: Sequence[bytes], rows: Vector) -> None:
        """Write vectors: the rows are on disk before a table names them.

        Raises:
            SennoError: they are not as long as those before.
        """
        with locked(self._folder / ".vectors.lock"):
            with self._database.writing() as db:
                db.execute("INSERT OR IGNORE INTO embedder (name, size) VALUES (?, ?)", (self.name, rows.shape[1]))
                self._known(db)
                found = db.execute("SELECT coalesce(max(place), -1) + 1 FROM vector WHERE embedder = ?", (self._id,))
                ((place,),) = found.fetchall()
            if rows.shape[1] != self._size:
                raise SennoError(f"{self.name} gave vectors of {rows.shape[1]} numbers, and before of {self._size}")
            data = np.ascontiguousarray(rows, np.float32)
            self._write(place * self._size * _BYTES, data.tobytes())
            with self._database.writing() as db:
                db.executemany(
                    "INSERT OR IGNORE INTO vector VALUES (?, ?, ?, ?)",
                    (
                        (self._id, passage, place + i, zlib.crc32(data[i].tobytes()))
                        for i, passage in enumerate(passages)
                    ),
                )
                db.execute("UPDATE meta SET value = value + 1 WHERE name = 'changes'")

    def _write(self, offset: int, data: bytes) -> None:
        handle = os.open(self._file, os.O_WRONLY | os.O_CREAT | getattr(os, "O_BINARY", 0), 0o666)
        try:
            os.lseek(handle, offset, os.SEEK_SET)
            view = memoryview(data)
            while view:
                view = view[os.write(handle, view) :]
            os.fsync(handle)
        finally:
            os.close(handle)

    def pending(self, db: Connection, limit: int) -> list[tuple[bytes, str]]:
        """Passages without a vector, each with the file of a lesson that has it, by path."""
        return db.execute(
            "SELECT passage, min(path) FROM lesson l WHERE NOT EXISTS"
            " (SELECT 1 FROM vector v JOIN embedder e ON e.id = v.embedder WHERE e.name = ? AND v.passage = l.passage)"
            " GROUP BY passage ORDER BY min(path) LIMIT ?",
            (self.name, limit),
        ).fetchall()  # pyright: ignore[reportReturnType]

"""Vectors that outlive a rebuild: those that are whole, of passages that are there still."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from senno.lessons.search.database import BROKEN, Connection, Database
from senno.lessons.search.vectors import file_name, kept, name_rows, register, sums, write_rows

_AT_ONCE = 1000


class Carried:
    """The vectors of one embedder in an index that is about to be replaced.

    Args:
        database: of that index.
        folder: where its vectors are.
        name: of the embedder.
    """

    def __init__(self, database: Database, folder: Path, name: str) -> None:
        self.name = name
        self._size = 0
        self._rows: dict[bytes, tuple[int, int]] = {}
        try:
            with database.snapshot() as db:
                now = kept(db, name)
                if now is not None:
                    self._size, self._file = now.size, folder / file_name(name, now.size)
                    found = db.execute("SELECT passage, place, sum FROM vector WHERE embedder = ?", (now.id,))
                    self._rows = {passage: (place, check) for passage, place, check in found}
        except BROKEN:
            self._rows = {}  # they are made again

    def into(self, db: Connection, folder: Path) -> None:
        """Put those that are wanted into a new index, in the order of the lessons' paths."""
        if not self._size:
            return
        embedder = register(db, self.name, self._size)
        passages = [p for (p,) in db.execute("SELECT passage FROM lesson GROUP BY passage ORDER BY min(path)")]
        wanted = [passage for passage in passages if passage in self._rows]
        place = 0
        for start in range(0, len(wanted), _AT_ONCE):
            some = wanted[start : start + _AT_ONCE]
            rows = self._read([self._rows[passage][0] for passage in some])
            checks = sums(rows)
            good = [i for i, passage in enumerate(some) if checks[i] == self._rows[passage][1]]
            if good:
                write_rows(folder / file_name(self.name, self._size), place * self._size * 4, rows[good].tobytes())
                name_rows(db, embedder, place, ((some[i], int(checks[i])) for i in good))
                place += len(good)

    def _read(self, places: list[int]) -> NDArray[np.float32]:
        rows = np.zeros((len(places), self._size), np.float32)
        try:
            with self._file.open("rb", buffering=0) as file:
                for row, place in zip(rows, places, strict=True):
                    file.seek(place * self._size * 4)
                    file.readinto(row.data)
        except OSError:
            rows[:] = 0
        return rows

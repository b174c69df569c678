"""One index of a store, opened: its tables, its vectors, and how far it follows the files and the log."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from senno.lessons.search.build import SEEN
from senno.lessons.search.database import BROKEN, Database
from senno.lessons.search.files_state import take_files
from senno.lessons.search.folders import Folders, Looked
from senno.lessons.search.home import FILE
from senno.lessons.search.log_state import LogFollower, offsets_in, take_log
from senno.lessons.search.rows import changes_in
from senno.lessons.search.seen import Seen
from senno.lessons.search.soundness import as_noted, note, sound

if TYPE_CHECKING:
    from senno.lessons.search.vectors import Vectors

EVENTS = "events"

_INSIDE = "path >= ?1 AND path < ?2 AND instr(substr(path, length(?1) + 1), '/') = 0"
"""A file in a folder, but not in a folder in it."""


class Generation:
    """An index in a folder of its own.

    Args:
        root: of the store.
        folder: of the index.
        embedder: the name of the embedder whose vectors are looked at; `None`: none.
    """

    def __init__(self, root: Path, folder: Path, embedder: str | None) -> None:
        self.root, self.folder, self.name = root, folder, folder.name
        self.database = Database(folder / FILE, lambda whole: note(folder / FILE, whole=whole))
        self.vectors: Vectors | None = None
        if embedder is not None:
            from senno.lessons.search.vectors import Vectors

            self.vectors = Vectors(self.database, folder, embedder)
        self._changes = -1
        self._counts: tuple[int, int, int, str] = (0, 0, 0, "")

    def fits(self) -> bool:
        """Whether it is there, and of this version."""
        try:
            return self.database.fits()
        except BROKEN:
            return False

    def untouched(self) -> bool:
        """Whether its file stands as its writers left it."""
        return as_noted(self.database.file)

    def sound(self) -> bool:
        """Whether all of it holds together; where it does, that is noted. What the log says is taken in anew."""
        if not sound(self.database):
            return False
        take_log(self.database, self.root / EVENTS, None)
        # What the write-ahead log has is checked with the rest; moved into the file, the note says so.
        with self.database.reading() as db:
            there, done = db.wal_checkpoint(mode=0)
        note(self.database.file, whole=there == done)
        return True

    def begin(self) -> None:
        """It is sound: go on from where it has come."""
        self.database.trusted = True
        with self.database.reading() as db:
            changes, taken = changes_in(db), offsets_in(db)
        self._seen = Seen(self.folder / SEEN, changes)
        self._folders = Folders(self.root, self._seen)
        self._log = LogFollower(self.root / EVENTS, taken)

    def follow(self, *, deep: bool, told: Callable[[int], None] = lambda _: None) -> dict[str, str]:
        """Take in what changed in the files and in the log; by path, what could not be read."""
        found = self._folders.look(deep=deep)
        unread: dict[str, str] = {}
        if found.changed or found.gone:
            unread = take_files(self.database, self.root, found.changed, found.gone, told)
        strays = self._strays(found, whole=deep)
        if strays:
            unread |= take_files(self.database, self.root, (), strays)
        self._folders.taken(found, unread)
        if deep:
            self.save()
        names = self._log.grown(deep=deep)
        if names is None:
            self._log.taken = take_log(self.database, self.root / EVENTS, None)
        elif names:
            self._log.taken |= take_log(self.database, self.root / EVENTS, names)
        self._count()
        return found.unread | unread

    def _strays(self, found: Looked, *, whole: bool) -> list[str]:
        """Files in the tables that were not seen; whether they are gone is looked at for each.

        A file that was taken in by `Index.add`, here or elsewhere, and deleted before anybody looked at its folder, is
        in no view. So the tables are counted: all of them after a look at all folders, else those of folders that
        changed.
        """
        strays: list[str] = []
        with self.database.reading() as db:
            for folder in [None] if whole else found.views:
                views = found.names if folder is None else {folder: found.names[folder]}
                where, values = ("1", ()) if folder is None else (_INSIDE, (f"{folder}/", f"{folder}0"))
                sql = f"SELECT {{0}} FROM lesson WHERE {where} UNION ALL SELECT {{0}} FROM aside WHERE {where}"  # noqa: S608
                count = sum(n for (n,) in db.execute(sql.format("count(*)"), values))
                if count != sum(len(view.files) for view in views.values()):
                    there = {f"{name}/{file}" for name, view in views.items() for file in view.files}
                    strays += [path for (path,) in db.execute(sql.format("path"), values) if path not in there]
        return strays

    def _count(self) -> None:
        with self.database.snapshot() as db:
            changes = changes_in(db)
            if changes == self._changes:
                return
            ((count,),) = db.execute("SELECT coalesce(sum(lessons), 0) FROM language").fetchall()
            ((aside,),) = db.execute("SELECT count(*) FROM aside").fetchall()
            todo, other = count, ""
            if self.vectors is not None:
                name = self.vectors.name
                found = db.execute("SELECT id, complete FROM embedder WHERE name = ?", (name,)).fetchall()
                if found:
                    ((todo,),) = db.execute("SELECT count(*) FROM todo WHERE embedder = ?", (found[0][0],)).fetchall()
                if not found or not found[0][1]:
                    sql = "SELECT name FROM embedder WHERE complete AND name <> ? ORDER BY id DESC LIMIT 1"
                    other = next((str(row[0]) for row in db.execute(sql, (name,))), "")
            self._counts = (count, aside, todo, other)
            self._changes = changes

    @property
    def lessons(self) -> int:
        """How many it has."""
        return self._counts[0]

    @property
    def aside(self) -> int:
        """How many files are no lessons."""
        return self._counts[1]

    @property
    def todo(self) -> int:
        """How many passages have no vector of the embedder."""
        return self._counts[2] if self.vectors is not None else 0

    @property
    def other_embedder(self) -> str:
        """The embedder whose vectors there are, while those of the one in use were never made for all; else empty."""
        return self._counts[3]

    def save(self) -> None:
        """Write down how far it has come."""
        try:
            with self.database.reading() as db:
                self._seen.save(changes_in(db))
        except BROKEN:
            return  # the next who opens it finds out

    def close(self) -> None:
        """Close the files."""
        self.database.close()

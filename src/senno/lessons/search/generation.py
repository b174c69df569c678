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
        if deep and not self._seen.complete:
            found.gone = self._forgotten(found)
        unread: dict[str, str] = {}
        if found.changed or found.gone:
            unread = take_files(self.database, self.root, found.changed, found.gone, told)
        self._folders.taken(found, unread)
        self._seen.complete = self._seen.complete or deep
        if deep:
            self.save()
        names = self._log.grown(deep=deep)
        if names is None:
            self._log.taken = take_log(self.database, self.root / EVENTS, None)
        elif names:
            self._log.taken |= take_log(self.database, self.root / EVENTS, names)
        self._count()
        return found.unread | unread

    def _forgotten(self, found: Looked) -> list[str]:
        """Files in the tables that were not seen now: whether they are gone is looked at for each."""
        with self.database.reading() as db:
            rows = db.execute("SELECT path FROM lesson UNION SELECT path FROM aside").fetchall()
        there = {f"{folder}/{name}" for folder, (view, _) in found.views.items() for name in view.files}
        return [path for (path,) in rows if path not in there]

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

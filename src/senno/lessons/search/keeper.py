"""Keeps one sound generation of the index open: makes it where it is missing, and anew where it turns out damaged."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import apsw

from senno.errors import SennoError
from senno.lessons.search.build import build
from senno.lessons.search.database import BROKEN
from senno.lessons.search.generation import EVENTS, Generation
from senno.lessons.search.home import Home

if TYPE_CHECKING:
    from senno.lessons.search.carry import Carried
    from senno.lessons.search.database import Connection

T = TypeVar("T")
Told = Callable[[int, int], None]
"""Is given how much is done, of how much."""


class Keeper:
    """The generation in use. Threads may share it.

    Args:
        root: of the store.
        embedder: the name of the embedder whose vectors are looked at; `None`: none.

    Raises:
        SennoError: there is no index, and none can be made.
    """

    def __init__(self, root: Path, embedder: str | None) -> None:
        self.root, self._embedder = root, embedder
        self.lock = threading.RLock()
        self.damaged = ""
        """What was wrong with the index before it was made again; empty: nothing."""
        self.problem = ""
        """Why the index is not the one that it should be; empty: it is."""
        self.unread: dict[str, str] = {}
        """By path, why a file or a folder could not be read."""
        try:
            self.home = Home(root)
            self.generation = self._followed()
        except (OSError, apsw.Error) as error:
            raise SennoError(f"{root}: the index of the lessons cannot be made ({error})") from error

    def _followed(self) -> Generation:
        """The generation in use, opened; made where there is none that is sound."""
        found = self._opened(self.home.current())
        if found is None or not found.untouched():
            if found is not None:
                found.close()
            with self.home.lock():
                found = self._checked()
        found.begin()
        return found

    def _opened(self, name: str) -> Generation | None:
        """A generation of this version; `None`: there is none of that name."""
        if not name:
            return None
        found = Generation(self.root, self.home.folder / name, self._embedder)
        if found.fits():
            return found
        found.close()
        return None

    def _checked(self) -> Generation:
        name = self.home.current()
        found = self._opened(name)
        if found is not None:
            if found.untouched() or found.sound():  # another process may have checked it meanwhile
                return found
            found.close()
        if name:
            self.damaged = "the index was damaged, or of another version: it was made again from the lessons"
        return self._made()

    def _made(
        self, carried: Carried | None = None, told: Callable[[int, int], None] = lambda _a, _b: None
    ) -> Generation:
        folder = self.home.free()
        build(folder, self.root, self.root / EVENTS, carried, told)
        self.home.point(folder.name)
        made = self._opened(folder.name)
        if made is None:
            raise SennoError(f"{folder}: an index that was just made cannot be read")
        return made

    def _replace(self, broken: Generation, why: str) -> None:
        """Another generation for one that is damaged."""
        with self.lock:
            if self.generation is not broken:
                return  # another thread was quicker
            broken.close()
            with self.home.lock():
                if self.home.current() in ("", broken.name):
                    self.damaged = f"the index was damaged ({why}): it was made again from the lessons"
                    found = self._made()
                else:
                    found = self._checked()
            found.begin()
            self._take(found)

    def _take(self, found: Generation) -> None:
        """Use a generation, once it has all that there is: other threads ask it from then on."""
        self.unread = found.follow(deep=True)
        self.generation = found

    def safely(self, function: Callable[[Generation], T]) -> T:
        """Run it; where the index turns out damaged, make it again, and run it once more.

        Raises:
            SennoError: it is damaged again, busy for long, or the disk is full.
        """
        try:
            for _ in range(2):
                current = self.generation
                try:
                    return function(current)
                except BROKEN as error:
                    self._replace(current, str(error))
            return function(self.generation)
        except (apsw.Error, OSError) as error:
            raise SennoError(f"{self.home.folder}: the index cannot be used ({error})") from error

    def ask(self, question: Callable[[Connection], T]) -> T:
        """`safely`, for what needs a connection alone."""

        def ask(generation: Generation) -> T:
            with generation.database.reading() as db:
                return question(db)

        return self.safely(ask)

    def refresh(self, *, deep: bool) -> None:
        """Take in what changed; from another generation, where another process made one."""
        with self.lock:
            try:
                moved, self.problem = self._moved(), ""
            except (OSError, apsw.Error) as error:
                moved, self.problem = False, f"the index that is there now cannot be used ({error}); an older one is"
            self.unread = self.safely(lambda generation: generation.follow(deep=deep or moved))

    def _moved(self) -> bool:
        """Open another generation, where another process made one, or the store has a folder only now."""
        before, old = self.home, self.generation
        if before.should_move():
            self.home = Home(self.root)
        elif before.current() == old.name:
            return False
        try:
            found = self._followed()
        except (OSError, apsw.Error):
            self.home = before  # what there is goes on
            raise
        try:
            self._take(found)
        except BROKEN:
            self.generation = found  # whoever asks it next has it mended
        old.close()
        if self.home is not before:
            before.close()
        return True

    def rebuild(self, told: Told) -> None:
        """A new generation from the lessons, the log and the vectors that are whole; until then the old one is read."""
        try:
            with self.lock, self.home.lock():
                old = self.generation
                carried = None
                if self._embedder is not None:
                    from senno.lessons.search.carry import Carried

                    carried = Carried(old.database, old.folder, self._embedder)
                made = self._made(carried, told)
                made.begin()
                self._take(made)
                old.close()
                self.damaged = ""
        except (OSError, apsw.Error) as error:
            raise SennoError(f"{self.home.folder}: the index cannot be made ({error})") from error

    def close(self) -> None:
        """Close the files."""
        self.generation.save()
        self.generation.close()
        self.home.close()

"""Where the index of a store is: a folder of generations, one of which is in use."""

from __future__ import annotations

import contextlib
import os
import secrets
import shutil
import tempfile
import weakref
from collections.abc import Callable, Generator
from pathlib import Path

from senno.lessons.durable import locked

FOLDER = ".index"
FILE = "index.db"


class Home:
    """The folder of the index. A generation is never changed into another one: a new one is made beside it, and named.

    So nobody reads half of a rebuild, and no write-ahead log meets a database that is not its own.

    Args:
        root: of the store. Where it is not there yet, or cannot be written, the index is in a temporary folder.
    """

    def __init__(self, root: Path) -> None:
        self._root = root
        self._temporary: Callable[[], object] | None = None
        """Takes the temporary folder away; `None`: there is none."""
        self.note = ""
        """Why it is not where it should be; empty: it is, or the store has no folder yet."""
        self.folder = self._usable()

    def _usable(self) -> Path:
        home = self._root / FOLDER
        try:
            if self._root.is_dir():
                _make(home)
                probe = home / f".{secrets.token_hex(6)}.tmp"
                probe.touch()
                probe.unlink()
                return home
        except OSError as error:
            self.note = f"{home}: cannot be written ({error.strerror or error}); the index is made anew each time"
        folder = tempfile.mkdtemp(prefix="senno-index-")
        self._temporary = weakref.finalize(self, shutil.rmtree, folder, ignore_errors=True)
        return Path(folder)

    def should_move(self) -> bool:
        """The store has a folder now, which it had not before."""
        return self._temporary is not None and not self.note and self._root.is_dir()

    @contextlib.contextmanager
    def lock(self) -> Generator[None]:
        """Held by the one process that checks or makes a generation."""
        _make(self.folder)
        with locked(self.folder / ".lock"):
            yield

    def current(self) -> str:
        """The name of the generation in use; empty: there is none."""
        with contextlib.suppress(OSError, UnicodeDecodeError):
            name = (self.folder / "current").read_text(encoding="utf-8").strip()
            if name[:1] == "g" and name[1:].isdecimal():
                return name
        return ""

    def free(self) -> Path:
        """An empty folder for another generation."""
        numbers = [int(p.name[1:]) for p in self.folder.glob("g*") if p.name[1:].isdecimal()]
        current = self.current()
        number = max([*numbers, int(current[1:]) if current else 0]) + 1
        folder = self.folder / f"g{number}"
        folder.mkdir()
        return folder

    def point(self, name: str) -> None:
        """A generation is whole, and in use from now on; those before it go."""
        temporary = self.folder / f".{secrets.token_hex(6)}.tmp"
        with temporary.open("w", encoding="utf-8") as file:
            file.write(name)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(self.folder / "current")
        for old in self.folder.glob("g*"):
            if old.name != name and old.name[1:].isdecimal():
                shutil.rmtree(old, ignore_errors=True)

    def close(self) -> None:
        """Take a temporary folder away."""
        if self._temporary is not None:
            self._temporary()


def _make(folder: Path) -> None:
    """The folder may have been deleted meanwhile: all in it is derived."""
    folder.mkdir(exist_ok=True)
    ignored = folder / ".gitignore"
    if not ignored.exists():
        ignored.write_text("*\n", encoding="utf-8")

"""Which files were looked at, and how they stood then: a cache, so that a file that did not change is not read again.

It holds times of files, which differ from one copy of a store to the next, and so stands beside the index. It may go at
any time: then all files are read again.
"""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import time
from array import array
from dataclasses import dataclass, field
from hashlib import blake2b
from pathlib import Path
from typing import Any

_RACE_NS = 50_000_000
"""A file changed so short a time before it was looked at may change again without its times showing it."""

_NUMBERS = 4
"""Of a file: its size, the times of its content and of its change in nanoseconds, its inode."""


@dataclass(slots=True)
class FolderView:
    """A folder as it stands now."""

    time: int
    """Nanoseconds; 0: it changed just now, and must be looked at again."""
    names: list[str] = field(default_factory=list[str])
    """The files of lessons."""
    numbers: array[int] = field(default_factory=lambda: array("q"))
    """`_NUMBERS` for each file; all zeros: it changed just now."""
    inside: list[str] = field(default_factory=list[str])
    """The folders in it."""

    def digest(self) -> str:
        """Equal for two views of a folder in which nothing changed between them."""
        data = "\0".join([*self.names, "", *self.inside]).encode("utf-8", "surrogatepass")
        return blake2b(data + self.numbers.tobytes(), digest_size=16).hexdigest()

    def by_name(self) -> dict[str, list[int]]:
        """The numbers of each file."""
        flat = self.numbers.tolist()
        return {name: flat[i * _NUMBERS : (i + 1) * _NUMBERS] for i, name in enumerate(self.names)}

    @property
    def settled(self) -> bool:
        """No file changed just now."""
        return self.time != 0 and 0 not in self.numbers[1::_NUMBERS]


def look(folder: Path) -> FolderView:
    """The files of lessons in a folder, and the folders in it.

    Raises:
        OSError: it cannot be read.
    """
    fresh = time.time_ns() - _RACE_NS
    view = FolderView(folder.stat().st_mtime_ns)
    if view.time > fresh:
        view.time = 0
    with os.scandir(folder) as entries:
        for entry in entries:
            name = entry.name
            if name[0] == ".":
                continue
            if name[-3:].lower() == ".md":
                try:
                    found = entry.stat()
                except OSError:
                    view.names.append(name)
                    view.numbers.extend((0, 0, 0, 0))
                    continue
                view.names.append(name)
                if found.st_mtime_ns > fresh or found.st_ctime_ns > fresh:
                    view.numbers.extend((0, 0, 0, 0))
                else:
                    view.numbers.extend((found.st_size, found.st_mtime_ns, found.st_ctime_ns, found.st_ino))
            elif entry.is_dir(follow_symlinks=False):
                view.inside.append(name)
    return view


class Seen:
    """The folders of a store as they were when the index took them in; by path relative to the root, with `/`.

    Args:
        file: where it is kept; one file more, beside it, for each folder.
        index: a mark of the index that it speaks of: for another one it is empty.
    """

    def __init__(self, file: Path, index: str) -> None:
        self._file, self._index = file, index
        self._views: dict[str, FolderView] = {}
        self._unsaved: set[str] = set()
        self.folders: dict[str, tuple[int, str]] = {}
        """By folder: its time, and the digest of its view."""
        kept = _loaded(file)
        with contextlib.suppress(ValueError, KeyError, TypeError):
            if kept["index"] == index:
                self.folders = {name: (int(at), str(digest)) for name, (at, digest) in kept["folders"].items()}

    def files(self, folder: str) -> dict[str, list[int]]:
        """The numbers of each file of a folder, as they were."""
        if folder in self._views:
            return self._views[folder].by_name()
        if folder not in self.folders:
            return {}
        kept = _loaded(self._beside(folder))
        with contextlib.suppress(ValueError, KeyError, TypeError):
            if (kept["index"], kept["digest"]) == (self._index, self.folders[folder][1]):
                return dict(kept["files"])
        return {}

    def take(self, folder: str, view: FolderView) -> None:
        """The index has what is in this view."""
        self._views[folder] = view
        self._unsaved.add(folder)
        self.folders[folder] = (view.time if view.settled else 0, view.digest())

    def forget(self, folder: str) -> None:
        """The folder is gone."""
        self.folders.pop(folder, None)
        self._views.pop(folder, None)
        self._unsaved.add(folder)

    def save(self) -> None:
        """Write down how the folders stand. That it could not be written costs time later, and nothing else."""
        if not self._unsaved:
            return
        with contextlib.suppress(OSError):
            for name in self._unsaved & self._views.keys():
                files = self._views[name].by_name()
                _save(self._beside(name), {"index": self._index, "digest": self.folders[name][1], "files": files})
            _save(self._file, {"index": self._index, "folders": self.folders})
            self._unsaved.clear()

    def _beside(self, folder: str) -> Path:
        name = blake2b(folder.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()
        return self._file.with_name(f"{self._file.stem}-{name}.json")


def _loaded(file: Path) -> Any:
    try:
        return json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}


def _save(file: Path, value: Any) -> None:
    temporary = file.with_name(f".{secrets.token_hex(6)}.tmp")
    temporary.write_text(json.dumps(value), encoding="utf-8")
    temporary.replace(file)

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

_RACE_NS = 100_000_000
"""A file changed so short a time before it was looked at may change again without its times showing it."""

Numbers = tuple[int, int, int, int]
"""Of a file: its size, the times of its content and of its change in nanoseconds, its inode."""

UNSURE: Numbers = (0, 0, 0, 0)
"""It changed just now, or could not be looked at: it is looked at again."""


def numbers_of(found: os.stat_result) -> Numbers:
    """What changes with a file."""
    return found.st_size, found.st_mtime_ns, found.st_ctime_ns, found.st_ino


def _settled(found: os.stat_result, now: int) -> Numbers:
    latest = max(found.st_mtime_ns, found.st_ctime_ns)
    return UNSURE if latest > now - _RACE_NS else numbers_of(found)


def is_lesson(name: str) -> bool:
    """As `listing.is_lesson_name`, and quicker: asked for each of 100,000 files."""
    return name[-3:].lower() == ".md" and name[0] != "."


@dataclass(slots=True)
class FolderView:
    """A folder as it stands now."""

    time: int
    """Nanoseconds; 0: it changed just now, and must be looked at again."""
    files: dict[str, Numbers] = field(default_factory=dict[str, Numbers])
    inside: list[str] = field(default_factory=list[str])
    """The folders in it."""

    @property
    def settled(self) -> bool:
        """Nothing in it changed just now."""
        return self.time != 0 and UNSURE not in self.files.values()


def folder_time(folder: Path) -> int:
    """When names came or went last; 0: just now.

    Raises:
        OSError: it cannot be looked at.
    """
    changed = folder.stat().st_mtime_ns
    return 0 if changed > time.time_ns() - _RACE_NS else changed


def look(folder: Path) -> tuple[FolderView, str]:
    """The files of lessons in a folder, each looked at, and the folders in it; and a digest of them all.

    Raises:
        OSError: it cannot be read.
    """
    view = FolderView(folder_time(folder))
    now = time.time_ns()
    names: list[str] = []
    numbers: array[int] = array("q")
    with os.scandir(folder) as entries:
        for entry in entries:
            name = entry.name
            if is_lesson(name):
                try:
                    numbers.extend(_settled(entry.stat(), now))
                except OSError:
                    numbers.extend(UNSURE)
                names.append(name)
            elif name[0] != "." and entry.is_dir(follow_symlinks=False):
                view.inside.append(name)
    data = "\0".join([*names, "", *view.inside]).encode("utf-8", "surrogateescape")
    flat = iter(numbers.tolist())
    view.files = dict(zip(names, zip(flat, flat, flat, flat, strict=True), strict=True))
    return view, blake2b(data + numbers.tobytes(), digest_size=16).hexdigest()


def glance(folder: Path, before: FolderView) -> FolderView:
    """The same from the names and inodes alone: only what is new, or stands in another's place, is looked at.

    Raises:
        OSError: it cannot be read.
    """
    view = FolderView(folder_time(folder))
    now = time.time_ns()
    with os.scandir(folder) as entries:
        for entry in entries:
            name = entry.name
            if is_lesson(name):
                known = before.files.get(name, UNSURE)
                if known[3] != entry.inode() or known == UNSURE:
                    try:
                        known = _settled(entry.stat(), now)
                    except OSError:
                        known = UNSURE
                view.files[name] = known
            elif name[0] != "." and entry.is_dir(follow_symlinks=False):
                view.inside.append(name)
    return view


class Seen:
    """The folders of a store as they were when the index took them in; by path relative to the root, with `/`.

    Args:
        file: where it is kept; one file more, beside it, for each folder.
        changes: of the index; where it kept fewer than this speaks of, it lost some, and all is read again.
    """

    def __init__(self, file: Path, changes: int) -> None:
        self._file, self._changes = file, changes
        self._views: dict[str, FolderView] = {}
        self._unsaved: set[str] = set()
        self.folders: dict[str, tuple[int, str]] = {}
        """By folder: its time, and the digest of its view; empty: not known, or something in it changed just now."""
        kept = self._loaded(file)
        with contextlib.suppress(ValueError, KeyError, TypeError, AttributeError):
            self.folders = {name: (int(at), str(digest)) for name, (at, digest) in kept["folders"].items()}

    def _loaded(self, file: Path) -> Any:
        with contextlib.suppress(OSError, ValueError, KeyError, TypeError):
            kept = json.loads(file.read_text(encoding="utf-8"))
            if int(kept["changes"]) <= self._changes:
                return kept
        return {}

    def view(self, folder: str) -> FolderView:
        """A folder as it was; without files where that is not known."""
        if folder not in self._views:
            self._views[folder] = self._kept(folder)
        return self._views[folder]

    def _kept(self, folder: str) -> FolderView:
        kept = self._loaded(self._beside(folder))
        with contextlib.suppress(ValueError, KeyError, TypeError, AttributeError):
            files = {str(name): _numbers(numbers) for name, numbers in kept["files"].items()}
            return FolderView(0, files, [str(name) for name in kept["inside"]])
        return FolderView(0)

    def take(self, folder: str, view: FolderView, digest: str) -> None:
        """The index has what is in this view."""
        self._views[folder] = view
        self._unsaved.add(folder)
        self.folders[folder] = (view.time, digest if view.settled else "")

    def forget(self, folder: str) -> None:
        """The folder is gone."""
        self.folders.pop(folder, None)
        self._views.pop(folder, None)
        self._unsaved.add(folder)

    def save(self, changes: int) -> None:
        """Write down how the folders stand. That it could not be written costs time later, and nothing else."""
        if not self._unsaved:
            return
        with contextlib.suppress(OSError):
            for name in self._unsaved & self._views.keys():
                view = self._views[name]
                _save(self._beside(name), {"changes": changes, "inside": view.inside, "files": view.files})
            _save(self._file, {"changes": changes, "folders": self.folders})
            self._unsaved.clear()

    def _beside(self, folder: str) -> Path:
        name = blake2b(folder.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()
        return self._file.with_name(f"{self._file.stem}-{name}.json")


def _numbers(found: Any) -> Numbers:
    size, modified, changed, inode = map(int, found)
    return size, modified, changed, inode


def _save(file: Path, value: Any) -> None:
    temporary = file.with_name(f".{secrets.token_hex(6)}.tmp")
    temporary.write_text(json.dumps(value), encoding="utf-8")
    temporary.replace(file)

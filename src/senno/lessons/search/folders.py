"""A look at the folders of a store: which files are new, changed or gone since they were looked at last."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from pathlib import Path

from senno.lessons.names import FOLDER
from senno.lessons.search.seen import UNSURE, FolderView, Seen, folder_time, glance, look

_SLOW = 0.005
"""Seconds of a glance, from which on the folder is left alone for ten times as long as it took."""


@dataclass(slots=True)
class Looked:
    """What a look at the folders found."""

    views: dict[str, tuple[FolderView, str]] = field(default_factory=dict[str, tuple[FolderView, str]])
    """Folders that changed, as they stand now, each with the digest of that; empty: it was not looked at wholly."""
    names: dict[str, FolderView] = field(default_factory=dict[str, FolderView])
    """Folders that were looked at, changed or not."""
    changed: list[str] = field(default_factory=list[str])
    """Files that are new, or may have changed."""
    gone: list[str] = field(default_factory=list[str])
    """Files that are no longer there."""
    gone_folders: list[str] = field(default_factory=list[str])
    unread: dict[str, str] = field(default_factory=dict[str, str])
    """By folder, why it could not be looked at: nothing is concluded from that."""


class Folders:
    """Looks at the folders of a store.

    Args:
        root: of the store.
        seen: how they stood; the caller brings it up to date (`taken`).
    """

    def __init__(self, root: Path, seen: Seen) -> None:
        self._root, self._seen = root, seen
        self._rest: dict[str, float] = {}

    def look(self, *, deep: bool) -> Looked:
        """Compare names where a folder's time changed; with `deep`, each file of each folder."""
        found = Looked()
        todo = [FOLDER]
        known = set(self._seen.folders)
        while todo:
            folder = todo.pop()
            known.discard(folder)
            inside = self._look_at(folder, found, deep=deep)
            if inside is None:  # what folders are in it did not change, or is not known
                todo.extend(name for name in self._seen.folders if name.rpartition("/")[0] == folder)
            else:
                todo.extend(f"{folder}/{name}" for name in inside)
        for folder in sorted(known):
            self._gone(folder, found)
        return found

    def _look_at(self, folder: str, found: Looked, *, deep: bool) -> list[str] | None:
        """The folders in one, or `None`: they are as they were. A folder that is gone has none."""
        here = self._root / folder
        before = self._seen.folders.get(folder)
        try:
            if before and not deep and (self._rests(folder) or before[0] == folder_time(here) != 0):
                return None
            view, digest = look(here) if deep or not before else (self._glance(folder, here), "")
        except (FileNotFoundError, NotADirectoryError):
            if before:
                self._gone(folder, found)
            return []
        except OSError as error:
            found.unread[folder] = error.strerror or str(error)
            return None
        found.names[folder] = view
        if before and digest and before == (view.time, digest):
            return view.inside
        old = self._seen.view(folder).files
        found.views[folder] = view, digest
        new = view.files
        found.changed.extend(
            f"{folder}/{name}"
            for name, numbers in new.items()
            if numbers == UNSURE or (numbers is not old.get(name) and numbers != old.get(name))
        )
        found.gone.extend(f"{folder}/{name}" for name in old if name not in new)
        return view.inside

    def _rests(self, folder: str) -> bool:
        return time.monotonic() < self._rest.get(folder, 0.0)

    def _glance(self, folder: str, here: Path) -> FolderView:
        began = time.monotonic()
        view = glance(here, self._seen.view(folder))
        took = time.monotonic() - began
        if took > _SLOW:
            self._rest[folder] = began + 11 * took
        return view

    def _gone(self, folder: str, found: Looked) -> None:
        found.gone_folders.append(folder)
        found.gone.extend(f"{folder}/{name}" for name in self._seen.view(folder).files)

    def taken(self, found: Looked, unread: dict[str, str]) -> None:
        """The index has what was found, but for the files in `unread`."""
        for folder, (view, digest) in found.views.items():
            for path in unread:
                above, _, name = path.rpartition("/")
                if above == folder and name in view.files:
                    view.files[name] = UNSURE
            self._seen.take(folder, view, digest)
        for folder in found.gone_folders:
            self._seen.forget(folder)

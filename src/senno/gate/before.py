"""Files of the repository as they were before a change: whoever writes a change writes its files, and these count."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from senno.errors import ConfigError
from senno.files import read_text
from senno.gate.diff import Diff, FileChange, Hunk
from senno.gate.work_tree import INDEX, WorkTree

_SETTINGS = ("senno.toml", "pyproject.toml")


@dataclass(frozen=True, slots=True)
class Before:
    """The repository before a change, and what the change does to its files."""

    tree: WorkTree
    diff: Diff
    commit: str | None
    """What the change goes into: where its base is by now, or HEAD; `None`: nothing is committed yet."""

    def touches(self, path: str) -> bool:
        """Whether the change adds, changes, moves or deletes a file; the case of letters makes no difference."""
        return any(True for _ in self._changes(path))

    def texts(self, paths: Iterable[str]) -> dict[str, str]:
        """The files that were there, with their texts. A link, or another repository, is no file.

        Raises:
            ConfigError: a file is no UTF-8 text; or the change is a diff, and what is committed is not what was before.
        """
        found = self.tree.texts_at(self.commit, paths) if self.commit else {}
        if self.diff.source in ("stdin", "file"):
            for path in paths:
                for file in self._changes(path):
                    if not _fits(file, path, found.get(path)):
                        raise ConfigError(
                            f"the diff changes {path}, and HEAD has not what was there before it, so that the change "
                            "could judge itself; expected what is not committed yet. For commits: senno gate --base REF"
                        )
        return found

    def now(self, path: str) -> str | None:
        """The text that the change leaves; `None`: it takes the file away, or a diff does not tell."""
        if self.diff.source in ("stdin", "file"):
            return None
        return self.tree.text_at(self.diff.head or INDEX, path)

    def settings(self, start: Path) -> dict[Path, str | None]:
        """What files of settings say in place of what is on disk, where those are others than before the change.

        Args:
            start: the folder from which settings are looked for, upwards.

        Raises:
            ConfigError: one is a link to a file of the repository, which a change could write.
        """
        inside = {
            folder / name: path
            for folder in (start, *start.parents)
            for name in _SETTINGS
            if (path := self.tree.inside(folder / name)) is not None
        }
        were = self.texts(inside.values())
        found: dict[Path, str | None] = {}
        for file, path in inside.items():
            if path in were:
                if self.touches(path) or not file.is_file() or read_text(file) != were[path].removeprefix("\ufeff"):
                    found[file] = were[path]
            elif self.touches(path):
                found[file] = None
            elif file.is_symlink() and self.tree.inside(file.resolve()) is not None:
                raise ConfigError(
                    f"{file}: this is a link; expected a file, since a change could move what it points at"
                )
        return found

    def _changes(self, path: str) -> Iterable[FileChange]:
        wanted = path.casefold()
        for file in self.diff.files:
            if any(name and name.casefold() == wanted for name in (file.path, file.old_path)):
                yield file


def _fits(file: FileChange, path: str, text: str | None) -> bool:
    """Whether a file is what a diff begins with, and not what it ends with."""
    came = file.status in ("added", "copied", "renamed") and file.path.casefold() == path.casefold()
    if came or text is None:
        return came and text is None
    lines = text.split("\n")
    begins = not file.binary and all(_stands(hunk, "-", lines) for hunk in file.hunks)
    ends = bool(file.hunks) and file.status != "deleted" and all(_stands(hunk, "+", lines) for hunk in file.hunks)
    return begins and not ends


def _stands(hunk: Hunk, side: Literal["+", "-"], lines: list[str]) -> bool:
    """Whether one side of a hunk stands in a text, at its place."""
    first = (hunk.old_start if side == "-" else hunk.new_start) - 1
    told = [line.text.removeprefix("\ufeff") for line in hunk.lines if line.kind in (side, " ")]
    return not told or lines[first : first + len(told)] == told

"""What a gate asks of the repository beside the change: texts as they were, messages, whether a file is tracked."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from senno.errors import ConfigError
from senno.gate.diff import Diff, Repository, open_repository

INDEX = ""
"""The revision that means what is staged: git names its files `:PATH`."""


@dataclass(frozen=True, slots=True)
class WorkTree:
    """The checkout that a change belongs to."""

    top: Path
    repository: Repository

    @classmethod
    def around(cls, folder: Path) -> WorkTree | None:
        """The one that a folder is in; `None`: there is none.

        Raises:
            ConfigError: git refuses to look at it.
        """
        if not any((parent / ".git").exists() for parent in (folder.resolve(), *folder.resolve().parents)):
            return None
        repository = open_repository(folder)
        told = repository.ask("rev-parse", "--show-toplevel").stdout.removesuffix(b"\n")
        return cls(Path(os.fsdecode(told)).resolve(), repository) if told else None

    def text_at(self, revision: str, path: str) -> str | None:
        """The text of a file at a commit (or of what is staged: `INDEX`); `None`: it is not there.

        Raises:
            ConfigError: it is no UTF-8 text.
        """
        where = f"{revision}:{path}"
        found = self.repository.ask("cat-file", "blob", where)
        if found.returncode:
            return None
        try:
            return found.stdout.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            raise ConfigError(f"{where}: byte {error.start} is not UTF-8; expected a UTF-8 text file") from None

    def messages(self, base: str, head: str) -> tuple[str, str]:
        """Title and description of a change: the newest commit's subject, and what all commits say, oldest first."""
        told = self.repository.ask("log", "--no-show-signature", "--reverse", "-z", "--format=%B", f"{base}..{head}")
        texts = [text.strip() for text in told.stdout.decode("utf-8", "replace").split("\0") if text.strip()]
        return (texts[-1].splitlines()[0] if texts else ""), "\n\n".join(texts)

    def tracks(self, file: Path) -> bool:
        """Whether a file is under version control here."""
        inside = self.inside(file)
        if inside is None:
            return False
        return bool(self.repository.ask("ls-files", "-z", "--", f":(literal,top){inside}").stdout)

    def inside(self, file: Path) -> str | None:
        """The path from the top, with `/`; `None`: the file is elsewhere."""
        absolute = Path(os.path.normpath(file.absolute()))
        if absolute.is_relative_to(self.top):
            return absolute.relative_to(self.top).as_posix()
        resolved = absolute.parent.resolve() / absolute.name
        return resolved.relative_to(self.top).as_posix() if resolved.is_relative_to(self.top) else None


@dataclass(frozen=True, slots=True)
class Before:
    """Files of the repository as they were before a change, and as the change leaves them."""

    tree: WorkTree
    diff: Diff

    def touches(self, path: str) -> bool:
        """Whether the change adds, changes, moves or deletes a file; the case of letters makes no difference."""
        wanted = path.casefold()
        names = (name for file in self.diff.files for name in (file.path, file.old_path) if name)
        return any(name.casefold() == wanted for name in names)

    def before(self, path: str) -> str | None:
        """The text before the change; `None`: it was not there."""
        revision = self.diff.base or self.tree.repository.commit("HEAD")
        return self.tree.text_at(revision, path) if revision else None

    def now(self, path: str) -> str | None:
        """The text that the change leaves; `None`: it takes the file away, or a diff does not tell."""
        if self.diff.source in ("stdin", "file"):
            return None
        return self.tree.text_at(self.diff.head or INDEX, path)

    def project_files(self, start: Path) -> dict[Path, str | None]:
        """The files of settings that the change touches, each with its text before it.

        Args:
            start: the folder from which settings are looked for, upwards.
        """
        found: dict[Path, str | None] = {}
        for folder in (start, *start.parents):
            for name in ("senno.toml", "pyproject.toml"):
                path = self.tree.inside(folder / name)
                if path is not None and self.touches(path):
                    found[folder / name] = self.before(path)
        return found

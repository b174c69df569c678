"""What a gate asks of the repository beside the change: texts as they were, messages, whether a file is tracked."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from senno.errors import ConfigError
from senno.gate.diff import Repository, open_repository

INDEX = ""
"""The revision that means what is staged: git names its files `:PATH`."""


@dataclass(frozen=True, slots=True)
class WorkTree:
    """The checkout that a change belongs to."""

    top: Path
    """Of a repository without a work tree its own folder."""
    repository: Repository

    @classmethod
    def around(cls, folder: Path) -> WorkTree | None:
        """The one that a folder is in; `None`: there is none.

        Raises:
            ConfigError: git refuses to look at it.
        """
        if not _may_be_in_one(folder.resolve()):
            return None
        repository = open_repository(folder)
        told = repository.ask("rev-parse", "--show-toplevel").stdout.removesuffix(b"\n")
        if not told:
            told = repository.ask("rev-parse", "--absolute-git-dir").stdout.removesuffix(b"\n")
        return cls(Path(os.fsdecode(told)).resolve(), repository)

    def text_at(self, revision: str, path: str) -> str | None:
        """The text of a file at a commit (or of what is staged: `INDEX`); `None`: it is not there.

        Raises:
            ConfigError: it is no UTF-8 text.
        """
        where = f"{revision}:{path}"
        found = self.repository.ask("cat-file", "blob", where)
        return None if found.returncode else _text(found.stdout, where)

    def texts_at(self, commit: str, paths: Iterable[str]) -> dict[str, str]:
        """The files among `paths` that a commit has, with their texts; a link is none.

        Raises:
            ConfigError: one is no UTF-8 text.
        """
        told = self.repository.ask("ls-tree", "-z", "--full-tree", commit, "--", *paths)
        if told.returncode:
            raise ConfigError(f"{self.top}: git cannot read the files of {commit}; is the clone whole? Try git fsck")
        found: dict[str, str] = {}
        for entry in told.stdout.split(b"\0")[:-1]:
            about, _, name = entry.partition(b"\t")
            mode, _, blob = about.decode("ascii").split()
            if mode.startswith("100"):
                path = os.fsdecode(name)
                found[path] = _text(self.repository.ask("cat-file", "blob", blob).stdout, f"{commit}:{path}")
        return found

    def messages(self, base: str, head: str) -> tuple[str, str]:
        """Title and description of a change: the newest commit's subject, and what all commits say, oldest first."""
        told = self.repository.ask("log", "--no-show-signature", "--reverse", "-z", "--format=%B", f"{base}..{head}")
        texts = [text.strip() for text in told.stdout.decode("utf-8", "replace").split("\0") if text.strip()]
        return (texts[-1].splitlines()[0] if texts else ""), "\n\n".join(texts)

    def tracks(self, file: Path) -> bool:
        """Whether a file, or what SQLite has beside it, is under version control here; or a link, or a repository, that
        leads to it.
        """
        names: set[str] = set()
        for place in (file, file.resolve()):
            inside = self.inside(place)
            if inside is not None:
                names |= {inside, *(f"{inside}-{kind}" for kind in ("wal", "shm", "journal"))}
                names |= {parent.as_posix() for parent in Path(inside).parents} - {"."}
        if not names:
            return False
        asked = (f":(literal,top,icase){name}" for name in sorted(names))
        listed = os.fsdecode(self.repository.ask("ls-files", "-z", "--full-name", "--", *asked).stdout)
        return not {name.casefold() for name in names}.isdisjoint(listed.casefold().split("\0"))

    def inside(self, file: Path) -> str | None:
        """The path from the top, with `/`; `None`: the file is elsewhere."""
        absolute = Path(os.path.normpath(file.absolute()))
        if absolute.is_relative_to(self.top):
            return absolute.relative_to(self.top).as_posix()
        resolved = absolute.resolve()
        return resolved.relative_to(self.top).as_posix() if resolved.is_relative_to(self.top) else None


def _may_be_in_one(folder: Path) -> bool:
    """Whether it is worth while to ask git: a diff can be judged where there is none."""
    if "GIT_DIR" in os.environ and folder == Path.cwd().resolve():
        return True
    return any(
        (each / ".git").exists() or ((each / "HEAD").is_file() and (each / "objects").is_dir())
        for each in (folder, *folder.parents)
    )


def _text(data: bytes, where: str) -> str:
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ConfigError(f"{where}: byte {error.start} is not UTF-8; expected a UTF-8 text file") from None

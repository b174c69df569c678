"""A change as git tells it: files, hunks, lines, with what could not be read said beside them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, NamedTuple

Status = Literal["added", "modified", "deleted", "renamed", "copied", "type", "mode"]
Source = Literal["base", "staged", "stdin", "file"]


class Line(NamedTuple):
    """One line of a hunk. A tuple, since a diff has half a million of them."""

    kind: Literal["+", "-", " "]
    text: str
    """Without its line feed; the carriage return of a CRLF file is the last character."""
    old: int | None
    """Its number in the old file, from 1; `None`: it is added."""
    new: int | None
    """Its number in the new file, from 1; `None`: it is removed."""
    no_newline: bool = False
    r"""The file ends with this line, without a line feed (`\ No newline at end of file`)."""


@dataclass(frozen=True, slots=True)
class Hunk:
    """A stretch of one file: `@@ -old_start,old_lines +new_start,new_lines @@ header`."""

    old_start: int
    old_lines: int
    new_start: int
    new_lines: int
    header: str
    """What stands behind the second `@@`: the function or section that the hunk is in."""
    lines: tuple[Line, ...] = field(repr=False)
    """Not in `repr`: there may be secrets in them, and they may be 30 MB."""


@dataclass(frozen=True, slots=True)
class FileChange:
    r"""What becomes of one file.

    A path is the text of its bytes as UTF-8; a byte that is not is written `\xNN`, with a note.
    """

    path: str
    """The new path, or the old one of a deletion."""
    status: Status
    old_path: str | None = None
    """Where it was, when that is another place (`renamed`, `copied`)."""
    hunks: tuple[Hunk, ...] = ()
    binary: bool = False
    """The diff has none of the content: git takes the file for binary."""
    submodule: bool = False
    """The path is another repository; the one line of each side is `Subproject commit ID`."""
    old_mode: str | None = None
    """In octal, as git writes it (`100644`, `100755`, `120000` a symbolic link, `160000` a submodule)."""
    new_mode: str | None = None
    similarity: int | None = None
    """In percent, of a rename or a copy."""
    encoding: str = "utf-8"
    """What the lines were read as: `utf-8`, `utf-16`, or `latin-1` where a line is not UTF-8 (a guess, with a note)."""
    added: int = 0
    """Lines added, those in `unread` included."""
    removed: int = 0
    size: int | None = None
    """Bytes of the new file; `None`: not known (a diff on standard input does not say)."""
    old_id: str | None = None
    """Of the old content, as git names it, perhaps shortened; `None`: the diff does not say, or there was none."""
    new_id: str | None = None
    unread: int = 0
    """Bytes of the hunks that were not kept because the file, or the diff, is too long; lines are whole or not kept."""
    notes: tuple[str, ...] = ()
    """What a reader of this file's lines must know, in words."""


@dataclass(frozen=True, slots=True)
class Diff:
    """A change of any number of files, in the order of the diff."""

    files: tuple[FileChange, ...]
    source: Source
    base: str | None = None
    """The commit that the change starts from, as a full id; `None`: no commit, or the diff does not say."""
    head: str | None = None
    notes: tuple[str, ...] = ()

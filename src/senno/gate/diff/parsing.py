r"""A diff as text, read: in git's format, or plain and unified.

Nothing of it is passed over in silence: text is allowed before the first file, and after a line that begins a commit
(`commit ID`, `From ID`) or a mail's signature (`-- `); anywhere else a line that is part of no file is an error.
"""

from __future__ import annotations

import re
from codecs import BOM_UTF8, BOM_UTF16_BE, BOM_UTF16_LE
from dataclasses import replace
from io import BytesIO
from typing import IO

from senno.errors import FileFormatError
from senno.gate.diff.change import Diff, FileChange, Source
from senno.gate.diff.headers import SUBMODULE_MODE, Header, file_change, read_fields
from senno.gate.diff.hunks import Body, Room, combined, read_hunks
from senno.gate.diff.lines import LineReader
from senno.gate.diff.quoting import path_text, unquoted, without_prefixes

_STANDARD_INPUT = ("-", "stdin", "standard input")

_WIDE = (BOM_UTF16_LE, BOM_UTF16_BE)

_PROSE_FOLLOWS = re.compile(rb"commit [0-9a-f]{7,64}|From [0-9a-f]{7,64}|-- ?\r?$")
_FURNITURE = re.compile(rb"\s*$|Index: |={10,}|diff ")
_BINARY = re.compile(rb"(?:Binary f|F)iles (.+) and (.+) differ\r?$", re.DOTALL)
_ONLY_IN = re.compile(rb"Only in (.+): (.+?)\r?$", re.DOTALL)
_SUBMODULE = re.compile(rb"Submodule (.+) ([0-9a-f]{7,64})\.{2,3}([0-9a-f]{7,64})(?: \(.*\))?:?\r?$", re.DOTALL)
_LITERAL = re.compile(rb"(literal|delta) (\d{1,12})\r?$")


def parse_diff(data: bytes, where: str) -> Diff:
    """The change in a diff in git's format, or a plain unified one, or a series of patches.

    Args:
        data: the diff as it came. Empty: a change of nothing.
        where: what errors call it; `-` or `standard input` make the source `stdin`.

    Raises:
        FileFormatError: it is no diff, it is cut off, it contradicts itself, or it is a combined diff; with the line.
    """
    if data.startswith(_WIDE):
        raise FileFormatError(
            f"{where}:1", "the diff is in UTF-16", "the bytes that git wrote", "Write it with `git diff --output=FILE`"
        )
    stream = BytesIO(data.removeprefix(BOM_UTF8))
    return parse_stream(stream, where, "stdin" if where in _STANDARD_INPUT else "file")


def parse_stream(stream: IO[bytes], where: str, source: Source) -> Diff:
    """The change in a diff that is read as it comes; what is kept of it takes 640 MB at most (`Room`)."""
    parser = _Parser(LineReader(stream, where))
    parser.run()
    return Diff(tuple(parser.files), source, notes=tuple(parser.notes))


class _Parser:
    def __init__(self, reader: LineReader) -> None:
        self.files: list[FileChange] = []
        self.notes: list[str] = []
        self._reader = reader
        self._room = Room()
        self._in_prose = True
        self._in_message = False
        """The prose is a commit's or a mail's: nothing in it tells of a change."""
        self._stray: FileFormatError | None = None
        """What is wrong if no file turns up."""

    def run(self) -> None:
        while (raw := self._reader.next()) is not None:
            self._top(raw)
        if self._stray and not self.files:
            raise self._stray

    def _top(self, raw: bytes) -> None:
        if raw.startswith(b"diff --git "):
            self._add(self._git_file(raw[11:]))
        elif raw.startswith((b"diff --cc ", b"diff --combined ", b"@@@")):
            raise combined(self._reader)
        elif raw.startswith(b"--- ") and (new := self._new_name()) is not None:
            self._add(self._plain_file(raw[4:].rstrip(b"\r"), new))
        elif raw.startswith(b"@@ "):
            raise self._reader.fault("a hunk of no file", "`---` and `+++` before it")
        elif raw.startswith(b"\x1b["):
            raise self._reader.fault("the diff has colours in it", "a plain one", "Make it with `git diff --no-color`")
        elif not self._without_content(raw):
            self._prose(raw)

    def _add(self, file: FileChange) -> None:
        last = self.files[-1] if self.files and not self._in_prose else None
        if last and last.path == file.path and (last.status, file.status) == ("deleted", "added"):
            self.files[-1] = _type_change(last, file)
        else:
            self.files.append(file)
        self._in_prose = self._in_message = False
        self._room.next_file()

    def _git_file(self, names: bytes) -> FileChange:
        reader, header, body = self._reader, Header(names.rstrip(b"\r")), Body([])
        if names.endswith(b"\r") and not self.notes:
            self.notes.append("the lines of the diff itself end in CR LF")
        read_fields(reader, header)
        raw = reader.next()
        if raw is None:
            return file_change(reader, header, body)
        if raw.startswith(b"--- "):
            header.old, header.new = raw[4:].rstrip(b"\r"), self._new_name()
            if header.new is None:
                raise reader.fault("`---` without `+++`", "`+++ NAME` in the next line")
            body = read_hunks(reader, self._room)
        elif raw.startswith(b"GIT binary patch"):
            header.binary, header.size = True, self._binary_patch()
        elif _BINARY.match(raw):
            header.binary = True
        else:
            reader.give_back(raw)
        return file_change(reader, header, body)

    def _plain_file(self, old: bytes, new: bytes) -> FileChange:
        header = Header(None, old=old, new=new)
        return file_change(self._reader, header, read_hunks(self._reader, self._room))

    def _new_name(self) -> bytes | None:
        """What stands behind `+++ ` in the next line, if it is one of that kind."""
        raw = self._reader.next()
        if raw is None:
            return None
        if raw.startswith(b"+++ "):
            return raw[4:].rstrip(b"\r")
        self._reader.give_back(raw)
        return None

    def _binary_patch(self) -> int | None:
        """Pass over a binary patch; the bytes of the new content, if it says them."""
        size: int | None = None
        first = True
        while (raw := self._reader.next()) is not None:
            part = _LITERAL.match(raw)
            if part is None:
                self._reader.give_back(raw)
                break
            if first and part[1] == b"literal":
                size = int(part[2])
            first = False
            while (raw := self._reader.next()) is not None and raw.strip():
                pass
        return size

    def _without_content(self, raw: bytes) -> bool:
        """Whether the line tells of a change and shows none of it."""
        if match := _SUBMODULE.match(raw):
            ids = [match[n].decode("ascii") for n in (2, 3)]
            modes = [SUBMODULE_MODE if each.strip("0") else None for each in ids]
            path = path_text(unquoted(match[1]))
            known = [each if each.strip("0") else None for each in ids]
            self._add(
                FileChange(
                    path,
                    "added" if known[0] is None else "deleted" if known[1] is None else "modified",
                    submodule=True,
                    old_mode=modes[0],
                    new_mode=modes[1],
                    old_id=known[0],
                    new_id=known[1],
                )
            )
            self._pass_over_commits()
        elif self._in_message:
            return False
        elif match := _BINARY.match(raw):
            _, new = without_prefixes(unquoted(match[1]), unquoted(match[2]))
            self._add(FileChange(path_text(new), "modified", binary=True))
        elif match := _ONLY_IN.match(raw):
            place = path_text(match[1].rstrip(b"/") + b"/" + match[2])
            raise self._reader.fault(
                f"{place} is on one side only, and the diff has none of it", "its lines", "Make the diff with `diff -N`"
            )
        else:
            return False
        return True

    def _pass_over_commits(self) -> None:
        while (raw := self._reader.next()) is not None:
            if not raw.startswith((b"  > ", b"  < ")):
                self._reader.give_back(raw)
                return

    def _prose(self, raw: bytes) -> None:
        if _PROSE_FOLLOWS.match(raw):
            self._in_prose = self._in_message = True
        elif _FURNITURE.match(raw):
            return
        elif not self._in_prose:
            raise self._reader.fault("this line is part of no file", "`diff --git`, `---`, `@@` or the end of the diff")
        elif self._stray is None:
            self._stray = self._reader.fault(
                "this is no diff", "one in git's format, or a unified one", "Make it with `git diff` or `diff -u`"
            )


def _type_change(old: FileChange, new: FileChange) -> FileChange:
    """Git tells of a file that became a link, or a submodule, as of one that went and one that came."""
    return replace(
        new,
        status="type",
        hunks=old.hunks + new.hunks,
        binary=old.binary or new.binary,
        submodule=old.submodule or new.submodule,
        old_mode=old.old_mode,
        old_id=old.old_id,
        removed=old.removed,
        encoding=old.encoding if new.encoding == "utf-8" else new.encoding,
        unread=old.unread + new.unread,
        notes=tuple(dict.fromkeys(old.notes + new.notes)),
    )

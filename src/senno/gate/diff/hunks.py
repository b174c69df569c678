"""Hunks: how many lines one has is told by its header, whatever the lines look like."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from senno.gate.diff.change import Hunk, Line
from senno.gate.diff.lines import LineReader

MOST_OF_A_FILE = 160 * 1024 * 1024
MOST_OF_A_DIFF = 640 * 1024 * 1024
"""Bytes of memory that lines may take, roughly. What comes after is counted, and is not kept."""
_OVERHEAD = 200
"""Bytes of memory that a line takes beside its text."""

_HEADER = re.compile(rb"@@ -(\d{1,10})(?:,(\d{1,10}))? \+(\d{1,10})(?:,(\d{1,10}))? @@(?: ?(.*))?", re.DOTALL)
_SIDES: dict[bytes, tuple[int, int]] = {b" ": (1, 1), b"+": (0, 1), b"-": (1, 0), b"": (1, 1)}
"""How many lines of the old and the new file a line is. An empty one was ` `, before some tool cut white space off."""
_KINDS = {b" ": " ", b"+": "+", b"-": "-", b"": " "}


@dataclass(slots=True)
class Room:
    """The memory that is left for lines."""

    diff: int = field(default_factory=lambda: MOST_OF_A_DIFF)
    file: int = field(default_factory=lambda: MOST_OF_A_FILE)

    def next_file(self) -> None:
        """A file begins."""
        self.file = MOST_OF_A_FILE

    def take(self, size: int) -> bool:
        """Whether there is room for a line of `size` bytes; it is taken then. Once there is none, the file is over."""
        needed = size + _OVERHEAD
        if needed > self.file or needed > self.diff:
            self.file = 0
            return False
        self.file -= needed
        self.diff -= needed
        return True


@dataclass(slots=True)
class Body:
    """The hunks of one file while they are read."""

    hunks: list[Hunk]
    added: int = 0
    removed: int = 0
    unread: int = 0
    odd_lines: int = 0
    """Lines that are not UTF-8."""


def read_hunks(reader: LineReader, room: Room) -> Body:
    """All hunks that follow, up to the first line that is none of theirs.

    Raises:
        FileFormatError: a hunk is longer or shorter than its header says, or it is one of a combined diff.
    """
    body = Body([])
    while (raw := reader.next()) is not None:
        if raw.startswith(b"@@@"):
            raise combined(reader)
        header = _HEADER.match(raw)
        if header is None:
            reader.give_back(raw)
            if raw.startswith(b"@@"):
                reader.next()
                raise reader.fault("this is no header of a hunk", "`@@ -OLD,LINES +NEW,LINES @@`")
            break
        body.hunks.append(_read_hunk(reader, header, room, body))
    return body


def combined(reader: LineReader) -> Exception:
    """The error of a diff of a merge against its parents, which says of no line what it was before."""
    return reader.fault(
        "a combined diff of a merge",
        "a diff of two sides",
        "Make one with `git show --first-parent -m MERGE`, or `git diff BASE...HEAD`",
    )


def _read_hunk(reader: LineReader, header: re.Match[bytes], room: Room, body: Body) -> Hunk:
    old_start, new_start = int(header[1]), int(header[3])
    old_lines = 1 if header[2] is None else int(header[2])
    new_lines = 1 if header[4] is None else int(header[4])
    lines: list[Line] = []
    old, new = old_start, new_start
    old_end, new_end = old + old_lines, new + new_lines
    while old < old_end or new < new_end:
        raw = _line_of_hunk(reader)
        if raw[:1] == b"\\":
            _end_without_newline(lines, body)
            continue
        of_old, of_new = _SIDES[raw[:1]]
        if old + of_old > old_end or new + of_new > new_end:
            raise reader.fault("the hunk has more lines than its header says", "as many as it says")
        if reader.cut or not room.take(len(raw)):
            body.unread += len(raw) + reader.cut
        else:
            text = _text(raw, body)
            lines.append(Line(_KINDS[raw[:1]], text, old if of_old else None, new if of_new else None))  # pyright: ignore[reportArgumentType]
        body.added += 1 - of_old
        body.removed += 1 - of_new
        old += of_old
        new += of_new
    _closing_mark(reader, lines, body)
    heading = (header[5] or b"").rstrip(b"\r").decode("utf-8", "replace")
    return Hunk(old_start, old_lines, new_start, new_lines, heading, tuple(lines))


def _line_of_hunk(reader: LineReader) -> bytes:
    raw = reader.next()
    if raw is None:
        raise reader.fault("the diff ends in the middle of a hunk", "all of its lines", "Was it cut off?")
    if raw[:1] not in _SIDES and raw[:1] != b"\\":
        raise reader.fault(
            "the hunk has fewer lines than its header says", "a line that begins with `+`, `-` or a space"
        )
    return raw


def _end_without_newline(lines: list[Line], body: Body) -> None:
    if lines and not body.unread:
        lines[-1] = lines[-1]._replace(no_newline=True)


def _closing_mark(reader: LineReader, lines: list[Line], body: Body) -> None:
    """The mark that belongs to the last line, if it is there."""
    raw = reader.next()
    if raw is not None and raw[:2] == b"\\ ":
        _end_without_newline(lines, body)
    elif raw is not None:
        reader.give_back(raw)


def _text(raw: bytes, body: Body) -> str:
    try:
        return raw[1:].decode("utf-8")
    except UnicodeDecodeError:
        body.odd_lines += 1
        return raw[1:].decode("latin-1")

"""The text of a file before and after a change, as far as the diff shows it."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, field
from typing import Literal

from senno.gate.diff import FileChange, Line

_BETWEEN_HUNKS = "\n\n\n\n"


@dataclass(frozen=True, slots=True)
class Side:
    """The lines of one side in one text, with a gap where the diff leaves lines out."""

    text: str = field(repr=False)
    lines: tuple[Line, ...] = field(repr=False)
    starts: tuple[int, ...]
    """Where each of `lines` starts in `text`."""

    def between(self, start: int, end: int) -> range:
        """The indices of the lines that `text[start:end]` is on."""
        first = bisect_right(self.starts, start) - 1
        last = bisect_right(self.starts, max(start, end - 1)) - 1
        return range(max(first, 0), last + 1)


def side_of(file: FileChange, which: Literal["old", "new"]) -> Side:
    """The lines that are there on one side: those that stay, and those that are removed, or added."""
    other = "+" if which == "old" else "-"
    pieces: list[str] = []
    lines: list[Line] = []
    starts: list[int] = []
    at = 0
    for hunk in file.hunks:
        for line in hunk.lines:
            if line.kind == other:
                continue
            starts.append(at)
            lines.append(line)
            pieces += line.text, "\n"
            at += len(line.text) + 1
        pieces.append(_BETWEEN_HUNKS)
        at += len(_BETWEEN_HUNKS)
    return Side("".join(pieces), tuple(lines), tuple(starts))

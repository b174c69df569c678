"""A stream of bytes, line by line, in bounded memory."""

from __future__ import annotations

from typing import IO

from senno.errors import FileFormatError

LONGEST_LINE = 64 * 1024 * 1024
"""Bytes of one line that are read; what is longer is passed over and counted."""


class LineReader:
    """The lines of a diff. They end in a line feed and in nothing else, as git's do.

    Args:
        stream: what is read.
        where: what errors call it.
    """

    def __init__(self, stream: IO[bytes], where: str) -> None:
        self._stream = stream
        self._where = where
        self._held: list[tuple[bytes, int]] = []
        self.number = 0
        """Of the line that was read last, from 1."""
        self.cut = 0
        """Bytes that the line that was read last lost, being longer than `LONGEST_LINE`."""

    def next(self) -> bytes | None:
        """The next line, without its line feed; `None` at the end."""
        self.number += 1
        if self._held:
            line, self.cut = self._held.pop()
            return line
        line = self._stream.readline(LONGEST_LINE)
        if not line:
            self.number -= 1
            return None
        if line[-1] == 10:
            self.cut = 0
            return line[:-1]
        self.cut = self._pass_over() if len(line) == LONGEST_LINE else 0
        return line

    def give_back(self, line: bytes) -> None:
        """Have `next` give the line that was read last once more."""
        self._held.append((line, self.cut))
        self.number -= 1

    def _pass_over(self) -> int:
        passed = 0
        while True:
            more = self._stream.readline(1024 * 1024)
            if not more:
                return passed
            if more[-1] == 10:
                return passed + len(more) - 1
            passed += len(more)

    def fault(self, problem: str, expected: str, hint: str = "") -> FileFormatError:
        """An error at the line that was read last."""
        return FileFormatError(f"{self._where}:{max(self.number, 1)}", problem, expected, hint)

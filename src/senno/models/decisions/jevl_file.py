"""A `.jevl` file: read whole, and appended to by several processes at once."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from senno.errors import ConfigError, FileFormatError
from senno.models.decisions.jevl import JevlRecord, read_record, record_line

HALF = ".half"
"""What the name of the file has after it where lines are put that a killed writer left half written."""

_BLOCK = 64 * 1024
_VERSION_KEY = re.compile(rb'\{.*"v"\s*:\s*\d')


@dataclass(frozen=True, slots=True)
class JevlFile:
    """The records of a file."""

    records: tuple[JevlRecord, ...]
    """In their order; of those with one digest the last one holds."""
    notes: tuple[str, ...] = ()
    """What was left out, in words."""


def read_jevl(path: Path) -> JevlFile:
    """Every record of a file. Blank lines are passed over; a last line that a killed writer left half written is told.

    Raises:
        ConfigError: the file cannot be read.
        FileFormatError: a line is no record (with its number).
    """
    records: list[JevlRecord] = []
    notes: list[str] = []
    for number, line in _lines(path):
        where = f"{path}:{number}"
        try:
            text = line.decode("utf-8-sig" if number == 1 else "utf-8")
            if text.strip():
                records.append(read_record(text, where))
        except (UnicodeDecodeError, FileFormatError) as error:
            if not line.endswith(b"\n"):
                notes.append(f"{where}: half of a record, left out: its writer was stopped")
            elif isinstance(error, FileFormatError):
                raise
            else:
                raise FileFormatError(where, f"byte {error.start} is not UTF-8", "UTF-8 text") from None
    return JevlFile(tuple(records), tuple(notes))


def _lines(path: Path) -> Iterator[tuple[int, bytes]]:
    try:
        with path.open("rb") as file:
            yield from enumerate(file, start=1)
    except FileNotFoundError:
        raise ConfigError(f"{path}: no such file; record one first (senno judge run … --record {path})") from None
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read ({error.strerror or error})") from None


def append_record(path: Path, record: JevlRecord) -> tuple[str, ...]:
    """Write a record at the end, synced, in one piece: those of other processes stand before it or after it.

    What a killed writer left half written at the end is put into `PATH.half` first.

    Args:
        path: the file; it is made, for its owner alone, where it is not there.
        record: as `record_of` makes it.

    Returns:
        What was set aside, in words.

    Raises:
        ConfigError: it cannot be written, or holds something else than records.
    """
    line = record_line(record).encode("utf-8", "backslashreplace")
    try:
        handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND | getattr(os, "O_BINARY", 0), 0o600)
        try:
            _lock(handle)
            _check_is_jevl(handle, path)
            half = _cut_half(handle, path)
            if os.write(handle, half.before + line) < len(half.before) + len(line):
                raise ConfigError(f"{path}: only a part of the record could be written; is the disk full?")
            os.fsync(handle)
        finally:
            os.close(handle)  # which gives the lock back
    except OSError as error:
        raise ConfigError(f"{path}: cannot be written ({error.strerror or error})") from None
    return half.notes


def _check_is_jevl(handle: int, path: Path) -> None:
    """Nothing is written to, and nothing cut off, a file of another kind whose name was given by mistake."""
    os.lseek(handle, 0, os.SEEK_SET)
    start = os.read(handle, _BLOCK).removeprefix(b"\xef\xbb\xbf").lstrip()
    first, ended, _ = start.partition(b"\n")
    half = not ended and b'{"v":1,'.startswith(first)
    if first and not half and not _VERSION_KEY.match(first):
        raise ConfigError(f"{path}: it is there, and holds no .jevl records; name another file")


@dataclass(frozen=True, slots=True)
class _Half:
    before: bytes = b""
    """What is to be written before the next line."""
    notes: tuple[str, ...] = ()


def _cut_half(handle: int, path: Path) -> _Half:
    """See to it that the file ends with a line end; with the lock held, a line without one has no writer any more."""
    end = os.lseek(handle, 0, os.SEEK_END)
    start, tail = _last_line(handle, end)
    if not tail:
        return _Half()
    try:
        read_record(tail.decode("utf-8"), str(path))
    except (UnicodeDecodeError, FileFormatError):
        pass
    else:
        return _Half(before=b"\n")
    aside = path.with_name(path.name + HALF)
    with aside.open("ab") as file:
        file.write(tail + b"\n")
        file.flush()
        os.fsync(file.fileno())
    os.ftruncate(handle, start)
    return _Half(notes=(f"{path}: half of a record stood at its end, whose writer was stopped; it is in {aside} now",))


def _last_line(handle: int, end: int) -> tuple[int, bytes]:
    """Where the last line begins, and what is in it: nothing, where the file ends with a line end."""
    tail = b""
    start = end
    while start > 0:
        begin = max(0, start - _BLOCK)
        os.lseek(handle, begin, os.SEEK_SET)
        block = os.read(handle, start - begin)
        cut = block.rfind(b"\n")
        if cut >= 0:
            return begin + cut + 1, block[cut + 1 :] + tail
        tail, start = block + tail, begin
    return 0, tail


if sys.platform == "win32":
    import msvcrt

    def _lock(handle: int) -> None:
        os.lseek(handle, 0, os.SEEK_SET)
        msvcrt.locking(handle, msvcrt.LK_LOCK, 1)

else:
    import fcntl

    def _lock(handle: int) -> None:
        fcntl.flock(handle, fcntl.LOCK_EX)

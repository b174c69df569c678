"""The log of events: one file a writer, appended to a line at a time, merged by sorting."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from senno.errors import ConfigError, SennoError
from senno.ledger import redact
from senno.lessons.durable import make_folder, sync_folder
from senno.lessons.event_lines import BadLine, from_line, to_line
from senno.lessons.events import Event, Recorded
from senno.lessons.lesson import new_id


@dataclass(frozen=True, slots=True)
class LogProblem:
    """A place of the log that could not be read. It stays as it is."""

    path: Path
    line: int | None
    """From 1; `None`: the whole file, or what comes after what was read before."""
    problem: str
    cut: bool = False
    """The file is shorter than what was read of it before: all of it was read again."""

    def __str__(self) -> str:
        return f"{self.path}{'' if self.line is None else f':{self.line}'}: {self.problem}"


@dataclass(frozen=True, slots=True)
class LogRead:
    """What was read from the log."""

    events: tuple[Recorded, ...]
    """Sorted by (`at`, `writer`, `seq`)."""
    problems: tuple[LogProblem, ...]
    offsets: Mapping[str, int]
    """By the name of a file, the byte up to which it was read: where the next reading goes on."""


@dataclass(slots=True)
class EventLog:
    """The log in one folder, as one writer sees it. Threads may share it; a forked process becomes a writer of its own.

    Args:
        folder: made when the first event is written.
        clock: the aware moment now.
    """

    folder: Path
    clock: Callable[[], datetime] = lambda: datetime.now(UTC)
    _writer: str = ""
    _seq: int = 0
    _pid: int = 0
    _handle: int | None = None
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def append(self, event: Event) -> Recorded:
        """Write an event, secrets redacted; when this returns, it is on disk.

        Raises:
            SennoError: it could not be written whole.
        """
        return self.append_all([event])[0]

    def append_all(self, events: Sequence[Event]) -> tuple[Recorded, ...]:
        """Write events together: see `append`."""
        if not events:
            return ()
        with self._lock:
            handle = self._open()
            at = self.clock().astimezone(UTC)
            lines: list[bytes] = []
            written: list[Recorded] = []
            for number, event in enumerate(events, self._seq + 1):
                recorded = Recorded(at, self._writer, number, event)
                line = to_line(recorded)
                clean = redact(line.decode("ascii")).encode("ascii")
                lines.append(clean)
                written.append(recorded if clean == line else from_line(clean))
            data = b"".join(lines)
            try:
                if os.write(handle, data) != len(data):
                    raise OSError("the disk took half of a line")
                os.fsync(handle)
            except OSError as error:
                self._leave()  # half a line may stand there: nothing may be glued to it
                raise SennoError(f"{self.folder}: an event could not be written ({error})") from None
            self._seq += len(events)
            return tuple(written)

    def close(self) -> None:
        """Close the file; a later event begins a new one."""
        with self._lock:
            self._leave()

    def _open(self) -> int:
        if self._handle is not None and self._pid == os.getpid():
            return self._handle
        self._writer, self._seq, self._pid = new_id(self.clock()), 0, os.getpid()
        try:
            make_folder(self.folder)
            flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
            self._handle = os.open(self.folder / f"{self._writer}.jsonl", flags, 0o666)
            sync_folder(self.folder)
        except OSError as error:
            raise ConfigError(f"{self.folder}: cannot be written ({error.strerror or error})") from None
        return self._handle

    def _leave(self) -> None:
        if self._handle is not None:
            os.close(self._handle)
            self._handle = None

    def read(self, since: Mapping[str, int] | None = None) -> LogRead:
        """All events, or those after `since`, the `offsets` of a reading before.

        A last line without its end is being written, or was when its process was killed: it is reported, and read
        again next time. A file that is shorter than what was read of it is reported and read from its beginning.
        """
        events: list[Recorded] = []
        problems: list[LogProblem] = []
        offsets = dict(since or {})
        for path in self._files(problems):
            found = read_from(path, offsets.get(path.name, 0))
            events.extend(found.events)
            problems.extend(found.problems)
            offsets[path.name] = found.offset
        events.sort(key=lambda r: (r.at, r.writer, r.seq))
        return LogRead(tuple(events), tuple(problems), offsets)

    def _files(self, problems: list[LogProblem]) -> list[Path]:
        try:
            return sorted(p for p in self.folder.iterdir() if p.suffix == ".jsonl" and not p.name.startswith("."))
        except FileNotFoundError:
            return []
        except OSError as error:
            problems.append(LogProblem(self.folder, None, f"cannot be read ({error.strerror or error})"))
            return []


@dataclass(frozen=True, slots=True)
class FileRead:
    """What was read from one file of the log."""

    events: tuple[Recorded, ...]
    """In the order of the file."""
    problems: tuple[LogProblem, ...]
    offset: int
    """The byte up to which it was read."""

    @property
    def cut(self) -> bool:
        """The file was shorter than what was read of it before, and was read from its beginning."""
        return any(problem.cut for problem in self.problems)


def read_from(path: Path, start: int) -> FileRead:
    """The events in a file of the log from a byte on; see `EventLog.read`."""
    try:
        if start and path.stat().st_size == start:
            return FileRead((), (), start)
        return _read_from(path, start)
    except OSError as error:
        return FileRead((), (LogProblem(path, None, f"cannot be read ({error.strerror or error})"),), start)


def _read_from(path: Path, start: int) -> FileRead:
    events: list[Recorded] = []
    problems: list[LogProblem] = []
    with path.open("rb") as file:
        if os.fstat(file.fileno()).st_size < start:
            problems.append(LogProblem(path, None, f"shorter than the {start} bytes read before: it was cut", cut=True))
            start = 0
        file.seek(start)
        data = file.read()
    *lines, rest = data.split(b"\n")
    for number, line in enumerate(lines, 1):
        where = number if start == 0 else None
        if not line.strip():
            continue
        try:
            events.append(from_line(line))
        except BadLine as error:
            problems.append(LogProblem(path, where, str(error)))
    if rest:
        where = len(lines) + 1 if start == 0 else None
        problems.append(LogProblem(path, where, f"a last line of {len(rest)} bytes without its end: torn"))
    return FileRead(tuple(events), tuple(problems), start + len(data) - len(rest))

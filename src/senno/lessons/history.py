"""The log as a process that goes on follows it: what was read is kept, what is new is taken in."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from datetime import datetime

from senno.lessons.event_log import EventLog
from senno.lessons.events import Recorded
from senno.lessons.tasks import Records, TaskRecord


class History:
    """The tries at tasks in a log, up to now. Threads may share it."""

    def __init__(self, log: EventLog) -> None:
        self._log = log
        self._lock = threading.Lock()
        self._forget()

    def _forget(self) -> None:
        self._events: list[Recorded] = []
        self._records = Records()
        self._offsets: Mapping[str, int] = {}

    def records(self) -> list[TaskRecord]:
        """All tries, in the order in which they began. Not to be changed."""
        with self._lock:
            read = self._log.read(self._offsets)
            if any(problem.cut for problem in read.problems):
                self._forget()
                read = self._log.read()
            self._take(read.events)
            self._offsets = read.offsets
            return self._records.records

    def _take(self, new: tuple[Recorded, ...]) -> None:
        late = bool(new and self._events and _order(new[0]) < _order(self._events[-1]))
        self._events.extend(new)
        if late:  # another writer's clock, or its file, was behind
            self._events.sort(key=_order)
            self._records = Records()
            new = tuple(self._events)
        for recorded in new:
            self._records.take(recorded)


def _order(recorded: Recorded) -> tuple[datetime, str, int]:
    return recorded.at, recorded.writer, recorded.seq

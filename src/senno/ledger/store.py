"""The ledger: one SQLite file with every model call, and every run with its steps."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Self

from senno.errors import LedgerError
from senno.ledger import columns, liveness
from senno.ledger.connection import Connection
from senno.ledger.failures import failures_told
from senno.ledger.opening import connect
from senno.ledger.rows import CallRow, RunRecord, RunRow, RunStatus, StepRow
from senno.ledger.run_ids import find_run_id, new_run_id

_Rows = list[tuple[Any, ...]]

# Put together from the names of columns only (S608).
_RUN_WIDTH = columns.RUN_COLUMNS.count(",") + 1
_RUN_AND_OWNER = f"{columns.RUN_COLUMNS}, {columns.OWNER_COLUMNS}"
_LAST_SIGN = "coalesce((SELECT calls.started FROM calls WHERE run_id = runs.id ORDER BY id DESC LIMIT 1), started)"
_SELECT_RUNS = f"SELECT {_RUN_AND_OWNER}, CASE WHEN ended IS NULL THEN {_LAST_SIGN} END FROM runs"  # noqa: S608
_SELECT_NEWEST = (
    f"{_SELECT_RUNS} WHERE (?1 IS NULL OR kind = ?1) AND (?2 IS NULL OR name = ?2)"
    " ORDER BY started DESC, rowid DESC LIMIT ?3"
)
_SELECT_IDS = "SELECT id FROM runs ORDER BY started, rowid"
_SELECT_STEPS = f"SELECT {columns.STEP_COLUMNS} FROM steps WHERE run_id = ? ORDER BY number"  # noqa: S608
_SELECT_CALLS = f"SELECT {columns.CALL_COLUMNS}, id FROM calls WHERE run_id IS ? AND id > ? ORDER BY id LIMIT ?"  # noqa: S608
_END_RUN = "UPDATE runs SET ended = ?, stop = ?, result = ? WHERE id = ? AND ended IS NULL"


def _insert(table: str, names: str) -> str:
    return f"INSERT INTO {table} ({names}) VALUES ({', '.join('?' for _ in names.split(','))})"  # noqa: S608


_INSERT_CALL = _insert("calls", columns.CALL_COLUMNS)
_INSERT_STEP = _insert("steps", columns.STEP_COLUMNS)
_INSERT_RUN = _insert("runs", _RUN_AND_OWNER)


def utc_now() -> datetime:
    """The time now, aware, in UTC."""
    return datetime.now(UTC)


_DAMAGE = (ValueError, TypeError, KeyError, ArithmeticError)
"""What columns that were written whole, and are not so any more, raise when they are read."""


class Ledger:
    """The record of model calls and runs.

    Several processes may have one file open and write to it; each commit waits for the others' (30 s at most). Within
    a process, threads may share a `Ledger`: each method takes a lock. A forked child may not use its parent's: it
    opens its own.

    A row that was written is there whatever then happens to the process (`kill -9`): `synchronous=NORMAL`. When the
    power fails the file stays whole, but the last rows may be missing; so all is synced to the disk when a run ends,
    and when the last process closes the file. A sync for each row (`FULL`) waits for the disk, 0.2 to 4 ms on one and
    the same machine (`bench/ledger_bench.py`), and an event loop would stand still meanwhile.

    WAL needs all its processes on one machine: the file belongs on a local disk, not on a network folder.
    """

    def __init__(self, connection: Connection, path: Path, clock: Callable[[], datetime]) -> None:
        self._connection = connection
        self._path = path
        self._clock = clock
        self._lock = threading.RLock()
        self._process = os.getpid()
        self._open = True
        self._synced: bool | None = None
        """How the connection was last told to write; `None`: not yet."""

    @classmethod
    def open(cls, path: Path, *, clock: Callable[[], datetime] = utc_now) -> Self:
        """Open the ledger at `path`; it is made, with its folder, if it is not there (mode 0600: texts are private).

        Args:
            path: of the file.
            clock: tells the time, aware.

        Raises:
            ConfigError: the path is a folder, or something else than a ledger, or may not be read or written, or the
                ledger is of a newer senno.
            LedgerError: it cannot be read or written now: damage, a full disk, a lock that is not given up.
        """
        with failures_told(path):
            return cls(connect(path), path, clock)

    def close(self) -> None:
        """Close the file. Nothing happens when it is closed, nor in a forked child: there it is the parent's."""
        if os.getpid() != self._process:
            return
        with self._lock, failures_told(self._path):
            self._open = False
            self._connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def add_call(self, row: CallRow) -> int:
        """Record one attempt at a model; `row.id` is not looked at.

        Returns:
            The id of the row: a later call has a higher one.

        Raises:
            LedgerError: it could not be written, or its run is not in the ledger.
        """
        values = columns.call_columns(row)
        with self.transaction("IMMEDIATE") as connection:
            connection.execute(_INSERT_CALL, values)
            return connection.last_insert_rowid()

    def start_run(self, kind: str, name: str, request: str, config: Any) -> str:
        """Record that this process starts a run.

        Args:
            kind: `loop`, …
            name: of what is run.
            request: of the user.
            config: JSON value: what is needed to read the run.

        Returns:
            The id of the run, such as `20261130-210512-k3f9`: the time in UTC, and letters that tell runs of one
            second apart.

        Raises:
            LedgerError: it could not be written, or `config` is no JSON value.
        """
        texts = columns.plain(kind), columns.plain(name), columns.private(request)
        config_text = columns.as_json(config, f"the config of {kind} {name!r}")
        owner = columns.owner_columns(liveness.this_process())
        while True:
            now = self._clock()
            run_id = new_run_id(now)
            row = (run_id, *texts, columns.time(now), None, None, config_text, None, *owner)
            with self.transaction("IMMEDIATE") as connection:
                taken = connection.execute("SELECT 1 FROM runs WHERE id = ?", (run_id,)).fetchall()
                if not taken:
                    connection.execute(_INSERT_RUN, row)
                    return run_id

    def add_step(self, row: StepRow) -> None:
        """Record one step of a run.

        Raises:
            LedgerError: it could not be written, the run is not in the ledger or has a step with that number, or the
                output is no JSON value.
        """
        values = columns.step_columns(row)
        with self.transaction("IMMEDIATE") as connection:
            connection.execute(_INSERT_STEP, values)

    def end_run(self, run_id: str, stop: str, result: Any) -> None:
        """Record that a run has ended, and sync the run to the disk.

        Args:
            run_id: as `start_run` gave it.
            stop: the stop reason, from the closed set of the run's kind.
            result: JSON value.

        Raises:
            LedgerError: it could not be written, the run is not in the ledger or has ended before, or `result` is no
                JSON value.
        """
        result_text = columns.as_json(result, f"the result of run {run_id}")
        values = columns.time(self._clock()), columns.plain(stop), result_text
        with self.transaction("IMMEDIATE", synced=True) as connection:
            connection.execute(_END_RUN, (*values, run_id))
            if connection.changes() != 1:
                raise LedgerError(f"ledger {self._path}: run {run_id} is not there, or has ended before")

    def runs(self, limit: int | None = 20, kind: str | None = None, name: str | None = None) -> list[RunRow]:
        """Runs, newest first.

        Args:
            limit: how many at most; `None`: all.
            kind: only runs of this kind.
            name: only runs with this name.

        A run whose row is damaged is left out, so that it does not hide the others: `damaged` names it.

        Raises:
            LedgerError: the file cannot be read.
        """
        chosen = columns.plain(kind), columns.plain(name), _sql_limit(limit)
        with self.transaction("DEFERRED") as connection:
            rows = connection.execute(_SELECT_NEWEST, chosen).fetchall()
        return [run for _, run in self._run_rows(rows) if run is not None]

    def damaged(self) -> list[str]:
        """The ids of the runs whose rows cannot be read.

        Raises:
            LedgerError: the file cannot be read.
        """
        with self.transaction("DEFERRED") as connection:
            rows = connection.execute(_SELECT_NEWEST, (None, None, _sql_limit(None))).fetchall()
        return [run_id for run_id, run in self._run_rows(rows) if run is None]

    def run_ids(self) -> list[str]:
        """The ids of all runs, oldest first.

        Raises:
            LedgerError: the file cannot be read.
        """
        with self.transaction("DEFERRED") as connection:
            return _ids(connection)

    def run(self, wanted: str) -> RunRecord:
        """A run with its steps and calls, as they were at one moment.

        Args:
            wanted: its id, or the beginning of an id that no other run has, or `last`.

        Raises:
            ConfigError: no run has that id, or several have ids that begin so.
            LedgerError: the file cannot be read.
        """
        with self.transaction("DEFERRED") as connection:
            run_id = find_run_id(columns.plain(wanted) or "", _ids(connection))
            ((_, run),) = self._run_rows(connection.execute(f"{_SELECT_RUNS} WHERE id = ?", (run_id,)).fetchall())
            steps = connection.execute(_SELECT_STEPS, (run_id,)).fetchall()
            calls = connection.execute(_SELECT_CALLS, (run_id, 0, _sql_limit(None))).fetchall()
        if run is None:
            raise LedgerError(f"ledger {self._path}: the row of run {run_id} is damaged and cannot be read")
        try:
            return RunRecord(run, tuple(map(columns.step_row, steps)), tuple(map(columns.call_row, calls)))
        except _DAMAGE as error:
            raise LedgerError(f"ledger {self._path}: a step or call of run {run_id} is damaged ({error})") from error

    def calls(self, run_id: str | None, *, after: int = 0, limit: int | None = None) -> list[CallRow]:
        """The calls of a run, in the order in which they were recorded.

        Args:
            run_id: of the run; `None`: calls that belong to no run.
            after: only calls with an id above this.
            limit: how many at most; `None`: all.

        Raises:
            LedgerError: the file cannot be read.
        """
        with self.transaction("DEFERRED") as connection:
            found = connection.execute(_SELECT_CALLS, (columns.plain(run_id), after, _sql_limit(limit))).fetchall()
        try:
            return [columns.call_row(row) for row in found]
        except _DAMAGE as error:
            raise LedgerError(f"ledger {self._path}: a call is damaged and cannot be read ({error})") from error

    @contextmanager
    def transaction(self, mode: str, *, synced: bool = False) -> Generator[Connection]:
        """`IMMEDIATE` to write: the lock is taken at the start, so a commit cannot fail for want of it."""
        if os.getpid() != self._process:
            raise LedgerError(f"ledger {self._path}: opened in another process; open it again after the fork")
        with self._lock, failures_told(self._path):
            if not self._open:
                raise LedgerError(f"ledger {self._path} is closed")
            try:
                if synced is not self._synced:
                    self._connection.pragma("synchronous", "FULL" if synced else "NORMAL")
                    self._synced = synced
                self._connection.execute(f"BEGIN {mode}")
                yield self._connection
                self._connection.execute("COMMIT")
            finally:
                if self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")

    def _run_rows(self, rows: _Rows) -> list[tuple[str, RunRow | None]]:
        """Each row's id with the run; `None`: its columns are damaged."""
        here, now = liveness.this_process(), self._clock()

        def status(owner: liveness.Owner, last_sign: str | None) -> RunStatus:
            if last_sign is None:
                return "ended"
            sign = datetime.fromisoformat(last_sign)
            running = liveness.is_running(owner, sign, here=here, now=now, born_of=liveness.born)
            return "running" if running else "interrupted"

        def read(row: tuple[Any, ...]) -> RunRow | None:
            try:
                return columns.run_row(row[:_RUN_WIDTH], status(liveness.Owner(*row[_RUN_WIDTH:-1]), row[-1]))
            except _DAMAGE:
                return None

        return [(str(row[0]), read(row)) for row in rows]


def _ids(connection: Connection) -> list[str]:
    return [str(row[0]) for row in connection.execute(_SELECT_IDS)]


def _sql_limit(limit: int | None) -> int:
    return -1 if limit is None else limit

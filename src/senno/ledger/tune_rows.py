"""What a tuning keeps: its versions, whatever it paid for, and who looked at held-out scenarios.

A tuning that was cut off is run again from its start, and finds here what it has paid for: `find_kept`, by a digest of
all that made it. Nothing here is written twice, and nothing is pickled.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from senno.errors import ConfigError, LedgerError
from senno.ledger import columns, liveness
from senno.ledger.store import Ledger

_VERSION = "run_id, id, number, made, origin, parent, template, parts"
_INSERT_VERSION = f"INSERT OR IGNORE INTO tune_versions ({_VERSION}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)"  # noqa: S608
_SELECT_VERSIONS = f"SELECT {_VERSION} FROM tune_versions WHERE ?1 IS NULL OR run_id = ?1 ORDER BY made, number"  # noqa: S608
_INSERT_KEPT = "INSERT OR IGNORE INTO tune_kept (run_id, kind, key, made, value) VALUES (?, ?, ?, ?, ?)"
_SELECT_ONE = "SELECT value FROM tune_kept WHERE run_id = ? AND kind = ? AND key = ?"
_SELECT_KEPT = "SELECT key, value FROM tune_kept WHERE run_id = ? AND kind = ? ORDER BY made"
_INSERT_TOUCH = "INSERT INTO tune_touches (held_out, run_id, made) VALUES (?, ?, ?)"
_SELECT_TOUCHES = "SELECT run_id, made FROM tune_touches WHERE held_out = ? ORDER BY id"
_OWNER = "SELECT host, boot, namespace, pid, born, started, ended, kind FROM runs WHERE id = ?"
_LAST_CALL = "SELECT started FROM calls WHERE run_id = ? ORDER BY id DESC LIMIT 1"
_ADOPT = (
    "UPDATE runs SET host = ?, boot = ?, namespace = ?, pid = ?, born = ?, ended = NULL, stop = NULL, result = NULL"
    " WHERE id = ?"
)


@dataclass(frozen=True, slots=True)
class VersionRow:
    """One version of a prompt in one run: the same version of two runs is two rows."""

    run_id: str
    id: str
    number: int
    """0 is the one that the run began with."""
    made: datetime
    """UTC."""
    origin: str
    parent: str | None
    template: str
    parts: Mapping[str, str]
    """In their order."""


@dataclass(frozen=True, slots=True)
class Touch:
    """Somebody looked at a held-out part."""

    run_id: str
    made: datetime
    """UTC."""


def add_version(ledger: Ledger, row: VersionRow) -> None:
    """Record a version. One that the run has already stays as it is.

    Raises:
        LedgerError: it could not be written.
    """
    values = (
        row.run_id,
        row.id,
        row.number,
        columns.time(row.made),
        columns.plain(row.origin),
        row.parent,
        columns.private(row.template),
        columns.as_json(dict(row.parts), f"the version {row.id}"),
    )
    with ledger.transaction("IMMEDIATE") as connection:
        connection.execute(_INSERT_VERSION, values)


def find_versions(ledger: Ledger, run_id: str | None = None) -> list[VersionRow]:
    """The versions of a run, or of all runs, in the order in which they were made.

    Raises:
        LedgerError: the file cannot be read, or a row is damaged.
    """
    with ledger.transaction("DEFERRED") as connection:
        rows = connection.execute(_SELECT_VERSIONS, (run_id,)).fetchall()
    try:
        return [
            VersionRow(run, id_, number, datetime.fromisoformat(made), origin, parent, template, json.loads(parts))
            for run, id_, number, made, origin, parent, template, parts in rows
        ]
    except (ValueError, TypeError) as error:
        raise LedgerError(f"a version in the ledger is damaged and cannot be read ({error})") from error


def keep(ledger: Ledger, run_id: str, kind: str, key: str, value: Any) -> Any:
    """Keep a value, and give it back as it is kept: without secrets. What is kept already stays, and is given back.

    Args:
        ledger: where.
        run_id: of the tuning.
        kind: `answer`, `judgement`, …
        key: a digest.
        value: JSON value.

    Raises:
        LedgerError: it could not be written, or is no JSON value.
    """
    text = columns.as_json(value, f"the {kind} {key}")
    with ledger.transaction("IMMEDIATE") as connection:
        connection.execute(_INSERT_KEPT, (run_id, kind, key, columns.time(datetime.now(UTC)), text))
        if connection.changes() == 1:
            return json.loads(text)
        return _loaded(connection.execute(_SELECT_ONE, (run_id, kind, key)).fetchall(), kind)


def find_kept(ledger: Ledger, run_id: str, kind: str, key: str) -> Any:
    """A value that was kept; `None`: it was not.

    Raises:
        LedgerError: the file cannot be read, or the value is damaged.
    """
    with ledger.transaction("DEFERRED") as connection:
        return _loaded(connection.execute(_SELECT_ONE, (run_id, kind, key)).fetchall(), kind)


def all_kept(ledger: Ledger, run_id: str, kind: str) -> dict[str, Any]:
    """All values of a kind, by key, in the order in which they were kept.

    Raises:
        LedgerError: the file cannot be read, or a value is damaged.
    """
    with ledger.transaction("DEFERRED") as connection:
        rows = connection.execute(_SELECT_KEPT, (run_id, kind)).fetchall()
    return {str(key): _loaded([(value,)], kind) for key, value in rows}


def _loaded(rows: Sequence[tuple[Any, ...]], kind: str) -> Any:
    try:
        return json.loads(rows[0][0]) if rows else None
    except (ValueError, TypeError) as error:
        raise LedgerError(f"a kept {kind} in the ledger is damaged and cannot be read ({error})") from error


def add_touch(ledger: Ledger, held_out: str, run_id: str, *, again: bool) -> tuple[list[Touch], bool]:
    """Record that a run looks at a held-out part, unless another did: of two at once, one is the first.

    Args:
        ledger: where.
        held_out: digest of its scenarios.
        run_id: who looks.
        again: record it in any case.

    Returns:
        The looks of other runs before it, and whether its own is recorded: with one of them only where `again` is.

    Raises:
        LedgerError: it could not be written.
    """
    with ledger.transaction("IMMEDIATE", synced=True) as connection:
        rows = connection.execute(_SELECT_TOUCHES, (held_out,)).fetchall()
        runs = [run for run, _ in rows]
        before = rows[: runs.index(run_id)] if run_id in runs else rows
        recorded = run_id in runs
        if not recorded and (again or not rows):
            connection.execute(_INSERT_TOUCH, (held_out, run_id, columns.time(datetime.now(UTC))))
            recorded = True
    return [Touch(run, datetime.fromisoformat(made)) for run, made in before], recorded


def touches(ledger: Ledger, held_out: str) -> list[Touch]:
    """Who looked at a held-out part, oldest first.

    Raises:
        LedgerError: the file cannot be read.
    """
    with ledger.transaction("DEFERRED") as connection:
        rows = connection.execute(_SELECT_TOUCHES, (held_out,)).fetchall()
    return [Touch(run, datetime.fromisoformat(made)) for run, made in rows]


def adopt_run(ledger: Ledger, run_id: str, kind: str) -> None:
    """Go on with a run that another process began: it has not ended any more, and this process runs it.

    Args:
        ledger: where it is.
        run_id: of the run, whole.
        kind: what it must be.

    Raises:
        ConfigError: it is of another kind, or a process runs it now.
        LedgerError: it is not there, or the file cannot be written.
    """
    here, now = liveness.this_process(), datetime.now(UTC)
    with ledger.transaction("IMMEDIATE") as connection:
        found = connection.execute(_OWNER, (run_id,)).fetchall()
        if not found:
            raise LedgerError(f"run {run_id} is not in the ledger")
        *owner, started, ended, is_kind = found[0]
        if is_kind != kind:
            raise ConfigError(f"run {run_id} is of the kind {is_kind!r}; expected one of the kind {kind!r}")
        last = connection.execute(_LAST_CALL, (run_id,)).fetchall()
        sign = datetime.fromisoformat(last[0][0] if last else started)
        theirs = liveness.Owner(*owner)
        running = liveness.is_running(theirs, sign, here=here, now=now, born_of=liveness.born)
        if ended is None and theirs != here and running:
            raise ConfigError(f"run {run_id} goes on in process {theirs.pid}; wait for it, or end it first")
        connection.execute(_ADOPT, (*columns.owner_columns(here), run_id))

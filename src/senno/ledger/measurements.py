"""What was measured of a judge: which version answered, on which questions, under which policy, and what came out."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal

from senno.errors import LedgerError
from senno.ledger import columns
from senno.ledger.store import Ledger

MeasurementKind = Literal["measure", "calibrate"]
"""`measure`: the noise, from repeats · `calibrate`: the errors, from labelled cases."""

_COLUMNS = "kind, model, policy, created, questions, report"
_INSERT = f"INSERT INTO measurements ({_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?)"  # noqa: S608 - names of columns only
_SELECT = f"SELECT {_COLUMNS}, id FROM measurements WHERE ?1 IS NULL OR kind = ?1 ORDER BY id DESC LIMIT ?2"  # noqa: S608


@dataclass(frozen=True, slots=True)
class Measurement:
    """One measurement. It holds for that version and those questions, and for no other."""

    kind: MeasurementKind
    model: str
    """The version that answered."""
    questions: Mapping[str, str]
    """The digest of each question, by name."""
    policy: str | None
    """The digest of the policy; `None`: there was none."""
    created: datetime
    """UTC."""
    report: Any = field(compare=False)
    """JSON value: what the command printed."""
    id: int | None = None
    """Given by the ledger."""


def add_measurement(ledger: Ledger, row: Measurement) -> int:
    """Record a measurement; `row.id` is not looked at.

    Returns:
        Its id: a later one has a higher id.

    Raises:
        LedgerError: it could not be written, the time has no zone, or the report is no JSON value.
    """
    where = f"the measurement of {row.model}"
    values = (
        row.kind,
        columns.private(row.model),
        row.policy,
        columns.time(row.created),
        columns.plain(json.dumps(dict(row.questions), ensure_ascii=False)),  # digests look like secrets, and are none
        columns.as_json(row.report, where),
    )
    with ledger.transaction("IMMEDIATE") as connection:
        connection.execute(_INSERT, values)
        return connection.last_insert_rowid()


def past_measurements(
    ledger: Ledger, kind: MeasurementKind | None = None, limit: int | None = 200
) -> list[Measurement]:
    """Measurements, newest first.

    Args:
        ledger: where they are.
        kind: only this one.
        limit: how many at most; `None`: all.

    Raises:
        LedgerError: the file cannot be read, or a row is damaged.
    """
    with ledger.transaction("DEFERRED") as connection:
        rows = connection.execute(_SELECT, (kind, -1 if limit is None else limit)).fetchall()
    try:
        return [
            Measurement(
                kind=found,
                model=model,
                policy=policy,
                created=datetime.fromisoformat(created),
                questions=json.loads(questions),
                report=json.loads(report),
                id=number,
            )
            for found, model, policy, created, questions, report, number in rows
        ]
    except (ValueError, TypeError) as error:
        raise LedgerError(f"a measurement in the ledger is damaged and cannot be read ({error})") from error

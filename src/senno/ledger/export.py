r"""The ledger as JSON lines, for other programs.

One object a line. `row` says what it is (`run`, `step` or `call`), `schema_version` in which form, and the other keys
are the fields of `RunRow`, `StepRow` and `CallRow`, under their names. So a line gives its row back:

- `started` and `ended`: ISO 8601 in UTC with microseconds (`datetime.fromisoformat`);
- `cost`: a decimal in a string (`Decimal`), or null;
- `sent` and `received`: strings that hold JSON text, byte for byte as recorded;
- `config`, `result`, `output`, `notes`: JSON values; all else is what it is.

A run's line comes first, then its steps, then its calls; runs are oldest first; calls that belong to no run are last.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import fields
from datetime import datetime
from decimal import Decimal
from typing import Any, TextIO

from senno.ledger.columns import plain, time
from senno.ledger.rows import CallRow, RunRow, StepRow
from senno.ledger.store import Ledger

EXPORT_VERSION = 1
"""Goes up when a line of an old export could no longer be read as the docstring of this module says."""

_PAGE = 500


def export_jsonl(ledger: Ledger, run_ids: Sequence[str] | None, stream: TextIO) -> None:
    """Write runs, with their steps and calls, as JSON lines. Secrets were replaced when the rows were recorded.

    Args:
        ledger: to read from; others may go on writing to it.
        run_ids: of the runs (or what `Ledger.run` takes for one); `None`: all, and the calls that belong to no run.
        stream: where to; UTF-8.

    Raises:
        ConfigError: no run has one of the ids; the runs before it are written.
        LedgerError: the file cannot be read.
    """
    for run_id in ledger.run_ids() if run_ids is None else run_ids:
        record = ledger.run(run_id)
        stream.writelines(_line(row) for row in (record.run, *record.steps, *record.calls))
    if run_ids is None:
        stream.writelines(_line(call) for call in _calls_of_no_run(ledger))


def _calls_of_no_run(ledger: Ledger) -> Iterator[CallRow]:
    """A page at a time: there may be more than fit in memory."""
    after = 0
    while page := ledger.calls(None, after=after, limit=_PAGE):
        yield from page
        after = page[-1].id or 0


def _line(row: RunRow | StepRow | CallRow) -> str:
    kind = {RunRow: "run", StepRow: "step", CallRow: "call"}[type(row)]
    text = json.dumps({"row": kind, "schema_version": EXPORT_VERSION, **row_json(row)}, ensure_ascii=False)
    return f"{plain(text)}\n"


def row_json(row: RunRow | StepRow | CallRow) -> dict[str, Any]:
    """A row as JSON values, in the form that the docstring of this module says."""
    return {field.name: _value(getattr(row, field.name)) for field in fields(row)}


def _value(value: Any) -> Any:
    if isinstance(value, datetime):
        return time(value)
    return str(value) if isinstance(value, Decimal) else value

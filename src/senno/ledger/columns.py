r"""How the values of a row are written in columns, and read back.

Texts come back as they were, but for two things. Secrets are replaced (`redact.py`). A lone surrogate, which UTF-8 does
not have, is written as the six characters of its escape (`\ud800`): in JSON that reads as the surrogate again, in plain
text it stays visible. NUL characters are kept (SQL functions and the `sqlite3` shell stop at one; reading does not).
"""

from __future__ import annotations

import json
import math
import os
from collections.abc import Mapping
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

from senno.errors import LedgerError
from senno.ledger.connection import Column
from senno.ledger.liveness import Owner
from senno.ledger.redact import redact
from senno.ledger.rows import CallRow, RunRow, RunStatus, StepRow
from senno.ledger.secret_environment import secrets_of

CALL_COLUMNS = (
    "run_id, role, model_asked, model_answered, sent, received, tokens_in, tokens_out, tokens_cached, cost, started,"
    " seconds, outcome, error"
)
STEP_COLUMNS = "run_id, number, role, round, started, seconds, calls, tokens_in, tokens_out, cost, output, notes, error"
RUN_COLUMNS = "id, kind, name, request, started, ended, stop, config, result"
OWNER_COLUMNS = "host, boot, namespace, pid, born"


def call_columns(row: CallRow) -> tuple[Column, ...]:
    """The values of `CALL_COLUMNS`.

    Raises:
        LedgerError: a time without a zone, seconds or a cost that are no number.
    """
    own = secrets_of(os.environ)
    return (
        plain(row.run_id),
        plain(row.role),
        private(row.model_asked, own),
        private(row.model_answered, own),
        private(row.sent, own),
        private(row.received, own),
        row.tokens_in,
        row.tokens_out,
        row.tokens_cached,
        money(row.cost),
        time(row.started),
        seconds(row.seconds),
        row.outcome,
        private(row.error, own),
    )


def call_row(columns: tuple[Any, ...]) -> CallRow:
    """The row from `CALL_COLUMNS` and, last, its id."""
    run_id, role, asked, answered, sent, received, *tokens, cost, started, took, outcome, error, number = columns
    return CallRow(
        run_id=run_id,
        role=role,
        model_asked=asked,
        model_answered=answered,
        sent=sent,
        received=received,
        tokens_in=tokens[0],
        tokens_out=tokens[1],
        tokens_cached=tokens[2],
        cost=_decimal(cost),
        started=datetime.fromisoformat(started),
        seconds=took,
        outcome=outcome,
        error=error,
        id=number,
    )


def step_columns(row: StepRow) -> tuple[Column, ...]:
    """The values of `STEP_COLUMNS`.

    Raises:
        LedgerError: an output or notes that are no JSON, a time without a zone, seconds or a cost that are no number.
    """
    where = f"step {row.number} ({row.role}) of run {row.run_id}"
    return (
        plain(row.run_id),
        row.number,
        plain(row.role),
        row.round,
        time(row.started),
        seconds(row.seconds),
        row.calls,
        row.tokens_in,
        row.tokens_out,
        money(row.cost),
        as_json(row.output, f"the output of {where}"),
        as_json(row.notes, f"the notes of {where}"),
        private(row.error),
    )


def step_row(columns: tuple[Any, ...]) -> StepRow:
    """The row from `STEP_COLUMNS`."""
    run_id, number, role, round_, started, took, calls, tokens_in, tokens_out, cost, output, notes, error = columns
    return StepRow(
        run_id=run_id,
        number=number,
        role=role,
        round=round_,
        started=datetime.fromisoformat(started),
        seconds=took,
        calls=calls,
        tokens_in=tokens_in,
        tokens_out=tokens_out,
        cost=_decimal(cost),
        output=json.loads(output),
        notes=json.loads(notes),
        error=error,
    )


def run_row(columns: tuple[Any, ...], status: RunStatus) -> RunRow:
    """The row from `RUN_COLUMNS`."""
    id_, kind, name, request, started, ended, stop, config, result = columns
    return RunRow(
        id=id_,
        kind=kind,
        name=name,
        request=request,
        started=datetime.fromisoformat(started),
        ended=None if ended is None else datetime.fromisoformat(ended),
        status=status,
        stop=stop,
        config=json.loads(config),
        result=None if result is None else json.loads(result),
    )


def owner_columns(owner: Owner) -> tuple[Column, ...]:
    """The values of `OWNER_COLUMNS`."""
    return (plain(owner.host), owner.boot, owner.namespace, owner.pid, owner.born)


def plain(text: str | None) -> str | None:
    """A text that SQLite can store: a lone surrogate becomes its escape."""
    if text is None or text.isascii():
        return text
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def private(text: str | None, environ: Mapping[str, str] | None = None) -> str | None:
    """A text that people or models wrote: without its secrets (`environ`: as in `redact`)."""
    return None if text is None else plain(redact(text, environ))


def as_json(value: Any, what: str) -> str:
    """A JSON value as text, without its secrets.

    Raises:
        LedgerError: it is no JSON value (a date, a NaN, an object of some class, a circle).
    """
    try:
        text = json.dumps(value, ensure_ascii=False, allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise LedgerError(f"{what} is no JSON value, and was not recorded: {error}") from error
    return plain(redact(text, json_text=True)) or ""


def time(moment: datetime) -> str:
    """ISO 8601 in UTC, always with microseconds, so that texts sort as times do.

    Raises:
        LedgerError: the time has no zone.
    """
    if moment.tzinfo is None:
        raise LedgerError(f"the time {moment} has no zone: the ledger takes aware times (`datetime.now(UTC)`)")
    return moment.astimezone(UTC).isoformat(timespec="microseconds")


def seconds(value: float) -> float:
    """A duration.

    Raises:
        LedgerError: it is no number.
    """
    if not math.isfinite(value):
        raise LedgerError(f"a duration of {value} seconds cannot be recorded: measure it with a monotonic clock")
    return float(value)


def money(cost: Decimal | None) -> str | None:
    """US dollars as decimal text, every digit kept.

    Raises:
        LedgerError: it is no number.
    """
    if cost is None:
        return None
    if not cost.is_finite():
        raise LedgerError(f"a cost of {cost} cannot be recorded: a cost that is not known is None")
    return str(cost)


def _decimal(text: str | None) -> Decimal | None:
    return None if text is None else Decimal(text)

"""Answers of decision models, kept to be given again: numbers under a digest, and no text of anybody's."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, cast

from senno.ledger import columns
from senno.ledger.store import Ledger

_SELECT = "SELECT key, model, method, made, shares FROM answers WHERE key IN (SELECT value FROM json_each(?))"
_INSERT = "INSERT OR IGNORE INTO answers (key, model, method, made, shares) VALUES (?, ?, ?, ?, ?)"


@dataclass(frozen=True, slots=True)
class KeptAnswer:
    """One answer."""

    model: str
    """The version that gave it."""
    method: str
    made: datetime
    """UTC."""
    shares: tuple[float, ...]
    """One probability: of yes; else those of the options, in their order."""


def find_answers(ledger: Ledger, keys: Iterable[str]) -> dict[str, KeptAnswer]:
    """Those that are kept, by key. One that cannot be read is not there.

    Raises:
        LedgerError: the file cannot be read.
    """
    with ledger.transaction("DEFERRED") as connection:
        rows = connection.execute(_SELECT, (json.dumps(list(keys)),)).fetchall()
    read = {str(row[0]): _read(row) for row in rows}
    return {key: answer for key, answer in read.items() if answer is not None}


def keep_answers(ledger: Ledger, answers: Mapping[str, KeptAnswer]) -> None:
    """Keep answers under their keys. What is kept already stays as it is.

    Raises:
        LedgerError: they could not be written.
    """
    rows = [
        (key, columns.plain(each.model), columns.plain(each.method), columns.time(each.made), json.dumps(each.shares))
        for key, each in answers.items()
    ]
    with ledger.transaction("IMMEDIATE") as connection:
        for row in rows:
            connection.execute(_INSERT, row)


def _read(row: Sequence[Any]) -> KeptAnswer | None:
    _, model, method, made, shares = row
    try:
        listed = json.loads(shares)
        numbers = tuple(float(share) for share in cast("list[Any]", listed))
        when = datetime.fromisoformat(made)
    except (ValueError, TypeError, OverflowError):
        return None
    return KeptAnswer(model, method, when, numbers) if numbers and all(map(math.isfinite, numbers)) else None

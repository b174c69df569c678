"""The record of every model call and every run: one SQLite file, without secrets, that several processes may write."""

from senno.ledger.export import EXPORT_VERSION, export_jsonl, row_json
from senno.ledger.redact import redact
from senno.ledger.rows import CallOutcome, CallRow, RunRecord, RunRow, RunStatus, StepRow
from senno.ledger.secret_environment import secrets_of
from senno.ledger.store import Ledger
from senno.ledger.totals import Sum, Totals, Used, totals

__all__ = [
    "EXPORT_VERSION",
    "CallOutcome",
    "CallRow",
    "Ledger",
    "RunRecord",
    "RunRow",
    "RunStatus",
    "StepRow",
    "Sum",
    "Totals",
    "Used",
    "export_jsonl",
    "redact",
    "row_json",
    "secrets_of",
    "totals",
]

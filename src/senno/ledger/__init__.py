"""The record of every model call and every run: one SQLite file, without secrets, that several processes may write."""

from senno.ledger.answers import KeptAnswer, find_answers, keep_answers
from senno.ledger.export import EXPORT_VERSION, export_jsonl, row_json
from senno.ledger.measurements import Measurement, MeasurementKind, add_measurement, past_measurements
from senno.ledger.redact import redact
from senno.ledger.rows import CallOutcome, CallRow, RunRecord, RunRow, RunStatus, StepRow
from senno.ledger.secret_environment import secrets_of
from senno.ledger.store import Ledger
from senno.ledger.totals import Sum, Totals, Used, totals
from senno.ledger.tune_rows import (
    Touch,
    VersionRow,
    add_touch,
    add_version,
    adopt_run,
    all_kept,
    find_kept,
    find_versions,
    keep,
    touches,
)

__all__ = [
    "EXPORT_VERSION",
    "CallOutcome",
    "CallRow",
    "KeptAnswer",
    "Ledger",
    "Measurement",
    "MeasurementKind",
    "RunRecord",
    "RunRow",
    "RunStatus",
    "StepRow",
    "Sum",
    "Totals",
    "Touch",
    "Used",
    "VersionRow",
    "add_measurement",
    "add_touch",
    "add_version",
    "adopt_run",
    "all_kept",
    "export_jsonl",
    "find_answers",
    "find_kept",
    "find_versions",
    "keep",
    "keep_answers",
    "past_measurements",
    "redact",
    "row_json",
    "secrets_of",
    "totals",
    "touches",
]

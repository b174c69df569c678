from __future__ import annotations

import io
import json
from collections.abc import Callable
from datetime import datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from senno.errors import ConfigError
from senno.ledger import EXPORT_VERSION, CallRow, Ledger, RunRow, StepRow, export, export_jsonl

ROWS = {"run": RunRow, "step": StepRow, "call": CallRow}


def row_of(line: str) -> RunRow | StepRow | CallRow:
    """A row from its line, as the docstring of `export.py` says."""
    values: dict[str, Any] = json.loads(line)
    kind = values.pop("row")
    assert values.pop("schema_version") == EXPORT_VERSION
    for name in ("started", "ended"):
        if values.get(name):
            values[name] = datetime.fromisoformat(values[name])
    if values.get("cost") is not None:
        values["cost"] = Decimal(values["cost"])
    return ROWS[kind](**values)


@pytest.fixture
def filled(ledger: Ledger, make_call: Callable[..., CallRow], make_step: Callable[..., StepRow]) -> Ledger:
    for name in ("first", "second"):
        run_id = ledger.start_run("loop", name, "films, \u2028 \ud800 «è»", {"odd": "a\ud800\u0085\0b"})
        ledger.add_step(make_step(run_id, output={"x": [1.5, None, "日本"]}))
        ledger.add_step(make_step(run_id, number=2, cost=None))
        ledger.add_call(make_call(run_id=run_id, sent=json.dumps({"a": "\nb"}), received=None, cost=Decimal("1E-9")))
        ledger.add_call(make_call(role="judge"))
    ledger.end_run(run_id, "done", {"films": []})
    return ledger


def exported(ledger: Ledger, run_ids: list[str] | None, tmp_path: Path) -> list[str]:
    with (tmp_path / "out.jsonl").open("w", encoding="utf-8") as stream:
        export_jsonl(ledger, run_ids, stream)
    return (tmp_path / "out.jsonl").read_text(encoding="utf-8").split("\n")[:-1]


def test_an_export_gives_every_row_back(filled: Ledger, tmp_path: Path) -> None:
    first, second = (filled.run(run_id) for run_id in filled.run_ids())
    rows = [row_of(line) for line in exported(filled, None, tmp_path)]
    assert rows == [
        *(first.run, *first.steps, *first.calls),
        *(second.run, *second.steps, *second.calls),
        *filled.calls(None),
    ]


def test_chosen_runs_are_exported_alone(filled: Ledger, tmp_path: Path) -> None:
    first, _ = filled.run_ids()
    rows = [row_of(line) for line in exported(filled, [first], tmp_path)]
    assert [type(row) for row in rows] == [RunRow, StepRow, StepRow, CallRow]
    assert rows[0] == filled.run(first).run


def test_a_run_that_is_not_there_is_told(filled: Ledger) -> None:
    with pytest.raises(ConfigError, match="no run 'zebra'; the nearest: "):
        export_jsonl(filled, ["zebra"], io.StringIO())


def test_an_empty_ledger_exports_nothing(ledger: Ledger) -> None:
    stream = io.StringIO()
    export_jsonl(ledger, None, stream)
    assert stream.getvalue() == ""


def test_calls_of_no_run_are_exported_page_by_page(
    ledger: Ledger, make_call: Callable[..., CallRow], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(export, "_PAGE", 3)
    ids = [ledger.add_call(make_call()) for _ in range(7)]
    stream = io.StringIO()
    export_jsonl(ledger, None, stream)
    assert [json.loads(line)["id"] for line in stream.getvalue().splitlines()] == ids

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import apsw
import pytest

from senno.errors import LedgerError
from senno.ledger import Ledger, Measurement, add_measurement, past_measurements

AT = datetime(2026, 12, 1, 5, 0, 0, 123456, tzinfo=UTC)
DIGEST = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"


def one(kind="measure", model="jev-1.13.0", report=None) -> Measurement:
    return Measurement(kind, model, {"tone": DIGEST, "tōne\ud800": DIGEST}, None, AT, report or {"sd": 0.1})


def test_measurements_come_back_newest_first_and_as_they_were(tmp_path: Path) -> None:
    with Ledger.open(tmp_path / "l.db") as ledger:
        first = add_measurement(ledger, one())
        second = add_measurement(ledger, one("calibrate", report={"j": None}))
        found = past_measurements(ledger)
        assert [each.id for each in found] == [second, first]
        assert found[1].questions["tone"] == DIGEST
        assert (found[1].created, found[1].report) == (AT, {"sd": 0.1})
        assert [each.kind for each in past_measurements(ledger, "measure")] == ["measure"]
        assert len(past_measurements(ledger, limit=1)) == 1


def test_what_is_no_json_or_has_no_zone_is_not_recorded(tmp_path: Path) -> None:
    with Ledger.open(tmp_path / "l.db") as ledger:
        with pytest.raises(LedgerError, match="no JSON value"):
            add_measurement(ledger, one(report={"sd": float("nan")}))
        with pytest.raises(LedgerError, match="no zone"):
            add_measurement(ledger, Measurement("measure", "m", {}, None, datetime(2026, 1, 1), {}))  # noqa: DTZ001
        assert past_measurements(ledger) == []


def test_secrets_in_a_report_are_redacted(tmp_path: Path) -> None:
    with Ledger.open(tmp_path / "l.db") as ledger:
        add_measurement(ledger, one(report={"text": "key sk-ant-api03-" + "a1B2" * 23}))
        assert "redacted" in past_measurements(ledger)[0].report["text"]


def test_a_damaged_row_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "l.db"
    with Ledger.open(path) as ledger:
        add_measurement(ledger, one())
    connection = apsw.Connection(str(path))
    connection.execute("UPDATE measurements SET report = '{'")
    connection.close()
    with Ledger.open(path) as ledger, pytest.raises(LedgerError, match="damaged"):
        past_measurements(ledger)

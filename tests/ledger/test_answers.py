from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import apsw
import pytest

from senno.errors import LedgerError
from senno.ledger import KeptAnswer, Ledger, find_answers, keep_answers

MADE = datetime(2026, 11, 30, 21, 5, 12, 345678, tzinfo=UTC)
ANSWER = KeptAnswer("jev-1.13.0", "systemone", MADE, (0.1 + 0.2, 0.7))


def test_an_answer_is_found_as_it_was_kept_to_the_last_digit(path: Path) -> None:
    with Ledger.open(path) as ledger:
        keep_answers(ledger, {"a": ANSWER})
    with Ledger.open(path) as ledger:
        assert find_answers(ledger, ["a", "b"]) == {"a": ANSWER}
        assert find_answers(ledger, []) == {}


def test_the_first_answer_under_a_key_stays(path: Path) -> None:
    with Ledger.open(path) as ledger:
        keep_answers(ledger, {"a": ANSWER})
        keep_answers(ledger, {"a": KeptAnswer("jev-1.13.0", "systemone", MADE, (0.5, 0.5)), "b": ANSWER})
        assert find_answers(ledger, ["a", "b"]) == {"a": ANSWER, "b": ANSWER}


def test_many_answers_are_kept_and_found_at_once(path: Path) -> None:
    many = {f"sha256:{n:064x}": ANSWER for n in range(5000)}
    with Ledger.open(path) as ledger:
        keep_answers(ledger, many)
        assert find_answers(ledger, many) == many


def test_another_process_finds_them_too(path: Path) -> None:
    with Ledger.open(path) as one, Ledger.open(path) as other:
        keep_answers(one, {"a": ANSWER})
        keep_answers(other, {"b": ANSWER})
        assert find_answers(one, ["a", "b"]) == find_answers(other, ["a", "b"]) == {"a": ANSWER, "b": ANSWER}


@pytest.mark.parametrize(
    ("column", "value"),
    [("made", "yesterday"), ("shares", "["), ("shares", "[]"), ("shares", "[1e999]"), ("shares", '["x"]')],
)
def test_a_damaged_row_is_not_there_and_hides_no_other(path: Path, column: str, value: str) -> None:
    with Ledger.open(path) as ledger:
        keep_answers(ledger, {"a": ANSWER, "b": ANSWER})
    connection = apsw.Connection(str(path))
    connection.execute(f"UPDATE answers SET {column} = ? WHERE key = 'a'", (value,))
    connection.close()
    with Ledger.open(path) as ledger:
        assert find_answers(ledger, ["a", "b"]) == {"b": ANSWER}


def test_a_time_without_a_zone_is_refused(path: Path) -> None:
    with Ledger.open(path) as ledger, pytest.raises(LedgerError):
        keep_answers(ledger, {"a": KeptAnswer("m", "x", MADE.replace(tzinfo=None), (0.5,))})


def test_the_answers_of_version_3_are_read(path: Path) -> None:
    connection = apsw.Connection(str(path))
    connection.execute((Path(__file__).parent / "fixtures" / "v3.sql").read_text(encoding="utf-8"))
    connection.close()
    with Ledger.open(path) as ledger:
        assert find_answers(ledger, ["5e0c"]) == {"5e0c": KeptAnswer("jev-1.13.0", "systemone", MADE, (0.25, 0.75))}

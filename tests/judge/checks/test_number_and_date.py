"""Numbers and dates."""

from __future__ import annotations

from typing import Any

import pytest

from senno.judge.checks import CheckResult, parse_check, run_check


def number(text: str, **parameters: Any) -> CheckResult:
    return run_check(parse_check("x", {"type": "number", **parameters}, "f"), text)


def date(text: str, **parameters: Any) -> CheckResult:
    return run_check(parse_check("x", {"type": "date", **parameters}, "f"), text)


READ = [
    # text, decimal sign, the one number that it is
    ("12", ".", 12),
    ("-12.50", ".", -12.5),
    ("\u221212", ".", -12),
    ("+3", ".", 3),
    (".5", ".", 0.5),
    ("1,234,567.5", ".", 1234567.5),
    ("1.234.567,5", ",", 1234567.5),
    ("1'234.5", ".", 1234.5),
    ("1\u00a0234,5", ",", 1234.5),
    ("1\u202f234", ".", 1234),
    ("12,5", ",", 12.5),
    ("6.02e23", ".", 6.02e23),
    ("€12.50", ".", 12.5),
    ("12kg", ".", 12),
    ("(7)", ".", 7),
    ("7.", ".", 7),
    ("٣", ".", 3),
    ("１２", ".", 12),
    ("0.1", ".", 0.1),
]


@pytest.mark.parametrize(("text", "decimal", "value"), READ, ids=ascii)
def test_a_number_is_read(text: str, decimal: str, value: float) -> None:
    result = number(f"x {text} y", min=value, max=value, decimal=decimal, position=1)

    assert result.passed, result.detail
    assert not number(f"x {text} y {text}", min=value, max=value, decimal=decimal, position=3).passed


@pytest.mark.parametrize("text", ["", "no number", "A4", "covid19", "x_1", "-", "is e5x"], ids=ascii)
def test_digits_inside_words_are_no_numbers(text: str) -> None:
    result = number(text, min=2)

    assert not result.passed
    assert not result.spans


@pytest.mark.parametrize(
    ("text", "decimal"), [("12,5", "."), ("12.5", ","), ("1.2.3", "."), ("1,23,456", ".")], ids=ascii
)
def test_what_the_decimal_sign_does_not_fit_is_said_and_not_cut(text: str, decimal: str) -> None:
    result = number(text, decimal=decimal)

    assert not result.passed
    assert result.detail == f"no number is there; not numbers with decimal sign {decimal!r}: {text}"


def test_digits_that_python_does_not_know_yet_are_no_numbers() -> None:
    assert not number("\U000116d0", min=0).passed  # Myanmar Extended-C, Unicode 16


def test_any_number_all_numbers_or_the_one_at_a_position() -> None:
    text = "5 mele, 50 pere e 500 noci"

    assert [s.text for s in number(text, min=10, max=100).spans] == ["50"]
    assert [s.text for s in number(text, min=10, max=100, position="all").spans] == ["5", "500"]
    assert number(text, min=500, position=-1).passed
    assert number(text, min=10, position=1) == CheckResult(False, "5 not in [10, ∞]", number(text, max=5).spans)
    assert number(text, position=4).detail == "3 numbers are there, the one at position 4 is missing"
    assert number(text, position=-4).detail == "3 numbers are there, the one at position -4 is missing"


def test_bounds_are_compared_exactly() -> None:
    assert number("0.1", max=0.1).passed
    assert not number("0.10000000000000000001", max=0.1).passed


def test_a_range_with_a_dash_is_two_positive_numbers() -> None:
    assert [s.text for s in number("10-20", min=0, position="all").spans] == ["10", "20"]


def test_dates_within_the_range_pass_with_their_places() -> None:
    result = date("Dal 1/3/2025 al 31.03.2025 (2025-04-01).", min="2025-03-01", max="2025-04-01")

    assert result.passed
    assert [s.text for s in result.spans] == ["1/3/2025", "31.03.2025", "2025-04-01"]


def test_one_date_outside_fails_and_only_it_is_shown() -> None:
    result = date("2025-03-01, 2026-03-01", max="2025-12-31")

    assert result == CheckResult(False, "2026-03-01: not to 2025-12-31", result.spans)
    assert [s.text for s in result.spans] == ["2026-03-01"]


@pytest.mark.parametrize("text", ["31/02/2025", "2025-13-01", "00/01/2025", "2025-02-29"])
def test_a_day_that_does_not_exist_fails(text: str) -> None:
    result = date(f"Il {text}.")

    assert not result.passed
    assert result.detail == f"no such day: {text}"


@pytest.mark.parametrize(
    "text", ["", "marzo 2025", "1/3/25", "12025-03-01", "2025-3-1", "1/3-2025", "01/01/20255", "2025-03-011"]
)
def test_no_date_fails_with_no_span(text: str) -> None:
    assert date(text) == CheckResult(False, "no date is there")


def test_the_way_of_writing_can_be_asked_for() -> None:
    assert date("31/03/2025", format="dmy").passed
    assert not date("31/03/2025", format="iso").passed
    assert date("2024-02-29", format="iso", min="2024-02-29", max="2024-02-29").passed

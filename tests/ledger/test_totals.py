from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal

import pytest

from senno.ledger import CallRow, Ledger, RunRecord, Sum, Totals, Used, totals


@pytest.fixture
def record(ledger: Ledger) -> RunRecord:
    return ledger.run(ledger.start_run("loop", "movie", "", {}))


def test_a_run_without_calls_used_nothing(record: RunRecord) -> None:
    nothing = Used(0, 0, Sum(0, 0), Sum(0, 0), Sum(0, 0), Sum(Decimal(0), 0), 0.0)
    assert totals(record) == Totals({}, nothing)


def test_calls_are_summed_up_by_role_and_in_all(record: RunRecord, make_call: Callable[..., CallRow]) -> None:
    calls = (
        make_call(role="refiner", tokens_in=284, tokens_out=96, tokens_cached=0, cost=Decimal("0.0013"), seconds=1.8),
        make_call(role="actor", tokens_in=318, tokens_out=162, tokens_cached=18, cost=Decimal("0.0019"), seconds=4.5),
        make_call(role="refiner", tokens_in=1, tokens_out=2, tokens_cached=1, cost=Decimal("0.1"), seconds=0.2),
    )
    summed = totals(replace(record, calls=calls))
    assert list(summed.by_role) == ["refiner", "actor"]
    assert summed.by_role["refiner"] == Used(2, 0, Sum(285, 0), Sum(98, 0), Sum(1, 0), Sum(Decimal("0.1013"), 0), 2.0)
    assert summed.by_role["actor"] == Used(1, 0, Sum(318, 0), Sum(162, 0), Sum(18, 0), Sum(Decimal("0.0019"), 0), 4.5)
    assert summed.overall == Used(3, 0, Sum(603, 0), Sum(260, 0), Sum(19, 0), Sum(Decimal("0.1032"), 0), 6.5)


def test_what_is_not_known_is_counted_and_never_a_zero(record: RunRecord, make_call: Callable[..., CallRow]) -> None:
    calls = (
        make_call(tokens_in=10, tokens_out=None, tokens_cached=None, cost=None),
        make_call(tokens_in=None, tokens_out=None, tokens_cached=None, cost=Decimal("0.5"), outcome="failed"),
    )
    overall = totals(replace(record, calls=calls)).overall
    assert overall.tokens_in == Sum(10, 1)
    assert overall.tokens_out == Sum(None, 2)
    assert overall.tokens_cached == Sum(None, 2)
    assert overall.cost == Sum(Decimal("0.5"), 1)


def test_refused_calls_are_counted_apart(record: RunRecord, make_call: Callable[..., CallRow]) -> None:
    refused = make_call(tokens_in=None, tokens_out=None, cost=None, seconds=0.0, outcome="refused")
    overall = totals(replace(record, calls=(make_call(), refused))).overall
    assert (overall.calls, overall.refused) == (1, 1)
    assert (overall.tokens_in, overall.cost) == (Sum(284, 0), Sum(Decimal("0.0013"), 0))

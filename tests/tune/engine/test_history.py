"""What a run keeps, and what earlier sessions left of a budget."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta
from decimal import Decimal

import pytest

from senno.ledger import CallRow, Ledger
from senno.models import Budget, Calls, Message, Request, ScriptedText
from senno.tune.answering import in_order
from senno.tune.asking import KeptCalls
from senno.tune.history import History, digest
from senno.tune.stops import ModelChanged
from senno.tune.trial import Judged

BEGAN = datetime(2026, 12, 1, 9, 0, tzinfo=UTC)


@pytest.fixture
def history(tmp_path):
    with Ledger.open(tmp_path / "l.db") as ledger:
        yield History.begin(ledger, "finance", "tune", {})


def call(run_id, **changes):
    values = {
        "role": "answer", "model_asked": "m", "model_answered": "m-1", "sent": "{}", "received": "{}",
        "tokens_in": 100, "tokens_out": 50, "tokens_cached": None, "cost": Decimal("0.25"), "started": BEGAN,
        "seconds": 2.0, "outcome": "ok", "error": None,
    }  # fmt: skip
    return CallRow(run_id=run_id, **(values | changes))


@pytest.mark.parametrize(
    ("budget", "left"),
    [
        (Budget(), Budget()),
        (Budget(tokens=1000), Budget(tokens=700)),
        (Budget(cost=Decimal("0.75")), Budget(cost=Decimal("0.25"))),
        (Budget(calls=3), Budget(calls=1)),
        (Budget(calls=2), None),
        (Budget(tokens=300), None),
        (Budget(cost=Decimal("0.5")), None),
    ],
)
def test_what_was_spent_before_is_taken_off(history, budget, left) -> None:
    for row in (call(history.run_id), call(history.run_id), call(history.run_id, outcome="refused", tokens_in=10**6)):
        history.ledger.add_call(row)
    assert history.left(budget) == left


def test_calls_whose_tokens_nobody_told_count_by_their_length(history) -> None:
    history.ledger.add_call(call(history.run_id, tokens_in=None, tokens_out=None, sent="x" * 4000, received="y" * 400))
    left = history.left(Budget(tokens=2000))
    assert left is not None
    assert left.tokens is not None
    assert 500 < left.tokens < 1500


def test_seconds_are_those_of_the_sessions_and_not_between_them(history) -> None:
    history.keep("session", (BEGAN).isoformat(), {})
    history.keep("session", (BEGAN + timedelta(hours=5)).isoformat(), {})
    for moment in (BEGAN + timedelta(seconds=8), BEGAN + timedelta(hours=5, seconds=18)):
        history.ledger.add_call(call(history.run_id, started=moment))
    assert history.left(Budget(seconds=100.0)) == Budget(seconds=70.0)


def test_the_same_request_asked_twice_is_two_and_each_comes_back(history) -> None:
    request = Request("Be brief.", (Message("user", "Hello."),))

    async def asked(replies):
        calls = KeptCalls(Calls(ledger=history.ledger, run_id=history.run_id), History(history.ledger, history.run_id))
        model = ScriptedText("m", replies)
        return [(await calls.complete(model, request, role="rewrite")).text for _ in range(2)]

    assert asyncio.run(asked(["one", "two"])) == ["one", "two"]
    assert asyncio.run(asked([])) == ["one", "two"]
    assert len(history.ledger.calls(history.run_id)) == 2


def test_digests_tell_values_apart() -> None:
    assert digest("a", "b") != digest("ab") != digest(["a", "b"])
    assert digest("\ud800") != digest("?")


@pytest.mark.parametrize("workers", [1, 2, 5, 50])
def test_a_failure_begins_nothing_more_and_what_was_begun_ends(workers) -> None:
    begun, ended = [], []

    async def work(job):
        begun.append(job)
        await asyncio.sleep(0)
        if job == 3:
            raise ModelChanged("another")
        await asyncio.sleep(0.01)
        ended.append(job)
        return Judged(str(job), 0, 1.0)

    with pytest.raises(ModelChanged):
        asyncio.run(in_order(range(100), work, workers))
    assert len(begun) <= 4 + workers
    assert sorted([*ended, 3]) == begun


def test_results_come_in_the_order_of_the_jobs() -> None:
    async def work(job):
        await asyncio.sleep(0.01 if job % 2 else 0)
        return Judged(str(job), 0, 1.0)

    found = asyncio.run(in_order(range(9), work, 4))
    assert [each.scenario for each in found] == [str(n) for n in range(9)]

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from decimal import Decimal

import pytest

from senno.errors import BudgetExceeded, ConfigError, ModelError
from senno.models import (
    AttemptFailed,
    Budget,
    Calls,
    Decision,
    Message,
    Noul,
    Outgoing,
    Price,
    Probability,
    Received,
    Reply,
    Request,
    RetryPolicy,
    ScriptedDecisions,
    ScriptedText,
    Unanswered,
    Usage,
)

PRICES = {"m": Price(Decimal(1), Decimal(10))}


def request(text: str = "hi", **rest) -> Request:
    return Request("", (Message("user", text),), **rest)


def reply(tokens_in: int | None = 10, tokens_out: int | None = 5, text: str = "yes", **rest) -> Reply:
    return Reply(text, "m-1", usage=Usage(tokens_in, tokens_out), **rest)


def busy(**rest) -> AttemptFailed:
    return AttemptFailed("HTTP 503: busy", retry=True, usage=Usage(0, 0), **rest)


class Slow:
    """A text model that answers when it is told to."""

    name = "m"

    def __init__(self, answer: Callable[[Request], Reply] = lambda _: reply()) -> None:
        self.begun: list[Request] = []
        self.go = asyncio.Event()
        self.answer = answer

    async def complete(self, request: Request) -> Reply:
        self.begun.append(request)
        await self.go.wait()
        return self.answer(request)


async def settled() -> None:
    """Let every task go as far as it can."""
    for _ in range(20):
        await asyncio.sleep(0)


def test_a_call_leaves_one_row_with_all_of_it(rows) -> None:
    model = ScriptedText("m", [Reply("ciao", "m-2026", usage=Usage(12, 3, 4), notes=("no schema",))])

    async def main() -> Reply:
        calls = Calls(ledger=rows, run_id="r1", prices=PRICES)
        return await calls.complete(model, request("salve", temperature=0.0), role="actor")

    assert asyncio.run(main()).text == "ciao"
    (row,) = rows.rows
    assert (row.run_id, row.role, row.model_asked, row.model_answered) == ("r1", "actor", "m", "m-2026")
    assert (row.tokens_in, row.tokens_out, row.tokens_cached) == (12, 3, 4)
    assert row.cost == Decimal("0.000042")
    assert (row.outcome, row.error) == ("ok", None)
    assert row.started.tzinfo is not None
    sent = json.loads(row.sent)
    assert sent["messages"][0]["text"] == "salve"
    assert sent["temperature"] == 0.0
    assert json.loads(row.received) == {"text": "ciao", "finish": "stop", "notes": ["no schema"]}


def test_a_failure_that_may_pass_is_tried_again_and_each_attempt_has_a_row(rows, clock) -> None:
    model = ScriptedText("m", [busy(), busy(retry_after=7), reply()])

    async def main() -> Calls:
        calls = Calls(ledger=rows, clock=clock, sleep=clock.sleep, chance=lambda: 0.0)
        assert (await calls.complete(model, request(), role="critic")).text == "yes"
        return calls

    calls = asyncio.run(main())
    assert rows.outcomes == ["retried", "retried", "ok"]
    assert [row.error for row in rows.rows] == ["HTTP 503: busy", "HTTP 503: busy", None]
    assert clock.slept == [0.25, 7]
    assert calls.spent("critic").calls == calls.spent().calls == 3
    assert calls.spent().tokens_in == 10


def test_attempts_are_counted_out(rows, clock) -> None:
    model = ScriptedText("m", [busy(), busy(), busy(), reply()])
    calls = Calls(ledger=rows, clock=clock, sleep=clock.sleep, retry=RetryPolicy(attempts=3))
    with pytest.raises(ModelError, match=r"m: HTTP 503: busy \(after 3 attempts\)") as caught:
        asyncio.run(calls.complete(model, request(), role="a"))
    assert caught.value.attempts == 3
    assert rows.outcomes == ["retried", "retried", "failed"]


def test_a_failure_that_stays_is_not_tried_again(rows) -> None:
    model = ScriptedText("m", [AttemptFailed("HTTP 401: no key", retry=False), reply()])
    with pytest.raises(ModelError, match="HTTP 401"):
        asyncio.run(Calls(ledger=rows).complete(model, request(), role="a"))
    assert rows.outcomes == ["failed"]


def test_a_wait_beyond_the_total_gives_up_at_once_and_says_so(rows, clock) -> None:
    model = ScriptedText("m", [busy(retry_after=3600), reply()])
    calls = Calls(ledger=rows, clock=clock, sleep=clock.sleep)
    with pytest.raises(ModelError, match="asks to wait 3600 s, and retries may take 120 s in all"):
        asyncio.run(calls.complete(model, request(), role="a"))
    assert clock.slept == []
    assert rows.outcomes == ["failed"]


def test_a_stall_is_cut_and_tried_again(rows) -> None:
    class Stalls:
        name = "m"
        attempts = 0

        async def complete(self, request: Request) -> Reply:
            self.attempts += 1
            if self.attempts == 1:
                await asyncio.Event().wait()
            return reply()

    calls = Calls(ledger=rows, timeout=0.05, retry=RetryPolicy(first=0.001))
    assert asyncio.run(calls.complete(Stalls(), request(), role="a")).text == "yes"
    assert rows.outcomes == ["retried", "ok"]
    assert rows.rows[0].error == "no answer within 0.05 s"
    assert rows.rows[0].tokens_in is None
    assert calls.spent().estimated_calls == 1


def test_a_cancelled_attempt_leaves_a_row(rows) -> None:
    async def main() -> Calls:
        calls = Calls(ledger=rows)
        task = asyncio.create_task(calls.complete(Slow(), request(), role="a"))
        await settled()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        # What it held is free again: another call is made.
        assert (await calls.complete(ScriptedText("m", [reply()]), request(), role="a")).text == "yes"
        return calls

    asyncio.run(main())
    assert rows.outcomes == ["failed", "ok"]
    assert rows.rows[0].error == "cancelled"


def test_a_fault_in_a_backend_leaves_a_row_and_is_raised_as_it_is(rows) -> None:
    def faulty(_: Request) -> Reply:
        raise ZeroDivisionError("oops")

    with pytest.raises(ZeroDivisionError):
        asyncio.run(Calls(ledger=rows).complete(ScriptedText("m", [faulty]), request(), role="a"))
    assert rows.outcomes == ["failed"]
    assert rows.rows[0].error == "ZeroDivisionError: oops"


def test_an_answer_that_was_cut_is_returned_as_it_is() -> None:
    model = ScriptedText("m", [reply(finish="length")])
    assert asyncio.run(Calls().complete(model, request(), role="a")).finish == "length"


def test_tokens_that_the_provider_does_not_say_are_estimated_and_that_is_said(rows) -> None:
    async def main() -> Calls:
        calls = Calls(ledger=rows, prices=PRICES)
        await calls.complete(ScriptedText("m", ["y" * 35]), request("x" * 350), role="a")
        return calls

    spent = asyncio.run(main()).spent("a")
    assert rows.rows[0].tokens_in is rows.rows[0].tokens_out is rows.rows[0].cost is None
    assert (spent.tokens_in, spent.tokens_out, spent.cost) == (None, None, None)
    assert spent.estimated_calls == spent.unpriced_calls == 1
    assert spent.counted_in >= 100
    assert spent.counted_out >= 10
    assert spent.counted_cost > 0


def test_what_a_step_spent_is_the_difference_of_two_snapshots() -> None:
    async def main() -> None:
        calls = Calls(prices=PRICES)
        model = ScriptedText("m", [reply(), reply(100, 50)])
        await calls.complete(model, request(), role="a")
        before = calls.spent()
        await calls.complete(model, request(), role="b")
        step = calls.spent().since(before)
        assert (step.calls, step.tokens_in, step.tokens_out, step.cost) == (1, 100, 50, Decimal("0.0006"))

    asyncio.run(main())


@pytest.mark.parametrize("wrong", [{"timeout": 0}, {"concurrency": 0}])
def test_a_gate_that_could_let_nothing_through_is_an_error(wrong) -> None:
    with pytest.raises(ConfigError, match="expected above zero, and at least 1"):
        Calls(**wrong)


# Budgets


def test_a_refused_call_leaves_what_would_have_been_sent(rows) -> None:
    calls = Calls(ledger=rows, budget=Budget(calls=1))
    model = ScriptedText("m", [reply(), reply()])

    async def main() -> None:
        await calls.complete(model, request(), role="a")
        with pytest.raises(BudgetExceeded, match="the budget of 1 calls for the run is used up") as caught:
            await calls.complete(model, request("second"), role="b")
        assert caught.value.kind == "calls"

    asyncio.run(main())
    assert len(model.requests) == 1
    assert rows.outcomes == ["ok", "refused"]
    refused = rows.rows[1]
    assert json.loads(refused.sent)["messages"][0]["text"] == "second"
    assert refused.received is refused.tokens_in is refused.cost is None
    assert "used up" in refused.error
    assert calls.spent().calls == 1


@pytest.mark.parametrize(
    ("budget", "kind"),
    [(Budget(tokens=60), "tokens"), (Budget(cost=Decimal("0.00052")), "cost"), (Budget(calls=1), "calls")],
)
@pytest.mark.parametrize("whose", ["the run", "the role a"])
def test_each_budget_of_run_and_role_stops_the_next_call(budget, kind, whose) -> None:
    limits = {"budget": budget} if whose == "the run" else {"role_budgets": {"a": budget}}
    model = ScriptedText("m", [reply(10, 50), reply(10, 50)])

    async def main() -> None:
        calls = Calls(prices=PRICES, **limits)
        await calls.complete(model, request(), role="a")
        with pytest.raises(BudgetExceeded, match=f"for {whose}") as caught:
            await calls.complete(model, request(), role="a")
        assert (caught.value.kind, caught.value.whose) == (kind, whose)

    asyncio.run(main())
    assert len(model.requests) == 1


def test_the_budget_of_one_role_leaves_the_others_alone() -> None:
    async def main() -> None:
        calls = Calls(role_budgets={"a": Budget(calls=1)})
        model = ScriptedText("m", [reply(), reply()])
        await calls.complete(model, request(), role="a")
        await calls.complete(model, request(), role="b")
        with pytest.raises(BudgetExceeded):
            await calls.complete(model, request(), role="a")

    asyncio.run(main())


def test_the_output_is_held_to_what_the_tokens_leave(rows) -> None:
    model = ScriptedText("m", [reply(10, 5), reply(10, 5), reply(10, 5)])

    async def main() -> None:
        calls = Calls(ledger=rows, budget=Budget(tokens=1000))
        await calls.complete(model, request(max_tokens=50), role="a")
        await calls.complete(model, request(max_tokens=5000), role="a")
        await calls.complete(model, request(), role="a")

    asyncio.run(main())
    given, lowered, open_ = (asked.max_tokens for asked in model.requests)
    assert given == 50
    assert 900 < lowered < 985
    assert 900 < open_ < 970
    assert [json.loads(row.sent)["max_tokens"] for row in rows.rows] == [given, lowered, open_]


def test_a_cost_budget_and_a_model_without_a_price_is_an_error_before_anything_is_sent(rows) -> None:
    model = ScriptedText("gguf:x.gguf", [reply()])
    with pytest.raises(ConfigError, match=r"price of gguf:x\.gguf is not known"):
        asyncio.run(Calls(ledger=rows, budget=Budget(cost=Decimal(1))).complete(model, request(), role="a"))
    assert model.requests == []
    assert rows.rows == []


def test_parallel_calls_cannot_outspend_the_tokens_together(rows) -> None:
    """Every answer is as long as it may be: ten of them would be far over the budget."""
    budget = 2000

    async def main() -> None:
        calls = Calls(ledger=rows, budget=Budget(tokens=budget), concurrency=10)
        model = Slow(lambda asked: reply(20, asked.max_tokens))
        model.go.set()
        jobs = [calls.complete(model, request("x" * 30, max_tokens=400), role="a") for _ in range(10)]
        ended = await asyncio.gather(*jobs, return_exceptions=True)
        assert {type(each) for each in ended} == {Reply, BudgetExceeded}
        spent = calls.spent()
        assert 1500 < spent.tokens_in + spent.tokens_out <= budget

    asyncio.run(main())
    assert set(rows.outcomes) == {"ok", "refused"}


def test_a_call_waits_for_those_under_way_rather_than_be_refused() -> None:
    """Both set aside more than they use; one after the other they fit."""

    async def main() -> None:
        calls = Calls(budget=Budget(tokens=1000), concurrency=4)
        model = Slow()
        jobs = [asyncio.create_task(calls.complete(model, request(max_tokens=800), role="a")) for _ in range(3)]
        await settled()
        assert len(model.begun) == 1
        model.go.set()
        assert [each.text for each in await asyncio.gather(*jobs)] == ["yes"] * 3
        assert calls.spent().tokens_in == 30

    asyncio.run(main())


def test_parallel_calls_cannot_outnumber_the_calls_together() -> None:
    async def main() -> None:
        calls = Calls(budget=Budget(calls=2), concurrency=5)
        model = Slow()
        model.go.set()
        ended = await asyncio.gather(
            *(calls.complete(model, request(), role="a") for _ in range(5)), return_exceptions=True
        )
        assert [type(each) for each in ended].count(BudgetExceeded) == 3
        assert len(model.begun) == 2

    asyncio.run(main())


def test_no_more_attempts_are_under_way_than_the_concurrency_allows() -> None:
    async def main() -> None:
        calls = Calls(concurrency=2)
        model = Slow()
        jobs = [asyncio.create_task(calls.complete(model, request(), role="a")) for _ in range(5)]
        await settled()
        assert len(model.begun) == 2
        model.go.set()
        await asyncio.gather(*jobs)
        assert len(model.begun) == 5

    asyncio.run(main())


def test_the_seconds_of_a_run_cut_an_attempt_short(rows) -> None:
    async def main() -> None:
        calls = Calls(ledger=rows, budget=Budget(seconds=0.05), timeout=60)
        with pytest.raises(BudgetExceeded, match="seconds for the run is used up") as caught:
            await calls.complete(Slow(), request(), role="a")
        assert caught.value.kind == "seconds"
        with pytest.raises(BudgetExceeded):
            await calls.complete(ScriptedText("m", [reply()]), request(), role="a")

    asyncio.run(main())
    assert rows.outcomes == ["failed", "refused"]
    assert "cut short" in rows.rows[0].error


def test_the_seconds_of_a_run_pass_between_its_calls(clock) -> None:
    calls = Calls(budget=Budget(seconds=30), clock=clock)
    clock.now += 31
    with pytest.raises(BudgetExceeded, match="seconds"):
        asyncio.run(calls.complete(ScriptedText("m", [reply()]), request(), role="a"))


def test_the_seconds_of_a_role_are_those_of_its_attempts(clock) -> None:
    async def main() -> None:
        calls = Calls(role_budgets={"a": Budget(seconds=30)}, clock=clock)

        def takes(seconds: float) -> Callable[[Request], Reply]:
            def answer(_: Request) -> Reply:
                clock.now += seconds
                return reply()

            return answer

        model = ScriptedText("m", [takes(20), takes(500), takes(20), takes(1)])
        await calls.complete(model, request(), role="a")
        await calls.complete(model, request(), role="b")
        await calls.complete(model, request(), role="a")
        with pytest.raises(BudgetExceeded, match="of 30 seconds for the role a") as caught:
            await calls.complete(model, request(), role="a")
        assert caught.value.kind == "seconds"

    asyncio.run(main())


def test_the_seconds_of_a_role_end_all_its_attempts(rows) -> None:
    async def main() -> None:
        calls = Calls(ledger=rows, role_budgets={"a": Budget(seconds=0.1)}, timeout=60, concurrency=4)
        ended = await asyncio.gather(
            *(calls.complete(Slow(), request(), role="a") for _ in range(4)), return_exceptions=True
        )
        assert all(isinstance(each, BudgetExceeded) and each.kind == "seconds" for each in ended)

    asyncio.run(main())
    assert rows.outcomes == ["failed"] * 4


def test_a_pause_does_not_outlast_the_seconds_of_the_run(rows, clock) -> None:
    calls = Calls(ledger=rows, budget=Budget(seconds=10), clock=clock, sleep=clock.sleep)
    model = ScriptedText("m", [busy(retry_after=30), reply()])
    with pytest.raises(BudgetExceeded, match=r"m is to be asked again in 30\.0 s: HTTP 503: busy") as caught:
        asyncio.run(calls.complete(model, request(), role="a"))
    assert caught.value.kind == "seconds"
    assert clock.slept == []
    assert rows.outcomes == ["failed"]


# Decision models


def test_a_decision_is_recorded_checked_and_priced(rows) -> None:
    model = ScriptedDecisions("table", lambda state, _: {"a": 1.5, "b": Probability(0.5), "c": 0.1})
    questions = {"a": Noul("A?"), "b": Noul("B?")}

    async def main() -> Decision:
        return await Calls(ledger=rows, run_id="r").decide(model, {"text": "ciao"}, questions, role="judge")

    decision = asyncio.run(main())
    assert decision.answers == {"a": Unanswered("1.5 is no probability in [0, 1]"), "b": Probability(0.5)}
    assert decision.notes == ("refused answers to questions that were not asked: 'c'",)
    assert (decision.method, decision.cost) == ("scripted", Decimal(0))
    (row,) = rows.rows
    assert (row.role, row.model_asked, row.outcome) == ("judge", "table", "ok")
    assert json.loads(row.sent)["questions"]["a"]["type"] == "noul"
    assert json.loads(row.received)["answers"]["b"] == {"yes": 0.5}


def test_a_wire_of_its_own_is_budgeted_and_tried_again(rows, clock) -> None:
    answers = [busy(), Received(0.9, '{"noul": 0.9}', "jev-1.13.0", Usage(300, 4))]
    granted: list[int | None] = []

    async def attempt(max_tokens: int | None) -> Received[float]:
        granted.append(max_tokens)
        answer = answers.pop(0)
        if isinstance(answer, AttemptFailed):
            raise answer
        return answer

    async def main() -> float:
        calls = Calls(ledger=rows, clock=clock, sleep=clock.sleep, budget=Budget(tokens=1000))
        return await calls.send(Outgoing("jev:jev-1.13.0", lambda _: '{"state": "…"}', attempt, 50), role="judge")

    assert asyncio.run(main()) == 0.9
    assert granted == [50, 50]
    assert rows.outcomes == ["retried", "ok"]
    assert rows.rows[1].model_answered == "jev-1.13.0"


def test_decisions_side_by_side_have_each_their_own_cost() -> None:
    prices = {"m": Price(Decimal(1), Decimal(0))}

    class Asks:
        name = "m"

        async def decide(self, state, questions, *, calls) -> Decision:
            await calls.complete(ScriptedText("m", [reply(state, 0)]), request())
            return Decision({"q": Probability(0.5)}, "m")

    async def main() -> list[Decision]:
        calls = Calls(prices=prices)
        asked = {"q": Noul("Q?")}
        return await asyncio.gather(*(calls.decide(Asks(), n * 10**6, asked, role="judge") for n in (1, 2, 3)))

    assert [each.cost for each in asyncio.run(main())] == [Decimal(1), Decimal(2), Decimal(3)]

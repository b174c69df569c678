from __future__ import annotations

import asyncio
import math

import pytest

from openai_server import answers, completion, refuses_field, says, status
from senno.errors import BudgetExceeded, ConfigError
from senno.models import (
    AttemptFailed,
    Budget,
    Calls,
    ChatDecisions,
    Choice,
    Decision,
    DecisionModel,
    Distribution,
    Noul,
    Probability,
    Reply,
    Request,
    RetryPolicy,
    Score,
    ScriptedText,
    TokenLogprobs,
    Unanswered,
    Usage,
    text_model,
)

QUESTIONS = {
    "true": Noul("Is it true?"),
    "tone": Choice("Which tone?", {"warm": None, "cold": None}),
    "depth": Score("How deep?", ("shallow", "deep")),
}


def with_logprobs(**probabilities: float) -> Reply:
    top = {text: math.log(p) for text, p in probabilities.items()}
    first = next(iter(top))
    return Reply(first, "m-1", usage=Usage(100, 1), logprobs=(TokenLogprobs(first, top[first], top),))


def said(text: str, **rest) -> Reply:
    return Reply(text, "m-1", usage=Usage(100, 1), **rest)


def decide(model, questions=QUESTIONS, *, samples: int = 3, state="the text", **limits) -> Decision:
    async def main() -> Decision:
        decider = model if isinstance(model, ChatDecisions) else ChatDecisions(model, samples)
        return await Calls(**limits).decide(decider, state, questions, role="judge")

    return asyncio.run(main())


def test_each_question_is_a_call_and_its_answer_is_read_from_the_logprobs(rows) -> None:
    model = ScriptedText(
        "m",
        [with_logprobs(Yes=0.75, No=0.25), with_logprobs(B=0.9, A=0.1), with_logprobs(A=0.5, B=0.5)],
    )
    decision = decide(model, ledger=rows)
    assert decision.answers == {
        "true": Probability(pytest.approx(0.75)),
        "tone": Distribution(pytest.approx({"warm": 0.1, "cold": 0.9})),
        "depth": Distribution(pytest.approx({"0": 0.5, "1": 0.5})),
    }
    assert (decision.method, decision.model, decision.usage) == ("logprobs", "m-1", Usage(300, 3))
    assert [row.role for row in rows.rows] == ["judge"] * 3
    assert all(request.top_logprobs == 20 for request in model.requests)
    assert all("the text" in request.messages[0].text for request in model.requests)


def test_without_logprobs_it_takes_samples_and_remembers(rows) -> None:
    texts = ["yes", "yes", "yes", "no"]
    decider = ChatDecisions(ScriptedText("m", [said(text) for text in [*texts, "no", "no", "yes"]]), samples=3)
    first = decide(decider, {"true": Noul("Is it?")}, ledger=rows)
    second = decide(decider, {"true": Noul("Is it not?")}, ledger=rows)
    assert first.answers == {"true": Probability(pytest.approx(2 / 3))}
    assert second.answers == {"true": Probability(pytest.approx(1 / 3))}
    assert first.method == second.method == "samples:3"
    assert len(rows.rows) == 7
    samples = decider._model.requests[1:4]
    assert [(each.temperature, each.seed, each.top_logprobs) for each in samples] == [(1.0, n, 0) for n in (1, 2, 3)]


def test_a_model_that_was_still_thinking_gives_no_logprobs() -> None:
    model = ScriptedText("m", [said("", finish="length"), said("yes"), said("yes"), said("yes")])
    assert decide(model, {"true": Noul("Is it?")}).answers == {"true": Probability(1.0)}


def test_an_answer_without_logprobs_where_there_were_some_is_none() -> None:
    model = ScriptedText("m", [with_logprobs(Yes=1.0), said("yes"), with_logprobs(A=1.0)])
    decision = decide(model)
    assert decision.answers["true"] == Probability(1.0)
    unanswered = [each for each in decision.answers.values() if isinstance(each, Unanswered)]
    assert [each.reason for each in unanswered] == ["no logprobs came with the answer 'yes'"]


def test_an_answer_that_is_none_of_those_asked_for_stays_unanswered() -> None:
    decision = decide(ScriptedText("m", [with_logprobs(I=0.9, Yes=0.1)]), {"true": Noul("Is it?")})
    assert isinstance(decision.answers["true"], Unanswered)
    assert "0.10 of the probability" in decision.answers["true"].reason


def test_a_call_that_failed_for_good_leaves_its_question_unanswered_and_the_others_alone() -> None:
    refused = AttemptFailed("HTTP 400: too long", retry=False)
    decision = decide(ScriptedText("m", [with_logprobs(Yes=1.0), refused, with_logprobs(A=1.0)]))
    assert decision.answers["true"] == Probability(1.0)
    failed = [each for each in decision.answers.values() if isinstance(each, Unanswered)]
    assert failed == [Unanswered("m: HTTP 400: too long")]


def test_when_every_call_fails_there_is_no_model() -> None:
    failures = [AttemptFailed("HTTP 401: no", retry=False)] * 3
    decision = decide(ScriptedText("m", failures))
    assert all(isinstance(each, Unanswered) for each in decision.answers.values())
    assert (decision.model, decision.method) == (None, "")


def test_a_used_up_budget_ends_the_decision() -> None:
    model = ScriptedText("m", [with_logprobs(Yes=1.0), with_logprobs(A=1.0), with_logprobs(A=1.0)])
    with pytest.raises(BudgetExceeded, match="calls"):
        decide(model, budget=Budget(calls=2))


def test_no_question_is_no_call(rows) -> None:
    assert decide(ScriptedText("m", []), {}, ledger=rows).answers == {}
    assert rows.rows == []


def test_the_questions_go_together_once_the_api_is_known() -> None:
    class Counts:
        name = "m"
        under_way = most = 0

        async def complete(self, request: Request) -> Reply:
            self.under_way += 1
            self.most = max(self.most, self.under_way)
            await asyncio.sleep(0)
            self.under_way -= 1
            return with_logprobs(A=1.0)

    model = Counts()
    decide(model, {str(n): Choice("Which?", {"a": None, "b": None}) for n in range(6)}, concurrency=3)
    assert model.most == 3


def test_fewer_than_one_sample_is_an_error() -> None:
    with pytest.raises(ConfigError, match="samples is 0"):
        ChatDecisions(ScriptedText("m", []), samples=0)


def test_it_is_a_decision_model_with_the_name_of_its_chat_model() -> None:
    decider = ChatDecisions(ScriptedText("ollama:llama3.2", []))
    assert isinstance(decider, DecisionModel)
    assert decider.name == "ollama:llama3.2"


# At the wire


def test_over_a_server_with_logprobs(server) -> None:
    server.then(says("Yes", logprobs=[{"Yes": math.log(0.8), "No": math.log(0.2)}]))
    decision = decide(text_model(f"{server.url}#m", {}), {"true": Noul("Is it?")})
    assert decision.answers == {"true": Probability(pytest.approx(0.8))}
    assert (decision.model, decision.method) == ("scripted-1", "logprobs")


def test_over_a_server_that_refuses_logprobs(server, rows) -> None:
    server.then(*[refuses_field("logprobs", says("No."))] * 5)
    model = text_model(f"{server.url}#m", {})
    quick = RetryPolicy(first=0.001)
    decision = decide(model, {"true": Noul("Is it?")}, ledger=rows, retry=quick)
    assert decision.answers == {"true": Probability(0.0)}
    assert decision.method == "samples:3"
    assert rows.outcomes == ["retried", "ok", "ok", "ok", "ok"]


def test_over_a_server_that_fails(server) -> None:
    server.then(answers({**completion("x"), "choices": []}), status(401, "bad key"))
    model = text_model(f"{server.url}#m", {})
    decision = decide(model, {"true": Noul("Is it?")}, retry=RetryPolicy(first=0.001))
    answer = decision.answers["true"]
    assert isinstance(answer, Unanswered)
    assert "HTTP 401: bad key" in answer.reason

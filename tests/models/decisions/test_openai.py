from __future__ import annotations

import asyncio

import pytest

from openai_server import answers
from senno.models import Calls, Choice, Distribution, Noul, Probability, RetryPolicy, Score, Unanswered, decision_model
from senno.models.protocol import Usage

QUESTIONS = {
    "sure": Noul("Is it sure?", true="It names a gain.", false="It informs."),
    "bare": Noul({"question": "Is it?", "untrusted": "state"}),
    "tone": Choice("Which tone?", {"warm": "kind", "cold": None}),
    "urgency": Score("How urgent?", ("low", "mid", "high")),
}
PREDICATE = {"type": "predicate", "name": "sure", "probability": 0.25}
BARE = {"type": "predicate", "name": "bare", "probability": 1}
CHOICE = {
    "type": "choice",
    "name": "tone",
    "choice": "warm",
    "confidence": 0.4,
    "probabilities": [{"value": "warm", "probability": 0.7}, {"value": "cold", "probability": 0.3}],
}
LEVELS = [
    {"value": 0, "label": "low", "probability": 0.1},
    {"value": 1, "label": "mid", "probability": 0.2},
    {"value": 2, "label": "high", "probability": 0.7},
]
SCORE = {"type": "score", "name": "urgency", "score": 1.6, "confidence": 0.5, "probabilities": LEVELS}
GOOD = [PREDICATE, BARE, CHOICE, SCORE]


def ask(server, given, **rest):
    body = {"model": "gpt-6-luna", "answers": given, "usage": {"input_tokens": 90, "output_tokens": 3}}
    server.then(answers({**body, **rest}))
    model = decision_model(f"openai-decisions:{server.url}#gpt-6-luna", environ={"SENNO_API_KEY": "k"})
    calls = Calls(retry=RetryPolicy(attempts=1))
    return asyncio.run(calls.decide(model, {"text": "così"}, QUESTIONS, role="judge"))


def test_questions_go_as_a_list_with_criteria_in_the_instructions_and_the_state_as_text(server) -> None:
    ask(server, GOOD)
    (request,) = server.requests
    assert request.path == "/v1/decisions"
    assert request.headers["authorization"] == "Bearer k"
    assert request.body == {
        "model": "gpt-6-luna",
        "input": '{"text": "così"}',
        "questions": [
            {
                "name": "sure",
                "type": "predicate",
                "instructions": "Is it sure?\nAnswer true if: It names a gain.\nAnswer false if: It informs.",
            },
            {"name": "bare", "type": "predicate", "instructions": '{"question": "Is it?", "untrusted": "state"}'},
            {
                "name": "tone",
                "type": "choice",
                "instructions": "Which tone?",
                "choices": [{"value": "warm", "description": "kind"}, {"value": "cold"}],
            },
            {
                "name": "urgency",
                "type": "score",
                "instructions": "How urgent?",
                "levels": [{"label": "low"}, {"label": "mid"}, {"label": "high"}],
            },
        ],
    }


@pytest.mark.parametrize("given", [GOOD, GOOD[::-1]], ids=["in order", "in another order"])
def test_answers_are_read_by_their_names(server, given) -> None:
    decision = ask(server, given)
    assert dict(decision.answers) == {
        "sure": Probability(0.25),
        "bare": Probability(1.0),
        "tone": Distribution({"warm": 0.7, "cold": 0.3}),
        "urgency": Distribution({"0": 0.1, "1": 0.2, "2": 0.7}),
    }
    assert (decision.method, decision.usage) == ("openai-decisions", Usage(90, 3))


def test_it_is_told_that_thresholds_do_not_carry_over_and_that_the_name_is_not_pinned(server) -> None:
    notes = ask(server, GOOD).notes
    assert any("do not carry over" in note for note in notes)
    assert any("no pinned version" in note for note in notes)


def levels(**changed):
    return {**SCORE, "probabilities": [{**LEVELS[0], **changed}, *LEVELS[1:]]}


BAD = [
    ("sure", {"type": "refusal", "name": "sure"}, "refused to answer"),
    ("sure", {**PREDICATE, "probability": 1.78}, "no probability"),
    ("sure", {**PREDICATE, "probability": None}, "gave None"),
    ("sure", {**PREDICATE, "type": "noul", "noul": "x"}, "gave 'x'"),
    ("sure", {**CHOICE, "name": "sure"}, "expected noul"),
    ("tone", {"type": "refusal", "name": "tone"}, "refused to answer"),
    ("tone", {**CHOICE, "probabilities": {"warm": 0.7, "cold": 0.3}}, "no probabilities"),
    ("tone", {**CHOICE, "probabilities": [*CHOICE["probabilities"], CHOICE["probabilities"][0]]}, "no probabilities"),
    ("tone", {**CHOICE, "probabilities": [{"value": True, "probability": 1.0}]}, "no probabilities"),
    ("tone", {**CHOICE, "probabilities": ["warm"]}, "no probabilities"),
    ("tone", {**CHOICE, "probabilities": CHOICE["probabilities"][:1]}, "no probability for 'cold'"),
    ("tone", {**CHOICE, "choice": "cold"}, "higher probability"),
    ("tone", {**CHOICE, "choice": True}, "chose True"),
    ("urgency", levels(value=3), "no probability for '0'"),
    ("urgency", levels(value=False), "no probabilities"),
    ("urgency", levels(value="0"), "no probabilities"),
    ("urgency", levels(value=1), "no probabilities"),
    ("urgency", levels(label="high"), "legend"),
    ("urgency", {**SCORE, "score": 0.2}, "its probabilities make 1.6"),
]


@pytest.mark.parametrize(("id_", "answer", "reason"), BAD)
def test_an_answer_that_is_off_is_no_answer(server, id_, answer, reason) -> None:
    decision = ask(server, [answer, *(each for each in GOOD if each["name"] != id_)])
    found = decision.answers[id_]
    assert isinstance(found, Unanswered)
    assert reason in found.reason
    assert not any(isinstance(each, Unanswered) for name, each in decision.answers.items() if name != id_)


def test_levels_without_labels_are_read_by_their_numbers(server) -> None:
    bare = [{"value": each["value"], "probability": each["probability"]} for each in LEVELS]
    decision = ask(server, [PREDICATE, BARE, CHOICE, {**SCORE, "probabilities": bare}])
    assert decision.answers["urgency"] == Distribution({"0": 0.1, "1": 0.2, "2": 0.7})


def test_two_answers_to_one_question_are_none(server) -> None:
    decision = ask(server, [*GOOD, {**PREDICATE, "probability": 0.9}])
    assert isinstance(decision.answers["sure"], Unanswered)
    assert "two answers" in decision.answers["sure"].reason
    assert decision.answers["bare"] == Probability(1.0)


def test_an_answer_that_is_missing_is_none_and_one_that_nobody_asked_is_told(server) -> None:
    decision = ask(server, [BARE, CHOICE, SCORE, {**PREDICATE, "name": "other"}])
    assert isinstance(decision.answers["sure"], Unanswered)
    assert any("'other'" in note for note in decision.notes)


@pytest.mark.parametrize(
    "given", [None, {"sure": PREDICATE}, [PREDICATE, "x"], [PREDICATE, {"type": "predicate"}], [{"name": 1}]]
)
def test_what_is_no_list_of_named_answers_answers_nothing(server, given) -> None:
    decision = ask(server, given)
    assert all(isinstance(answer, Unanswered) for answer in decision.answers.values())

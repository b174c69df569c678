"""Answers written down and given again: `Recorder` and `Replayed`."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace

import pytest

from senno.errors import BudgetExceeded, ConfigError, FileFormatError, ModelError
from senno.models import (
    Budget,
    Calls,
    Choice,
    Decision,
    Noul,
    Probability,
    Recorder,
    Replayed,
    Score,
    ScriptedDecisions,
    Unanswered,
    Usage,
)
from senno.models.protocol import Distribution

QUESTIONS = {
    "sure": Noul("Is it sure?", true="yes"),
    "tone": Choice("Which tone?", {"warm": "kind", "cold": None}),
    "urgency": Score("How urgent?", ("low", "high")),
}
ANSWERS = {
    "sure": Probability(0.1 + 0.2),
    "tone": Distribution({"warm": 0.7, "cold": 0.3}),
    "urgency": Distribution({"0": 0.1, "1": 0.9}),
}


class Fixed:
    """A model that gives one decision."""

    def __init__(self, name="typesafe:jev-1.13.0", **changed) -> None:
        self.name = name
        self.decision = replace(Decision(ANSWERS, "jev-1.13.0", Usage(90, 3), "systemone"), **changed)

    async def decide(self, state, questions, *, calls):
        return self.decision


def decide(model, state="t", questions=QUESTIONS, **settings):
    return asyncio.run(Calls(**settings).decide(model, state, questions, role="judge"))


@pytest.fixture
def path(tmp_path):
    return tmp_path / "answers.jevl"


def test_what_is_recorded_is_replayed_number_for_number_at_no_cost_and_with_no_call(path, rows) -> None:
    recorded = decide(Recorder(Fixed(), path))
    assert recorded.notes == ()
    replayed = decide(Replayed(path, "typesafe:jev-1.13.0"), ledger=rows)
    assert replayed.answers == recorded.answers == ANSWERS
    assert (replayed.model, replayed.method, replayed.usage) == ("jev-1.13.0", "replay:systemone", Usage(0, 0))
    assert replayed.cost == 0
    assert rows.rows == []
    assert "replayed from" in replayed.notes[0]


def test_a_replay_without_a_name_is_of_the_one_model_in_the_file(path) -> None:
    decide(Recorder(Fixed(), path))
    assert Replayed(path).name == "typesafe:jev-1.13.0"
    decide(Recorder(Fixed("typesafe:jev-latest"), path))
    with pytest.raises(ConfigError, match=r"typesafe:jev-1.13.0, typesafe:jev-latest; name the model"):
        Replayed(path)
    assert decide(Replayed(path, "typesafe:jev-latest")).answers == ANSWERS


def test_an_empty_file_replays_nothing(path) -> None:
    for content in ("", '{"v":1,"id'):
        path.write_text(content, encoding="utf-8")
        with pytest.raises(ConfigError, match=r"no records" + (r" \(.*half of a record" if content else "")):
            Replayed(path)


REORDERED = {**QUESTIONS, "tone": Choice("Which tone?", {"cold": None, "warm": "kind"})}


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"state": "another"}, "'sure', 'tone', 'urgency' about this state"),
        ({"questions": {"sure": QUESTIONS["sure"]}}, "'sure' about this state"),
        ({"questions": {**QUESTIONS, "sure": Noul("Is it sure?")}}, "'sure', 'tone', 'urgency'"),
        ({"questions": REORDERED}, "in another order"),
        ({"name": "typesafe:jev-1.14.0"}, "it is there for jev-1.13.0, and jev-1.14.0 is asked"),
    ],
)
def test_what_is_not_recorded_is_an_error_that_names_the_questions_and_how_to_record(path, asked, said) -> None:
    decide(Recorder(Fixed(), path))
    name = asked.pop("name", "typesafe:jev-1.13.0")
    with pytest.raises(ModelError) as missed:
        decide(Replayed(path, name), **asked)
    assert said in str(missed.value)
    assert f"--record {path}" in str(missed.value)


def test_the_order_of_the_questions_is_free(path) -> None:
    decide(Recorder(Fixed(), path))
    assert decide(Replayed(path), questions=dict(reversed(QUESTIONS.items()))).answers == ANSWERS


def test_the_last_record_of_a_request_holds(path) -> None:
    decide(Recorder(Fixed(), path))
    decide(Recorder(Fixed(answers={**ANSWERS, "sure": Probability(0.9)}), path))
    assert decide(Replayed(path)).answers["sure"] == Probability(0.9)
    assert len(path.read_text(encoding="utf-8").splitlines()) == 2


def test_a_question_without_an_answer_is_replayed_without_one_for_the_same_reason(path) -> None:
    decide(Recorder(Fixed(answers={**ANSWERS, "sure": Unanswered("the model refused to answer it")}), path))
    replayed = decide(Replayed(path))
    assert replayed.answers == {**ANSWERS, "sure": Unanswered("the model refused to answer it")}


def test_an_answer_that_is_none_is_not_written_as_one(path) -> None:
    decision = decide(Recorder(Fixed(answers={**ANSWERS, "sure": Probability(1.78)}), path))
    assert isinstance(decision.answers["sure"], Unanswered)
    assert isinstance(decide(Replayed(path)).answers["sure"], Unanswered)


def test_where_nobody_answers_nothing_is_written_and_that_is_told(path) -> None:
    decision = decide(Recorder(Fixed(answers={}, model=None), path))
    assert not path.exists()
    assert "nothing was recorded" in decision.notes[0]


def edited(path, change) -> None:
    (line,) = path.read_text(encoding="utf-8").splitlines()
    data = json.loads(line)
    change(data)
    path.write_text(json.dumps(data) + "\n", encoding="utf-8")


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda data: data["answers"].pop("sure"), "no answer"),
        (lambda data: data["answers"]["sure"].update(noul=1.78), "no probability"),
        (lambda data: data["answers"]["sure"].update(type="boolean"), "expected noul"),
        (lambda data: data.update(model="jev-1.14.0"), "jev-1.14.0 answered, and jev-1.13.0 was asked"),
    ],
)
def test_a_record_is_checked_as_strictly_as_the_wire(path, change, said) -> None:
    decide(Recorder(Fixed(), path))
    edited(path, change)
    answer = decide(Replayed(path)).answers["sure"]
    assert isinstance(answer, Unanswered)
    assert said in answer.reason


def test_a_record_whose_request_was_changed_is_refused_when_the_file_is_read(path) -> None:
    decide(Recorder(Fixed(), path))
    edited(path, lambda data: data["request"].update(state="another"))
    with pytest.raises(FileFormatError, match="changed after it was recorded"):
        Replayed(path)


def test_a_cassette_of_another_program_is_replayed(path) -> None:
    questions = {"q": {"type": "noul", "instructions": "Is it?"}}
    data = {
        "v": 1,
        "id": "sha256:whatever",
        "ts": "2026-10-01T00:00:00Z",
        "model": "jev-1.13.0",
        "request": {"state": {"text": "così"}, "questions": questions},
        "answers": {"q": {"type": "noul", "noul": 0.25, "later": 1}},
        "usage": {"input_tokens": 9, "output_tokens": 1},
        "meta": {"requested_model": "jev-latest"},
        "unknown": [1],
    }
    path.write_text(json.dumps(data) + "\n", encoding="utf-8")
    for model in (Replayed(path), Replayed(path, "typesafe:jev-latest")):
        decision = decide(model, {"text": "così"}, {"q": Noul("Is it?")})
        assert (decision.answers["q"], decision.model) == (Probability(0.25), "jev-1.13.0")


def test_a_secret_in_the_state_is_not_in_the_file_and_its_replay_is_found(path, monkeypatch) -> None:
    monkeypatch.setenv("MY_API_KEY", "correct-horse-battery")
    state = {"text": "password=correct-horse-battery"}
    decide(Recorder(Fixed(), path), state)
    assert "correct-horse" not in path.read_text(encoding="utf-8")
    assert decide(Replayed(path), state).answers == ANSWERS
    with pytest.raises(ModelError):
        decide(Replayed(path), {"text": "password=[redacted:assigned]"})


def test_of_a_chat_model_no_version_was_checked_and_none_is(path) -> None:
    chat = Fixed("google:gemini-2.5-flash", model="gemini-2.5-flash-preview", method="logprobs")
    recorded = decide(Recorder(chat, path))
    replayed = decide(Replayed(path))
    assert replayed.answers == recorded.answers == ANSWERS
    assert replayed.method == "replay:logprobs"


def test_a_state_that_json_does_not_have_is_refused(path) -> None:
    with pytest.raises(ConfigError, match="a number that JSON does not have"):
        decide(Recorder(Fixed(), path), {"x": float("inf")})


def test_many_answers_at_once_are_all_written(path) -> None:
    model = Recorder(ScriptedDecisions("m", {"q": 0.5}), path)

    async def run() -> None:
        calls = Calls()
        async with asyncio.TaskGroup() as group:
            for n in range(50):
                group.create_task(calls.decide(model, n, {"q": Noul("Is it?")}, role="judge"))

    asyncio.run(run())
    replayed = Replayed(path)
    assert all(decide(replayed, n, {"q": Noul("Is it?")}).answers["q"] == Probability(0.5) for n in range(50))


def test_a_used_up_budget_is_passed_on(path) -> None:
    with pytest.raises(BudgetExceeded):
        decide(Recorder(ScriptedDecisions("m", {"q": 0.5}), path), questions={"q": Noul("?")}, budget=Budget(tokens=1))
    assert not path.exists()

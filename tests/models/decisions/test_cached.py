from __future__ import annotations

import asyncio
from dataclasses import replace

import apsw
import pytest

from senno.ledger import Ledger
from senno.models import Cached, Calls, Choice, Decision, Noul, Probability, Score, Unanswered, Usage
from senno.models.protocol import Distribution

SURE = Noul("Is it sure?", true="yes")
TONE = Choice("Which tone?", {"warm": None, "cold": None})
URGENCY = Score("How urgent?", ("low", "high"))
QUESTIONS = {"sure": SURE, "tone": TONE, "urgency": URGENCY}
ANSWERS = {
    "sure": Probability(0.1 + 0.2),
    "tone": Distribution({"warm": 0.7, "cold": 0.3}),
    "urgency": Distribution({"0": 0.1, "1": 0.9}),
}


class Counting:
    """A model that remembers what it was asked."""

    def __init__(self, name="typesafe:jev-1.13.0", **changed) -> None:
        self.name = name
        self.asked = []
        self.changed = changed

    async def decide(self, state, questions, *, calls):
        self.asked.append((state, list(questions)))
        answers = {
            id_: Probability(0.1 + 0.2)
            if isinstance(each, Noul)
            else ANSWERS["urgency" if isinstance(each, Score) else "tone"]
            for id_, each in questions.items()
        }
        decision = Decision(answers, "jev-1.13.0", Usage(90, 3), "systemone")
        return replace(decision, **self.changed)


@pytest.fixture
def ledger(tmp_path):
    with Ledger.open(tmp_path / "l.db") as opened:
        yield opened


def decide(model, state="t", questions=QUESTIONS):
    return asyncio.run(Calls().decide(model, state, questions, role="judge"))


def test_what_was_answered_is_not_asked_again_and_costs_nothing(ledger) -> None:
    model = Counting()
    first, second = decide(Cached(model, ledger)), decide(Cached(model, ledger))
    assert model.asked == [("t", ["sure", "tone", "urgency"])]
    assert second.answers == first.answers == ANSWERS
    assert (second.model, second.method, second.usage) == ("jev-1.13.0", "systemone", Usage(0, 0))
    assert second.cost == 0
    assert first.notes == ()
    assert second.notes[0].startswith("3 answers given before")


def test_what_is_kept_outlives_the_ledger_that_was_open(tmp_path) -> None:
    model = Counting()
    for _ in range(2):
        with Ledger.open(tmp_path / "l.db") as ledger:
            decide(Cached(model, ledger))
    assert len(model.asked) == 1


def test_only_what_is_missing_is_asked(ledger) -> None:
    model = Counting()
    decide(Cached(model, ledger), questions={"tone": TONE})
    decision = decide(Cached(model, ledger))
    assert model.asked == [("t", ["tone"]), ("t", ["sure", "urgency"])]
    assert dict(decision.answers) == ANSWERS
    assert list(decision.answers) == list(QUESTIONS)
    assert decision.usage == Usage(90, 3)
    assert decision.notes[0].startswith("1 answer given before")


def test_the_name_of_a_question_is_no_part_of_it(ledger) -> None:
    model = Counting()
    decide(Cached(model, ledger), questions={"a": SURE})
    assert decide(Cached(model, ledger), questions={"b": SURE}).answers == {"b": ANSWERS["sure"]}
    assert len(model.asked) == 1


OTHERWISE = {
    "another state": {"state": "u"},
    "the state with its keys in another order": {"state": {"b": 1, "a": 2}},
    "a word of the question": {"questions": {"tone": Choice("Which tone now?", dict(TONE.options))}},
    "a criterion": {"questions": {"tone": Choice("Which tone?", {"warm": "kind", "cold": None})}},
    "the options in another order": {"questions": {"tone": Choice("Which tone?", {"cold": None, "warm": None})}},
    "another repeat": {"repeat": 1},
    "another way of asking": {"variant": "samples:5"},
    "another place": {"name": "systemone:http://127.0.0.1:1/v1#jev-1.13.0"},
    "another version": {"name": "typesafe:jev-1.14.0", "model": "jev-1.14.0"},
}


@pytest.mark.parametrize("change", OTHERWISE.values(), ids=OTHERWISE)
def test_anything_that_may_change_an_answer_is_asked_anew(ledger, change) -> None:
    before = {"a": 2, "b": 1} if isinstance(change.get("state"), dict) else "t"
    decide(Cached(Counting(), ledger), before, {"tone": TONE})
    changed = {"model": change["model"]} if "model" in change else {}
    model = Counting(change.get("name", "typesafe:jev-1.13.0"), **changed)
    cached = Cached(model, ledger, repeat=change.get("repeat", 0), variant=change.get("variant", ""))
    decide(cached, change.get("state", before), change.get("questions", {"tone": TONE}))
    assert len(model.asked) == 1
    decide(cached, change.get("state", before), change.get("questions", {"tone": TONE}))
    assert len(model.asked) == 1


@pytest.mark.parametrize(
    ("name", "changed"),
    [
        ("typesafe:jev-latest", {}),
        ("typesafe:jev-1.13", {}),
        ("ollama:llama3.2", {"model": "llama3.2"}),
        ("typesafe:jev-1.13.0", {"model": "jev-1.14.0"}),
        ("typesafe:jev-1.13.0", {"model": None}),
        ("typesafe:jev-1.13.0", {"answers": dict.fromkeys(QUESTIONS, Unanswered("no"))}),
        ("typesafe:jev-1.13.0", {"answers": {"sure": Probability(1.78)}}),
    ],
)
def test_of_an_alias_of_another_version_and_of_failures_nothing_is_kept(ledger, name, changed) -> None:
    model = Counting(name, **changed)
    for _ in range(2):
        decide(Cached(model, ledger))
    assert len(model.asked) == 2


def test_of_an_answer_in_part_the_part_that_is_there_is_kept(ledger) -> None:
    decide(Cached(Counting(answers={**ANSWERS, "sure": Unanswered("no")}), ledger))
    model = Counting()
    assert decide(Cached(model, ledger)).answers == ANSWERS
    assert model.asked == [("t", ["sure"])]


def test_a_chat_model_that_is_pinned_is_kept_too(ledger) -> None:
    model = Counting("openai:gpt-4o-2024-08-06", model="gpt-4o-2024-08-06", method="samples:5")
    for _ in range(2):
        decision = decide(Cached(model, ledger, variant="samples:5"))
    assert (len(model.asked), decision.method) == (1, "samples:5")


@pytest.mark.parametrize("shares", ["[]", "no", "[2.0]", "[NaN]", '["x"]', "{}", "[0.5, 0.4, 0.1]", "7", "null"])
def test_a_kept_answer_that_is_damaged_is_asked_again(tmp_path, shares) -> None:
    path = tmp_path / "l.db"
    with Ledger.open(path) as ledger:
        decide(Cached(Counting(), ledger), questions={"sure": SURE})
    connection = apsw.Connection(str(path))
    connection.execute("UPDATE answers SET shares = ?", (shares,))
    connection.close()
    model = Counting()
    with Ledger.open(path) as ledger:
        assert decide(Cached(model, ledger), questions={"sure": SURE}).answers == {"sure": ANSWERS["sure"]}
    assert len(model.asked) == 1


def test_nothing_of_the_text_is_kept(tmp_path) -> None:
    path = tmp_path / "l.db"
    with Ledger.open(path) as ledger:
        decide(Cached(Counting(), ledger), "a private sentence")
    connection = apsw.Connection(str(path))
    kept = str(connection.execute("SELECT * FROM answers").fetchall())
    connection.close()
    assert "private" not in kept
    assert "warm" not in kept


def test_the_same_text_judged_at_once_has_the_same_answers(ledger) -> None:
    model = Cached(Counting(), ledger)

    async def run():
        calls = Calls()
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(calls.decide(model, "t", QUESTIONS, role="judge")) for _ in range(20)]
        return [task.result().answers for task in tasks]

    assert all(answers == ANSWERS for answers in asyncio.run(run()))

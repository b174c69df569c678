from __future__ import annotations

import math

import pytest

from senno.models import Choice, Decision, Distribution, Noul, Probability, Score, Unanswered, check_decision

QUESTIONS = {
    "sure": Noul("Is it sure?"),
    "tone": Choice("Which tone?", {"warm": None, "cold": None}),
    "urgency": Score("How urgent?", ("low", "mid", "high")),
}
GOOD = {
    "sure": Probability(0.25),
    "tone": Distribution({"warm": 0.7, "cold": 0.3}),
    "urgency": Distribution({"0": 0.1, "1": 0.2, "2": 0.7}),
}


def checked(**changed):
    return check_decision(QUESTIONS, Decision({**GOOD, **changed}, "m")).answers


def test_good_answers_stand() -> None:
    assert checked() == GOOD


@pytest.mark.parametrize(
    ("id_", "answer", "reason"),
    [
        ("sure", Probability(1.78), "1.78 is no probability"),
        ("sure", Probability(-0.01), "no probability"),
        ("sure", Probability(math.nan), "nan is no probability"),
        ("sure", Probability(math.inf), "no probability"),
        ("sure", Probability(True), "True is no probability"),
        ("sure", Probability("0.5"), "'0.5' is no probability"),
        ("sure", Distribution({"yes": 1.0}), "a Distribution came back"),
        ("sure", 0.5, "a float came back"),
        ("tone", Probability(0.5), "a Probability came back"),
        ("tone", Distribution({"warm": 1.0}), "no probability for 'cold'"),
        ("tone", Distribution({"warm": 0.5, "cold": 0.3, "hot": 0.2}), "'hot', which is not among the options"),
        ("tone", Distribution({"warm": 1.5, "cold": -0.5}), "no probability in [0, 1]"),
        ("tone", Distribution({"warm": math.nan, "cold": 0.5}), "no probability in [0, 1]"),
        ("tone", Distribution({"warm": 0.5, "cold": 0.44}), "add up to 0.94"),
        ("urgency", Distribution({"low": 0.1, "mid": 0.2, "high": 0.7}), "no probability for '0', '1', '2'"),
        ("urgency", None, "no answer to this question came back"),
    ],
)
def test_an_answer_that_is_off_is_no_answer(id_, answer, reason) -> None:
    answers = checked(**{id_: answer})
    assert isinstance(answers[id_], Unanswered)
    assert reason in answers[id_].reason
    assert {k: v for k, v in answers.items() if k != id_} == {k: v for k, v in GOOD.items() if k != id_}


@pytest.mark.parametrize("total", [0.95, 0.98, 1.02, 1.05])
def test_rounded_probabilities_stand_as_they_are(total) -> None:
    answer = Distribution({"warm": 0.5, "cold": total - 0.5})
    assert checked(tone=answer)["tone"] == answer


def test_an_unanswered_question_keeps_its_reason() -> None:
    assert checked(sure=Unanswered("refused"))["sure"] == Unanswered("refused")


def test_every_question_has_an_answer_and_no_other_has() -> None:
    decision = check_decision(QUESTIONS, Decision({"sure": Probability(1), "other": Probability(0.5)}, "m"))
    assert list(decision.answers) == ["sure", "tone", "urgency"]
    assert isinstance(decision.answers["tone"], Unanswered)
    assert decision.notes == ("refused answers to questions that were not asked: 'other'",)


def test_options_come_back_in_the_order_of_the_question() -> None:
    answers = checked(tone=Distribution({"cold": 0.3, "warm": 0.7}))
    assert list(answers["tone"].probabilities) == ["warm", "cold"]

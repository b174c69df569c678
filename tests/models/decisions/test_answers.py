from __future__ import annotations

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from senno.models import Choice, Distribution, Noul, Probability, Score, Unanswered
from senno.models.decisions.answers import read_answer, read_answers
from senno.models.decisions.form import answer_form, question_form

SURE = Noul("Is it sure?")
TONE = Choice("Which tone?", {"warm": "kind", "cold": None})
URGENCY = Score("How urgent?", ("low", "mid", "high"))
NOUL = {"type": "noul", "noul": 0.25}
CHOICE = {"type": "choice", "choice": "warm", "probabilities": {"warm": 0.7, "cold": 0.3}, "confidence": 0.4}
SCORE = {
    "type": "score",
    "score": 1.6,
    "legend": {"0": "low", "1": "mid", "2": "high"},
    "probabilities": {"0": 0.1, "1": 0.2, "2": 0.7},
    "confidence": 0.5,
}


def without(answer, *keys):
    return {key: value for key, value in answer.items() if key not in keys}


GOOD = [
    (SURE, NOUL, Probability(0.25)),
    (SURE, {**NOUL, "noul": 1}, Probability(1.0)),
    (SURE, {**NOUL, "x_extra": math.nan}, Probability(0.25)),
    (TONE, CHOICE, Distribution({"warm": 0.7, "cold": 0.3})),
    (TONE, without(CHOICE, "confidence"), Distribution({"warm": 0.7, "cold": 0.3})),
    (TONE, {**CHOICE, "probabilities": {"cold": 0.5, "warm": 0.5}}, Distribution({"warm": 0.5, "cold": 0.5})),
    (TONE, {**CHOICE, "probabilities": {"warm": 0.68, "cold": 0.3}}, Distribution({"warm": 0.68, "cold": 0.3})),
    (URGENCY, SCORE, Distribution({"0": 0.1, "1": 0.2, "2": 0.7})),
    (URGENCY, without(SCORE, "legend", "confidence"), Distribution({"0": 0.1, "1": 0.2, "2": 0.7})),
    (URGENCY, {**SCORE, "score": 1.61}, Distribution({"0": 0.1, "1": 0.2, "2": 0.7})),
]


@pytest.mark.parametrize(("question", "answer", "read"), GOOD)
def test_a_sound_answer_is_read_as_it_is(question, answer, read) -> None:
    assert read_answer(question, answer) == read


BAD = [
    (SURE, None, "gave no answer"),
    (SURE, 0.5, "0.5 came instead"),
    (SURE, [NOUL], "came instead"),
    (SURE, {}, "type None"),
    (SURE, {**NOUL, "type": "boolean"}, "'boolean'; expected noul"),
    (SURE, {**NOUL, "type": "predicate"}, "expected noul"),
    (SURE, {**NOUL, "type": ["noul"]}, "expected noul"),
    (SURE, {"type": "refusal"}, "refused to answer"),
    (SURE, CHOICE, "type 'choice'; expected noul"),
    (SURE, {"type": "noul"}, "gave None"),
    (SURE, {**NOUL, "noul": 1.78}, "no probability"),
    (SURE, {**NOUL, "noul": -0.01}, "no probability"),
    (SURE, {**NOUL, "noul": math.nan}, "nan is no probability"),
    (SURE, {**NOUL, "noul": math.inf}, "no probability"),
    (SURE, {**NOUL, "noul": True}, "gave True"),
    (SURE, {**NOUL, "noul": "0.5"}, "gave '0.5'"),
    (SURE, {**NOUL, "noul": 10**400}, "no probability"),
    (SURE, {**NOUL, "confidence": 1.5}, "confidence of 1.5"),
    (TONE, {**CHOICE, "confidence": math.nan}, "confidence of nan"),
    (TONE, {**CHOICE, "confidence": True}, "confidence of True"),
    (TONE, without(CHOICE, "probabilities"), "no probabilities"),
    (TONE, {**CHOICE, "probabilities": [0.7, 0.3]}, "no probabilities"),
    (TONE, {**CHOICE, "probabilities": {"warm": 0.7}}, "no probability for 'cold'"),
    (TONE, {**CHOICE, "probabilities": {"Warm": 0.7, "cold": 0.3}}, "no probability for 'warm'"),
    (TONE, {**CHOICE, "probabilities": {"warm": 0.7, "cold": 0.3, "hot": 0.0}}, "'hot', which is not among"),
    (TONE, {**CHOICE, "probabilities": {"warm": 0.7, "cold": None}}, "gave None as a probability"),
    (TONE, {**CHOICE, "probabilities": {"warm": True, "cold": False}}, "gave True as a probability"),
    (TONE, {**CHOICE, "probabilities": {"warm": math.nan, "cold": 0.3}}, "no probability in [0, 1]"),
    (TONE, {**CHOICE, "probabilities": {"warm": 0.9, "cold": 0.3}}, "add up to 1.2"),
    (TONE, {**CHOICE, "probabilities": {"warm": 0.6, "cold": 0.3}}, "add up to 0.9"),
    (TONE, {**CHOICE, "choice": "cold"}, "gave another option a higher probability"),
    (TONE, {**CHOICE, "choice": "hot"}, "'hot', which is not among the options"),
    (TONE, {**CHOICE, "choice": None}, "chose None"),
    (TONE, without(CHOICE, "choice"), "chose None"),
    (URGENCY, {**SCORE, "score": 2.0}, "score is 2.0, and its probabilities make 1.6"),
    (URGENCY, {**SCORE, "score": 2.5}, "gave 2.5 as the score"),
    (URGENCY, {**SCORE, "score": math.nan}, "gave nan as the score"),
    (URGENCY, without(SCORE, "score"), "gave None as the score"),
    (URGENCY, {**SCORE, "legend": {"1": "low", "2": "mid", "3": "high"}}, "legend"),
    (URGENCY, {**SCORE, "legend": {"0": "high", "1": "mid", "2": "low"}}, "legend"),
    (URGENCY, {**SCORE, "legend": ["low", "mid", "high"]}, "legend"),
    (URGENCY, {**SCORE, "probabilities": {"1": 0.1, "2": 0.2, "3": 0.7}}, "no probability for '0'"),
    (URGENCY, {**SCORE, "probabilities": {"low": 0.1, "mid": 0.2, "high": 0.7}}, "no probability for '0', '1', '2'"),
]


@pytest.mark.parametrize(("question", "answer", "reason"), BAD)
def test_an_answer_that_is_off_is_no_answer_and_the_reason_says_what_came(question, answer, reason) -> None:
    found = read_answer(question, answer)
    assert isinstance(found, Unanswered)
    assert reason in found.reason


def test_a_long_or_hostile_answer_is_cut_and_made_safe_in_the_reason() -> None:
    found = read_answer(SURE, {"type": "\x1b[2J" * 1000})
    assert isinstance(found, Unanswered)
    assert len(found.reason) < 200
    assert "\x1b" not in found.reason


def test_one_bad_answer_leaves_the_others_as_they_are() -> None:
    questions = {"a": SURE, "b": TONE, "c": SURE}
    found = read_answers(questions, {"a": NOUL, "b": {**CHOICE, "choice": "cold"}, "x": NOUL})
    assert list(found) == ["a", "b", "c"]
    assert found["a"] == Probability(0.25)
    assert isinstance(found["b"], Unanswered)
    assert isinstance(found["c"], Unanswered)


values = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["0", "1", "warm", "x"]), inner),
    max_leaves=6,
)
answers = st.dictionaries(
    st.sampled_from(["type", "noul", "choice", "score", "probabilities", "legend", "confidence"]), values
) | st.builds(
    lambda base, key, value: {**base, key: value},
    st.sampled_from([NOUL, CHOICE, SCORE]),
    st.sampled_from(["type", "noul", "choice", "score", "probabilities", "legend", "confidence"]),
    values,
)


@given(st.sampled_from([SURE, TONE, URGENCY]), answers | values)
def test_whatever_comes_is_an_answer_with_sound_numbers_or_none(question, answer) -> None:
    found = read_answer(question, answer)
    match found:
        case Probability(yes):
            assert 0 <= yes <= 1
        case Distribution(shares):
            assert all(0 <= share <= 1 for share in shares.values())
            assert math.fsum(shares.values()) == pytest.approx(1, abs=0.0501)
        case Unanswered(reason):
            assert reason


def shares(count: int):
    return st.lists(st.floats(0.01, 1), min_size=count, max_size=count).map(
        lambda weights: [weight / math.fsum(weights) for weight in weights]
    )


@given(st.floats(0, 1), shares(2), shares(3), st.booleans())
def test_what_is_written_in_system_ones_form_is_read_back(yes, two, three, rounded) -> None:
    def written(numbers):
        return [round(number, 2) for number in numbers] if rounded else numbers

    given_answers = [
        (SURE, Probability(yes)),
        (TONE, Distribution(dict(zip(("warm", "cold"), written(two), strict=True)))),
        (URGENCY, Distribution(dict(zip("012", written(three), strict=True)))),
    ]
    for question, answer in given_answers:
        form = json.loads(json.dumps(answer_form(question, answer)))
        assert form["type"] == question_form(question)["type"]
        assert read_answer(question, form) == answer

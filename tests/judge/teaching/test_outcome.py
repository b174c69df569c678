import asyncio
import json
from pathlib import Path

import pytest

from senno.judge import parse_check_file, parse_policy
from senno.judge.teaching import cut_of, judged_again, prepare
from senno.models import Calls, Distribution, ScriptedDecisions

NOUL = {
    "type": "noul",
    "instructions": "Does the text promise?",
    "criteria": {"true": "It does.", "false": "It does not."},
}
SCORE = {"type": "score", "instructions": "How clear?", "criteria": ["It is dark.", "It is dim.", "It is light."]}
CHOICE = {"type": "choice", "instructions": "What is it?", "criteria": {"none": "Nothing.", "tax": "Tax."}}


def _outcome(tmp_path, question, cases, expect, answers, policy=None):
    """`answers`: by text, before and after."""
    checks, labelled = tmp_path / "checks.json", tmp_path / "labelled.jsonl"
    checks.write_text(json.dumps({"q": question}))
    rows = [{"id": text, "text": text, "expect": {"q": right}} for text, right in cases.items()]
    labelled.write_text("".join(json.dumps(row) + "\n" for row in rows))
    teaching = prepare(checks, "q", "new", expect, labelled)
    asked = []

    def answer(state, questions):
        after = "new" in str(questions["q"])
        asked.append((state["text"], after))
        found = answers[state["text"]][after]
        return {} if found is None else {"q": found}

    model = ScriptedDecisions("m", answer)
    return asyncio.run(judged_again(teaching, model, Calls(), policy)), asked


def test_what_is_fixed_broken_and_unanswered_is_told_apart(tmp_path):
    cases = {"a": True, "b": True, "c": False, "d": False, "e": True}
    answers = {"a": (0.1, 0.9), "b": (0.9, 0.1), "c": (0.1, 0.1), "d": (0.9, 0.9), "e": (None, 0.9), "new": (0.2, 0.8)}
    outcome, asked = _outcome(tmp_path, NOUL, cases, "true", answers)
    assert {c.case.text: c.change for c in outcome.changes} == {
        "a": "fixed", "b": "broken", "c": "right", "d": "wrong", "e": "unanswered", "new": "fixed",
    }  # fmt: skip
    assert outcome.counts() == {"fixed": 2, "broken": 1, "right": 1, "wrong": 1, "unanswered": 1}
    assert sorted(asked) == sorted((text, after) for text in answers for after in (False, True))
    told = outcome.to_json()
    assert (told["model"], told["cases"][0]["before"], told["cases"][0]["after"]) == ("m", {"yes": 0.1}, {"yes": 0.9})


@pytest.mark.parametrize(
    ("question", "expect", "before", "after"),
    [
        (SCORE, "2", Distribution({"0": 0.0, "1": 0.6, "2": 0.4}), Distribution({"0": 0.0, "1": 0.4, "2": 0.6})),
        (CHOICE, "tax", Distribution({"none": 0.6, "tax": 0.4}), Distribution({"none": 0.4, "tax": 0.6})),
    ],
)
def test_a_level_and_an_option_are_right_where_they_are_the_likeliest(tmp_path, question, expect, before, after):
    outcome, _ = _outcome(tmp_path, question, {}, expect, {"new": (before, after)})
    assert [c.change for c in outcome.changes] == ["fixed"]


@pytest.mark.parametrize(
    ("op", "value", "probability", "yes"),
    [
        ("gte", 0.7, 0.7, True), ("gte", 0.7, 0.69, False), ("gt", 0.7, 0.7, False),
        ("lte", 0.3, 0.3, False), ("lte", 0.3, 0.31, True), ("lt", 0.3, 0.3, True), ("lt", 0.3, 0.29, False),
    ],
)  # fmt: skip
def test_yes_begins_where_the_first_rule_of_the_policy_says(op, value, probability, yes):
    checks = parse_check_file({"q": NOUL, "r": NOUL}, "c", Path())
    rules = [{"check": "r", "op": "gte", "value": 0.1}, {"check": "q", "op": op, "value": value}]
    policy = parse_policy({"verdicts": [{"name": "A", "rules": rules}, {"name": "B", "rules": []}]}, "p", checks)
    assert cut_of(policy, "q").says_yes(probability) is yes
    assert cut_of(None, "q").says_yes(0.5)


def test_the_threshold_of_the_policy_decides_what_is_right(tmp_path):
    checks = parse_check_file({"q": NOUL}, "c", Path())
    rules = [{"check": "q", "op": "gte", "value": 0.9}]
    policy = parse_policy({"verdicts": [{"name": "A", "rules": rules}, {"name": "B", "rules": []}]}, "p", checks)
    outcome, _ = _outcome(tmp_path, NOUL, {}, "true", {"new": (0.6, 0.8)}, policy)
    assert ([c.change for c in outcome.changes], str(outcome.cut)) == (["wrong"], "yes ≥ 0.9")

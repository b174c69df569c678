"""The judge: checks, then questions, then the policy, and who may answer."""

import asyncio
from pathlib import Path

import pytest

from senno.errors import BudgetExceeded, SameModelError
from senno.judge import Judge, Reading, parse_check_file, parse_policy
from senno.models import Budget, Calls, Distribution, Probability, ScriptedDecisions, Unanswered

CHECKS = {
    "short": {"type": "length", "unit": "words", "max": 3},
    "kind": {"type": "noul", "instructions": "Is it kind?"},
    "risky": {"type": "noul", "instructions": "Is it risky?", "higher_is_better": False},
    "clear": {"type": "score", "instructions": "How clear?", "criteria": ["no", "so-so", "yes"]},
    "topic": {"type": "choice", "instructions": "About?", "criteria": {"tax": None, "loans": None}},
}
POLICY = {
    "verdicts": [
        {"name": "DROP", "rules": [{"check": "risky", "op": "gte", "value": 0.5}]},
        {
            "name": "MEND",
            "rules": [{"check": "short", "op": "lt", "value": 0.5}, {"check": "clear", "op": "lt", "value": 1}],
        },
        {"name": "TAX", "rules": [{"check": "topic", "option": "tax", "op": "gt", "value": 0.6}]},
        {"name": "KEEP", "rules": []},
    ],
    "weights": {"short": 0.1, "kind": 0.4, "risky": 0.3, "clear": 0.2},
}
GOOD = {
    "kind": 0.9, "risky": 0.1, "clear": Distribution({"0": 0.0, "1": 0.5, "2": 0.5}),
    "topic": Distribution({"tax": 0.2, "loans": 0.8}),
}  # fmt: skip


def judge(answers=GOOD, *, checks=CHECKS, policy=POLICY, name="jury", **rest):
    read = parse_check_file(checks, "checks.json", Path())
    model = ScriptedDecisions(name, answers) if answers is not None else None
    return Judge(read, parse_policy(policy, "policy.json", read), model, **rest)


def judged(answers=GOOD, text="a b c", **rest):
    return asyncio.run(judge(answers, **rest).judge(text, calls=Calls()))


@pytest.mark.parametrize(
    ("answers", "text", "verdict"),
    [
        ({}, "a b c", "KEEP"),
        ({"risky": 0.5}, "a b c d", "DROP"),
        ({}, "a b c d", "MEND"),
        ({"clear": Distribution({"0": 0.8, "1": 0.2, "2": 0.0})}, "a", "MEND"),
        ({"topic": Distribution({"tax": 0.7, "loans": 0.3})}, "a", "TAX"),
        ({"risky": Unanswered("timed out")}, "a", "ERROR"),
        ({"risky": Unanswered("timed out")}, "a b c d", "ERROR"),
        ({"topic": Unanswered("timed out")}, "a b c d", "MEND"),
        ({"kind": Unanswered("timed out")}, "a", "KEEP"),
    ],
)
def test_the_policy_decides_from_checks_and_answers(answers, text, verdict):
    got = judged({**GOOD, **answers}, text)
    assert got.verdict.name == verdict
    assert judged({**GOOD, **answers}, text).verdict == got.verdict


def test_the_score_is_computed_from_shares_in_the_direction_that_is_better():
    # short 1 · 0.1 + kind 0.9 · 0.4 + (1 - risky 0.1) · 0.3 + clear 1.5 / 2 · 0.2
    assert judged().verdict.score == pytest.approx(0.1 + 0.36 + 0.27 + 0.15)


def test_a_score_with_a_reading_missing_is_not_measured():
    verdict = judged({**GOOD, "kind": Unanswered("timed out")}).verdict
    assert (verdict.name, verdict.score, verdict.score_missing) == ("KEEP", None, ("kind",))


@pytest.mark.parametrize(
    "answer",
    [1.78, -0.1, float("nan"), Distribution({"yes": 1.0}), Probability(True)],  # type: ignore[arg-type]
)
def test_an_answer_out_of_its_form_is_an_error_and_no_value(answer):
    got = judged({**GOOD, "risky": answer})
    assert (got.verdict.name, got.verdict.exit_code) == ("ERROR", 4)
    assert got.verdict.reasons[0].startswith("risky: ")


def test_an_answer_that_is_missing_is_an_error_and_one_that_nobody_asked_for_is_refused():
    got = judged({k: v for k, v in {**GOOD, "mood": 0.5}.items() if k != "risky"})
    assert (got.verdict.name, got.verdict.reasons) == ("ERROR", ("risky: no answer to this question came back",))
    asked_for_more = judged(lambda state, questions: {**GOOD, "mood": 0.5})
    assert asked_for_more.decision is not None
    assert "mood" in asked_for_more.decision.notes[0]


def test_a_check_that_cannot_be_run_is_an_error_and_not_a_fail(tmp_path):
    (tmp_path / "own.py").write_text("def ask(text):\n    raise ValueError('cannot tell')\n")
    read = parse_check_file({"own": {"type": "callable", "function": "own.py:ask"}}, "c.json", tmp_path)
    policy = parse_policy(
        {
            "verdicts": [
                {"name": "NO", "rules": [{"check": "own", "op": "lt", "value": 0.5}]},
                {"name": "OK", "rules": []},
            ]
        },
        "p.json",
        read,
    )
    got = asyncio.run(Judge(read, policy).judge("x", calls=Calls()))
    assert (got.verdict.name, got.to_json()["checks"]["own"]["passed"]) == ("ERROR", None)
    assert "cannot tell" in got.verdict.reasons[0]


def test_readings_that_the_caller_has_are_decided_on_with_the_rest():
    read = parse_check_file({"short": CHECKS["short"]}, "c.json", Path())
    rules = [{"check": "EXISTS", "op": "lt", "value": 0.5}]
    policy = parse_policy(
        {"verdicts": [{"name": "NO", "rules": rules}, {"name": "OK", "rules": []}]}, "p", read, ("EXISTS",)
    )
    for value, name in ((0.0, "NO"), (1.0, "OK")):
        known = {"EXISTS": Reading(value=value)}
        assert asyncio.run(Judge(read, policy).judge("x", calls=Calls(), known=known)).verdict.name == name


def test_what_the_model_is_asked_about_is_the_text_or_what_the_caller_gives():
    states = []

    def answers(state, questions):
        states.append(state)
        return GOOD

    one = judge(answers)
    asyncio.run(one.judge("a", calls=Calls()))
    asyncio.run(one.judge("a", calls=Calls(), state={"item": 1}))
    assert states == [{"text": "a"}, {"item": 1}]


@pytest.mark.parametrize(
    ("set_on", "verdict"), [("jev-1.13.0", "KEEP"), ("typesafe/jev-1.13.0", "KEEP"), ("jev-1.12.0", "ERROR")]
)
def test_answers_of_another_version_than_the_thresholds_were_set_on_are_no_readings(set_on, verdict):
    judgement = judged(policy={**POLICY, "model": set_on}, name="jev-1.13.0")

    assert judgement.verdict.name == verdict
    if verdict == "ERROR":
        assert "jev-1.13.0 answered, and the policy's thresholds were set on jev-1.12.0" in judgement.verdict.reasons[0]


def test_without_questions_no_model_is_asked():
    checks = {"short": CHECKS["short"]}
    policy = {"verdicts": [{"name": "OK", "rules": []}]}
    got = judged({}, checks=checks, policy=policy)
    assert (got.decision, got.to_json()["cost"], got.to_json()["tokens_in"]) == (None, "0", 0)
    judge(None, checks=checks, policy=policy)


@pytest.mark.parametrize("text", ["a b c", "a b c d"])
def test_without_a_model_a_verdict_that_hangs_on_a_question_is_not_given(text):
    got = judged(None, text)
    assert (got.verdict.name, got.verdict.exit_code, got.decision) == ("UNDECIDED", 3, None)
    assert got.verdict.reasons[0].startswith("risky: no model was named")


def test_without_a_model_the_checks_alone_may_decide():
    rules = [{"check": "short", "op": "lt", "value": 0.5}]
    policy = {"verdicts": [{"name": "MEND", "rules": rules}, {"name": "KEEP", "rules": []}]}
    assert [judged(None, text, policy=policy).verdict.name for text in ("a b c d", "a")] == ["MEND", "KEEP"]


SAME = [
    ("openai:gpt-4o", "openai:gpt-4o"),
    ("openai:gpt-4o", "openrouter:openai/gpt-4o"),
    ("openai:gpt-4o-2024-11-20", "openai:gpt-4o"),
    ("ollama:llama3.2", "ollama:llama3.2:latest"),
    ("http://localhost:80/v1#a", "http://127.0.0.1/v1#a"),
    ("http://h/v1", "http://h/v1#a"),
]


@pytest.mark.parametrize(("author", "name"), SAME)
def test_an_author_may_not_judge_by_any_name(author, name):
    with pytest.raises(SameModelError, match="allow-same-model") as refused:
        judge(name=name, authors=["other:model", author])
    assert refused.value.exit_code == 2
    judge(name=name, authors=[author], allow_same_model=True)


@pytest.mark.parametrize(
    ("author", "name"), [("openai:gpt-4o", "openai:gpt-4o-mini"), ("http://h/v1#a", "http://h/v1#b")]
)
def test_another_model_may_judge(author, name):
    judge(name=name, authors=[author])


def test_nothing_is_judged_on_a_budget_that_is_used_up():
    calls = Calls(budget=Budget(calls=1))

    async def twice():
        one = judge()
        await one.judge("a", calls=calls)
        await one.judge("a", calls=calls)

    with pytest.raises(BudgetExceeded):
        asyncio.run(twice())

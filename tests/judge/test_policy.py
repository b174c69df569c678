from itertools import product
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from senno.errors import FileFormatError
from senno.judge import Policy, PolicyVerdict, Reading, Rule, decide, parse_check_file, parse_policy

CHECKS = parse_check_file(
    {
        "promises_return": {"type": "noul", "instructions": "Does the text promise a return?"},
        "tone_fits": {"type": "noul", "instructions": "Does the tone fit?"},
        "clarity": {"type": "score", "instructions": "How clear is it?", "criteria": ["opaque", "readable", "clear"]},
        "topic": {"type": "choice", "instructions": "What is it about?", "criteria": {"tax": None, "loans": "a loan"}},
        "disclaimer": {"type": "contains", "phrases": ["not financial advice"]},
    },
    "checks.json",
    Path(),
)
FINANCE = {
    "verdicts": [
        {"name": "DISCARD", "rules": [{"check": "promises_return", "op": "gte", "value": 0.5}]},
        {
            "name": "REWRITE",
            "rules": [
                {"check": "tone_fits", "op": "lte", "value": 0.5},
                {"check": "disclaimer", "op": "lt", "value": 0.5},
            ],
        },
        {"name": "KEEP", "rules": []},
    ]
}


def policy(data=FINANCE):
    return parse_policy(data, "policy.json", CHECKS)


def readings(**values):
    return {
        name: Reading(value=v, share=v) if v is not None else Reading(missing="timed out", failed=True)
        for name, v in values.items()
    }


@pytest.mark.parametrize(
    ("promises", "tone", "disclaimer", "verdict"),
    [
        (0.5, 0.9, 1.0, "DISCARD"),
        (0.49, 0.9, 1.0, "KEEP"),
        (0.49, 0.5, 1.0, "REWRITE"),
        (0.0, 0.51, 0.0, "REWRITE"),
        (1.0, 0.0, 0.0, "DISCARD"),
        (None, 0.0, 0.0, "ERROR"),
        (0.1, None, 0.0, "REWRITE"),
        (0.1, None, 1.0, "ERROR"),
        (0.9, None, None, "DISCARD"),
    ],
)
def test_first_verdict_with_a_fired_rule_wins_and_a_missing_reading_never_counts_as_not_fired(
    promises, tone, disclaimer, verdict
):
    given_ = readings(promises_return=promises, tone_fits=tone, disclaimer=disclaimer)
    assert decide(policy(), given_).name == verdict


def test_verdict_names_the_rule_and_the_value_that_fired_it():
    verdict = decide(policy(), readings(promises_return=0.73, tone_fits=0.9, disclaimer=1.0))
    assert (str(verdict.rule), verdict.value, verdict.exit_code) == ("promises_return ≥ 0.5", 0.73, 1)


def test_missing_by_cannot_tell_is_undecided_and_not_an_error():
    given_ = {**readings(promises_return=0.1, disclaimer=1.0), "tone_fits": Reading(missing="the critic cannot tell")}
    verdict = decide(policy(), given_)
    assert (verdict.name, verdict.exit_code, verdict.reasons) == (
        "UNDECIDED",
        3,
        ("tone_fits: the critic cannot tell",),
    )


def test_a_policy_may_say_which_verdict_stands_where_there_is_none_and_the_state_still_tells():
    verdict = decide(policy(broken(on_error="REWRITE")), readings(promises_return=None, tone_fits=0.9, disclaimer=1.0))

    assert (verdict.name, verdict.state, verdict.exit_code) == ("REWRITE", "error", 1)
    assert verdict.reasons == ("promises_return: timed out",)


def test_a_name_without_any_reading_is_an_error():
    assert decide(policy(), {}).name == "ERROR"


def test_match_all_needs_every_rule():
    data = {
        "verdicts": [
            {
                "name": "BOTH",
                "match": "all",
                "rules": [
                    {"check": "promises_return", "op": "gte", "value": 0.5},
                    {"check": "tone_fits", "op": "lte", "value": 0.5},
                ],
            },
            {"name": "REST", "rules": []},
        ]
    }
    table = {(0.9, 0.1): "BOTH", (0.9, 0.9): "REST", (0.1, 0.1): "REST", (0.1, None): "REST", (0.9, None): "ERROR"}
    for (promises, tone), expected in table.items():
        assert decide(policy(data), readings(promises_return=promises, tone_fits=tone)).name == expected


def test_unless_holds_a_rule_back_and_leaves_it_undecided_when_it_is_unknown():
    data = {
        "lanes": [
            {
                "name": "NITS",
                "rules": [
                    {
                        "check": "tone_fits",
                        "op": "lte",
                        "value": 0.2,
                        "unless": {"check": "promises_return", "op": "gte", "value": 0.5},
                    }
                ],
            },
            {"name": "MERGE", "rules": []},
        ]
    }
    table = {(0.1, 0.1): "NITS", (0.1, 0.9): "MERGE", (0.1, None): "ERROR", (0.9, None): "MERGE", (None, 0.9): "MERGE"}
    for (tone, held), expected in table.items():
        assert decide(policy(data), readings(tone_fits=tone, promises_return=held)).name == expected


def test_rule_on_a_choice_option_and_on_a_score():
    data = {
        "verdicts": [
            {
                "name": "OFF",
                "rules": [
                    {"check": "topic", "option": "loans", "op": "gte", "value": 0.6},
                    {"check": "clarity", "op": "lt", "value": 0.5},
                ],
            },
            {"name": "KEEP", "rules": []},
        ]
    }
    topic = Reading(value=0.7, options={"tax": 0.3, "loans": 0.7})
    assert decide(policy(data), {"topic": topic, "clarity": Reading(value=1.8)}).name == "OFF"
    other = Reading(value=0.7, options={"tax": 0.7, "loans": 0.3})
    assert decide(policy(data), {"topic": other, "clarity": Reading(value=0.4)}).name == "OFF"
    assert decide(policy(data), {"topic": other, "clarity": Reading(value=1.8)}).name == "KEEP"


def test_score_is_computed_from_weights_and_unmeasured_when_a_reading_is_missing():
    weighted = policy({**FINANCE, "weights": {"tone_fits": 75, "disclaimer": 25}})
    full = decide(weighted, readings(promises_return=0.0, tone_fits=0.8, disclaimer=1.0))
    assert full.score == pytest.approx(0.85)
    partial = decide(weighted, readings(promises_return=0.9, tone_fits=None, disclaimer=1.0))
    assert (partial.name, partial.score, partial.score_missing) == ("DISCARD", None, ("tone_fits",))


def broken(**changes):
    return {**FINANCE, **changes}


def rule(**changes):
    base = {"check": "tone_fits", "op": "lte", "value": 0.5}
    return {"verdicts": [{"name": "X", "rules": [{**base, **changes}]}, {"name": "KEEP", "rules": []}]}


@pytest.mark.parametrize(
    ("data", "said"),
    [
        ({}, "verdicts: found nothing"),
        ({"verdicts": []}, "a list of verdicts"),
        (
            {"verdicts": [{"name": "KEEP", "rules": [{"check": "tone_fits", "op": "lte", "value": 0.5}]}]},
            "closing verdict",
        ),
        ({"verdicts": [{"name": "A", "rules": []}, {"name": "B", "rules": []}]}, "nothing below it can be reached"),
        ({"verdicts": [{"name": "ERROR", "rules": []}]}, "not ERROR nor UNDECIDED"),
        (
            {"verdicts": [{"name": "A", "rules": rule()["verdicts"][0]["rules"]}, {"name": "A", "rules": []}]},
            "two verdicts are named 'A'",
        ),
        (rule(check="tone_fit"), "unknown check 'tone_fit'"),
        (rule(check="tone_fit"), "did you mean 'tone_fits'?"),
        (rule(op="<="), "found '<='"),
        (rule(value=1.01), "a number from 0 to 1"),
        (rule(value=-0.1), "a number from 0 to 1"),
        (rule(value=True), "found True"),
        (rule(value=float("nan")), "found nan"),
        (rule(value="0.5"), "found '0.5'"),
        (rule(check="clarity", value=2.5), "a number from 0 to 2"),
        (rule(check="topic"), "one of its options: tax, loans"),
        (rule(check="topic", option="cars"), "found 'cars'"),
        (rule(option="tax"), "tone_fits is no choice"),
        (rule(treshold=1), "unknown key"),
        (rule(unless={"check": "nobody", "op": "gt", "value": 0}), "verdicts.0.rules.0.unless.0.check"),
        (broken(weights={"tone_fits": 0.5, "disclaimer": 0.4}), "they add up to 0.9; expected 1, or 100"),
        (broken(weights={"tone": 1}), "unknown check"),
        (broken(weights={"topic": 1}), "a choice has no direction"),
        (broken(weights={"tone_fits": -1, "disclaimer": 2}), "a number above 0"),
        (broken(lanes=[]), "both verdicts and lanes"),
        (broken(verdict=[]), "unknown key"),
        (broken(on_error="KEEP"), "on_error: found 'KEEP'; expected one of DISCARD, REWRITE. A failure is no pass"),
        (broken(on_error="HOLD"), "expected one of DISCARD, REWRITE"),
        (broken(model=""), "model: found ''; expected the version that answers"),
    ],
)
def test_what_a_policy_may_not_say_is_refused_with_file_key_and_what_was_expected(data, said):
    with pytest.raises(FileFormatError) as refused:
        policy(data)
    assert str(refused.value).startswith("policy.json")
    assert said in str(refused.value)


def test_notes_are_allowed_anywhere():
    data = {"_why": "x", "verdicts": [{"name": "KEEP", "rules": [], "_note": "y"}]}
    assert policy(data) == Policy((PolicyVerdict("KEEP", (), exit_code=0),))


values = st.one_of(st.none(), st.floats(0, 1))


@given(promises=values, tone=values, disclaimer=values)
def test_filling_in_a_missing_reading_never_contradicts_a_verdict_that_was_given(promises, tone, disclaimer):
    """A verdict that stands without a reading stands with any value of it."""
    names = ("promises_return", "tone_fits", "disclaimer")
    asked = dict(zip(names, (promises, tone, disclaimer), strict=True))
    verdict = decide(policy(), readings(**asked))
    if verdict.state != "decided":
        return
    missing = [name for name, value in asked.items() if value is None]
    for filling in product((0.0, 0.5, 1.0), repeat=len(missing)):
        full = {**asked, **dict(zip(missing, filling, strict=True))}
        assert decide(policy(), readings(**full)).name == verdict.name


def test_rule_reads_as_a_sentence():
    held = Rule("adds_tests", "lte", 0.2, unless=(Rule("docs_only", "gte", 0.5),))
    assert str(held) == "adds_tests ≤ 0.2 unless docs_only ≥ 0.5"

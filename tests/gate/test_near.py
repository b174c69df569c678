"""The escalation list."""

from pathlib import Path

import pytest

from senno.gate.near import near
from senno.judge import Reading, parse_check_file, parse_policy

CHECKS = parse_check_file(
    {
        "auth": {"type": "noul", "instructions": "Does it touch auth?", "critical": True},
        "nits": {"type": "noul", "instructions": "Has it nits?"},
        "reach": {"type": "score", "instructions": "How far?", "criteria": ["a", "b", "c"], "critical": True},
        "kind": {"type": "choice", "instructions": "What?", "criteria": {"fix": None, "other": None}, "critical": True},
    },
    "checks.json",
    Path(),
)


def listed(rule, band=0.62, **values):
    read = parse_policy(
        {"lanes": [{"name": "BLOCK", "rules": [rule]}, {"name": "MERGE", "rules": []}]}, "policy.json", CHECKS
    )
    return [(str(each.rule), each.value) for each in near(CHECKS, read, values, band)]


@pytest.mark.parametrize(
    ("threshold", "value", "is_near"),
    [
        (0.5, 0.36, True),
        (0.5, 0.34, False),
        (0.5, 0.64, True),
        (0.5, 0.66, False),
        # A strict threshold has a narrow band.
        (0.97, 0.96, True),
        (0.97, 0.93, False),
        (0.97, 0.99, False),
        (1.0, 1.0, True),
        (1.0, 0.99, False),
    ],
)
def test_a_critical_answer_is_listed_where_it_lies_near_to_a_threshold(threshold, value, is_near):
    rule = {"check": "auth", "op": "gte", "value": threshold}

    assert bool(listed(rule, auth=Reading(value))) is is_near


def test_only_critical_questions_with_an_answer_are_listed():
    assert listed({"check": "nits", "op": "gte", "value": 0.5}, nits=Reading(0.5)) == []
    assert listed({"check": "auth", "op": "gte", "value": 0.5}, auth=Reading(missing="timed out")) == []


def test_a_score_is_compared_on_its_scale_and_an_option_by_its_probability():
    score = {"check": "reach", "op": "gte", "value": 1}
    option = {"check": "kind", "op": "gte", "value": 0.5, "option": "other"}

    assert listed(score, reach=Reading(1.2)) == [("reach ≥ 1", 1.2)]
    assert listed(score, reach=Reading(1.8)) == []
    assert listed(option, kind=Reading(0.6, {"fix": 0.4, "other": 0.6})) == [("kind=other ≥ 0.5", 0.6)]


def test_thresholds_that_hold_a_rule_back_are_looked_at_too():
    rule = {"check": "nits", "op": "gte", "value": 0.9, "unless": {"check": "auth", "op": "gte", "value": 0.5}}

    assert listed(rule, nits=Reading(0.0), auth=Reading(0.5)) == [("auth ≥ 0.5", 0.5)]

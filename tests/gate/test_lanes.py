"""The lane: by the policy that holds, and by one that the change brings only where it is stricter."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from senno.gate.lanes import lane, without
from senno.judge import Reading, parse_check_file, parse_policy

CHECKS = parse_check_file(
    {name: {"type": "noul", "instructions": f"Is it {name}?"} for name in ("secret", "auth", "docs_only")},
    "checks.json",
    Path(),
)


def policy(block=0.9, review=0.5, *, names=("BLOCK", "REVIEW", "MERGE"), partial=False, codes=(1, 3), **rest):
    rules = [{"check": "auth", "op": "gte", "value": review, "unless": {"check": "docs_only", "op": "gte", "value": 1}}]
    rules += [{"check": "partial", "op": "gte", "value": 1}] if partial else []
    lanes = [
        {"name": names[0], "rules": [{"check": "secret", "op": "gte", "value": block}], "exit_code": codes[0]},
        {"name": names[1], "rules": rules, "exit_code": codes[1]},
        {"name": names[2], "rules": []},
    ]
    return parse_policy({"lanes": lanes, **rest}, "policy.json", CHECKS, ("partial",))


def readings(secret=0.0, auth=0.0, docs_only=0.0, partial=0.0):
    values = {"secret": secret, "auth": auth, "docs_only": docs_only, "partial": partial}
    return {
        name: Reading(value) if value is not None else Reading(missing="timed out", failed=True)
        for name, value in values.items()
    }


@pytest.mark.parametrize(
    ("held", "brought", "read", "name", "tightened"),
    [
        (policy(), policy(0.1), readings(secret=0.5), "BLOCK", True),
        (policy(), policy(1.0, 1.0), readings(secret=0.95), "BLOCK", False),
        (policy(), policy(1.0, 1.0), readings(auth=0.6), "REVIEW", False),
        (policy(), policy(0.9, 0.1), readings(auth=0.2), "REVIEW", True),
        (policy(), policy(), readings(), "MERGE", False),
        # What the change's own rules cannot decide is no pass either.
        (policy(), policy(0.9, 0.1), readings(docs_only=None, auth=0.3), "ERROR", True),
        # Other names than ours: what passes here and is refused there is refused.
        (policy(), policy(0.1, names=("NO", "LOOK", "YES")), readings(secret=0.5), "NO", True),
        (policy(), policy(1.0, names=("NO", "LOOK", "YES")), readings(secret=0.95), "BLOCK", False),
        # The same names with other exit codes.
        (policy(), policy(0.0, codes=(0, 0)), readings(auth=0.6), "REVIEW", False),
        (policy(), policy(0.0, names=("REVIEW", "BLOCK", "MERGE")), readings(auth=0.6), "REVIEW", True),
    ],
)
def test_rules_that_a_change_brings_can_only_refuse_more(held, brought, read, name, tightened):
    found = lane(held, read, proposed=brought, proposed_readings=read)

    assert (found.verdict.name, found.tightened) == (name, tightened)


shares = st.floats(0, 1)


codes = st.tuples(*[st.sampled_from([0, 1, 3])] * 2)
orders = st.permutations(["BLOCK", "REVIEW", "MERGE"])


@given(shares, shares, shares, shares, shares, shares, codes, codes, orders)
def test_no_rules_that_a_change_brings_let_through_what_holds_without_them(
    secret, auth, block, review, other, another, of_ours, of_theirs, names
):
    read = readings(secret, auth)
    ours = policy(block, review, codes=of_ours)
    alone = lane(ours, read).verdict.exit_code

    theirs = policy(other, another, names=names, codes=of_theirs)
    both = lane(ours, read, proposed=theirs, proposed_readings=read).verdict.exit_code

    assert both or not alone
    assert both == 1 or alone != 1


@pytest.mark.parametrize(
    ("held", "read", "name", "code"),
    [
        (policy(), readings(), "UNDECIDED", 3),
        (policy(), readings(secret=1.0), "BLOCK", 1),
        (policy(partial=True), readings(partial=1.0), "REVIEW", 3),
        (policy(partial=True, codes=(1, 0)), readings(partial=1.0), "REVIEW", 0),
        (policy(partial=True, codes=(1, 0)), readings(auth=1.0), "UNDECIDED", 3),
    ],
)
def test_a_change_of_which_a_part_was_not_judged_passes_only_if_the_policy_says_so(held, read, name, code):
    verdict = lane(held, read, partly="big.py (too long)").verdict

    assert (verdict.name, verdict.exit_code) == (name, code)


def test_rules_on_questions_that_nobody_was_asked_are_left_out_in_words_and_hold_nothing_back():
    alone, left_out = without(policy(), ("docs_only", "secret"))

    assert left_out == ("BLOCK: secret ≥ 0.9",)
    assert [verdict.name for verdict in alone.verdicts] == ["REVIEW", "MERGE"]
    assert lane(alone, {"auth": Reading(0.6)}).verdict.name == "REVIEW"


def test_a_lane_that_needs_every_rule_is_left_out_with_any_of_them():
    lanes = [
        {
            "name": "BLOCK",
            "match": "all",
            "rules": [{"check": n, "op": "gte", "value": 0.5} for n in ("secret", "partial")],
        },
        {"name": "MERGE", "rules": []},
    ]
    read = parse_policy({"lanes": lanes}, "policy.json", CHECKS, ("partial",))

    alone, left_out = without(read, ("secret",))

    assert left_out == ("BLOCK: secret ≥ 0.5", "BLOCK: partial ≥ 0.5")
    assert lane(alone, {"partial": Reading(1.0)}).verdict.name == "MERGE"

import json
import random
from pathlib import Path

import pytest

from senno.judge.checkfile import parse_check_file
from senno.judge.measuring import Repeats, Threshold, noise_json, noise_of, thresholds_of, verdict_flips
from senno.judge.policyfile import parse_policy
from senno.stats import NotMeasured


def repeats(*rows, failures=None):
    return Repeats("tone", {f"t{n}": {"": tuple(row)} for n, row in enumerate(rows)}, failures or {})


def noisy(items=40, judged=5, sd=0.1, seed=1):
    chance = random.Random(seed)
    return repeats(*[[chance.gauss(item % 5, sd) for _ in range(judged)] for item in range(items)])


def test_the_noise_that_was_put_in_comes_out():
    found = noise_of(noisy(items=300), n=20, seed=1)
    assert found.sd == pytest.approx(0.1, rel=0.05)
    assert found.again.p95 == pytest.approx(1.96 * 0.1 * (2 / 20) ** 0.5, rel=0.08)
    assert (found.items, found.answers, found.repeats, found.values, found.missing) == (300, 300, 5, 1500, 0)
    half, texts = found.needed
    assert half == found.again.p95 / 2
    assert texts == pytest.approx(((1.96 + 0.8416) * 0.1 * 2**0.5 / half) ** 2, rel=0.1)
    assert isinstance(found.components.generation, NotMeasured)


def test_missing_values_are_counted_and_what_is_left_out_is_said():
    found = noise_of(
        repeats([0.1, 0.2, 0.3], [0.9, None, 0.8], [0.4, None, None], [None, None, None], failures={"timed out": 6}),
        n=3,
        seed=1,
        thresholds=[Threshold("gte", 0.25)],
    )
    assert (found.answers, found.values, found.missing, found.failures) == (4, 6, 6, {"timed out": 6})
    assert (found.left_out, found.incomplete) == (2, 3)
    assert found.flips[0].share.n == 1
    assert found.again.items == 2


def test_a_failure_never_counts_as_a_value():
    whole = noise_of(repeats([0.8, 0.9, 0.7], [0.6, 0.5, 0.4]), n=2, seed=1)
    failing = noise_of(repeats([0.8, 0.9, 0.7], [0.6, 0.5, 0.4], [None, None, None]), n=2, seed=1)
    assert (whole.sd, whole.spread) == (failing.sd, failing.spread)
    assert whole.icc_one == failing.icc_one


@pytest.mark.parametrize("rows", [[], [[0.1]], [[None, None, None]], [[0.1], [0.2]], [[None, 0.1, None]]])
def test_without_repeats_nothing_is_measured_and_nothing_breaks(rows):
    found = noise_of(repeats(*rows), n=3, seed=1, thresholds=[Threshold("lt", 0.5)])
    assert isinstance(found.sd, NotMeasured)
    assert isinstance(found.again, NotMeasured)
    assert isinstance(found.flips[0].share, NotMeasured)
    assert isinstance(found.needed, NotMeasured)
    assert json.loads(json.dumps(noise_json(found), allow_nan=False))["within_item_sd"]["value"] is None


def test_a_judge_that_never_moves_has_a_spread_of_nothing():
    found = noise_of(repeats([0.3] * 3, [0.9] * 3), n=5, seed=1, thresholds=[Threshold("gte", 0.5)])
    assert (found.sd, found.again.p95, found.spread) == (0, 0, (0, 0))
    assert found.flips[0].share.value == 0
    assert isinstance(found.needed, NotMeasured)


def test_decode_noise_is_told_from_judge_noise():
    chance = random.Random(2)
    items = {}
    for item in range(150):
        middle = chance.gauss(0, 1)
        answers = [middle + chance.gauss(0, 0.5) for _ in range(3)]
        items[str(item)] = {str(n): tuple(chance.gauss(a, 0.2) for _ in range(3)) for n, a in enumerate(answers)}
    found = noise_of(Repeats("score", items), n=12, seed=1)
    assert found.components.generation == pytest.approx(0.25, rel=0.2)
    assert found.components.judge == pytest.approx(0.04, rel=0.2)
    assert found.fresh.p95 > 2 * found.again.p95


@pytest.mark.parametrize(
    ("op", "at", "below"), [("gte", True, False), ("gt", False, False), ("lte", True, True), ("lt", False, True)]
)
def test_a_value_on_a_threshold_is_on_the_side_the_policy_says(op, at, below):
    threshold = Threshold(op, 0.5)
    assert (threshold.fires(0.5), threshold.fires(0.4)) == (at, below)


CHECKS = parse_check_file(
    {
        "tone": {"type": "noul", "instructions": "?"},
        "topic": {"type": "choice", "instructions": "?", "criteria": {"tax": None, "loans": None}},
    },
    "c",
    Path(),
)


def test_thresholds_are_those_of_the_rules_and_of_what_holds_them_back():
    policy = parse_policy(
        {
            "verdicts": [
                {"name": "A", "rules": [{"check": "tone", "op": "gte", "value": 0.8}]},
                {
                    "name": "B",
                    "rules": [
                        {
                            "check": "topic",
                            "option": "tax",
                            "op": "lt",
                            "value": 0.3,
                            "unless": {"check": "tone", "op": "lte", "value": 0.2},
                        },
                        {"check": "tone", "op": "gte", "value": 0.8},
                    ],
                },
                {"name": "C", "rules": []},
            ]
        },
        "p",
        CHECKS,
    )
    assert [str(each) for each in thresholds_of(policy, "tone")] == ["≥ 0.8", "≤ 0.2"]
    assert [str(each) for each in thresholds_of(policy, "topic", "tax")] == ["< 0.3"]
    assert thresholds_of(policy, "topic", "loans") == ()


def test_verdicts_flip_over_the_texts_that_always_got_one():
    found = verdict_flips([["KEEP"] * 3, ["KEEP", "DISCARD", "KEEP"], ["KEEP", None, "DISCARD"]])
    assert (found.share.value, found.share.n) == (0.5, 2)
    assert isinstance(verdict_flips([[None, None]]).share, NotMeasured)
    assert isinstance(verdict_flips([]).share, NotMeasured)

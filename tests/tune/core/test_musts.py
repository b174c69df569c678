"""Checks that may not regress: an exact test, and a burden that is on the candidate."""

from itertools import combinations
from math import prod

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from senno.tune import Judged, Trial
from senno.tune.musts import regressed


def trial(rows):
    """`rows`: scenario to whether each of its answers fails."""
    return Trial(
        "v",
        tuple(
            Judged(name, i, 0.5, checks_failed=("must",) if fails else ())
            for name, answers in rows.items()
            for i, fails in enumerate(answers)
        ),
    )


def fallen(old, new):
    control = [trial({name: [answers[i]] for name, answers in old.items()}) for i in range(3)]
    found = regressed(("must",), trial(old), trial(new), control)
    return found[0] if found else None


def never(count):
    return {f"s{n}": [False] * 3 for n in range(count)}


@pytest.mark.parametrize(("failures", "p"), [(1, 0.25), (2, 0.25**2), (7, 0.25**7)])
def test_one_answer_that_fails_what_never_failed_is_a_regression(failures, p):
    found = fallen(never(7), {f"s{n}": [n < failures] for n in range(7)})
    assert found is not None
    assert found.p == pytest.approx(p)
    assert (found.share, found.most) == (failures / 7, 0.0)


def test_as_often_as_the_worst_repeat_is_none():
    old = {**never(7), "s0": [True, False, False], "s1": [True, True, False]}
    assert fallen(old, {f"s{n}": [n < 2] for n in range(7)}) is None
    assert fallen(old, {f"s{n}": [n < 3] for n in range(7)}) is not None


def test_fewer_failures_are_none():
    assert fallen({f"s{n}": [True] * 3 for n in range(7)}, {f"s{n}": [n > 0] for n in range(7)}) is None


def test_answers_without_a_score_say_nothing():
    failed = Trial("v", tuple(Judged(f"s{n}", 0, None, error="no answer") for n in range(7)))
    assert regressed(("must",), trial(never(7)), failed, ()) == ()


sides = st.lists(st.booleans(), min_size=1, max_size=3)


@settings(deadline=None)
@given(st.lists(st.tuples(sides, sides), min_size=1, max_size=3))
def test_the_chance_is_that_of_dealing_the_answers_out_again(strata):
    """By counting every way to deal: what the formula must come to."""
    old = {f"s{i}": theirs for i, (theirs, _) in enumerate(strata)}
    new = {f"s{i}": ours for i, (_, ours) in enumerate(strata)}
    found = regressed(("must",), trial(old), trial(new), (trial({"none": [False]}),))
    seen = sum(sum(ours) for _, ours in strata)
    if not seen:
        assert found == ()
        return
    ways = [[sum(hand) for hand in combinations([*theirs, *ours], len(ours))] for theirs, ours in strata]
    sums = [0]
    for each in ways:
        sums = [total + dealt for total in sums for dealt in each]
    assert len(sums) == prod(map(len, ways))
    assert found[0].p == pytest.approx(sum(total >= seen for total in sums) / len(sums))

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from senno.stats import NotMeasured
from senno.tune import Floor, Judged, Rules, Trial, accept, blocks, hopeless, noise_floor

NAMES = tuple(f"s{n}" for n in range(24))


def scored(values, repeat=0):
    return Trial("v", tuple(Judged(name, repeat, value) for name, value in values.items()))


def incumbent(noise=0.05, seed=1):
    chance = Random(seed)
    control = [scored({s: 0.5 + chance.uniform(-noise, noise) for s in NAMES}, r) for r in range(3)]
    return Trial("v", tuple(row for each in control for row in each.judged)), control


def given_up(values, floor=None, clusters=None, n=24, k=8):
    pooled, control = incumbent()
    return hopeless(pooled, scored(values), clusters or {}, floor or noise_floor(control, NAMES, 1), n, alpha=0.05, k=k)


def part(by, count, spread=0.1):
    return {name: 0.5 + by + spread * (i % 3 - 1) for i, name in enumerate(NAMES[:count])}


@given(st.integers(0, 60), st.integers(1, 60), st.integers(0, 9))
def test_blocks_have_every_scenario_once_and_clusters_whole(count, profiles, seed):
    names = [f"s{n}" for n in range(count)]
    clusters = {name: f"p{n % profiles}" for n, name in enumerate(names)}
    found = blocks(names, clusters, seed)
    assert sorted(name for block in found for name in block) == sorted(names)
    where = [{clusters[name] for name in block} for block in found]
    assert all(one.isdisjoint(other) for i, one in enumerate(where) for other in where[:i])
    assert found == blocks(names[::-1], clusters, seed) or profiles < count
    if len(found) > 1:
        assert len(where[0]) >= 6


@pytest.mark.parametrize(("count", "expected"), [(3, 1), (11, 1), (12, 2), (18, 3), (24, 4), (96, 4)])
def test_few_scenarios_are_no_race(count, expected):
    assert len(blocks([f"s{n}" for n in range(count)], {}, 1)) == expected


def test_a_candidate_that_is_worse_is_given_up_with_the_reason():
    found = given_up(part(-0.1, 6))
    assert found is not None
    assert (found.after, found.n) == (6, 24)
    assert str(found).startswith("dropped after 6 of 24 scenarios: the difference is -0.099, and")


def test_one_that_changes_nothing_is_given_up_by_half():
    assert given_up(part(0.0, 12)) is not None


def test_one_that_is_better_stays():
    for count in (6, 12, 18):
        assert given_up(part(0.15, count)) is None


def test_nothing_is_said_at_the_end_too_early_or_without_a_floor():
    assert given_up(part(-0.2, 24)) is None, "at the end, acceptance has the word"
    assert given_up(part(-0.2, 5)) is None
    assert given_up(part(-0.2, 12), clusters={name: f"p{i % 3}" for i, name in enumerate(NAMES)}) is None
    assert given_up(part(-0.2, 12), floor=Floor(NotMeasured("no repeats"))) is None
    assert given_up(part(-0.2, 12, spread=0.0) | {}) is not None


def test_no_spread_is_no_reason_to_give_up():
    """Nothing has moved yet: what is still to come may."""
    control = [scored(dict.fromkeys(NAMES, 0.5), r) for r in range(3)]
    pooled = Trial("v", tuple(row for each in control for row in each.judged))
    same = scored(dict.fromkeys(NAMES[:12], 0.5))
    assert hopeless(pooled, same, {}, noise_floor(control, NAMES, 1), 24, alpha=0.05, k=8) is None


def test_errors_are_not_scores():
    broken = Trial("v", tuple(Judged(name, 0, None, error="no answer") for name in NAMES[:12]))
    pooled, control = incumbent()
    assert hopeless(pooled, broken, {}, noise_floor(control, NAMES, 1), 24, alpha=0.05, k=8) is None


@given(st.lists(st.floats(0, 1), min_size=6, max_size=18), st.integers(1, 20))
def test_what_was_given_up_can_never_be_called_better(values, k):
    """A race may only drop: what it dropped is short of scenarios, and acceptance counts those as not scored."""
    pooled, control = incumbent()
    candidate = scored(dict(zip(NAMES, values, strict=False)))
    assert accept(pooled, candidate, control, {}, Rules(), k, True).outcome == "no measurable difference"

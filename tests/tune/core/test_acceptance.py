"""The decision, as a table: pure, so every case is values in and an outcome out."""

import json
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from senno.stats import Interval, NotMeasured, paired_clustered
from senno.tune import Judged, Rules, Trial, accept
from senno.tune.control import Control

TWELVE = tuple(f"s{n}" for n in range(12))


def trial(scores, repeat=0, *, version="a", failed=None, errors=()):
    """`scores`: scenario to score."""
    return Trial(
        version,
        tuple(
            Judged(
                name,
                repeat,
                None if name in errors else score,
                checks_failed=tuple((failed or {}).get(name, ())),
                error="no answer" if name in errors else None,
            )
            for name, score in scores.items()
        ),
    )


def pooled(trials):
    return Trial(trials[0].version, tuple(row for each in trials for row in each.judged))


def repeats(base=0.5, noise=0.02, count=3, names=TWELVE, seed=1):
    chance = Random(seed)
    return [trial({name: base + chance.uniform(-noise, noise) for name in names}, n) for n in range(count)]


def said(candidate, control=None, *, clusters=None, k=1, wired=True, **rules):
    control = repeats() if control is None else control
    return accept(pooled(control), candidate, control, clusters or {}, Rules(**rules), k, wired)


def raised(by, names=TWELVE, spread=0.03):
    return {name: 0.5 + by + spread * (n % 3 - 1) for n, name in enumerate(names)}


@pytest.mark.parametrize(
    ("by", "k", "outcome"),
    [
        (0.10, 1, "better"),
        (0.10, 8, "better"),
        (-0.10, 1, "worse"),
        (-0.10, 8, "worse"),
        (0.0, 1, "no measurable difference"),
        (0.004, 8, "no measurable difference"),
    ],
)
def test_a_difference_is_told_when_it_is_there(by, k, outcome):
    assert said(trial(raised(by)), k=k).outcome == outcome


def test_an_acceptance_says_all_that_it_stands_on():
    found = said(trial(raised(0.1)), k=4, must=("disclaimer",))
    assert isinstance(found.interval, Interval)
    assert isinstance(found.control, Control)
    assert found.interval.level == pytest.approx(1 - 0.05 / 4)
    assert found.difference is not None
    assert found.interval.low < found.difference < found.interval.high
    assert (found.n, found.k, found.scored, found.asked) == (12, 4, 12, 12)
    assert (found.control.repeats, found.control.n, found.control.moved) == (3, 12, 12)
    assert 0 < found.control.mean <= found.control.largest
    assert all(reason.startswith("holds: ") for reason in found.reasons)
    assert json.loads(json.dumps(found.to_json()))["interval"]["level"] == found.interval.level


def test_the_pairing_is_by_scenario_and_repeats_are_averaged_inside_it():
    """Complaint 31: an unpaired test on paired data. Scenarios lie far apart here, and their differences close."""
    base = {name: n / 20 for n, name in enumerate(TWELVE)}
    chance = Random(3)
    control = [trial({s: v + chance.uniform(-0.01, 0.01) for s, v in base.items()}, n) for n in range(3)]
    found = said(trial({s: v + 0.05 + chance.uniform(-0.01, 0.01) for s, v in base.items()}), control, k=8)
    assert found.outcome == "better"
    shuffled = list(control)
    shuffled[0] = Trial("a", tuple(reversed(control[0].judged)))
    again = said(trial({s: v + 0.05 for s, v in base.items()}), shuffled, k=8)
    assert again.n == 12


def test_repeats_of_a_candidate_do_not_manufacture_significance():
    """Complaint 31, and SkillOpt 242: a score said thirty times is one score."""
    values = {name: 0.5 + (0.2 if n % 2 else -0.15) for n, name in enumerate(TWELVE)}
    once = said(trial(values))
    often = said(pooled([trial(values, n) for n in range(30)]))
    assert isinstance(once.interval, Interval)
    assert isinstance(often.interval, Interval)
    assert once.outcome == often.outcome == "no measurable difference"
    assert often.interval.low == pytest.approx(once.interval.low)


def test_scenarios_of_one_profile_are_one_observation():
    """Clusters that are left out make a third of nothing into a finding."""
    names = tuple(f"s{n}" for n in range(24))
    control = repeats(names=names)
    up = {name: 0.5 + (0.2 if n < 16 else -0.08) for n, name in enumerate(names)}
    alone = said(trial(up), control)
    together = said(trial(up), control, clusters={name: f"p{n // 8}" for n, name in enumerate(names)})
    assert alone.outcome == "better"
    assert together.outcome == "no measurable difference"


def test_nothing_is_told_from_five_clusters_whatever_they_say():
    five = TWELVE[:5]
    control = repeats(names=five)
    found = said(trial(raised(0.4, five, spread=0.01)), control)
    assert found.outcome == "no measurable difference"
    assert found.detectable is None
    assert any(reason.startswith("fails: of 32 ways") for reason in found.reasons)
    six = TWELVE[:6]
    assert said(trial(raised(0.4, six, spread=0.01)), repeats(names=six)).outcome == "better"


def test_three_rows_end_in_no_measurable_difference_and_say_how_many_it_takes():
    three = TWELVE[:3]
    found = said(trial(raised(0.4, three)), repeats(names=three))
    assert found.outcome == "no measurable difference"
    assert found.needed is not None
    assert found.needed >= 6


def test_a_difference_that_is_the_same_everywhere_is_told_by_its_signs():
    """No spread, no interval: a scripted model that is better by the same in every scenario is better all the same."""
    flat = [trial(dict.fromkeys(TWELVE, 0.5), n) for n in range(3)]
    found = said(trial(dict.fromkeys(TWELVE, 0.8)), flat, k=8)
    assert isinstance(found.interval, NotMeasured)
    assert (found.outcome, found.floor) == ("better", 0.0)
    assert said(trial(dict.fromkeys(TWELVE, 0.2)), flat, k=8).outcome == "worse"
    assert said(trial(dict.fromkeys(TWELVE, 0.5)), flat, k=8).outcome == "no measurable difference"


def test_a_byte_identical_candidate_is_no_winner_and_the_control_says_what_moved():
    """Complaints 28 and 29: the null control is published beside every comparison."""
    control = repeats(noise=0.2)
    again = repeats(noise=0.2, seed=99)[0]
    found = said(again, control)
    assert found.outcome == "no measurable difference"
    assert isinstance(found.control, Control)
    assert found.control.moved == 12
    assert found.control.largest > 0


def test_the_floor_stops_what_the_interval_would_let_through():
    """A few judgings of a noisy incumbent make a small steady difference look sure: the floor knows better."""
    control = repeats(noise=0.5)
    middle = pooled(control).by_scenario()
    steady = {s: sum(v) / len(v) + 0.05 + 0.001 * n for n, (s, v) in enumerate(middle.items())}
    found = said(trial(steady), control)
    assert isinstance(found.interval, Interval)
    assert isinstance(found.floor, float)
    assert found.interval.low > 0
    assert found.floor > 0.05
    assert found.outcome == "no measurable difference"


@pytest.mark.parametrize("count", [0, 1, 2])
def test_fewer_than_three_repeats_are_no_noise_floor(count):
    control = repeats(count=count)
    found = accept(pooled(repeats()), trial(raised(0.3)), control, {}, Rules(), 1, True)
    assert isinstance(found.floor, NotMeasured)
    assert found.outcome == "no measurable difference"
    assert found.needed is None


def test_repeats_that_moved_as_wholes_raise_the_floor():
    """A judge that drifts between repeats moves every scenario at once, and no scenario by itself shows it."""
    control = repeats(noise=0.001)
    drifted = [*control[:2], trial({row.scenario: row.score + 0.2 for row in control[2].judged}, 2)]
    found = said(trial(raised(0.15, spread=0.001)), drifted)
    assert isinstance(found.floor, float)
    assert found.floor == pytest.approx(0.2, abs=0.01)
    assert found.outcome == "no measurable difference"
    assert any("something moved all of them at once" in reason for reason in found.reasons)


def test_an_error_is_never_a_zero():
    """Complaints 1, 2 and 14: a failed answer is left out of the mean, and its share is shown."""
    failing = said(trial(raised(0.1), errors={"s0"}), min_scored=0.9)
    assert failing.difference == pytest.approx(said(trial(raised(0.1))).difference, abs=0.01)
    assert (failing.scored, failing.asked, failing.n) == (11, 12, 11)
    assert failing.outcome == "better"


def test_a_zero_that_was_scored_is_a_zero():
    """Complaint 16: no sentinel."""
    none = said(trial(dict.fromkeys(TWELVE, 0.0)))
    assert none.difference == pytest.approx(-0.5, abs=0.02)
    assert none.outcome == "worse"


@pytest.mark.parametrize("whose", ["candidate", "incumbent"])
def test_too_few_scored_is_no_verdict(whose):
    """Complaint 30: a mean over 10 of 100 is no result."""
    gone = set(TWELVE[:3])
    control = [trial(dict.fromkeys(TWELVE, 0.5), n, errors=gone if whose == "incumbent" else ()) for n in range(3)]
    for by in (0.3, -0.3):
        found = said(trial(raised(by), errors=gone if whose == "candidate" else ()), control)
        assert found.outcome == "no measurable difference"
        assert any(f"of the {whose} have a score" in r and r.startswith("fails") for r in found.reasons)


def test_a_scenario_that_was_never_asked_counts_as_asked():
    """A race that was broken off cannot win: what is missing is in the denominator."""
    half = {name: 0.9 + n / 1000 for n, name in enumerate(TWELVE[:8])}
    found = said(trial(half))
    assert (found.scored, found.asked, found.n) == (8, 12, 8)
    assert found.outcome == "no measurable difference"


@pytest.mark.parametrize("errors", [set(TWELVE), set()])
def test_nothing_to_compare_is_said_and_breaks_nothing(errors):
    """Complaint 15: `round(None)`."""
    other = {f"other{n}": 0.5 for n in range(12)}
    found = said(trial(dict.fromkeys(TWELVE, 0.5), errors=errors) if errors else trial(other))
    assert (found.outcome, found.difference, found.n) == ("no measurable difference", None, 0)
    assert "fails: no scenario was scored for both versions" in found.reasons
    assert said(Trial("b", ())).outcome == "no measurable difference"


def test_what_was_not_wired_is_not_better():
    """Complaint 20: a gain of a prompt that the model never saw."""
    found = said(trial(raised(0.2)), wired=False)
    assert found.outcome == "no measurable difference"
    assert "fails: the model received what the version says" in found.reasons


def test_a_must_that_regressed_stops_a_better_score():
    found = said(trial(raised(0.2), failed={"s3": ["disclaimer"]}), must=("disclaimer",))
    assert found.must_regressed == ("disclaimer",)
    assert found.outcome == "no measurable difference"
    assert any("disclaimer fails in 8.3% of the answers, and in 0.0% at most" in reason for reason in found.reasons)
    assert said(trial(raised(0.2), failed={"s3": ["tone"]}), must=("disclaimer",)).outcome == "better"


def test_a_must_that_fails_everywhere_is_worse_whatever_the_score():
    found = said(trial(raised(0.2), failed={name: ["disclaimer"] for name in TWELVE}), must=("disclaimer",), k=8)
    assert found.outcome == "worse"
    assert found.flips_down == 12


def test_a_must_that_the_incumbent_fails_as_often_did_not_regress():
    noisy = [
        trial(dict.fromkeys(TWELVE, 0.5), n, failed={TWELVE[n]: ["disclaimer"], TWELVE[n + 4]: ["disclaimer"]})
        for n in range(3)
    ]
    found = said(trial(raised(0.2), failed={"s9": ["disclaimer"]}), noisy, must=("disclaimer",))
    assert found.must_regressed == ()
    assert found.outcome == "better"


def test_flips_are_counted_in_both_directions():
    control = [trial(dict.fromkeys(TWELVE, 0.5), n, failed={"s0": ["a", "b"], "s1": ["a"]}) for n in range(3)]
    found = said(trial(raised(0.0), failed={"s0": ["b"], "s2": ["c"], "s3": ["c"]}), control)
    assert (found.flips_up, found.flips_down) == (2, 2)
    assert isinstance(found.control, Control)
    assert found.control.flips == 0


def test_more_candidates_looked_at_take_more_evidence():
    """The best of many is the one with the most luck."""
    chance = Random(5)
    edge = {name: 0.5 + 0.045 + chance.uniform(-0.09, 0.09) for name in TWELVE}
    few, many = said(trial(edge), k=1), said(trial(edge), k=100)
    assert isinstance(few.interval, Interval)
    assert isinstance(many.interval, Interval)
    assert few.interval.low > 0 > many.interval.low


def test_how_many_scenarios_it_would_take_is_said():
    chance = Random(11)
    unsure = {name: 0.53 + chance.uniform(-0.2, 0.2) for name in TWELVE}
    found = said(trial(unsure), k=8)
    assert found.outcome == "no measurable difference"
    assert found.needed is not None
    assert found.needed > 12
    assert found.detectable is not None
    assert found.difference is not None
    assert found.detectable > abs(found.difference)


def test_k_below_one_is_refused():
    with pytest.raises(ValueError, match="one at least"):
        said(trial(raised(0.1)), k=0)


scores = st.lists(st.floats(0, 1, allow_nan=False), min_size=12, max_size=12)


@settings(deadline=None, max_examples=50)
@given(scores, scores, st.integers(1, 20), st.randoms(use_true_random=False))
def test_the_order_of_rows_has_no_say(old, new, k, chance):
    control = [trial(dict(zip(TWELVE, old, strict=True)), n) for n in range(3)]
    candidate = trial(dict(zip(TWELVE, new, strict=True)))
    first = said(candidate, control, k=k)
    rows = list(candidate.judged)
    chance.shuffle(rows)
    again = said(Trial("a", tuple(rows)), control, k=k)
    assert (again.outcome, again.needed) == (first.outcome, first.needed)


@settings(deadline=None, max_examples=50)
@given(scores, scores, st.integers(1, 20))
def test_better_and_worse_are_each_others_mirror(old, new, k):
    one, other = dict(zip(TWELVE, old, strict=True)), dict(zip(TWELVE, new, strict=True))
    mirrored = {"better": "worse", "worse": "better"}
    there = said(trial(other), [trial(one, n) for n in range(3)], k=k).outcome
    back = said(trial(one), [trial(other, n) for n in range(3)], k=k).outcome
    assert back == mirrored.get(there, there)


@settings(deadline=None, max_examples=50)
@given(scores, scores, st.integers(1, 20))
def test_better_is_said_only_where_every_condition_holds(old, new, k):
    control = [trial(dict(zip(TWELVE, old, strict=True)), n) for n in range(3)]
    found = said(trial(dict(zip(TWELVE, new, strict=True))), control, k=k)
    if found.outcome == "better":
        assert all(reason.startswith("holds") for reason in found.reasons)
        assert found.difference is not None
        assert found.difference > 0
    elif found.outcome == "no measurable difference":
        assert any(reason.startswith("fails") for reason in found.reasons)


def test_the_interval_is_that_of_the_statistics():
    values = [0.1, 0.05, -0.02, 0.08, 0.0, 0.03, 0.11, 0.02, 0.07, -0.01, 0.06, 0.04]
    flat = [trial(dict.fromkeys(TWELVE, 0.5), n) for n in range(3)]
    found = said(trial({s: 0.5 + v for s, v in zip(TWELVE, values, strict=True)}), flat, k=2)
    expected = paired_clustered(values, range(12), 0.975)
    assert isinstance(found.interval, Interval)
    assert not isinstance(expected, NotMeasured)
    assert found.interval.low == pytest.approx(expected.interval.low)
    assert found.interval.high == pytest.approx(expected.interval.high)

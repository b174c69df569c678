import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lesson_logs import Log
from senno.lessons import by_difficulty, calibration, cases_of, task_records
from senno.lessons.calibration import Case, equal_mass


def test_too_few_cases_say_so_and_give_no_number():
    found = calibration([Case(0.5, 1.0)] * 29)
    assert (found.n, found.ece, found.brier, found.bins) == (29, None, None, ())
    assert found.missing == "29 cases; it takes 30"
    assert calibration([Case(0.5, 1.0)] * 30).missing is None


@pytest.mark.parametrize(
    ("confidence", "successes", "ece", "brier"),
    [(0.5, 20, 0.0, 0.25), (1.0, 40, 0.0, 0.0), (1.0, 0, 1.0, 1.0), (0.9, 20, 0.4, 0.41), (0.25, 40, 0.75, 0.5625)],
)
def test_of_one_confidence_the_error_is_its_distance_from_the_share(confidence, successes, ece, brier):
    found = calibration([Case(confidence, 1.0)] * successes + [Case(confidence, 0.0)] * (40 - successes))
    assert found.ece == pytest.approx(ece)
    assert found.brier == pytest.approx(brier)


def test_faults_in_opposite_directions_do_not_cancel():
    cases = [Case(0.2, 1.0)] * 20 + [Case(0.8, 0.0)] * 20
    found = calibration(cases)
    assert found.confidence == found.score == 0.5
    assert found.ece == pytest.approx(0.8)


def test_bins_hold_as_nearly_the_same_number_as_ties_allow():
    spread = [Case(n / 100, 0.0) for n in range(100)]
    assert [one.n for one in equal_mass(spread, 10)] == [10] * 10
    tied = [Case(0.5, 1.0)] * 70 + [Case(0.9, 1.0)] * 30
    assert [one.n for one in equal_mass(tied, 10)] == [70, 30]


cases = st.lists(st.builds(Case, st.sampled_from([n / 8 for n in range(9)]), st.sampled_from([0.0, 0.5, 1.0])))


@given(cases, st.integers(1, 10))
def test_bins_part_the_cases_in_order(all_cases, count):
    bins = equal_mass(all_cases, count)
    assert sum(one.n for one in bins) == len(all_cases)
    assert len(bins) <= count
    means = [one.confidence for one in bins]
    assert means == sorted(set(means))


@given(st.lists(st.builds(Case, st.floats(0, 1), st.sampled_from([0.0, 0.5, 1.0])), min_size=30), st.randoms())
def test_the_order_of_the_cases_does_not_matter(all_cases, chance: random.Random):
    shuffled = all_cases.copy()
    chance.shuffle(shuffled)
    one, other = calibration(all_cases), calibration(shuffled)
    assert one.ece == pytest.approx(other.ece)
    assert 0 <= one.ece <= 1
    assert 0 <= one.brier <= 1


def test_by_difficulty_each_with_its_own_count():
    easy = [Case(0.9, 1.0, "easy")] * 30
    found = by_difficulty([*easy, *[Case(0.9, 0.0, "hard")] * 5, Case(0.1, 0.0)])
    assert list(found) == ["easy", "hard"]
    assert found["easy"].ece == pytest.approx(0.1)
    assert found["hard"].missing == "5 cases; it takes 30"


def test_cases_are_tasks_with_both_a_confidence_and_an_outcome():
    log = Log().task("t1", 0.7, difficulty="hard").outcome("partial", task="t1")
    log.task("t2", 0.1, attempt="decline").outcome("failure", task="t3")
    found, unstated, unended = cases_of(task_records(log.events))
    assert found == [Case(0.7, 0.5, "hard")]
    assert (unstated, unended) == (1, 1)

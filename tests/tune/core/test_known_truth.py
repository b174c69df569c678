"""Whole tunings where the truth is known. The full run, with its tables, is `bench/tune_acceptance_bench.py`."""

import csv
from itertools import permutations
from random import Random

import pytest

from senno.stats import binomial_cdf
from senno.tune import Rules, Trial, accept, control
from simulated_tunings import GSM8K, TRIPLES, noisy_check, same_again, trial, triples, tuning

LIMIT = 0.025
DOUBT = 0.001
"""A count that a rate of the limit gives this rarely is too many."""

needs_judgings = pytest.mark.skipif(not TRIPLES.is_file(), reason=f"no judgings at {TRIPLES}")
needs_systems = pytest.mark.skipif(not GSM8K.is_file(), reason=f"no systems at {GSM8K}")


@pytest.fixture(autouse=True)
def _few_draws(monkeypatch):
    """A thousand draws of a floor in place of up to twenty thousand: its upper end is then a little higher."""
    monkeypatch.setattr("senno.tune.control._STEPS", 0)
    control._drawn.cache_clear()
    yield
    control._drawn.cache_clear()


def too_many(times, count):
    return 1 - binomial_cdf(times - 1, count, LIMIT) < DOUBT if times else False


@needs_judgings
def test_identical_prompts_are_seldom_called_better():
    """Complaint 28: two false winners in 24 tasks of a byte-identical artifact. Here: of eight candidates, any."""
    judged, chance = triples(), Random(1)
    names, draw = sorted(judged), same_again(judged)
    better = worse = summed = tunings = asked = whole = 0
    for n in (3, 6, 7, 12, 24):
        for _ in range(120):
            scenarios = chance.sample(names, n)
            ended = tuning(draw, [draw] * 8, scenarios, chance)
            tunings += 1
            better += ended.better > 0
            worse += ended.worse > 0
            asked += ended.asked
            whole += ended.whole
            old = sum(draw(chance, s) for s in scenarios)
            summed += any(sum(draw(chance, s) for s in scenarios) > old + 1e-9 for _ in range(8))
    assert not too_many(better, tunings)
    assert not too_many(worse, tunings)
    assert too_many(summed, tunings), "the usual rule, sum against sum, must fail here, or this test cannot"
    assert asked < 0.75 * whole, "a race of identical prompts must save calls"


@pytest.mark.parametrize("passes", [0.5, 0.9])
def test_one_noisy_check_makes_no_winner(passes):
    """Scores that no normal distribution fits: Student's interval alone takes 3 to 19 % of these for better."""
    chance, draw = Random(2), noisy_check(passes)
    scenarios = [f"s{n}" for n in range(12)]
    lopsided = dict.fromkeys(scenarios[:6], "the large one")
    for clusters in ({}, lopsided):
        better = sum(tuning(draw, [draw] * 8, scenarios, chance, clusters=clusters).better > 0 for _ in range(150))
        assert not too_many(better, 150)


@needs_judgings
def test_a_true_winner_is_found_and_a_race_does_not_lose_it():
    judged, chance = triples(), Random(3)
    names, same = sorted(judged), same_again(judged)

    def better(chance, name):
        return same(chance, name) + 0.2

    for racing in (True, False):
        found = 0
        for _ in range(40):
            ended = tuning(same, [same, same, better, same], chance.sample(names, 24), chance, racing=racing)
            found += ended.first == 2
        assert found >= 36


def systems():
    with GSM8K.open(encoding="utf-8", newline="") as file:
        _, *rows = csv.reader(file)
    return [[float(cell) for cell in row[1:]] for row in rows]


@needs_systems
@pytest.mark.parametrize(("n", "parts"), [(12, 60), (48, 40), (200, 8)])
def test_better_never_has_the_wrong_sign_and_is_said_where_the_truth_is_large(n, parts):
    """Four systems whose accuracy on all 1,319 problems is known: 0.22, 0.39, 0.35, 0.56."""
    rows, chance = systems(), Random(4)
    wrong: list[tuple[float, int]] = []
    large = said_of_large = 0
    for a, b in permutations(range(4), 2):
        truth = sum(row[b] - row[a] for row in rows) / len(rows)
        for _ in range(parts):
            part = {str(i): rows[i] for i in chance.sample(range(len(rows)), n)}
            old = [trial("a", lambda _, s: part[s][a], list(part), chance, r) for r in range(3)]  # noqa: B023
            new = trial("b", lambda _, s: part[s][b], list(part), chance)  # noqa: B023
            pooled = Trial("a", tuple(row for each in old for row in each.judged))
            outcome = accept(pooled, new, old, {}, Rules(), 8, True).outcome
            if outcome == ("worse" if truth > 0 else "better"):
                wrong.append((truth, n))
            if truth > 0.3:
                large += 1
                said_of_large += outcome == "better"
    assert wrong == []
    assert n < 200 or said_of_large == large

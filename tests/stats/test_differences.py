import math
import random

import numpy as np
import pytest
import statsmodels.api as sm
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.weightstats import ttost_paired

from senno.stats import (
    NotMeasured,
    bca_interval,
    detectable_difference,
    needed_pairs,
    paired_clustered,
    paired_permutation,
    paired_t,
    percentile_interval,
    tost,
)

values = st.lists(st.integers(-50, 50).map(lambda n: n / 8), min_size=2, max_size=40)
uneven = values.filter(lambda found: len(set(found)) > 1)
sides = st.sampled_from(["two-sided", "greater", "less"])


@settings(deadline=None)
@given(uneven, sides, st.sampled_from([0.8, 0.95, 0.99]))
def test_the_paired_t_is_scipys(differences, side, level):
    found = paired_t(differences, level, side)
    oracle = stats.ttest_1samp(differences, 0, alternative=side)
    assert (found.t, found.p) == pytest.approx((oracle.statistic, oracle.pvalue), rel=1e-8, abs=1e-12)
    interval = stats.ttest_1samp(differences, 0).confidence_interval(level)
    assert (found.interval.low, found.interval.high) == pytest.approx((interval.low, interval.high), rel=1e-8, abs=1e-9)


@settings(deadline=None)
@given(st.data(), uneven)
def test_the_clustered_interval_is_that_of_statsmodels(data, differences):
    clusters = data.draw(st.lists(st.integers(0, 4), min_size=len(differences), max_size=len(differences)))
    found = paired_clustered(differences, clusters)
    if len(set(clusters)) < 2:
        assert isinstance(found, NotMeasured)
        return
    model = sm.OLS(np.array(differences), np.ones(len(differences)))
    fit = model.fit(cov_type="cluster", cov_kwds={"groups": np.array(clusters)}, use_t=True)
    if isinstance(found, NotMeasured):  # the clusters' sums cancel, all of them
        assert fit.bse[0] == pytest.approx(0, abs=1e-7)
        return
    assert found.se == pytest.approx(fit.bse[0], rel=1e-7)
    assert (found.interval.low, found.interval.high) == pytest.approx(tuple(fit.conf_int()[0]), rel=1e-7, abs=1e-7)
    assert found.clusters == len(set(clusters))


def test_pairs_of_one_scenario_are_no_more_evidence_than_the_scenario():
    alone = paired_t([0.1, 0.3, 0.2, 0.5])
    copied = paired_clustered([0.1, 0.3, 0.2, 0.5] * 5, [0, 1, 2, 3] * 5)
    assert copied.se == pytest.approx(alone.se)
    assert copied.interval.low == pytest.approx(alone.interval.low)


@pytest.mark.parametrize(
    ("differences", "reason"),
    [
        ([], "0 pairs"),
        ([0.3], "1 pairs"),
        ([0.3] * 7, "no spread"),
        ([0.0] * 5, "no spread"),
        ([0.1 + 0.2] * 9, "spread"),
    ],
)
def test_without_spread_nothing_is_measured(differences, reason):
    found = paired_t(differences)
    assert isinstance(found, NotMeasured)
    assert reason in found.reason


@settings(deadline=None)
@given(st.lists(st.integers(-9, 9).map(float), min_size=2, max_size=9), sides)
def test_the_exact_permutation_test_is_scipys(differences, side):
    found = paired_permutation(differences, 1, side)
    oracle = stats.permutation_test(
        (differences,), np.mean, permutation_type="samples", n_resamples=np.inf, alternative=side
    )
    assert found.exact
    assert found.flips == 2 ** len(differences)
    # scipy doubles the smaller tail; the distribution is symmetric, so that this is both tails, 1 at most.
    assert found.p == pytest.approx(oracle.pvalue, abs=1e-12)


def test_above_16_pairs_flips_are_drawn_and_p_is_never_zero():
    found = paired_permutation([1.0] * 40, 7, draws=999)
    assert (found.exact, found.flips, found.p) == (False, 999, 1 / 1000)
    assert paired_permutation([0.1, -0.2, 0.4] * 7, 3) == paired_permutation([0.1, -0.2, 0.4] * 7, 3)


def test_a_drawn_p_is_near_the_exact_one():
    chance = random.Random(5)
    differences = [chance.gauss(0.3, 1) for _ in range(17)]
    exact = stats.permutation_test((differences,), np.mean, permutation_type="samples", n_resamples=np.inf)
    assert paired_permutation(differences, 11, draws=40_000).p == pytest.approx(exact.pvalue, abs=0.01)


def test_differences_of_nothing_but_zero_have_a_p_of_one():
    assert paired_permutation([0.0] * 5, 1).p == 1
    assert paired_permutation([], 1) == NotMeasured("no pairs")


@settings(deadline=None)
@given(uneven, st.floats(-5, 0), st.floats(0.1, 5))
def test_tost_is_that_of_statsmodels(differences, low, high):
    found = tost(differences, low, high)
    p, _, _ = ttost_paired(np.array(differences), np.zeros(len(differences)), low, high)
    assert found.p == pytest.approx(p, rel=1e-7, abs=1e-12)
    assert found.equivalent == (p < 0.05)


@settings(deadline=None)
@given(uneven)
def test_equivalence_is_that_the_interval_lies_in_the_margin(differences):
    found = tost(differences, -1.0, 1.0)
    assert found.equivalent == (found.interval.low > -1.0 and found.interval.high < 1.0)


@pytest.mark.parametrize(("sd", "difference", "n"), [(1.0, 0.25, 126), (1.0, 0.5, 32), (0.72, 0.25, 66)])
def test_how_many_scenarios_a_difference_takes(sd, difference, n):
    assert needed_pairs(sd, difference) == n


@settings(deadline=None)
@given(st.floats(0.01, 10), st.integers(1, 5000))
def test_what_is_detectable_with_n_pairs_takes_n_pairs(sd, n):
    assert needed_pairs(sd, detectable_difference(sd, n)) == n


def test_the_bootstrap_agrees_with_scipy_on_the_mean():
    chance = random.Random(3)
    sample = [chance.expovariate(1) for _ in range(60)]
    found = bca_interval(sample, lambda s: math.fsum(s) / len(s), seed=1, draws=9000)
    oracle = stats.bootstrap((sample,), np.mean, method="BCa", n_resamples=9999, random_state=1).confidence_interval
    assert (found.low, found.high) == pytest.approx((oracle.low, oracle.high), abs=0.02)
    plain = percentile_interval(sample, lambda s: math.fsum(s) / len(s), seed=1, draws=9000)
    oracle = stats.bootstrap((sample,), np.mean, method="percentile", n_resamples=9999, random_state=1)
    assert (plain.low, plain.high) == pytest.approx(tuple(oracle.confidence_interval), abs=0.02)


def test_leaving_one_out_by_a_shorter_way_is_the_same():
    sample = [0.1, 0.5, 0.25, 0.9, 0.4]
    without = [(math.fsum(sample) - each) / 4 for each in sample]
    plain = bca_interval(sample, lambda s: math.fsum(s) / len(s), seed=1)
    short = bca_interval(sample, lambda s: math.fsum(s) / len(s), seed=1, without=without)
    assert (short.low, short.high) == pytest.approx((plain.low, plain.high))


def test_a_bootstrap_is_repeatable_and_moves_with_its_seed():
    sample = [0.1, 0.5, 0.2, 0.9, 0.4, 0.8]
    first = bca_interval(sample, max, seed=1)
    assert first == bca_interval(sample, max, seed=1)
    assert percentile_interval(sample, lambda s: sum(s), seed=1) != percentile_interval(
        sample, lambda s: sum(s), seed=2
    )


@pytest.mark.parametrize("sample", [[], [1.0], [1.0, 2.0], [0.5] * 30])
def test_a_bootstrap_without_spread_is_not_measured(sample):
    for interval in (bca_interval, percentile_interval):
        assert isinstance(interval(sample, lambda s: math.fsum(s) / len(s), seed=1), NotMeasured)


@pytest.mark.parametrize("odd", [math.nan, math.inf, -math.inf])
def test_what_is_no_number_is_an_error_and_never_a_statistic(odd):
    for call in (
        lambda: paired_t([0.1, odd]),
        lambda: paired_clustered([0.1, odd], ["a", "b"]),
        lambda: paired_permutation([odd], 1),
        lambda: tost([0.1, odd], -1, 1),
    ):
        with pytest.raises(ValueError, match="no measured value"):
            call()


@pytest.mark.parametrize(
    "call",
    [
        lambda: paired_t([1, 2], 1.5),
        lambda: paired_clustered([1.0, 2.0], ["a"]),
        lambda: paired_permutation([1.0], 1, draws=0),
        lambda: tost([1.0, 2.0], 1, 0),
        lambda: tost([1.0, 2.0], 0, 1, alpha=0.6),
        lambda: needed_pairs(0, 1),
        lambda: needed_pairs(1, 1, power=1),
        lambda: detectable_difference(1, 0),
        lambda: bca_interval([1.0, 2.0, 3.0], max, seed=1, draws=10),
        lambda: bca_interval([1.0, 2.0, 3.0], max, seed=1, without=[1.0]),
    ],
)
def test_impossible_questions_are_errors(call):
    with pytest.raises(ValueError, match="expected"):
        call()

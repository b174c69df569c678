import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.contingency_tables import mcnemar as statsmodels_mcnemar
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.proportion import confint_proportions_2indep, proportion_confint

from senno.stats import (
    NotMeasured,
    clopper_pearson,
    holm,
    independent_difference,
    matched_difference,
    mcnemar,
    rate,
    wilson,
)

counts = st.integers(0, 400)
levels = st.sampled_from([0.8, 0.9, 0.95, 0.99])


@settings(deadline=None)
@given(counts, counts, levels)
def test_the_intervals_of_a_rate_are_those_of_statsmodels(k, more, level):
    n = k + more
    if n == 0:
        assert wilson(k, n) == clopper_pearson(k, n) == NotMeasured("no cases")
        return
    for ours, method in ((wilson, "wilson"), (clopper_pearson, "beta")):
        low, high = proportion_confint(k, n, 1 - level, method=method)
        found = ours(k, n, level)
        assert (found.low, found.high) == pytest.approx((max(0, low), min(1, high)), rel=1e-9, abs=1e-10)


def test_of_none_and_of_all_an_interval_ends_at_the_rate_itself():
    assert wilson(0, 10).low == clopper_pearson(0, 10).low == 0
    assert wilson(10, 10).high == clopper_pearson(10, 10).high == 1
    assert rate(3, 10).value == 0.3
    assert rate(0, 0) == NotMeasured("no cases")


@settings(deadline=None)
@given(st.integers(0, 60), st.integers(0, 60))
def test_the_exact_test_of_matched_pairs_is_that_of_statsmodels(b, c):
    assert mcnemar(b, c).p == pytest.approx(statsmodels_mcnemar([[5, b], [c, 7]], exact=True).pvalue, rel=1e-9)


def test_two_runs_that_never_disagree_give_no_evidence():
    assert mcnemar(0, 0).p == 1


def test_a_published_matched_difference():
    # Bentur et al. 2009 as in Fagerland, Lydersen & Laake 2014, table 4: before 2 of 21, after 8 of 21.
    found = matched_difference(both=1, harmful=1, helpful=7, neither=12)
    assert (-found.high, -found.low) == pytest.approx((-0.507, -0.026), abs=5e-4)


@settings(deadline=None)
@given(st.integers(0, 80), st.integers(0, 80), st.integers(0, 80), st.integers(0, 80))
def test_an_independent_difference_is_that_of_statsmodels(k1, m1, k2, m2):
    n1, n2 = k1 + m1, k2 + m2
    found = independent_difference(k1, n1, k2, n2)
    if not (n1 and n2):
        assert isinstance(found, NotMeasured)
        return
    low, high = confint_proportions_2indep(k1, n1, k2, n2, method="newcomb")
    assert (found.low, found.high) == pytest.approx((low, high), abs=1e-9)


@settings(deadline=None)
@given(*[st.integers(0, 40)] * 4)
def test_a_matched_difference_lies_in_its_interval_and_turns_with_the_sides(both, harmful, helpful, neither):
    n = both + harmful + helpful + neither
    if n == 0:
        return
    found = matched_difference(both, harmful, helpful, neither)
    turned = matched_difference(both, helpful, harmful, neither)
    assert found.low - 1e-12 <= (helpful - harmful) / n <= found.high + 1e-12
    assert -1 <= found.low <= found.high <= 1
    assert (turned.low, turned.high) == pytest.approx((-found.high, -found.low), abs=1e-12)


@settings(deadline=None)
@given(st.lists(st.floats(0, 1), max_size=12))
def test_holm_is_that_of_statsmodels(ps):
    expected = multipletests(ps, method="holm")[1] if ps else []
    assert holm(ps) == pytest.approx(tuple(expected), rel=1e-9, abs=1e-300)


@pytest.mark.parametrize(
    "call",
    [
        lambda: wilson(3, 2),
        lambda: wilson(-1, 2),
        lambda: wilson(1, 2, 1.0),
        lambda: clopper_pearson(1, 2, 0.0),
        lambda: mcnemar(-1, 2),
        lambda: matched_difference(1, -1, 1, 1),
        lambda: holm([0.2, 1.2]),
        lambda: holm([float("nan")]),
    ],
)
def test_impossible_counts_are_errors(call):
    with pytest.raises(ValueError, match=r"expected|below"):
        call()


def test_the_coverage_of_wilson_is_near_its_level():
    n, truth = 30, 0.8
    covered = sum(stats.binom.pmf(k, n, truth) for k in range(n + 1) if wilson(k, n).low <= truth <= wilson(k, n).high)
    assert covered == pytest.approx(0.95, abs=0.02)

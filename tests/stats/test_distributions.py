import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import special, stats

from senno.stats import (
    beta_cdf,
    beta_quantile,
    binomial_cdf,
    f_quantile,
    normal_cdf,
    normal_quantile,
    student_cdf,
    student_quantile,
)

shapes = st.floats(0.05, 500)
shares = st.floats(1e-6, 1 - 1e-6)
freedom = st.floats(0.5, 2000)


@settings(deadline=None)
@given(st.floats(0, 1), shapes, shapes)
def test_the_incomplete_beta_integral_is_scipys(x, a, b):
    assert beta_cdf(x, a, b) == pytest.approx(special.betainc(a, b, x), rel=1e-9, abs=1e-12)


@settings(deadline=None)
@given(shares, st.floats(0.3, 500), st.floats(0.3, 500))
def test_a_beta_quantile_lies_where_the_integral_is_p(p, a, b):
    x = beta_quantile(p, a, b)
    assert x == pytest.approx(stats.beta.ppf(p, a, b), rel=1e-8, abs=1e-10)


@settings(deadline=None)
@given(st.floats(-50, 50), freedom)
def test_students_t_is_scipys(t, df):
    assert student_cdf(t, df) == pytest.approx(stats.t.cdf(t, df), rel=1e-8, abs=1e-14)


@settings(deadline=None)
@given(shares, st.floats(1, 2000))
def test_the_quantile_of_students_t_is_scipys(p, df):
    assert student_quantile(p, df) == pytest.approx(stats.t.ppf(p, df), rel=1e-9, abs=1e-9)


@settings(deadline=None)
@given(st.floats(1e-3, 1 - 1e-3), st.integers(1, 400), st.integers(1, 400))
def test_the_quantile_of_f_is_scipys(p, df1, df2):
    assert f_quantile(p, df1, df2) == pytest.approx(stats.f.ppf(p, df1, df2), rel=1e-8)


@settings(deadline=None)
@given(st.integers(0, 300), st.integers(0, 300), st.floats(0, 1))
def test_the_binomial_is_scipys(k, more, p):
    n = k + more
    assert binomial_cdf(k, n, p) == pytest.approx(stats.binom.cdf(k, n, p), rel=1e-8, abs=1e-13)


@settings(deadline=None)
@given(st.floats(-37, 37))
def test_the_normal_is_scipys_in_both_tails(x):
    assert normal_cdf(x) == pytest.approx(stats.norm.cdf(x), rel=1e-12)


@settings(deadline=None)
@given(st.floats(1e-12, 1 - 1e-12))
def test_the_quantile_of_the_normal_is_scipys(p):
    assert normal_quantile(p) == pytest.approx(stats.norm.ppf(p), rel=1e-12, abs=1e-14)


@pytest.mark.parametrize(
    ("a", "b", "x"),
    [(1e6, 1e6, 0.5001), (3e5, 2.0, 0.99999), (0.5, 1e6, 1e-6), (1e-3, 5.0, 0.2), (20_000, 80_000, 0.2)],
)
def test_large_and_small_shapes_are_exact_too(a, b, x):
    assert beta_cdf(x, a, b) == pytest.approx(special.betainc(a, b, x), rel=1e-7)


@pytest.mark.parametrize(("t", "expected"), [(0, 0.5), (math.inf, 1), (-math.inf, 0)])
def test_the_middle_and_the_ends_of_t(t, expected):
    assert student_cdf(t, 7) == expected


@pytest.mark.parametrize(
    "call",
    [
        lambda: beta_cdf(1.1, 1, 1),
        lambda: beta_cdf(0.5, 0, 1),
        lambda: beta_cdf(math.nan, 1, 1),
        lambda: beta_quantile(-0.1, 1, 1),
        lambda: student_cdf(1, 0),
        lambda: student_quantile(1, 3),
        lambda: student_quantile(0, 3),
        lambda: normal_quantile(0),
        lambda: normal_quantile(math.nan),
        lambda: binomial_cdf(1, -1, 0.5),
        lambda: binomial_cdf(1, 2, 1.5),
        lambda: f_quantile(1.0, 2, 3),
    ],
)
def test_what_is_not_defined_is_an_error(call):
    with pytest.raises(ValueError, match=r"expected|defined|infinite"):
        call()


@pytest.mark.parametrize(
    ("t", "df"), [(1.6383560438182505, 17), (1.6690459207925605, 26), (1.689277519114419, 39), (1.6990563418645623, 51)]
)
def test_where_both_parts_round_beyond_the_turn_the_integral_is_turned_once(t, df):
    assert student_cdf(t, df) == pytest.approx(stats.t.cdf(t, df), abs=1e-12)

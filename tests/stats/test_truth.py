import math
import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.inter_rater import cohens_kappa

from senno.stats import (
    Confusion,
    NotMeasured,
    accuracy,
    brier_parts,
    brier_score,
    calibration_error,
    chance_error,
    cohen_kappa,
    corrected_rate,
    equal_mass_bins,
    krippendorff_alpha,
    sensitivity,
    specificity,
    wilson,
    youden_j,
)

forecasts = st.lists(st.tuples(st.sampled_from([n / 16 for n in range(17)]), st.sampled_from([0.0, 1.0])), min_size=1)


@settings(deadline=None)
@given(st.lists(st.tuples(st.booleans(), st.booleans())))
def test_every_case_is_counted_once_and_on_its_side(pairs):
    found = Confusion.of(pairs)
    assert found.tp + found.fn + found.fp + found.tn == len(pairs)
    assert found.positives == sum(true for true, _ in pairs)
    if pairs:
        assert accuracy(found).value == pytest.approx(sum(true == said for true, said in pairs) / len(pairs))


def test_what_is_known_of_each_side():
    counts = Confusion(tp=18, fn=2, fp=5, tn=25)
    assert (sensitivity(counts).value, specificity(counts).value) == (0.9, 25 / 30)
    assert sensitivity(counts).interval == wilson(18, 20)
    assert youden_j(counts).value == pytest.approx(0.9 + 25 / 30 - 1)
    assert youden_j(counts).value in youden_j(counts).interval


def test_a_judge_that_always_says_yes_is_accurate_where_yes_is_common_and_knows_nothing():
    counts = Confusion(tp=95, fn=0, fp=5, tn=0)
    assert accuracy(counts).value == 0.95
    assert youden_j(counts).value == 0


@pytest.mark.parametrize(
    ("counts", "measured"),
    [(Confusion(), ""), (Confusion(tp=3, fn=1), "sensitivity"), (Confusion(fp=1, tn=5), "specificity")],
)
def test_without_cases_of_a_side_that_side_is_not_measured(counts, measured):
    assert isinstance(sensitivity(counts), NotMeasured) == (measured != "sensitivity")
    assert isinstance(specificity(counts), NotMeasured) == (measured != "specificity")
    assert isinstance(youden_j(counts), NotMeasured)
    assert isinstance(corrected_rate(3, 10, counts), NotMeasured)


def _lee_and_others(p, q0, q1, n, m0, m1, alpha=0.05):
    """The estimate and interval of arXiv 2511.21140, written from its formulas."""
    z = stats.norm.ppf(1 - alpha / 2)
    value = np.clip((p + q0 - 1) / (q0 + q1 - 1), 0, 1)
    p, q0, q1 = (n * p + z**2 / 2) / (n + z**2), (m0 * q0 + 1) / (m0 + 2), (m1 * q1 + 1) / (m1 + 2)
    n, m0, m1 = n + z**2, m0 + 2, m1 + 2
    theta = (p + q0 - 1) / (q0 + q1 - 1)
    shift = 2 * z**2 * (-(1 - theta) * q0 * (1 - q0) / m0 + theta * q1 * (1 - q1) / m1)
    spread = p * (1 - p) / n + (1 - theta) ** 2 * q0 * (1 - q0) / m0 + theta**2 * q1 * (1 - q1) / m1
    half = z * np.sqrt(spread) / (q0 + q1 - 1)
    return value, np.clip(theta + shift - half, 0, 1), np.clip(theta + shift + half, 0, 1)


@settings(deadline=None)
@given(*[st.integers(0, 60)] * 4, st.integers(0, 200), st.integers(0, 200))
def test_the_corrected_rate_is_that_of_the_paper(tp, fn, fp, tn, said, not_said):
    counts, n = Confusion(tp, fn, fp, tn), said + not_said
    found = corrected_rate(said, n, counts)
    if not (n and tp + fn and fp + tn):
        assert isinstance(found, NotMeasured)
        return
    q1, q0 = tp / (tp + fn), tn / (fp + tn)
    if q1 + q0 <= 1 or (tp + 1) / (tp + fn + 2) + (tn + 1) / (fp + tn + 2) <= 1:
        assert "no better than chance" in found.reason
        return
    expected = _lee_and_others(said / n, q0, q1, n, fp + tn, tp + fn)
    assert (found.value, found.interval.low, found.interval.high) == pytest.approx(expected, abs=1e-9)


def test_the_corrected_interval_covers_the_truth_where_the_plain_one_does_not():
    chance = random.Random(8)
    q1, q0, truth, hits, plain = 0.9, 0.7, 0.4, 0, 0
    rounds, n, m = 400, 300, 100
    for _ in range(rounds):
        said = sum(chance.random() < (q1 if chance.random() < truth else 1 - q0) for _ in range(n))
        tp, tn = (sum(chance.random() < q for _ in range(m)) for q in (q1, q0))
        hits += truth in corrected_rate(said, n, Confusion(tp, m - tp, m - tn, tn)).interval
        plain += truth in wilson(said, n)
    assert hits / rounds == pytest.approx(0.95, abs=0.035)
    assert plain / rounds < 0.2


@settings(deadline=None)
@given(forecasts)
def test_the_brier_score_is_the_sum_of_its_parts(cases):
    score = brier_score(cases)
    assert score == pytest.approx(np.mean([(p - y) ** 2 for p, y in cases]))
    parts = brier_parts(cases, equal_mass_bins(cases, 5))
    assert score == pytest.approx(parts.reliability - parts.resolution + parts.uncertainty + parts.within_bins)
    assert -1e-12 <= parts.resolution <= parts.uncertainty + 1e-12


@settings(deadline=None)
@given(forecasts)
def test_where_a_bin_has_one_probability_nothing_is_left_within(cases):
    bins = equal_mass_bins(cases, len(cases) * 20)
    assert len(bins) == len({p for p, _ in cases})
    assert brier_parts(cases, bins).within_bins == pytest.approx(0, abs=1e-12)


@settings(deadline=None)
@given(forecasts, st.integers(1, 12), st.randoms())
def test_bins_hold_every_case_in_order_and_ties_stay_together(cases, count, chance):
    bins = equal_mass_bins(cases, count)
    assert sum(b.n for b in bins) == len(cases)
    assert [b.predicted for b in bins] == sorted({b.predicted for b in bins})
    shuffled = cases.copy()
    chance.shuffle(shuffled)
    again = equal_mass_bins(shuffled, count)
    assert [b.n for b in again] == [b.n for b in bins]
    assert calibration_error(again) == pytest.approx(calibration_error(bins))


def test_bins_are_as_equal_as_ties_allow():
    assert [b.n for b in equal_mass_bins([(n / 100, 0.0) for n in range(100)], 10)] == [10] * 10
    assert [b.n for b in equal_mass_bins([(0.5, 1.0)] * 70 + [(0.9, 1.0)] * 30, 10)] == [70, 30]


def test_faults_in_opposite_directions_do_not_cancel():
    cases = [(0.2, 1.0)] * 20 + [(0.8, 0.0)] * 20
    assert calibration_error(equal_mass_bins(cases, 10)) == pytest.approx(0.8)


def test_a_perfect_judge_errs_by_chance_as_much_as_it_says():
    chance = random.Random(6)
    probabilities = [chance.random() for _ in range(200)]
    mean, p95 = chance_error(probabilities, 10, seed=1)
    seen = sorted(
        calibration_error(equal_mass_bins([(p, float(chance.random() < p)) for p in probabilities], 10))
        for _ in range(600)
    )
    assert mean == pytest.approx(np.mean(seen), rel=0.05)
    assert p95 == pytest.approx(seen[570], rel=0.08)


def test_nothing_is_not_scored():
    assert brier_score([]) == brier_parts([], []) == calibration_error([]) == NotMeasured("no cases")
    assert equal_mass_bins([], 3) == ()


@pytest.mark.parametrize(
    "call",
    [
        lambda: brier_score([(1.78, 1.0)]),
        lambda: brier_score([(math.nan, 1.0)]),
        lambda: equal_mass_bins([(0.2, 2.0)], 3),
        lambda: equal_mass_bins([(0.2, 1.0)], 0),
        lambda: brier_parts([(0.2, 1.0)], []),
        lambda: chance_error([], 3, seed=1),
        lambda: corrected_rate(5, 3, Confusion(1, 1, 1, 1)),
        lambda: cohen_kappa([("a", "z")], ["a", "b"]),
        lambda: cohen_kappa([("a", "b")], ["a", "a"]),
        lambda: krippendorff_alpha([[1.0, math.nan]], "nominal"),
    ],
)
def test_what_is_no_probability_and_no_category_is_an_error(call):
    with pytest.raises(ValueError, match=r"expected|measured value|categor"):
        call()


grades = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=2, max_size=60)


@settings(deadline=None)
@given(grades, st.sampled_from([("none", None), ("linear", "linear"), ("quadratic", "quadratic")]))
def test_kappa_and_its_interval_are_those_of_statsmodels(pairs, weights):
    ours, theirs = weights
    found = cohen_kappa(pairs, range(4), ours)
    if isinstance(found, NotMeasured):
        assert len({said for pair in pairs for said in pair}) == 1
        return
    table = np.zeros((4, 4))
    for one, other in pairs:
        table[one][other] += 1
    with np.errstate(all="ignore"):
        oracle = cohens_kappa(table, wt=theirs)
    assert found.value == pytest.approx(oracle.kappa, rel=1e-9, abs=1e-9)
    if not oracle.var_kappa > 1e-12:  # it comes out as 0, or below it by rounding
        assert found.interval.low == pytest.approx(found.interval.high, abs=1e-5)
        return
    low, high = max(-1, oracle.kappa_low), min(1, oracle.kappa_upp)
    assert (found.interval.low, found.interval.high) == pytest.approx((low, high), rel=1e-7, abs=1e-7)


def test_a_kappa_needs_two_cases_and_two_categories():
    assert isinstance(cohen_kappa([], "ab"), NotMeasured)
    assert isinstance(cohen_kappa([("a", "a")] * 9, "a"), NotMeasured)
    assert cohen_kappa([("a", "a"), ("b", "b")] * 5, "ab").value == 1


# Krippendorff 2011, "Computing Krippendorff's alpha-reliability", section C: four observers, twelve units.
OBSERVED = [
    [1, 1, 1],
    [2, 2, 3, 2],
    [3, 3, 3, 3],
    [3, 3, 3, 3],
    [2, 2, 2, 2],
    [1, 2, 3, 4],
    [4, 4, 4, 4],
    [1, 1, 2, 1],
    [2, 2, 2, 2],
    [5, 5, 5],
    [1, 1],
    [3],
]


@pytest.mark.parametrize(("scale", "alpha"), [("nominal", 0.743), ("ordinal", 0.815), ("interval", 0.849)])
def test_alpha_is_that_of_the_papers_example(scale, alpha):
    assert krippendorff_alpha(OBSERVED, scale) == pytest.approx(alpha, abs=5e-4)


def _alpha_by_pairs(units, distance):
    units = [unit for unit in units if len(unit) > 1]
    values = [v for unit in units for v in unit]
    n = len(values)
    seen = sum(
        sum(distance(a, b) for i, a in enumerate(u) for j, b in enumerate(u) if i != j) / (len(u) - 1) for u in units
    )
    chance = sum(distance(a, b) for i, a in enumerate(values) for j, b in enumerate(values) if i != j) / (n - 1)
    return 1 - seen / chance


@settings(deadline=None)
@given(
    st.lists(st.lists(st.integers(0, 4), max_size=4), min_size=1, max_size=12), st.sampled_from(["nominal", "interval"])
)
def test_alpha_is_disagreement_seen_over_disagreement_by_chance(units, scale):
    found = krippendorff_alpha(units, scale)
    if isinstance(found, NotMeasured):
        assert len({v for unit in units if len(unit) > 1 for v in unit}) < 2
        return
    distance = (lambda a, b: (a - b) ** 2) if scale == "interval" else (lambda a, b: a != b)
    assert found == pytest.approx(_alpha_by_pairs(units, distance), abs=1e-9)

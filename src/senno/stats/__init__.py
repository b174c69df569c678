"""Statistics as pure functions: numbers in, numbers out, no input or output. Each names its paper."""

from senno.stats.beta import (
    beta_cdf,
    beta_quantile,
    binomial_cdf,
    f_quantile,
    student_cdf,
    student_quantile,
)
from senno.stats.equivalence import Equivalence, tost
from senno.stats.flips import disagreement, flipped
from senno.stats.kappa import cohen_kappa
from senno.stats.krippendorff import krippendorff_alpha
from senno.stats.matched import McNemar, independent_difference, matched_difference, mcnemar
from senno.stats.multiple import holm
from senno.stats.nested import Components, variance_components
from senno.stats.normal import normal_cdf, normal_quantile
from senno.stats.null_difference import FalseWinners, SameAgain, false_winners, same_again
from senno.stats.outcome import Estimate, Interval, NotMeasured
from senno.stats.paired import Alternative, PairedMean, paired_clustered, paired_t
from senno.stats.permutation import PermutationTest, paired_permutation
from senno.stats.power import detectable_difference, needed_pairs
from senno.stats.probability import (
    BrierParts,
    ReliabilityBin,
    brier_parts,
    brier_score,
    calibration_error,
    chance_error,
    equal_mass_bins,
)
from senno.stats.proportion import clopper_pearson, rate, wilson
from senno.stats.resampling import bca_interval, percentile_interval
from senno.stats.truth import (
    Confusion,
    accuracy,
    corrected_rate,
    sensitivity,
    specificity,
    youden_j,
)
from senno.stats.variance import OneWay, icc_mean, icc_single, one_way, within_sd

__all__ = [
    "Alternative",
    "BrierParts",
    "Components",
    "Confusion",
    "Equivalence",
    "Estimate",
    "FalseWinners",
    "Interval",
    "McNemar",
    "NotMeasured",
    "OneWay",
    "PairedMean",
    "PermutationTest",
    "ReliabilityBin",
    "SameAgain",
    "accuracy",
    "bca_interval",
    "beta_cdf",
    "beta_quantile",
    "binomial_cdf",
    "brier_parts",
    "brier_score",
    "calibration_error",
    "chance_error",
    "clopper_pearson",
    "cohen_kappa",
    "corrected_rate",
    "detectable_difference",
    "disagreement",
    "equal_mass_bins",
    "f_quantile",
    "false_winners",
    "flipped",
    "holm",
    "icc_mean",
    "icc_single",
    "independent_difference",
    "krippendorff_alpha",
    "matched_difference",
    "mcnemar",
    "needed_pairs",
    "normal_cdf",
    "normal_quantile",
    "one_way",
    "paired_clustered",
    "paired_permutation",
    "paired_t",
    "percentile_interval",
    "rate",
    "same_again",
    "sensitivity",
    "specificity",
    "student_cdf",
    "student_quantile",
    "tost",
    "variance_components",
    "wilson",
    "within_sd",
    "youden_j",
]

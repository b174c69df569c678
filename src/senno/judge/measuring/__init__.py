"""The judge measured: the same judged again and again, and what its noise hides."""

from senno.judge.measuring.as_json import flips_json, noise_json, number_json
from senno.judge.measuring.digests import policy_digest, question_digest, question_digests
from senno.judge.measuring.history import History, load_history
from senno.judge.measuring.judging import Judgings, figures_of, judge_again
from senno.judge.measuring.noise import (
    LEAST_REPEATS,
    Flips,
    Noise,
    Threshold,
    estimate_json,
    noise_of,
    thresholds_of,
    verdict_flips,
)
from senno.judge.measuring.repeats import Repeats
from senno.judge.measuring.reseeded import models_of_repeats
from senno.judge.measuring.scores import load_scores
from senno.judge.measuring.stands import Measured, Void, standing
from senno.judge.measuring.texts import Text, load_texts

__all__ = [
    "LEAST_REPEATS",
    "Flips",
    "History",
    "Judgings",
    "Measured",
    "Noise",
    "Repeats",
    "Text",
    "Threshold",
    "Void",
    "estimate_json",
    "figures_of",
    "flips_json",
    "judge_again",
    "load_history",
    "load_scores",
    "load_texts",
    "models_of_repeats",
    "noise_json",
    "noise_of",
    "number_json",
    "policy_digest",
    "question_digest",
    "question_digests",
    "standing",
    "thresholds_of",
    "verdict_flips",
]

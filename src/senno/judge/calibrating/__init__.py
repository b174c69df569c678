"""The judge held against labelled cases: how it errs, on which side, and whether its probabilities can be believed."""

from senno.judge.calibrating.as_json import calibrated_json, graded_json, proposal_json
from senno.judge.calibrating.calibrated import LEAST_A_SIDE, LEAST_CASES, Calibrated, Cut, agreement, calibrate
from senno.judge.calibrating.diagram import reliability_svg
from senno.judge.calibrating.picture import check_picture, write_picture
from senno.judge.calibrating.predictions import load_predictions
from senno.judge.calibrating.targets import Answers, Graded, Seen, Target, graded_of, targets_of
from senno.judge.calibrating.thresholds import LEAST_A_HALF, Proposal, at, propose

__all__ = [
    "LEAST_A_HALF",
    "LEAST_A_SIDE",
    "LEAST_CASES",
    "Answers",
    "Calibrated",
    "Cut",
    "Graded",
    "Proposal",
    "Seen",
    "Target",
    "agreement",
    "at",
    "calibrate",
    "calibrated_json",
    "check_picture",
    "graded_json",
    "graded_of",
    "load_predictions",
    "proposal_json",
    "propose",
    "reliability_svg",
    "targets_of",
    "write_picture",
]

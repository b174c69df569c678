"""A calibration as JSON values: what is kept, and what `--json` prints."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from senno.judge.calibrating.calibrated import Calibrated, agreement
from senno.judge.calibrating.targets import Graded
from senno.judge.calibrating.thresholds import Proposal
from senno.judge.measuring import estimate_json
from senno.stats import Confusion, NotMeasured, rate, youden_j


def calibrated_json(found: Calibrated) -> dict[str, Any]:
    """One target; where there is no number, `not_measured` says why."""
    target, chance, parts = found.target, found.by_chance, found.parts
    return {
        "name": target.name,
        "question": target.question,
        "option": target.option,
        "n": found.n,
        "missing": dict(target.missing),
        "taught": target.taught,
        "prevalence": estimate_json(found.prevalence),
        "threshold": {"value": found.cut.value, "above": found.cut.above, "of_policy": found.cut.of_policy},
        "counts": asdict(found.counts),
        "accuracy": estimate_json(found.accuracy),
        "sensitivity": estimate_json(found.sensitivity),
        "specificity": estimate_json(found.specificity),
        "youden_j": estimate_json(found.youden),
        "brier": estimate_json(found.brier),
        "brier_parts": _why(parts) if isinstance(parts, NotMeasured) else asdict(parts),
        "ece": estimate_json(found.ece),
        "ece_of_a_perfect_judge": _why(chance)
        if isinstance(chance, NotMeasured)
        else {"mean": chance[0], "p95": chance[1]},
        "bins": [_bin(b.n, b.predicted, b.observed) for b in found.bins],
        "proposal": _why(found.proposal) if isinstance(found.proposal, NotMeasured) else proposal_json(found.proposal),
        "corrected_rate": None if found.corrected is None else estimate_json(found.corrected),
    }


def graded_json(graded: Graded) -> dict[str, Any]:
    """A score or a choice as a whole."""
    right, kappa = agreement(graded)
    return {
        "question": graded.question,
        "n": len(graded.pairs),
        "accuracy": estimate_json(right),
        "kappa": estimate_json(kappa),
        "weights": "quadratic" if graded.ordered else "none",
    }


def proposal_json(proposal: Proposal) -> dict[str, Any]:
    """A proposed threshold: nothing is changed by it."""

    def told(counts: Confusion) -> dict[str, Any]:
        return {"counts": asdict(counts), "youden_j": estimate_json(youden_j(counts))}

    return {
        "threshold": proposal.cut,
        "seed": proposal.seed,
        "on_the_half_it_was_found_on": told(proposal.found),
        "on_the_other_half": told(proposal.checked),
        "todays_on_the_other_half": told(proposal.now),
    }


def _bin(n: int, predicted: float, observed: float) -> dict[str, Any]:
    interval = rate(round(observed * n), n)
    assert not isinstance(interval, NotMeasured)
    return {
        "n": n,
        "predicted": predicted,
        "observed": observed,
        "low": interval.interval.low,
        "high": interval.interval.high,
    }


def _why(value: NotMeasured) -> dict[str, Any]:
    return {"value": None, "not_measured": value.reason}

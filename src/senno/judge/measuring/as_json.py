"""The noise of one figure as JSON values: what is kept, and what `--json` prints."""

from __future__ import annotations

from typing import Any

from senno.judge.measuring.noise import Flips, Noise, estimate_json
from senno.stats import NotMeasured, SameAgain


def noise_json(noise: Noise) -> dict[str, Any]:
    """All of it; where there is no number, `not_measured` says why."""
    spread, needed, winners = noise.spread, noise.needed, noise.winners
    return {
        "name": noise.name,
        "items": noise.items,
        "answers": noise.answers,
        "repeats": noise.repeats,
        "values": noise.values,
        "missing": noise.missing,
        "failures": dict(noise.failures),
        "left_out": noise.left_out,
        "incomplete": noise.incomplete,
        "spread": _why(spread) if isinstance(spread, NotMeasured) else {"median": spread[0], "most": spread[1]},
        "within_item_sd": number_json(noise.sd),
        "icc_one": estimate_json(noise.icc_one),
        "icc_many": estimate_json(noise.icc_many),
        "flips": [flips_json(each) for each in noise.flips],
        "same_again": _again(noise.again),
        "false_winners": _why(winners)
        if isinstance(winners, NotMeasured)
        else {"plain": winners.plain, "one_draw": winners.one_draw, "n": winners.n, "draws": winners.draws},
        "variance": {
            "item": number_json(noise.components.item),
            "generation": number_json(noise.components.generation),
            "judge": number_json(noise.components.judge),
            "generation_and_judge": number_json(noise.components.within_item),
        },
        "same_again_answered_anew": _again(noise.fresh),
        "needed": _why(needed) if isinstance(needed, NotMeasured) else {"difference": needed[0], "texts": needed[1]},
    }


def flips_json(flips: Flips) -> dict[str, Any]:
    """One threshold, or the verdict."""
    return {"at": flips.at, "share": estimate_json(flips.share), "pairs": number_json(flips.pairs)}


def number_json(value: float | NotMeasured) -> dict[str, Any]:
    """A number, or why there is none."""
    return _why(value) if isinstance(value, NotMeasured) else {"value": value}


def _again(value: SameAgain | NotMeasured) -> dict[str, Any]:
    if isinstance(value, NotMeasured):
        return _why(value)
    return {"p50": value.p50, "p95": value.p95, "p99": value.p99, "n": value.n, "draws": value.draws}


def _why(value: NotMeasured) -> dict[str, Any]:
    return {"value": None, "not_measured": value.reason}

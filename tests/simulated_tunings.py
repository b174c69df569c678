"""Whole tunings whose truth is known: what is drawn is a score, and what decides is senno's own code."""

from __future__ import annotations

import csv
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random

from senno.tune import Judged, Rules, Trial, accept, blocks, hopeless, noise_floor

Draw = Callable[[Random, str], float]
"""The score of one fresh answer to a scenario."""

JUDGE = Path(__file__).parents[2] / "shared" / "data" / "judge"
TRIPLES, GSM8K = JUDGE / "judge_triples_gpt4.csv", JUDGE / "gsm8k_correct_4systems.csv"


@dataclass(frozen=True)
class Ended:
    """What a tuning said."""

    better: int
    worse: int
    dropped: int
    asked: int
    """Answers of candidates that were asked for."""
    whole: int
    """Those that no race would have asked for."""
    first: int | None
    """Which candidate was called better first."""


def triples() -> dict[str, tuple[float, ...]]:
    """320 + 320 answers, each judged three times by GPT-4, on a scale from 0 to 1."""
    with TRIPLES.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    return {str(n): tuple((float(row[f"score{i}"]) - 1) / 4 for i in (1, 2, 3)) for n, row in enumerate(rows)}


def same_again(judgings: Mapping[str, Sequence[float]]) -> Draw:
    """The same version again: one of a scenario's own judgings, whichever version is asked."""
    return lambda chance, name: chance.choice(judgings[name])


def noisy_check(passes: float) -> Draw:
    """A check of weight 0.3 that holds with that chance, beside a question that hardly moves."""
    return lambda chance, _: 0.3 * (chance.random() < passes) + 0.002 * chance.random()


def trial(name: str, draw: Draw, scenarios: Sequence[str], chance: Random, repeat: int = 0) -> Trial:
    return Trial(name, tuple(Judged(each, repeat, draw(chance, each)) for each in scenarios))


def tuning(
    start: Draw,
    candidates: Sequence[Draw],
    scenarios: Sequence[str],
    chance: Random,
    *,
    clusters: Mapping[str, str] | None = None,
    rules: Rules | None = None,
    racing: bool = True,
) -> Ended:
    """One tuning: a candidate a round, what is found better is answered afresh and goes on as the incumbent."""
    clusters, rules, k = clusters or {}, rules or Rules(), len(candidates)
    control = [trial("a", start, scenarios, chance, n) for n in range(3)]
    better = worse = dropped = asked = 0
    first = None
    for number, draw in enumerate(candidates):
        pooled = Trial("a", tuple(row for each in control for row in each.judged))
        seen, gone = _raced(pooled, control, draw, scenarios, clusters, rules, k, chance, racing)
        asked += len(seen.judged)
        if gone:
            dropped += 1
            continue
        outcome = accept(pooled, seen, control, clusters, rules, k, True).outcome
        worse += outcome == "worse"
        if outcome == "better":
            better += 1
            first = number if first is None else first
            control = [trial("a", draw, scenarios, chance, n) for n in range(3)]
    return Ended(better, worse, dropped, asked, k * len(scenarios), first)


def _raced(
    pooled: Trial,
    control: Sequence[Trial],
    draw: Draw,
    scenarios: Sequence[str],
    clusters: Mapping[str, str],
    rules: Rules,
    k: int,
    chance: Random,
    racing: bool,
) -> tuple[Trial, bool]:
    seen = Trial("b", ())
    for block in blocks(scenarios, clusters, rules.seed) if racing else (scenarios,):
        seen = Trial("b", seen.judged + trial("b", draw, block, chance).judged)
        if len(seen.judged) < len(scenarios):
            floor = noise_floor(control, scenarios, rules.seed)
            if hopeless(pooled, seen, clusters, floor, len(scenarios), rules.alpha, k):
                return seen, True
    return seen, False

"""The noise of one figure, from repeats. Pure.

What goes in, where repeats are missing: the spread, the standard deviation, the correlation and the A/A distribution
take every answer with two values or more; flips, whose share grows with the number of repeats, only answers of which
none is missing. What was left out is counted.
"""

from __future__ import annotations

import operator
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from senno.judge.measuring.repeats import Repeats, present
from senno.judge.policy import Op, Policy, Rule
from senno.stats import (
    Components,
    Estimate,
    FalseWinners,
    NotMeasured,
    SameAgain,
    disagreement,
    false_winners,
    flipped,
    icc_mean,
    icc_single,
    needed_pairs,
    same_again,
    variance_components,
    within_sd,
)

_COMPARE = {"gte": operator.ge, "gt": operator.gt, "lte": operator.le, "lt": operator.lt}
_SIGN = {"gte": "≥", "gt": ">", "lte": "≤", "lt": "<"}

LEAST_REPEATS = 3
"""Fewer give one difference, and a floor from one difference lets a quarter of false winners through."""


@dataclass(frozen=True, slots=True)
class Threshold:
    """Where a rule of a policy cuts a figure."""

    op: Op
    value: float

    def __str__(self) -> str:
        return f"{_SIGN[self.op]} {self.value:g}"

    def fires(self, value: float) -> bool:
        """Whether the rule fires at this value."""
        return bool(_COMPARE[self.op](value, self.value))


@dataclass(frozen=True, slots=True)
class Flips:
    """How often repeats of one text fall on both sides, of a threshold or of a verdict."""

    at: str
    share: Estimate | NotMeasured
    """Of texts with all repeats, the share that did not always give the same."""
    pairs: float | NotMeasured
    """The chance that two judgings of one text differ."""


@dataclass(frozen=True, slots=True)
class Noise:
    """What repeats say of one figure."""

    name: str
    items: int
    answers: int
    repeats: int
    values: int
    missing: int
    failures: Mapping[str, int]
    left_out: int
    """Answers with fewer than two values."""
    incomplete: int
    """Answers with a value missing: left out of flips."""
    spread: tuple[float, float] | NotMeasured
    """Highest less lowest value of one answer: the median and the most."""
    sd: float | NotMeasured
    icc_one: Estimate | NotMeasured
    icc_many: Estimate | NotMeasured
    flips: tuple[Flips, ...]
    again: SameAgain | NotMeasured
    winners: FalseWinners | NotMeasured
    components: Components
    fresh: SameAgain | NotMeasured
    """The A/A distribution where each item is answered anew, and each answer judged once."""

    @property
    def needed(self) -> tuple[float, int] | NotMeasured:
        """Half of the floor, and the texts that it takes to find a true difference of that size, judged once each."""
        if isinstance(self.again, NotMeasured):
            return self.again
        if isinstance(self.sd, NotMeasured) or not self.sd or not self.again.p95:
            return NotMeasured("no repeat of a text ever differed")
        half = self.again.p95 / 2
        return half, needed_pairs(self.sd * 2**0.5, half)


def noise_of(repeats: Repeats, *, n: int, seed: int, thresholds: Sequence[Threshold] = ()) -> Noise:
    """The noise of one figure.

    Args:
        repeats: what was judged.
        n: texts in one judging, for which the floor is given.
        seed: of the draws.
        thresholds: at which flips are counted.
    """
    groups, complete = repeats.repeated, repeats.complete
    answers = repeats.answers
    ranges = sorted(max(group) - min(group) for group in groups)
    values = sum(len(present(each)) for each in answers)
    every = complete if repeats.wanted > 1 else []
    return Noise(
        name=repeats.name,
        items=len(repeats.items),
        answers=len(answers),
        repeats=repeats.wanted,
        values=values,
        missing=sum(map(len, answers)) - values,
        failures=repeats.failures,
        left_out=len(answers) - len(groups),
        incomplete=len(answers) - len(complete),
        spread=(_median(ranges), ranges[-1]) if ranges else NotMeasured("no text has two values"),
        sd=within_sd(groups),
        icc_one=icc_single(groups),
        icc_many=icc_mean(groups),
        flips=tuple(_flips(str(each), [[each.fires(v) for v in group] for group in every]) for each in thresholds),
        again=same_again(groups, n, seed),
        winners=false_winners(groups, n, seed),
        components=variance_components(_nested(repeats)),
        fresh=_fresh(repeats, n, seed),
    )


def verdict_flips(verdicts: Sequence[Sequence[str | None]]) -> Flips:
    """How often the verdict of one text changes; `None`: there was none, and the text is left out."""
    wanted = max(map(len, verdicts), default=0)
    every = [[v for v in each if v is not None] for each in verdicts]
    return _flips("verdict", [each for each in every if len(each) == wanted > 1])


def thresholds_of(policy: Policy, check: str, option: str | None = None) -> tuple[Threshold, ...]:
    """Where the rules of a policy cut one question, each once, in the order of the file."""
    rules = [rule for verdict in policy.verdicts for rule in verdict.rules]
    flat: list[Rule] = []
    while rules:
        rule = rules.pop(0)
        flat.append(rule)
        rules = [*rule.unless, *rules]
    found = [Threshold(rule.op, rule.value) for rule in flat if (rule.check, rule.option) == (check, option)]
    return tuple(dict.fromkeys(found))


def _flips(at: str, repeats: Sequence[Sequence[Hashable]]) -> Flips:
    if not repeats:
        nothing = NotMeasured("no text has all its repeats")
        return Flips(at, nothing, nothing)
    return Flips(at, flipped(repeats), disagreement(repeats))


def _nested(repeats: Repeats) -> list[list[list[float]]]:
    items = [[values for each in item.values() if (values := present(each))] for item in repeats.items.values()]
    return [item for item in items if item]


def _fresh(repeats: Repeats, n: int, seed: int) -> SameAgain | NotMeasured:
    if all(len(item) < 2 for item in repeats.items.values()):
        return NotMeasured("no item has two answers")
    first = [[answer[0] for answer in item] for item in _nested(repeats)]
    return same_again(first, n, seed)


def _median(ranked: list[float]) -> float:
    half = len(ranked) // 2
    return ranked[half] if len(ranked) % 2 else (ranked[half - 1] + ranked[half]) / 2


def estimate_json(value: Estimate | NotMeasured) -> dict[str, Any]:
    """A number with its interval, or why there is none."""
    if isinstance(value, NotMeasured):
        return {"value": None, "not_measured": value.reason}
    interval = value.interval
    return {"value": value.value, "low": interval.low, "high": interval.high, "level": interval.level, "n": value.n}

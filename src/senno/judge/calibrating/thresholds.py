"""A threshold proposed on one half of the cases, and checked on the other. Nothing is written anywhere."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from senno.judge.calibrating.targets import Seen
from senno.stats import Confusion, NotMeasured

LEAST_A_HALF = 10
"""Cases of a side in each half, below which nothing is proposed: 9 of 10 is then from 60 to 98 %."""


@dataclass(frozen=True, slots=True)
class Proposal:
    """The cut with the highest Youden's J on one half, and what it does on the other."""

    cut: float
    found: Confusion
    """On the half on which it was chosen: too good by its choice."""
    checked: Confusion
    """On the other half."""
    now: Confusion
    """What the threshold of today does on that other half."""
    seed: int


def propose(seen: Sequence[Seen], current: float, seed: int) -> Proposal | NotMeasured:
    """Propose a threshold ("yes" from this probability on).

    The cases are shuffled by the seed and halved within each side. Of equally good cuts it is the one in the middle of
    the widest gap between probabilities.

    Args:
        seen: the cases.
        current: the threshold of today.
        seed: of the split.
    """
    sides = [[each for each in seen if each.true is true] for true in (True, False)]
    for side, name in zip(sides, ("truly so", "truly not so"), strict=True):
        if len(side) < 2 * LEAST_A_HALF:
            return NotMeasured(f"too few cases: {len(side)} are {name}, and it takes {2 * LEAST_A_HALF}")
    chance = random.Random(seed)  # noqa: S311 - a split, repeatable
    one: list[Seen] = []
    other: list[Seen] = []
    for side in sides:
        shuffled = sorted(side, key=lambda each: each.case)  # the order of the file is not to matter
        chance.shuffle(shuffled)
        half = len(shuffled) // 2
        one += shuffled[:half]
        other += shuffled[half:]
    cut = _best(one)
    if cut is None:
        return NotMeasured("every case of one half got the same probability: no threshold tells them apart")
    return Proposal(cut, at(one, cut), at(other, cut), at(other, current), seed)


def at(seen: Sequence[Seen], cut: float, *, above: bool = False) -> Confusion:
    """The cases by what is true and what a threshold makes of the probability: yes from `cut` on (`above`: over it)."""
    return Confusion.of((each.true, each.p > cut if above else each.p >= cut) for each in seen)


def _best(seen: Sequence[Seen]) -> float | None:
    values = sorted({each.p for each in seen})
    positives = sum(each.true for each in seen)
    negatives = len(seen) - positives
    best: tuple[float, float] | None = None
    cut = None
    tp, fp = positives, negatives
    by_value: dict[float, list[Seen]] = {}
    for each in seen:
        by_value.setdefault(each.p, []).append(each)
    for low, high in pairwise(values):
        tp -= sum(each.true for each in by_value[low])
        fp -= sum(not each.true for each in by_value[low])
        rank = (round(tp / positives - fp / negatives, 12), high - low)
        if best is None or rank > best:
            best, cut = rank, _between(low, high)
    return cut


def _between(low: float, high: float) -> float:
    """Near the middle of a gap, in as few digits as lie inside it: what is printed is what was tried."""
    middle = (low + high) / 2
    return next((short for digits in range(2, 12) if low < (short := round(middle, digits)) <= high), high)

"""The A/A distribution: how far two judgings of the same items lie apart, and what would be taken for progress."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate, permutations
from typing import TypeVar

from senno.stats.normal import normal_quantile
from senno.stats.outcome import NotMeasured, finite

T = TypeVar("T")

DRAWS = 20_000
_MOST_DRAWN = 4_000_000
"""Items drawn in all: some seconds."""
_MOST_REPEATS = 6
_MOST_TRIPLES = 120


@dataclass(frozen=True, slots=True)
class SameAgain:
    """The absolute difference between the means of two judgings of the same `n` items."""

    p50: float
    p95: float
    """The noise floor: of two judgings of the same, one in twenty lies this far apart or further."""
    p99: float
    n: int
    items: int
    """Items that it was drawn from."""
    draws: int


@dataclass(frozen=True, slots=True)
class FalseWinners:
    """Of candidates that are the same as what they replace, the share that would be taken for better."""

    plain: float
    """Where the higher mean wins."""
    one_draw: float
    """Where it must win by more than two judgings of the old differed, once."""
    n: int
    draws: int


def same_again(groups: Sequence[Sequence[float]], n: int, seed: int, draws: int = DRAWS) -> SameAgain | NotMeasured:
    """The distribution of |mean(A) − mean(A′)| over `n` items, by resampling.

    Drawn from random pairs of an item's own repeats, not from residuals pooled over items: items differ in how noisy
    they are and in how coarse their scale is, and a pair of real answers keeps both, with no correction for the
    estimated mean. Items are drawn with replacement. A quantile of a drawn distribution is itself uncertain: what is
    given is the upper end of its one-sided 99 % interval (order statistics), since a floor that is too low lets false
    winners through.

    Args:
        groups: repeats by item; those with fewer than two are left out.
        n: items in one judging.
        seed: of the draws.
        draws: how many pairs of judgings; fewer above 200 items.

    Raises:
        ValueError: `n` below 1, fewer than 1,000 draws, or a value is not finite.
    """
    rounds = _rounds(n, draws)
    usable = [values for group in groups if len(values := finite(group)) > 1]
    if not usable:
        return NotMeasured("no item has two repeats")
    chance = random.Random(seed)  # noqa: S311 - statistics, repeatable
    apart, weights = _flat([[a - b for a, b in permutations(values, 2)] for values in usable])
    drawn = sorted(abs(sum(chance.choices(apart, cum_weights=weights, k=n))) / n for _ in range(rounds))
    p50, p95, p99 = (_upper(drawn, share) for share in (0.5, 0.95, 0.99))
    return SameAgain(p50, p95, p99, n, len(usable), rounds)


def false_winners(
    groups: Sequence[Sequence[float]], n: int, seed: int, draws: int = DRAWS
) -> FalseWinners | NotMeasured:
    """How many candidates that are no better would win: A, A′ and B are three judgings of the same items.

    By the rule of one draw, B wins where B − A > |A′ − A|; without ties that is one in four, whatever the noise. A tie
    wins nothing.

    Args:
        groups: repeats by item; those with fewer than three are left out.
        n: items in one judging.
        seed: of the draws.
        draws: how many triples; fewer above 200 items.

    Raises:
        ValueError: as `same_again`.
    """
    rounds = _rounds(n, draws)
    usable = [values for group in groups if len(values := finite(group)) > 2]
    if not usable:
        return NotMeasured("no item has three repeats")
    chance = random.Random(seed)  # noqa: S311 - statistics, repeatable
    near = 1e-9 * max(1.0, max(abs(v) for values in usable for v in values))
    # B − A and A′ − A in one number, so that one sum adds up both.
    triples, weights = _flat([[complex(b - a, c - a) for a, b, c in _triples(values, chance)] for values in usable])
    plain = one_draw = 0
    for _ in range(rounds):
        total = sum(chance.choices(triples, cum_weights=weights, k=n))
        plain += total.real > near
        one_draw += total.real > abs(total.imag) + near
    return FalseWinners(plain / rounds, one_draw / rounds, n, rounds)


def _triples(values: list[float], chance: random.Random) -> list[tuple[float, ...]]:
    """Every order of three of an item's repeats; of many repeats, so many drawn."""
    if len(values) <= _MOST_REPEATS:
        return list(permutations(values, 3))
    return [tuple(chance.sample(values, 3)) for _ in range(_MOST_TRIPLES)]


def _flat(parts: list[list[T]]) -> tuple[list[T], list[float] | None]:
    """All parts in one list, with cumulated weights that give each part the same; `None`: all are equally long."""
    flat = [each for part in parts for each in part]
    if len({len(part) for part in parts}) == 1:
        return flat, None
    return flat, list(accumulate(1 / len(part) for part in parts for _ in part))


def _rounds(n: int, draws: int) -> int:
    """How many judgings are drawn: fewer of very many items, where each says more, and the intervals tell."""
    if n < 1 or draws < 1000:
        raise ValueError(f"{n} items, {draws} draws; expected at least 1, and at least 1,000")
    return min(draws, max(1000, _MOST_DRAWN // n))


def _upper(ranked: list[float], share: float) -> float:
    """The upper end of the one-sided 99 % interval of a quantile of sorted draws."""
    size = len(ranked)
    rank = size * share + normal_quantile(0.99) * math.sqrt(size * share * (1 - share))
    return ranked[min(size - 1, math.ceil(rank) - 1)]

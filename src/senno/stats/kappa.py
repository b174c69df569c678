"""Do two raters agree beyond chance?"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Sequence
from typing import Literal

from senno.stats.normal import normal_quantile
from senno.stats.outcome import Estimate, Interval, NotMeasured, tail_of


def cohen_kappa(
    pairs: Sequence[tuple[Hashable, Hashable]],
    categories: Sequence[Hashable],
    weights: Literal["none", "linear", "quadratic"] = "none",
    level: float = 0.95,
) -> Estimate | NotMeasured:
    """Cohen's kappa (1960; weighted 1968) with the interval of Fleiss, Cohen & Everitt 1969.

    Args:
        pairs: what each of both raters said of a case.
        categories: all that can be said; in order, where there are weights.
        weights: how far a near miss counts: not, by its distance, by its square.
        level: of confidence.

    Raises:
        ValueError: something was said that is no category, a category stands twice, or the level is no confidence.
    """
    tail = tail_of(level)
    place = {name: n for n, name in enumerate(categories)}
    if len(place) != len(categories):
        raise ValueError("a category stands twice")
    unknown = next((said for pair in pairs for said in pair if said not in place), None)
    if unknown is not None:
        raise ValueError(f"{unknown!r} is none of the categories")
    k, n = len(categories), len(pairs)
    if n < 2 or k < 2:
        return NotMeasured(f"{n} cases in {k} categories; it takes 2 of each")
    shares = [[0.0] * k for _ in range(k)]
    for one, other in pairs:
        shares[place[one]][place[other]] += 1 / n
    rows = [math.fsum(row) for row in shares]
    columns = [math.fsum(row[j] for row in shares) for j in range(k)]
    weight = _weight(weights, k)
    cells = [(i, j) for i in range(k) for j in range(k)]
    seen = math.fsum(weight(i, j) * shares[i][j] for i, j in cells)
    chance = math.fsum(weight(i, j) * rows[i] * columns[j] for i, j in cells)
    if chance >= 1 - 1e-12:
        return NotMeasured("both raters said one thing only: no agreement beyond chance can show")
    kappa = (seen - chance) / (1 - chance)
    by_row = [math.fsum(weight(i, j) * columns[j] for j in range(k)) for i in range(k)]
    by_column = [math.fsum(weight(i, j) * rows[i] for i in range(k)) for j in range(k)]
    spread = (
        math.fsum(shares[i][j] * (weight(i, j) - (by_row[i] + by_column[j]) * (1 - kappa)) ** 2 for i, j in cells)
        - (kappa - chance * (1 - kappa)) ** 2
    )
    se = math.sqrt(max(0.0, spread) / n) / (1 - chance)
    half = normal_quantile(1 - tail) * se
    return Estimate(kappa, Interval(max(-1.0, kappa - half), min(1.0, kappa + half), level), n)


def _weight(kind: Literal["none", "linear", "quadratic"], k: int) -> Callable[[int, int], float]:
    if kind == "none":
        return lambda i, j: float(i == j)
    power = 1 if kind == "linear" else 2
    return lambda i, j: 1 - (abs(i - j) / (k - 1)) ** power

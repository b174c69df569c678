"""Do any number of raters agree, on any scale, with answers missing?"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Literal

from senno.stats.outcome import NotMeasured, finite

Scale = Literal["nominal", "ordinal", "interval"]


def krippendorff_alpha(units: Sequence[Sequence[float]], scale: Scale) -> float | NotMeasured:
    """Krippendorff's alpha (2004, chapter 11; 2011): 1 agrees always, 0 as chance does, below 0 worse.

    Args:
        units: what was said of each unit, in any order, without what is missing. Categories are numbers.
        scale: `nominal` (equal or not), `ordinal` (how many lie between), `interval` (the squared distance).

    Raises:
        ValueError: a value is not finite.
    """
    paired = [values for unit in units if len(values := finite(unit)) > 1]
    if not paired:
        return NotMeasured("no unit was rated twice")
    values = sorted({value for unit in paired for value in unit})
    if len(values) < 2:
        return NotMeasured("one value was given only: no agreement beyond chance can show")
    place = {value: n for n, value in enumerate(values)}
    k = len(values)
    together = [[0.0] * k for _ in range(k)]
    for unit in paired:
        counts = [0] * k
        for value in unit:
            counts[place[value]] += 1
        present = [n for n in range(k) if counts[n]]
        for i in present:
            for j in present:
                together[i][j] += counts[i] * (counts[j] - (i == j)) / (len(unit) - 1)
    totals = [math.fsum(row) for row in together]
    n = math.fsum(totals)
    apart = _distance(scale, values, totals)
    cells = [(i, j, apart(i, j)) for i in range(k) for j in range(i + 1, k)]
    seen = math.fsum(together[i][j] * d for i, j, d in cells)
    chance = math.fsum(totals[i] * totals[j] * d for i, j, d in cells)
    return 1 - (n - 1) * seen / chance


def _distance(scale: Scale, values: list[float], totals: list[float]) -> Callable[[int, int], float]:
    """Squared distances between two values, by their places (the first below the second)."""
    if scale == "nominal":
        return lambda i, j: float(i != j)
    if scale == "interval":
        return lambda i, j: (values[i] - values[j]) ** 2
    before = [0.0]
    for total in totals:
        before.append(before[-1] + total)
    return lambda i, j: (before[j + 1] - before[i] - (totals[i] + totals[j]) / 2) ** 2

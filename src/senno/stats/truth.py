"""Answers against the truth: sensitivity, specificity, Youden's J, and a rate put right by them."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from senno.stats.matched import independent_difference
from senno.stats.normal import normal_quantile
from senno.stats.outcome import Estimate, Interval, NotMeasured, tail_of
from senno.stats.proportion import rate


@dataclass(frozen=True, slots=True)
class Confusion:
    """Cases by what is true and what was answered."""

    tp: int = 0
    fn: int = 0
    fp: int = 0
    tn: int = 0

    @classmethod
    def of(cls, pairs: Iterable[tuple[bool, bool]]) -> Confusion:
        """Counted from (true, answered)."""
        rows = list(pairs)
        return cls(
            sum(true and said for true, said in rows),
            sum(true and not said for true, said in rows),
            sum(said and not true for true, said in rows),
            sum(not true and not said for true, said in rows),
        )

    @property
    def positives(self) -> int:
        """Cases that are truly so."""
        return self.tp + self.fn

    @property
    def negatives(self) -> int:
        """Cases that are truly not so."""
        return self.fp + self.tn


def accuracy(counts: Confusion, level: float = 0.95) -> Estimate | NotMeasured:
    """The share answered rightly (Wilson). High without any knowledge where one side is rare: see `youden_j`."""
    return rate(counts.tp + counts.tn, counts.positives + counts.negatives, level)


def sensitivity(counts: Confusion, level: float = 0.95) -> Estimate | NotMeasured:
    """Of what is so, the share that was answered so (Wilson)."""
    found = rate(counts.tp, counts.positives, level)
    return NotMeasured("no case is truly so") if isinstance(found, NotMeasured) else found


def specificity(counts: Confusion, level: float = 0.95) -> Estimate | NotMeasured:
    """Of what is not so, the share that was answered not so (Wilson)."""
    found = rate(counts.tn, counts.negatives, level)
    return NotMeasured("no case is truly not so") if isinstance(found, NotMeasured) else found


def youden_j(counts: Confusion, level: float = 0.95) -> Estimate | NotMeasured:
    """Sensitivity + specificity − 1 (Youden 1950): 0 knows nothing, 1 knows all. Interval: Newcombe 1998, method 10."""
    if not counts.positives or not counts.negatives:
        return NotMeasured("it takes cases of both sides")
    value = counts.tp / counts.positives - counts.fp / counts.negatives
    interval = independent_difference(counts.tp, counts.positives, counts.fp, counts.negatives, level)
    assert isinstance(interval, Interval)
    return Estimate(value, interval, counts.positives + counts.negatives)


def corrected_rate(said: int, n: int, counts: Confusion, level: float = 0.95) -> Estimate | NotMeasured:
    """The true rate behind `said` yes of `n` answers, given how the judge errs on labelled cases.

    Rogan & Gladen 1978, (p + q₀ − 1) / (q₀ + q₁ − 1), cut to [0, 1]; the interval is that of Lang & Reiczigel 2014, as
    arXiv 2511.21140 has it, and counts the uncertainty of both sets.

    Args:
        said: unlabelled cases answered yes.
        n: unlabelled cases.
        counts: the labelled cases.
        level: of confidence.

    Raises:
        ValueError: `said` is not from 0 to `n`, or the level is no confidence.
    """
    if not 0 <= said <= n:
        raise ValueError(f"{said} of {n}; expected from none to all of a number of cases")
    z = normal_quantile(1 - tail_of(level))
    m1, m0 = counts.positives, counts.negatives
    if not (n and m1 and m0):
        return NotMeasured("no unlabelled cases" if not n else "it takes labelled cases of both sides")
    knows = counts.tp / m1 + counts.tn / m0 - 1
    q1, q0 = (counts.tp + 1) / (m1 + 2), (counts.tn + 1) / (m0 + 2)
    told = q0 + q1 - 1
    if knows <= 0 or told <= 0:
        return NotMeasured("the judge answers no better than chance (J ≤ 0): nothing can be put right by it")
    p = (said + z * z / 2) / (n + z * z)
    value = (p + q0 - 1) / told
    own0, own1 = q0 * (1 - q0) / (m0 + 2), q1 * (1 - q1) / (m1 + 2)
    se = math.sqrt(p * (1 - p) / (n + z * z) + (1 - value) ** 2 * own0 + value**2 * own1) / told
    middle = value + 2 * z * z * (value * own1 - (1 - value) * own0)
    plain = (said / n + counts.tn / m0 - 1) / knows
    interval = Interval(_share(middle - z * se), _share(middle + z * se), level)
    return Estimate(_share(plain), interval, n)


def _share(value: float) -> float:
    return min(1.0, max(0.0, value))

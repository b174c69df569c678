"""Racing: a hopeless candidate is dropped before all scenarios are paid for.

A race may only drop. Whoever is left at the end meets the full conditions of `acceptance.py` on all scenarios, so that
looking in between cannot make a winner, and the guarantee of the whole tuning stands as it is. What a race may cost
is a true winner dropped by bad luck at the start: `bench/results/tune_acceptance.md` has how often.
"""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from senno.stats import NotMeasured, PairedMean, normal_cdf, student_quantile
from senno.tune.acceptance import Compared
from senno.tune.control import Floor
from senno.tune.reach import LEAST_CLUSTERS
from senno.tune.trial import Trial

LEAST_CHANCE = 0.05
"""A candidate whose chance to come out better at the end is below this is dropped."""


@dataclass(frozen=True, slots=True)
class Dropped:
    """A candidate that was given up before the end."""

    after: int
    """Scenarios that it was compared on by then."""
    n: int
    """Scenarios in all."""
    mean: float
    """The difference up to then."""
    chance: float
    """Of coming out better at the end."""

    def __str__(self) -> str:
        return (
            f"dropped after {self.after} of {self.n} scenarios: the difference is {self.mean:+.3f}, and the chance to "
            f"come out better at the end {self.chance:.1%}"
        )


def blocks(scenarios: Sequence[str], clusters: Mapping[str, str], seed: int) -> tuple[tuple[str, ...], ...]:
    """The scenarios in the order in which a race runs them: about a quarter at a time, shuffled, clusters whole.

    The first block has six clusters at least, below which nothing can be said; with fewer than twelve there is one
    block alone, and no race.

    Args:
        scenarios: of the comparison.
        clusters: scenario to what it hangs together with; one that is not there stands by itself.
        seed: of the shuffle.
    """
    groups: dict[str, list[str]] = {}
    for name in scenarios:
        groups.setdefault(clusters.get(name, f"scenario {name}"), []).append(name)
    names = sorted(groups)
    random.Random(seed).shuffle(names)  # noqa: S311 - a repeatable order
    rounds = min(4, len(names) // LEAST_CLUSTERS) or 1
    size = len(names) / rounds
    cuts = [round(size * n) for n in range(rounds + 1)]
    return tuple(
        tuple(scenario for name in names[start:end] for scenario in groups[name])
        for start, end in itertools.pairwise(cuts)
    )


def hopeless(
    incumbent: Trial, candidate: Trial, clusters: Mapping[str, str], floor: Floor, n: int, alpha: float, k: int
) -> Dropped | None:
    """Whether a candidate, judged on a part of the scenarios, should be given up.

    Of the mean on all `n` scenarios, the part seen tells this much: it lies about the mean seen, with the variance
    s²·(1/seen − 1/n) (predictive, s the standard deviation seen). To be better it must exceed the noise floor and the
    half width of its interval. Where nothing spreads yet, nothing is given up.

    Args:
        incumbent: with all its repeats.
        candidate: what is there of it.
        clusters: scenario to what it hangs together with.
        floor: of the incumbent on all `n` scenarios.
        n: scenarios in all.
        alpha: of the whole tuning.
        k: candidates that it is shared among.
    """
    compared = Compared.of(incumbent, candidate, clusters)
    seen = len(compared.scenarios)
    paired = compared.paired(1 - alpha / k)
    if isinstance(paired, NotMeasured) or isinstance(floor.value, NotMeasured) or not seen < n:
        return None
    if paired.clusters < LEAST_CLUSTERS:
        return None
    chance = _chance(paired, seen, n, alpha / k, floor.value)
    return Dropped(seen, n, paired.mean, chance) if chance < LEAST_CHANCE else None


def _chance(paired: PairedMean, seen: int, n: int, alpha: float, floor: float) -> float:
    spread = paired.se * math.sqrt(seen)
    clusters = max(2, round(paired.clusters * n / seen))
    bar = max(floor, student_quantile(1 - alpha / 2, clusters - 1) * spread / math.sqrt(n))
    return normal_cdf((paired.mean - bar) / (spread * math.sqrt(1 / seen - 1 / n)))

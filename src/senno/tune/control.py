"""The A/A control: the incumbent against itself. What moves there is noise."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations

from senno.stats import NotMeasured, SameAgain, same_again
from senno.tune.trial import Trial

LEAST_REPEATS = 3
"""Fewer are one or two draws of the noise, and a quarter of candidates that are no better would clear such a floor."""

_STEPS = 500_000
"""Items drawn for one floor, at most: many scenarios make do with fewer draws of each."""


@dataclass(frozen=True, slots=True)
class Control:
    """What repeats of an unchanged version did."""

    repeats: int
    n: int
    """Scenarios that every repeat has a score of."""
    moved: int
    """Scenarios that did not score the same in every repeat."""
    mean: float
    """The mean over pairs of repeats of how far apart their means are."""
    largest: float
    """The largest of those."""
    flips: int
    """Checks of a scenario that did not come out on one side in every repeat."""


@dataclass(frozen=True, slots=True)
class Floor:
    """The noise floor for a number of scenarios."""

    value: float | NotMeasured
    """One in twenty pairs of judgings of the same version lies further apart."""
    together: str | None = None
    """Set where repeats moved as wholes, further than their scenarios explain: then `value` is how far they did."""


def control_of(repeats: Sequence[Trial], scenarios: Sequence[str]) -> Control | NotMeasured:
    """What the repeats of a version did on those scenarios.

    Args:
        repeats: of one version, each a trial.
        scenarios: the ones compared.
    """
    if len(repeats) < 2:
        return NotMeasured(f"{len(repeats)} repeats of the incumbent; it takes {LEAST_REPEATS}")
    means = [_means(each) for each in repeats]
    common = [name for name in scenarios if all(name in scores for scores in means)]
    if not common:
        return NotMeasured("no scenario has a score in every repeat of the incumbent")
    moved = sum(max(s[name] for s in means) - min(s[name] for s in means) > 1e-9 for name in common)
    gaps = _gaps(means, common)
    failed = [each.failing() for each in repeats]
    names = {key for sides in failed for key in sides if key[0] in set(common)}
    flips = sum(len({key in sides for sides in failed}) > 1 for key in names)
    return Control(len(repeats), len(common), moved, sum(gaps) / len(gaps), max(gaps), flips)


def noise_floor(repeats: Sequence[Trial], scenarios: Sequence[str], seed: int) -> Floor:
    """How far apart two judgings of one version come out on so many scenarios, one time in twenty.

    Drawn scenario by scenario from the repeats (`senno.stats.same_again`), which takes the noise of one scenario to
    know nothing of another's. Where whole repeats lie further apart than one time in a hundred by that, something
    moved all of them (a model that was changed, a busy server), and the floor is how far it did.

    Args:
        repeats: of one version, each a trial; three at least.
        scenarios: the ones compared.
        seed: of the draws.
    """
    if len(repeats) < LEAST_REPEATS:
        return Floor(NotMeasured(f"{len(repeats)} repeats of the incumbent; it takes {LEAST_REPEATS}"))
    means = [_means(each) for each in repeats]
    groups = tuple(tuple(scores[name] for scores in means if name in scores) for name in scenarios)
    drawn = _drawn(groups, seed)
    if isinstance(drawn, NotMeasured):
        return Floor(drawn)
    common = [name for name in scenarios if all(name in scores for scores in means)]
    apart = max(_gaps(means, common)) if common else 0.0
    if apart <= drawn.p99 + 1e-12:
        return Floor(drawn.p95)
    said = f"repeats of the incumbent lie {apart:.3f} apart, and their scenarios explain {drawn.p99:.3f}"
    return Floor(apart, f"{said}: something moved all of them at once")


@lru_cache(maxsize=32)  # the candidates of a round are held against one incumbent
def _drawn(groups: tuple[tuple[float, ...], ...], seed: int) -> SameAgain | NotMeasured:
    if not groups:
        return NotMeasured("no scenario was scored for both versions")
    if all(len(group) > 1 and min(group) == max(group) for group in groups):  # nothing moved: there is nothing to draw
        return SameAgain(0.0, 0.0, 0.0, len(groups), len(groups), 0)
    return same_again(groups, len(groups), seed, draws=min(20_000, max(1_000, _STEPS // len(groups))))


def _means(trial: Trial) -> dict[str, float]:
    return {name: sum(scores) / len(scores) for name, scores in trial.by_scenario().items()}


def _gaps(means: Sequence[dict[str, float]], common: Sequence[str]) -> list[float]:
    whole = [sum(scores[name] for name in common) / len(common) for scores in means]
    return [abs(one - other) for one, other in combinations(whole, 2)]

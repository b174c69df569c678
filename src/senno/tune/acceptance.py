"""Whether a candidate is better than the incumbent, by evidence alone: a pure function of what was judged.

`better` takes all of these, and `worse` the first three the other way round (or a must that clearly regressed):

1. the interval of the mean paired difference, clustered, at 1 − alpha / k, lies above 0;
2. the difference is above the noise floor: the 95 % quantile of the A/A difference for this number of scenarios;
3. flipping the signs of the clusters' differences does as well in a share of alpha at most (Fisher 1935);
4. no must regressed; enough judgements have a score, of both versions; the wiring is proved.

Points 2 and 3 are beside the interval because Student's t goes by a normal distribution, which scores made of checks do
not have: by itself it calls identical prompts better in up to 18 % of tunings with one noisy check, and in 7 % where
one profile has half of the scenarios (`bench/results/tune_acceptance.md`). The signs take six clusters to tell
anything.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from senno.stats import (
    Interval,
    NotMeasured,
    PairedMean,
    paired_clustered,
    paired_permutation,
)
from senno.tune.control import Control, Floor, control_of, noise_floor
from senno.tune.musts import Regressed, regressed
from senno.tune.reach import scenarios_needed, smallest_difference
from senno.tune.trial import Trial

Outcome = Literal["better", "worse", "no measurable difference"]

_FLIPS = 2_000
"""Ways to give signs that are drawn above 16 clusters, of many clusters fewer."""


@dataclass(frozen=True, slots=True)
class Rules:
    """What it takes."""

    alpha: float = 0.05
    """Of the whole tuning, two-sided; each of `k` candidates is looked at with alpha / k."""
    min_scored: float = 0.95
    """Share of the judgements that must have a score."""
    must: tuple[str, ...] = ()
    """Checks and questions that may not regress."""
    seed: int = 1
    """Of the draws of the noise floor and of the signs."""


@dataclass(frozen=True, slots=True)
class Acceptance:
    """What was found, with all that it stands on."""

    outcome: Outcome
    difference: float | None
    """Mean of candidate − incumbent over the scenarios that both were scored on; `None`: there is none."""
    interval: Interval | NotMeasured
    """Of the difference, at 1 − alpha / k."""
    floor: float | NotMeasured
    """How far apart two judgings of the incumbent come out on so many scenarios, one time in twenty."""
    control: Control | NotMeasured
    """The incumbent against itself."""
    n: int
    """Scenarios compared."""
    k: int
    """Candidates that the level is shared among."""
    flips_up: int
    """Checks of a scenario that failed before and hold now."""
    flips_down: int
    """Checks of a scenario that held before and fail now."""
    scored: int
    """Judgements of the candidate that have a score."""
    asked: int
    """Judgements of the candidate that should have one."""
    must_regressed: tuple[str, ...]
    reasons: tuple[str, ...]
    """Each condition in words, with what was found: `holds: …`, `fails: …`."""
    needed: int | None
    """Scenarios that it would take to tell this difference; `None`: cannot be said."""
    detectable: float | None
    """The smallest true difference that this comparison would find four times in five; `None`: cannot be said."""

    def to_json(self) -> dict[str, Any]:
        """The acceptance as JSON values; what was not measured is `{"not_measured": reason}`."""
        control = self.control
        return {
            "outcome": self.outcome,
            "difference": self.difference,
            "interval": _interval_json(self.interval),
            "floor": {"not_measured": self.floor.reason} if isinstance(self.floor, NotMeasured) else self.floor,
            "control": {"not_measured": control.reason}
            if isinstance(control, NotMeasured)
            else {name: getattr(control, name) for name in ("repeats", "n", "moved", "mean", "largest", "flips")},
            "n": self.n,
            "k": self.k,
            "flips_up": self.flips_up,
            "flips_down": self.flips_down,
            "scored": self.scored,
            "asked": self.asked,
            "must_regressed": list(self.must_regressed),
            "reasons": list(self.reasons),
            "needed": self.needed,
            "detectable": self.detectable,
        }


def _interval_json(interval: Interval | NotMeasured) -> dict[str, Any]:
    if isinstance(interval, NotMeasured):
        return {"not_measured": interval.reason}
    return {"low": interval.low, "high": interval.high, "level": interval.level}


@dataclass(frozen=True, slots=True)
class _Condition:
    holds: bool
    words: str

    def __str__(self) -> str:
        return f"{'holds' if self.holds else 'fails'}: {self.words}"


def accept(
    incumbent: Trial,
    candidate: Trial,
    control: Sequence[Trial],
    clusters: Mapping[str, str],
    rules: Rules,
    k: int,
    wired: bool,
) -> Acceptance:
    """Compare a candidate with the incumbent.

    Args:
        incumbent: what the candidate is compared with: all its repeats pooled.
        candidate: on the same scenarios.
        control: repeats of the incumbent, three at least, each a trial of its own with as many answers to a scenario
            as the candidate's.
        clusters: scenario to what it hangs together with; one that is not there stands by itself.
        rules: what it takes.
        k: the candidates that may be looked at in the whole tuning (`TuneSpec.looks`), fixed before the first call:
            with the number looked at up to now, the levels of eight looks would add up to 2.7 alpha.
        wired: it is proved that the model received what the candidate says.

    Raises:
        ValueError: `k` is below 1.
    """
    if k < 1:
        raise ValueError(f"{k} candidates; expected one at least")
    compared = Compared.of(incumbent, candidate, clusters)
    paired = compared.paired(1 - rules.alpha / k)
    floor = noise_floor(control, compared.scenarios, rules.seed)
    sides = _beyond_chance(compared, paired, floor, rules, k)
    fallen = regressed(rules.must, incumbent, candidate, control)
    asked, enough = _enough(incumbent, candidate, rules.min_scored)
    rest = [*_musts(fallen, rules), *enough, _Condition(wired, "the model received what the version says")]
    clear = [each for each in fallen if each.p <= rules.alpha / (2 * k)]
    outcome = _outcome(compared.mean, sides, rest, enough, clear)
    failing, failed = candidate.failing(), incumbent.failing()
    shared = set(compared.scenarios)
    needed, detectable = _reach(compared, paired, floor, rules.alpha / k)
    return Acceptance(
        outcome=outcome,
        difference=compared.mean,
        interval=paired.interval if isinstance(paired, PairedMean) else paired,
        floor=floor.value,
        control=control_of(control, compared.scenarios),
        n=len(compared.scenarios),
        k=k,
        flips_up=sum(key[0] in shared for key in failed - failing),
        flips_down=sum(key[0] in shared for key in failing - failed),
        scored=len(candidate.scored),
        asked=asked,
        must_regressed=tuple(each.name for each in fallen),
        reasons=tuple(str(each) for each in (*sides, *rest)),
        needed=needed,
        detectable=detectable,
    )


@dataclass(frozen=True, slots=True)
class Compared:
    """Two versions on the scenarios that both have a score of, repeats averaged inside a scenario."""

    scenarios: tuple[str, ...]
    differences: tuple[float, ...]
    """Candidate − incumbent, one a scenario."""
    clusters: tuple[str, ...]
    """What each scenario hangs together with."""

    @classmethod
    def of(cls, incumbent: Trial, candidate: Trial, clusters: Mapping[str, str]) -> Compared:
        """Pair two trials."""
        old, new = incumbent.by_scenario(), candidate.by_scenario()
        both = tuple(name for name in old if name in new)
        apart = tuple(math.fsum(new[s]) / len(new[s]) - math.fsum(old[s]) / len(old[s]) for s in both)
        return cls(both, apart, tuple(clusters.get(name, f"scenario {name}") for name in both))

    @property
    def mean(self) -> float | None:
        """The mean difference; `None`: no scenario was scored for both."""
        return math.fsum(self.differences) / len(self.differences) if self.differences else None

    def paired(self, level: float) -> PairedMean | NotMeasured:
        """The mean with its clustered interval."""
        return paired_clustered(self.differences, self.clusters, level)

    def sums(self) -> list[float]:
        """The summed difference of each cluster."""
        found: dict[str, list[float]] = {}
        for cluster, difference in zip(self.clusters, self.differences, strict=True):
            found.setdefault(cluster, []).append(difference)
        return [math.fsum(each) for each in found.values()]


def _beyond_chance(
    compared: Compared, paired: PairedMean | NotMeasured, floor: Floor, rules: Rules, k: int
) -> list[_Condition]:
    """Conditions 1 to 3, in the direction in which the difference lies."""
    mean = compared.mean
    if mean is None:
        return [_Condition(False, "no scenario was scored for both versions")]
    first = _interval_condition(mean, paired, rules.alpha, k)
    second = _floor_condition(mean, floor)
    if not (first.holds and second.holds):
        return [first, second]
    return [first, second, _signs_condition(compared, rules)]


def _interval_condition(mean: float, paired: PairedMean | NotMeasured, alpha: float, k: int) -> _Condition:
    if isinstance(paired, NotMeasured):
        # Where every cluster moved by the same, there is no spread for an interval, and the signs have to tell.
        same = abs(mean) > 1e-12 and "no spread" in paired.reason
        return _Condition(same, f"the difference {mean:+.3f} has no interval: {paired.reason}")
    interval = paired.interval
    holds = interval.low > 0 or interval.high < 0
    told = f"[{interval.low:+.3f}, {interval.high:+.3f}] at {interval.level:.4g} (1 − {alpha:g}/{k})"
    return _Condition(holds, f"the interval of the difference {mean:+.3f} leaves 0 out: {told}")


def _floor_condition(mean: float, floor: Floor) -> _Condition:
    if isinstance(floor.value, NotMeasured):
        return _Condition(False, f"the noise floor is not measured: {floor.value.reason}")
    told = f"the difference {mean:+.3f} is beyond the noise floor {floor.value:.3f}"
    return _Condition(abs(mean) > floor.value + 1e-12, told if floor.together is None else f"{told} ({floor.together})")


def _signs_condition(compared: Compared, rules: Rules) -> _Condition:
    sums = compared.sums()
    test = paired_permutation(sums, rules.seed, draws=max(_FLIPS // 4, min(_FLIPS, 400_000 // len(sums))))
    if isinstance(test, NotMeasured):
        return _Condition(False, test.reason)
    told = f"of {test.flips:,} ways to give the {test.n} clusters signs, {test.p:.3g} do as well"
    return _Condition(test.p <= rules.alpha, f"{told} ({rules.alpha:g} allowed)")


def _musts(fallen: Sequence[Regressed], rules: Rules) -> list[_Condition]:
    if not rules.must:
        return []
    if not fallen:
        return [_Condition(True, f"no must regressed ({', '.join(rules.must)})")]
    return [_Condition(False, f"the must {each}") for each in fallen]


def _enough(incumbent: Trial, candidate: Trial, least: float) -> tuple[int, list[_Condition]]:
    """How many judgements the candidate should have, and whether enough of both versions have a score.

    A scenario that one version was never asked counts as asked: what is not there is not left out of the share.
    """
    every = {each.scenario for trial in (incumbent, candidate) for each in trial.judged}
    conditions: list[_Condition] = []
    asked = 0
    for whose, trial in (("incumbent", incumbent), ("candidate", candidate)):
        rows = Counter(each.scenario for each in trial.judged)
        usual = max(rows.values(), default=1)
        asked = sum(rows.values()) + usual * len(every - rows.keys())
        scored = len(trial.scored)
        holds = asked > 0 and scored >= least * asked - 1e-9
        told = f"{scored} of {asked} judgements of the {whose} have a score (at least {least:.0%} must)"
        conditions.append(_Condition(holds, told))
    return asked, conditions


def _outcome(
    mean: float | None,
    sides: Sequence[_Condition],
    rest: Sequence[_Condition],
    enough: Sequence[_Condition],
    clear: Sequence[Regressed],
) -> Outcome:
    told = mean is not None and all(each.holds for each in sides)
    measured = all(each.holds for each in enough)
    if measured and (clear or (told and mean is not None and mean < 0)):
        return "worse"
    return "better" if told and all(each.holds for each in rest) else "no measurable difference"


def _reach(
    compared: Compared, paired: PairedMean | NotMeasured, floor: Floor, alpha: float
) -> tuple[int | None, float | None]:
    """Scenarios that it would take to tell this difference, and the smallest difference that these could tell."""
    if isinstance(paired, NotMeasured) or isinstance(floor.value, NotMeasured):
        return None, None
    n = len(compared.scenarios)
    sd, a_cluster = paired.se * math.sqrt(n), n / paired.clusters
    seen = smallest_difference(sd, n, paired.clusters, alpha)
    detectable = None if seen is None else max(seen, floor.value)
    apart = abs(paired.mean)
    if apart < 1e-12:
        return None, detectable
    by_floor = math.ceil(n * (floor.value / apart) ** 2)
    return max(scenarios_needed(sd, apart, alpha, a_cluster), by_floor), detectable

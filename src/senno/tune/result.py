"""What a tuning comes to, as values and as JSON."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from senno.stats import Interval, NotMeasured, paired_clustered
from senno.tune.acceptance import Acceptance, Outcome
from senno.tune.stops import Stop
from senno.tune.trial import Trial
from senno.tune.version import Version


@dataclass(frozen=True, slots=True)
class Score:
    """What a version scored in a trial."""

    version: str
    mean: float | None
    """Mean over the scenarios, each the mean of its answers, on [0, 1]; `None`: nothing was scored."""
    interval: Interval | NotMeasured
    """Of the mean, at 95 %, clustered."""
    n: int
    """Scenarios that have a score."""
    scored: int
    asked: int
    verdicts: Mapping[str, int]
    """How often each verdict was given."""
    failed: Mapping[str, int]
    """How often each check or question came out on the bad side."""


def score_of(trial: Trial, clusters: Mapping[str, str]) -> Score:
    """The score of a trial."""
    means = {scenario: sum(scores) / len(scores) for scenario, scores in trial.by_scenario().items()}
    spread = paired_clustered(list(means.values()), [clusters.get(scenario, scenario) for scenario in means])
    verdicts: dict[str, int] = {}
    failed: dict[str, int] = {}
    for each in trial.judged:
        verdicts[each.verdict] = verdicts.get(each.verdict, 0) + 1
        for name in each.checks_failed:
            failed[name] = failed.get(name, 0) + 1
    return Score(
        trial.version,
        sum(means.values()) / len(means) if means else None,
        spread if isinstance(spread, NotMeasured) else spread.interval,
        len(means),
        len(trial.scored),
        len(trial.judged),
        verdicts,
        failed,
    )


@dataclass(frozen=True, slots=True)
class Look:
    """One candidate of a round: what became of it."""

    version: str | None
    """Its id; `None`: it was refused before it was tried."""
    attempt: str
    refused: str | None = None
    dropped: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    score: Score | None = None
    acceptance: Acceptance | None = None
    """`None`: it was refused, or given up."""
    given_up: str | None = None
    """Why it was not tried on all scenarios."""
    saved: int = 0
    """Answers that were not asked for, since it was given up."""


@dataclass(frozen=True, slots=True)
class Round:
    """One round: candidates against the incumbent."""

    number: int
    incumbent: str
    score: Score
    """Of the incumbent, all repeats."""
    floor: float | NotMeasured
    """How far apart two judgings of it come out, one time in twenty."""
    looks: tuple[Look, ...]
    promoted: str | None
    """The candidate that is the incumbent from now on."""


@dataclass(frozen=True, slots=True)
class HeldOut:
    """The final figure: the version to start from and the best one, on scenarios that nobody looked at before."""

    acceptance: Acceptance | None
    """`None`: it was not measured, for the reason given."""
    reason: str
    start: Score | None = None
    best: Score | None = None
    touches: int = 0
    """How often this held-out part was looked at, this time included."""


Found = Literal["better", "worse", "no measurable difference", "undecided"]
"""`undecided`: the run stopped before it could tell."""


@dataclass(frozen=True, slots=True)
class TuneResult:
    """What a tuning came to."""

    run_id: str
    name: str
    outcome: Found
    stop: Stop
    start: str
    best: str
    """The id of the version to use: the one to start from, unless another is proved to be better."""
    target: float | None
    rounds: tuple[Round, ...]
    versions: Mapping[str, Version]
    score: Score | None
    """Of the best, on the training part."""
    held_out: HeldOut
    notes: tuple[str, ...] = ()
    error: str | None = None
    used: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """By role: calls, tokens, US dollars."""

    @property
    def target_met(self) -> bool | None:
        """`None`: there is no target."""
        if self.target is None:
            return None
        return self.score is not None and self.score.mean is not None and self.score.mean >= self.target

    @property
    def exit_code(self) -> int:
        """0 a better prompt, or the target met · 1 worse, or the target missed · 3 no difference · 4 it could not."""
        if self.outcome == "undecided":
            return 2 if self.stop == "wiring" else 4
        if self.outcome == "worse":
            return 1
        if self.target_met is not None:
            return 0 if self.target_met else 1
        return 0 if self.outcome == "better" else 3

    def to_json(self) -> dict[str, Any]:
        """The result as JSON values: what `senno tune --json` prints."""
        return {
            "run": self.run_id,
            "name": self.name,
            "outcome": self.outcome,
            "stop": self.stop,
            "exit_code": self.exit_code,
            "start": self.start,
            "best": self.best,
            "target": self.target,
            "target_met": self.target_met,
            "score": plain(self.score),
            "held_out": plain(self.held_out),
            "rounds": [plain(each) for each in self.rounds],
            "versions": {
                id_: {"parent": each.parent, "origin": each.origin, "parts": dict(each.parts)}
                for id_, each in self.versions.items()
            },
            "notes": list(self.notes),
            "error": self.error,
            "used": dict(self.used),
        }


def plain(value: Any) -> Any:
    """A value of this room as JSON values; what was not measured says so."""
    match value:
        case NotMeasured(reason):
            return {"not_measured": reason}
        case Interval(low, high, level):
            return {"low": low, "high": high, "level": level}
        case _ if hasattr(value, "__dataclass_fields__"):
            return {name: plain(getattr(value, name)) for name in value.__dataclass_fields__}
        case dict():
            return {str(key): plain(each) for key, each in value.items()}  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
        case list() | tuple():
            return [plain(each) for each in value]  # pyright: ignore[reportUnknownVariableType]
        case _:
            return value


def in_words(acceptance: Acceptance) -> str:
    """What acceptance found, in one line."""
    if acceptance.difference is None:
        return f"{acceptance.outcome}: {'; '.join(acceptance.reasons)}"
    spread = acceptance.interval
    interval = (
        f"interval not measured ({spread.reason})"
        if isinstance(spread, NotMeasured)
        else f"{100 * spread.level:.1f} % interval {spread.low:+.3f} to {spread.high:+.3f}"
    )
    floor = "floor not measured" if isinstance(acceptance.floor, NotMeasured) else f"noise floor {acceptance.floor:.3f}"
    lost = f"; regressed: {', '.join(acceptance.must_regressed)}" if acceptance.must_regressed else ""
    return f"{acceptance.outcome}: {acceptance.difference:+.3f}, {interval}, {floor}, n = {acceptance.n}{lost}"


def overall(rounds: tuple[Round, ...], best: str, start: str, held_out: HeldOut) -> Outcome:
    """What a tuning that came to its end found.

    Better: a candidate was accepted, and the held-out part does not speak against it. Worse: the held-out part does,
    or every candidate that was tried is worse than the prompt to start from.
    """
    if best != start:
        against = held_out.acceptance is not None and held_out.acceptance.outcome == "worse"
        return "worse" if against else "better"
    tried = [look.acceptance for each in rounds for look in each.looks if look.version]
    worse = tried and all(each is not None and each.outcome == "worse" for each in tried)
    return "worse" if worse else "no measurable difference"

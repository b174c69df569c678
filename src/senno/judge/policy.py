"""The policy: thresholds in a file → a verdict. The only place where a verdict is made, and a pure one.

Verdicts are tried from the top and the first with a rule that fires wins (`match: all`: every rule must fire). One
without rules always matches and closes the file. A reading that is missing makes its rules *undecided*, never
"not fired": a verdict below an undecided one is not given.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

Op = Literal["gte", "gt", "lte", "lt"]

_COMPARE = {"gte": operator.ge, "gt": operator.gt, "lte": operator.le, "lt": operator.lt}
_SIGN = {"gte": "≥", "gt": ">", "lte": "≤", "lt": "<"}


@dataclass(frozen=True, slots=True)
class Rule:
    """`check` (or one `option` of a choice) compared with `value`; held back when any of `unless` fires."""

    check: str
    op: Op
    value: float
    option: str | None = None
    unless: tuple[Rule, ...] = ()

    def __str__(self) -> str:
        name = self.check if self.option is None else f"{self.check}={self.option}"
        held = " unless " + " or ".join(str(r) for r in self.unless) if self.unless else ""
        return f"{name} {_SIGN[self.op]} {self.value:g}{held}"


@dataclass(frozen=True, slots=True)
class PolicyVerdict:
    """One verdict that a policy can give."""

    name: str
    rules: tuple[Rule, ...]
    match: Literal["any", "all"] = "any"
    exit_code: int = 1
    """What `senno judge run` exits with: 0 for the closing verdict unless the file says otherwise."""


@dataclass(frozen=True, slots=True)
class Policy:
    """Verdicts in order; the last has no rules."""

    verdicts: tuple[PolicyVerdict, ...]
    weights: Mapping[str, float] = field(default_factory=dict[str, float])
    """Share of each check or question in the score; they add up to 1. Empty: no score."""
    on_error: str | None = None
    """The verdict that is given where a rule that matters has no reading; `None`: none is given."""
    model: str | None = None
    """The model version that the thresholds were set on: answers of another are no readings. `None`: of any."""


@dataclass(frozen=True, slots=True)
class Reading:
    """What a check or a question gave.

    `value` is 1 or 0 for a check, the probability of yes for a noul, the expected level for a score; `options` the
    probabilities of a choice or of the levels. `share` is the value on [0, 1] in the direction "higher is better",
    for weights. `missing` is set where there is no value, and says why; `failed` where that is an error and not an
    answer "cannot tell".
    """

    value: float | None = None
    options: Mapping[str, float] | None = None
    share: float | None = None
    missing: str | None = None
    failed: bool = False


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the policy makes of the readings.

    `state` is `decided` (a verdict of the policy), `undecided` (a rule that matters has no reading) or `error` (the
    same, because a check or a model failed). `name` is the verdict's name, or `UNDECIDED` or `ERROR`; where the policy
    says what happens then (`on_error`), that verdict's, and `state` tells that nothing was decided.
    """

    name: str
    state: Literal["decided", "undecided", "error"]
    exit_code: int
    rule: Rule | None = None
    """The rule that fired; `None`: the closing verdict, or no verdict."""
    value: float | None = None
    """The value that fired it."""
    fired: tuple[tuple[Rule, float], ...] = ()
    """Every rule of the verdict that fired, with its value."""
    reasons: tuple[str, ...] = ()
    """Why there is no verdict."""
    score: float | None = None
    """The weighted score on [0, 1]; `None`: the policy has no weights, or a reading is missing."""
    score_missing: tuple[str, ...] = ()
    """The names whose missing reading leaves the score unmeasured."""


def decide(policy: Policy, readings: Mapping[str, Reading]) -> Verdict:
    """The verdict of `policy` on `readings`. Same readings, same verdict, always.

    Args:
        policy: as loaded; the names in its rules were checked then.
        readings: by name of check or question. A name that is not there counts as missing by failure.
    """
    score, score_missing = _score(policy, readings)
    for verdict in policy.verdicts:
        outcomes = [(rule, _fires(rule, readings)) for rule in verdict.rules]
        if _matches(verdict, outcomes):
            fired = tuple((rule, _value(rule, readings).value or 0.0) for rule, fires in outcomes if fires)
            rule, value = fired[0] if fired else (None, None)
            return Verdict(
                verdict.name,
                "decided",
                verdict.exit_code,
                rule,
                value,
                fired,
                score=score,
                score_missing=score_missing,
            )
        if _may_match(verdict, outcomes):
            return _no_verdict(policy, outcomes, readings, score, score_missing)
    raise AssertionError("a policy closes with a verdict without rules: the loader saw to that")


def _matches(verdict: PolicyVerdict, outcomes: list[tuple[Rule, bool | None]]) -> bool:
    if not verdict.rules:
        return True
    fired = [fires is True for _, fires in outcomes]
    return all(fired) if verdict.match == "all" else any(fired)


def _may_match(verdict: PolicyVerdict, outcomes: list[tuple[Rule, bool | None]]) -> bool:
    """Whether the verdict would match if the undecided rules fired."""
    may = [fires is not False for _, fires in outcomes]
    return all(may) if verdict.match == "all" else any(may)


def _no_verdict(
    policy: Policy,
    outcomes: list[tuple[Rule, bool | None]],
    readings: Mapping[str, Reading],
    score: float | None,
    score_missing: tuple[str, ...],
) -> Verdict:
    open_rules = [r for rule, fires in outcomes if fires is None for r in (rule, *rule.unless)]
    missing = {r.check: reading for r in open_rules if (reading := _value(r, readings)).value is None}
    failed = any(reading.failed for reading in missing.values())
    instead = next((each for each in policy.verdicts if each.name == policy.on_error), None)
    return Verdict(
        instead.name if instead else "ERROR" if failed else "UNDECIDED",
        "error" if failed else "undecided",
        instead.exit_code if instead else 4 if failed else 3,
        reasons=tuple(f"{name}: {reading.missing}" for name, reading in missing.items()),
        score=score,
        score_missing=score_missing,
    )


def _fires(rule: Rule, readings: Mapping[str, Reading]) -> bool | None:
    """Three-valued: `None` where the answer hangs on a missing reading."""
    value = _value(rule, readings).value
    own = None if value is None else bool(_COMPARE[rule.op](value, rule.value))
    if own is False:
        return False
    held = [_fires(other, readings) for other in rule.unless]
    if any(h is True for h in held):
        return False
    return None if any(h is None for h in held) else own


def _value(rule: Rule, readings: Mapping[str, Reading]) -> Reading:
    reading = readings.get(rule.check, Reading(missing="no reading", failed=True))
    if rule.option is None or reading.missing is not None:
        return reading
    if reading.options is None or rule.option not in reading.options:
        return Reading(missing=f"no probability for the option {rule.option!r}", failed=True)
    return Reading(value=reading.options[rule.option])


def _score(policy: Policy, readings: Mapping[str, Reading]) -> tuple[float | None, tuple[str, ...]]:
    if not policy.weights:
        return None, ()
    nothing = Reading()
    shares = {name: readings.get(name, nothing).share for name in policy.weights}
    missing = tuple(name for name, share in shares.items() if share is None)
    if missing:
        return None, missing
    return math.fsum(weight * (shares[name] or 0.0) for name, weight in policy.weights.items()), ()

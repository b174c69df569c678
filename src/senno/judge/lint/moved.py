"""Thresholds that moved between two versions of a policy, held against labelled cases."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from senno.judge.labelled import Case
from senno.judge.lint.finding import Finding, excerpt
from senno.judge.lint.regions import fires_at, key_of
from senno.judge.lint.rules import RULES
from senno.judge.policy import Policy, Rule
from senno.models import Answer, Distribution, Probability

Predictions = Mapping[str, Mapping[str, Answer]]
"""By case id, by question: what `senno.judge.calibrating.load_predictions` reads."""


@dataclass(frozen=True, slots=True)
class MovedThreshold:
    """A rule that both versions have, with another threshold."""

    verdict: int
    """Its place in the new policy, and that of the rule in it."""
    number: int
    old: Rule
    new: Rule


def moved_thresholds(old: Policy, new: Policy) -> tuple[MovedThreshold, ...]:
    """The rules of one verdict on one reading whose threshold (or op) differs, paired in order."""
    before: dict[tuple[object, ...], list[Rule]] = {}
    for verdict in old.verdicts:
        for rule in verdict.rules:
            before.setdefault((verdict.name, *key_of(rule), _way(rule)), []).append(rule)
    moved: list[MovedThreshold] = []
    for v, verdict in enumerate(new.verdicts):
        for n, rule in enumerate(verdict.rules):
            twins = before.get((verdict.name, *key_of(rule), _way(rule)))
            was = twins.pop(0) if twins else rule
            if (was.op, was.value) != (rule.op, rule.value):
                moved.append(MovedThreshold(v, n, was, rule))
    return tuple(moved)


def _way(rule: Rule) -> str:
    return rule.op[0]  # gte and gt look the same way


def moved_findings(
    old: Policy, new: Policy, cases: Sequence[Case], predictions: Predictions, file: str, key: str = "verdicts"
) -> Iterator[Finding]:
    """The thresholds that moved past a labelled case: it fired and no longer does, or the other way round.

    Args:
        old: the policy as it was.
        new: as it is.
        cases: the labelled set.
        predictions: what the judge gives for each case; one that is missing is passed over.
        file: of the new policy.
        key: what it calls its verdicts.
    """
    for moved in moved_thresholds(old, new):
        for case in cases:
            value = _value(predictions.get(case.id, {}).get(moved.new.check), moved.new.option)
            if moved.new.check not in case.expect or value is None:
                continue
            was, now = fires_at(moved.old, value), fires_at(moved.new, value)
            if was != now:
                where = f"{key}.{moved.verdict}.rules.{moved.number}"
                happens = "no longer fires" if was else "now fires"
                expected = case.expect[moved.new.check]
                detail = (
                    f"it was {moved.old}; case {case.id} ({case.where or 'labelled'}) has {value:g}, is labelled "
                    f"{str(expected).lower() if isinstance(expected, bool) else expected}, and {happens}"
                )
                yield Finding(RULES["SJ111"], file, None, where, excerpt(str(moved.new)), detail)


def _value(answer: Answer | None, option: str | None) -> float | None:
    match answer:
        case Probability(yes) if option is None:
            return yes
        case Distribution(shares) if option is not None:
            return shares.get(option)
        case Distribution(shares):
            return math.fsum(int(level) * share for level, share in shares.items())
        case _:
            return None

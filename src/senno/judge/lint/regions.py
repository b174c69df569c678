"""Where rules of a policy fire: sets of values, compared exactly.

A rule compares one reading with one threshold, so between two neighbouring thresholds of the policy nothing changes:
the thresholds, the points between them and the ends of the range stand for all values.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from senno.judge.checkfile import CheckFile
from senno.judge.policy import Policy, PolicyVerdict, Rule

Key = tuple[str, str | None]
"""A check or question, and the option where the rule is on one."""

Condition = dict[Key, frozenset[float]]
"""Values, by key, all of which must hold together."""


def key_of(rule: Rule) -> Key:
    """What a rule reads."""
    return rule.check, rule.option


def fires_at(rule: Rule, value: float) -> bool:
    """Whether a rule fires at a value, `unless` left aside."""
    return {
        "gte": value >= rule.value,
        "gt": value > rule.value,
        "lte": value <= rule.value,
        "lt": value < rule.value,
    }[rule.op]


@dataclass(frozen=True, slots=True)
class Cover:
    """A condition under which a verdict is given, whatever else holds."""

    verdict: int
    rule: int
    """The first rule of it."""
    condition: Condition


class Regions:
    """The values that tell the rules of one policy apart."""

    def __init__(self, policy: Policy, checks: CheckFile) -> None:
        self._policy = policy
        self._questions = checks.questions
        self.points: dict[Key, tuple[float, ...]] = {}
        for verdict in policy.verdicts:
            for rule in verdict.rules:
                for each in (rule, *rule.unless):
                    self.points[key_of(each)] = ()
        for key in self.points:
            self.points[key] = self._points(key)

    def continuous(self, key: Key) -> bool:
        """Whether a reading may lie between its ends: that of a model may, that of a check is 0 or 1."""
        return key[0] in self._questions

    def top(self, key: Key) -> float:
        """The largest value of a reading."""
        return self._questions[key[0]].top if key[0] in self._questions and key[1] is None else 1.0

    def _points(self, key: Key) -> tuple[float, ...]:
        if not self.continuous(key):
            return (0.0, 1.0)
        rules = [r for v in self._policy.verdicts for rule in v.rules for r in (rule, *rule.unless)]
        edges = sorted({0.0, self.top(key), *(r.value for r in rules if key_of(r) == key)})
        between = [(a + b) / 2 for a, b in pairwise(edges)]
        return tuple(sorted({*edges, *between}))

    def fires(self, rule: Rule) -> frozenset[float]:
        """The points at which a rule fires, `unless` left aside."""
        return frozenset(value for value in self.points[key_of(rule)] if fires_at(rule, value))

    def conditions(self, verdict: PolicyVerdict) -> list[Condition]:
        """The ways to a verdict: one for each rule, or one for all together (`match: all`)."""
        if verdict.match == "all":
            return [self.together(verdict.rules)] if verdict.rules else []
        return [{key_of(rule): self.fires(rule)} for rule in verdict.rules]

    def together(self, rules: tuple[Rule, ...]) -> Condition:
        """Where all of the rules fire."""
        joined: Condition = {}
        for rule in rules:
            here = self.fires(rule)
            joined[key_of(rule)] = joined.get(key_of(rule), here) & here
        return joined

    def sure_covers(self, number: int) -> Iterator[Cover]:
        """The conditions under which verdict `number` is given for certain: rules without `unless`."""
        verdict = self._policy.verdicts[number]
        if verdict.match == "all":
            if verdict.rules and not any(rule.unless for rule in verdict.rules):
                yield Cover(number, 0, self.together(verdict.rules))
            return
        for n, rule in enumerate(verdict.rules):
            if not rule.unless:
                yield Cover(number, n, {key_of(rule): self.fires(rule)})

    def covered_by(self, condition: Condition, covers: list[Cover]) -> Cover | None:
        """The cover that holds wherever `condition` does; of several that only do so jointly, the first."""
        for cover in covers:
            if all(key in condition and condition[key] <= values for key, values in cover.condition.items()):
                return cover
        for key in {key for cover in covers for key in cover.condition}:
            single = [cover for cover in covers if cover.condition.keys() == {key}]
            jointly = frozenset[float]().union(*(cover.condition[key] for cover in single))
            if single and condition.get(key, frozenset(self.points[key])) <= jointly:
                return single[0]
        return None

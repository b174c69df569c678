"""Rules on a policy: what is never reached, what excludes itself, what nobody looks at."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from senno.judge.checkfile import CheckFile
from senno.judge.lint.finding import Finding, excerpt
from senno.judge.lint.regions import Cover, Key, Regions, key_of
from senno.judge.lint.rules import RULES
from senno.judge.policy import Policy, PolicyVerdict, Rule

_FEWEST_QUESTIONS = 3
"""Questions on a verdict that stops something, from which their false alarms are worth a word."""
_FALSE_ALARMS = (0.03, 0.08)
"""Of one question, in published experience with reviews of changes."""
_NEAR_THE_END = 0.01
_STOPS = 1
_REVIEW = 3
_REVIEW_WORDS = (
    "review",
    "verif",
    "human",
    "person",
    "manual",
    "escalat",
    "uncertain",
    "unsure",
    "check",
    "rived",
    "revision",
    "incert",
    "dubbi",
)


@dataclass(frozen=True, slots=True)
class _Looked:
    policy: Policy
    regions: Regions
    checks: CheckFile
    file: str
    key: str

    def at(self, rule: str, verdict: int, number: int | None, detail: str = "") -> Finding:
        found = self.policy.verdicts[verdict]
        key = f"{self.key}.{verdict}" + (f".rules.{number}" if number is not None else "")
        words = str(found.rules[number]) if number is not None else found.name
        return Finding(RULES[rule], self.file, None, key, excerpt(words), detail)


def policy_findings(
    policy: Policy, checks: CheckFile, file: str, critical: frozenset[str] = frozenset(), key: str = "verdicts"
) -> Iterator[Finding]:
    """What is wrong with a policy, held against the checks and questions it decides on; `key` as its file has it."""
    looked = _Looked(policy, Regions(policy, checks), checks, file, key)
    yield from _never_fires(looked)
    yield from _unreachable(looked)
    yield from _gaps(looked)
    yield from _both_at_threshold(looked)
    yield from _extremes(looked)
    yield from _unheard(looked, critical)
    yield from _alarms(looked)


def _never_fires(looked: _Looked) -> Iterator[Finding]:
    for v, verdict in enumerate(looked.policy.verdicts):
        for n, rule in enumerate(verdict.rules):
            held = next((r for r in rule.unless if key_of(r) == key_of(rule) and _within(looked, rule, r)), None)
            if held:
                yield looked.at("SJ104", v, n, f"wherever it fires, {held} holds it back")
        if verdict.match == "all":
            for key, values in looked.regions.together(verdict.rules).items():
                if not values:
                    rules = " and ".join(str(r) for r in verdict.rules if key_of(r) == key)
                    yield looked.at("SJ104", v, None, f"{verdict.name} needs {rules}, which never hold together")


def _within(looked: _Looked, rule: Rule, other: Rule) -> bool:
    return looked.regions.fires(rule) <= looked.regions.fires(other)


def _unreachable(looked: _Looked) -> Iterator[Finding]:
    earlier: list[Cover] = []
    for v, verdict in enumerate(looked.policy.verdicts):
        own = list(looked.regions.sure_covers(v))
        yield from _behind(looked, v, verdict, earlier)
        if verdict.match == "any":
            yield from _twins(looked, v, own)
        earlier += own


def _behind(looked: _Looked, v: int, verdict: PolicyVerdict, earlier: list[Cover]) -> Iterator[Finding]:
    """A verdict, or single rules of it, that earlier verdicts leave nothing."""
    ways = looked.regions.conditions(verdict) or [{}]
    behind = [looked.regions.covered_by(way, earlier) for way in ways]
    told = [
        f"{looked.policy.verdicts[c.verdict].name} comes first by {looked.policy.verdicts[c.verdict].rules[c.rule]}"
        if c
        else ""
        for c in behind
    ]
    if all(told):
        yield looked.at("SJ101", v, None, told[0])
    elif verdict.match == "any":
        for n, why in enumerate(told):
            if why:
                yield looked.at("SJ102", v, n, why)


def _twins(looked: _Looked, v: int, own: list[Cover]) -> Iterator[Finding]:
    """A rule that another rule of the same verdict makes idle."""
    for cover in own:
        others = [other for other in own if other is not cover]
        by = next((o for o in others if _idle(cover, o)), None)
        if by:
            yield looked.at(
                "SJ102", v, cover.rule, f"{looked.policy.verdicts[v].rules[by.rule]} of the same verdict includes it"
            )


def _idle(cover: Cover, other: Cover) -> bool:
    if cover.condition.keys() != other.condition.keys():
        return False
    mine, theirs = next(iter(cover.condition.values())), next(iter(other.condition.values()))
    return mine < theirs or (mine == theirs and other.rule < cover.rule)


def _gaps(looked: _Looked) -> Iterator[Finding]:
    closing = looked.policy.verdicts[-1]
    if closing.exit_code != 0 or _for_a_person(closing):
        return
    for key, points in looked.regions.points.items():
        if not looked.regions.continuous(key):
            continue
        claims = [
            (v, rule)
            for v, verdict in enumerate(looked.policy.verdicts)
            for rule in verdict.rules
            if key_of(rule) == key
        ]
        ends = [{v for v, rule in claims if end in looked.regions.fires(rule)} for end in (points[0], points[-1])]
        hole = [p for p in points if not any(p in looked.regions.fires(rule) for _, rule in claims)]
        if ends[0] and ends[1] and ends[0] != ends[1] and hole:
            v, rule = next((v, rule) for v, rule in claims)
            number = looked.policy.verdicts[v].rules.index(rule)
            yield looked.at("SJ103", v, number, f"{_span(hole)} of {_named(key)} gets {closing.name}")


def _span(points: list[float]) -> str:
    return f"{points[0]:g}" if len(points) == 1 else f"what lies around {points[len(points) // 2]:g}"


def _named(key: Key) -> str:
    return key[0] if key[1] is None else f"{key[0]}={key[1]}"


def _both_at_threshold(looked: _Looked) -> Iterator[Finding]:
    seen: list[tuple[int, Rule]] = []
    for v, verdict in enumerate(looked.policy.verdicts):
        for n, rule in enumerate(verdict.rules):
            twin = next((w for w, r in seen if w != v and _meet(r, rule)), None)
            if twin is not None and looked.regions.continuous(key_of(rule)):
                yield looked.at("SJ105", v, n, f"{looked.policy.verdicts[twin].name} claims {rule.value:g} too")
            seen.append((v, rule))


def _meet(one: Rule, other: Rule) -> bool:
    return key_of(one) == key_of(other) and one.value == other.value and {one.op, other.op} == {"gte", "lte"}


def _extremes(looked: _Looked) -> Iterator[Finding]:
    for v, verdict in enumerate(looked.policy.verdicts):
        for n, rule in enumerate(verdict.rules):
            key = key_of(rule)
            top = looked.regions.top(key)
            fires = looked.regions.fires(rule)
            if len(fires) == len(looked.regions.points[key]):
                yield looked.at("SJ107", v, n, "it always fires")
            elif looked.regions.continuous(key) and _almost_never(rule, top):
                yield looked.at("SJ107", v, n, "it almost never fires")


def _almost_never(rule: Rule, top: float) -> bool:
    margin = _NEAR_THE_END * top
    return rule.value > top - margin if rule.op in ("gte", "gt") else rule.value < margin


def _unheard(looked: _Looked, critical: frozenset[str]) -> Iterator[Finding]:
    heard = {r.check for verdict in looked.policy.verdicts for rule in verdict.rules for r in (rule, *rule.unless)}
    decides = {rule.check for verdict in looked.policy.verdicts for rule in verdict.rules}
    for name in critical - decides:
        yield Finding(RULES["SJ108"], looked.file, name, "", name)
    for name in (*looked.checks.checks, *looked.checks.questions):
        if name not in heard and name not in looked.policy.weights and name not in critical:
            yield Finding(RULES["SJ106"], looked.file, name, "", name)


def _alarms(looked: _Looked) -> Iterator[Finding]:
    stopping = [
        (v, verdict) for v, verdict in enumerate(looked.policy.verdicts) if verdict.exit_code not in (0, _REVIEW)
    ]
    for v, verdict in stopping:
        asked = {rule.check for rule in verdict.rules if rule.check in looked.checks.questions}
        if verdict.match == "any" and len(asked) >= _FEWEST_QUESTIONS and not _for_a_person(verdict):
            low, high = (1 - (1 - rate) ** len(asked) for rate in _FALSE_ALARMS)
            yield looked.at(
                "SJ109",
                v,
                None,
                f"{len(asked)} questions with 3 to 8 % each: {low:.0%} to {high:.0%} of clean texts stopped",
            )
    models = any(rule.check in looked.checks.questions for v in looked.policy.verdicts for rule in v.rules)
    if models and len(looked.policy.verdicts) == _STOPS + 1 and not any(map(_for_a_person, looked.policy.verdicts)):
        yield looked.at("SJ110", 0, None)


def _for_a_person(verdict: PolicyVerdict) -> bool:
    name = verdict.name.casefold()
    return verdict.exit_code == _REVIEW or any(word in name for word in _REVIEW_WORDS)

"""The lane of a change: what the policy that holds says, and what one that the change brings may add. Pure."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace

from senno.judge import Policy, PolicyVerdict, Reading, Rule, Verdict, decide

PARTIAL = "partial"
"""The reading that tells whether text of the change was left out of what the judge saw."""


@dataclass(frozen=True, slots=True)
class Lane:
    """A lane and where it is from."""

    verdict: Verdict
    tightened: bool = False
    """The policy that the change itself brings is stricter, and its verdict stands."""
    left_out: tuple[str, ...] = ()
    """Rules that were not looked at since nobody was asked their questions."""


def lane(
    policy: Policy,
    readings: Mapping[str, Reading],
    *,
    proposed: Policy | None = None,
    proposed_readings: Mapping[str, Reading] | None = None,
    partly: str = "",
) -> Lane:
    """The lane of a change.

    Args:
        policy: what holds: nobody's word but the operator's and that of the commits before the change.
        readings: of its checks, its questions and the detectors.
        proposed: the policy that the change brings; it may only be stricter.
        proposed_readings: the readings under the questions that the change brings.
        partly: what of the change nobody judged, in words; empty: all was judged. A lane that lets the change through
            is undecided then, unless a rule on just that has put the change there.
    """
    verdict = _whole(decide(policy, readings), partly)
    if proposed is None:
        return Lane(verdict)
    other = _whole(decide(proposed, proposed_readings or {}), partly)
    return Lane(other, tightened=True) if _stricter(policy, verdict, proposed, other) else Lane(verdict)


def _whole(verdict: Verdict, partly: str) -> Verdict:
    if not partly or verdict.exit_code != 0 or any(rule.check == PARTIAL for rule, _ in verdict.fired):
        return verdict
    return replace(verdict, name="UNDECIDED", state="undecided", exit_code=3, reasons=(f"partly judged: {partly}",))


def _stricter(policy: Policy, verdict: Verdict, proposed: Policy, other: Verdict) -> bool:
    """Whether the proposed policy's verdict lets less through. What is undecided is stricter than a pass."""
    names = [one.name for one in policy.verdicts]
    # What a name stands for is in the file that uses it: a lane of the same name may have another exit code there.
    if _refuses(other.exit_code) != _refuses(verdict.exit_code):
        return _refuses(other.exit_code) > _refuses(verdict.exit_code)
    if verdict.name in names and other.name in names:
        return names.index(other.name) < names.index(verdict.name)
    # Lanes of other names cannot be put in one order: the stricter is the one that is no closing verdict.
    return verdict.name == names[-1] and other.name != proposed.verdicts[-1].name


def _refuses(exit_code: int) -> int:
    """How much an exit code refuses: it passes, nobody has decided, or the answer is no."""
    return 0 if exit_code == 0 else 2 if exit_code == 1 else 1


def without(policy: Policy, unasked: Collection[str]) -> tuple[Policy, tuple[str, ...]]:
    """The policy without the rules on names that nobody was asked about, and those rules in words.

    What such a name would have held back (`unless`) is not held back.

    Args:
        policy: the whole policy.
        unasked: names of questions.
    """
    kept: list[PolicyVerdict] = []
    left_out: list[str] = []
    for verdict in policy.verdicts[:-1]:
        rules = tuple(_bare(rule, unasked) for rule in verdict.rules if rule.check not in unasked)
        if verdict.match == "all" and len(rules) < len(verdict.rules):
            rules = ()  # the rest alone would fire on less than the policy asks for
        left_out += [f"{verdict.name}: {rule}" for rule in verdict.rules if not rules or rule.check in unasked]
        if rules:
            kept.append(replace(verdict, rules=rules))
    on_error = policy.on_error if policy.on_error in [one.name for one in kept] else None
    return Policy((*kept, policy.verdicts[-1]), on_error=on_error, model=policy.model), tuple(left_out)


def _bare(rule: Rule, unasked: Collection[str]) -> Rule:
    return replace(rule, unless=tuple(other for other in rule.unless if other.check not in unasked))

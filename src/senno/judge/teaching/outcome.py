"""The labelled cases of a question before and after it was taught: what else changed."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from senno.judge.judge import answer_json
from senno.judge.labelled import Case, Expected
from senno.judge.policy import Op, Policy
from senno.judge.questions import AskedQuestion
from senno.judge.teaching.teaching import Teaching
from senno.models import Answer, Calls, DecisionModel, Distribution, Probability, Score, Unanswered

Change = Literal["fixed", "broken", "right", "wrong", "unanswered"]
CHANGES: tuple[Change, ...] = ("fixed", "broken", "right", "wrong", "unanswered")
"""Wrong before and right after; right and then wrong; right both times; wrong both times; not answered once."""


@dataclass(frozen=True, slots=True)
class Cut:
    """Where yes begins for a noul: at a rule of the policy, or at one half where there is none."""

    value: float = 0.5
    op: Op = "gte"

    def says_yes(self, probability: float) -> bool:
        """Whether a probability counts as yes. A rule that fires on low values (`lte`, `lt`) fires on no."""
        if self.op in ("gte", "lt"):
            return probability >= self.value
        return probability > self.value

    def __str__(self) -> str:
        return f"yes {'≥' if self.op in ('gte', 'lt') else '>'} {self.value:g}"


@dataclass(frozen=True, slots=True)
class CaseChange:
    """One labelled case, before and after."""

    case: Case
    expected: Expected
    before: Answer
    after: Answer
    change: Change


@dataclass(frozen=True, slots=True)
class Outcome:
    """All of them."""

    question: str
    changes: tuple[CaseChange, ...]
    cut: Cut
    model: str | None
    """The version that answered after; `None`: none did."""

    def counts(self) -> dict[Change, int]:
        """How many cases there are of each kind."""
        found = Counter(change.change for change in self.changes)
        return {kind: found[kind] for kind in CHANGES}

    def to_json(self) -> dict[str, Any]:
        """The outcome as JSON values."""
        return {
            "question": self.question,
            "cut": str(self.cut),
            "model": self.model,
            **self.counts(),
            "cases": [
                {
                    "id": each.case.id,
                    "expected": each.expected,
                    "before": answer_json(each.before),
                    "after": answer_json(each.after),
                    "change": each.change,
                }
                for each in self.changes
            ],
        }


def cut_of(policy: Policy | None, question: str) -> Cut:
    """The threshold that counts: the first rule of the policy on the question."""
    rules = [rule for verdict in (policy.verdicts if policy else ()) for rule in verdict.rules]
    return next((Cut(rule.value, rule.op) for rule in rules if rule.check == question and rule.option is None), Cut())


async def judged_again(teaching: Teaching, model: DecisionModel, calls: Calls, policy: Policy | None = None) -> Outcome:
    """Ask the question of its labelled cases with the old and with the new criteria.

    Only the question that was taught: the text of the others is as it was, so that what differs there is noise.

    Args:
        teaching: prepared; written or not.
        model: who answers.
        calls: the way to it.
        policy: where yes begins; without one at 0.5.

    Raises:
        BudgetExceeded: the budget is used up.
    """
    name, cut = teaching.question, cut_of(policy, teaching.question)
    old, new = teaching.old.questions[name], teaching.new.questions[name]
    before, _ = await _ask(model, calls, name, old, teaching.cases)
    after, version = await _ask(model, calls, name, new, teaching.cases)
    changes = tuple(
        CaseChange(case, case.expect[name], b, a, _change(case.expect[name], b, a, new, cut))
        for case, b, a in zip(teaching.cases, before, after, strict=True)
    )
    return Outcome(name, changes, cut, version)


async def _ask(
    model: DecisionModel, calls: Calls, name: str, asked: AskedQuestion, cases: Sequence[Case]
) -> tuple[list[Answer], str | None]:
    async with asyncio.TaskGroup() as group:
        tasks = [
            group.create_task(calls.decide(model, case.about, {name: asked.question}, role="judge")) for case in cases
        ]
    decisions = [task.result() for task in tasks]
    version = next((decision.model for decision in decisions if decision.model), None)
    return [decision.answers[name] for decision in decisions], version


def _change(expected: Expected, before: Answer, after: Answer, asked: AskedQuestion, cut: Cut) -> Change:
    was, now = (_right(expected, answer, asked, cut) for answer in (before, after))
    if was is None or now is None:
        return "unanswered"
    if was == now:
        return "right" if now else "wrong"
    return "fixed" if now else "broken"


def _right(expected: Expected, answer: Answer, asked: AskedQuestion, cut: Cut) -> bool | None:
    match answer:
        case Unanswered():
            return None
        case Probability(yes):
            return cut.says_yes(yes) is expected
        case Distribution(probabilities):
            most = max(probabilities, key=lambda option: probabilities[option])
            return (int(most) if isinstance(asked.question, Score) else most) == expected

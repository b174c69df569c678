"""Each item of a round before the judge: checks, closed questions, policy → accepted, refused or unverified."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

from senno.errors import ConfigError
from senno.judge import CheckError, Judge, Judgement
from senno.loop.board import STATES, Judged, Proposal
from senno.loop.cast import Cast
from senno.loop.critique import readings
from senno.loop.spec import LoopSpec
from senno.loop.values import Evidence, Finding
from senno.models import Answer, Calls, Json, Probability


@dataclass
class Criticised:
    """The critic's findings on a round, completed by code, by item number from 1."""

    findings: Mapping[int, Sequence[Finding]]
    satisfied: bool | None = None
    """What the critic itself said; `None`: it did not, or there is no critic."""
    evidence: Sequence[Evidence] = field(default_factory=list[Evidence])
    """What its tools returned."""


def loop_judge(spec: LoopSpec, cast_: Cast) -> Judge:
    """The judge of a loop.

    Raises:
        SameModelError: the actor's model would judge its own items.
        ConfigError: there are questions and nobody to answer them.
    """
    if spec.judged.questions and cast_.judge is None:
        names = ", ".join(spec.judged.questions)
        raise ConfigError(f"{spec.name}: {names} need a model to answer: --judge-model, or models.judge")
    actor = cast_.player(spec.roles["actor"])
    return Judge(
        spec.judged,
        spec.policy,
        cast_.judge,
        authors=[actor.name] if actor else [],
        allow_same_model=cast_.allow_same_model,
    )


class ItemJudge:
    """Judges the items of one run."""

    def __init__(self, spec: LoopSpec, judge: Judge, calls: Calls) -> None:
        self._spec = spec
        self._judge = judge
        self._calls = calls

    async def judge(
        self, original: str, request: Mapping[str, Any], proposals: Sequence[Proposal], critic: Criticised
    ) -> list[Judgement | BaseException]:
        """All items of a round at once; the gate to the models bounds how many calls are under way.

        Returns:
            For each item its judgement, or why there is none (`BudgetExceeded`): what was judged before a budget
            was used up is not lost.
        """
        return await asyncio.gather(
            *(self._one(original, request, p, critic, n) for n, p in enumerate(proposals, 1)), return_exceptions=True
        )

    async def _one(
        self, original: str, request: Mapping[str, Any], proposal: Proposal, critic: Criticised, number: int
    ) -> Judgement:
        findings = critic.findings[number]
        cited = {s for f in findings for s in f.sources}
        evidence = [*proposal.evidence, *(e for e in critic.evidence if e.id in cited)]
        state: Json = {
            "request": cast("Json", dict(request)),
            "original_request": original,
            "item": cast("Json", dict(proposal.value)),
            "evidence": cast("Json", [e.model_dump(exclude={"data"}) for e in evidence]),
        }
        text = _text(proposal.value, self._spec.items.text)
        return await self._judge.judge(text, calls=self._calls, state=state, known=readings(findings), prompt=original)


def decided(proposal: Proposal, judgement: Judgement, round_: int, findings: Sequence[Finding]) -> Judged:
    """What becomes of an item. Pure: no verdict of the policy leaves it unverified."""
    state = STATES.get(judgement.verdict.name, "unverified")
    answers: Mapping[str, Answer] = judgement.decision.answers if judgement.decision else {}
    return Judged(
        proposal,
        state,
        round_,
        (*findings, *_of_checks(judgement)),
        {name: answer.yes for name, answer in answers.items() if isinstance(answer, Probability)},
        judgement.verdict.name,
        () if state == "accepted" else _why(judgement, findings),
    )


def _of_checks(judgement: Judgement) -> list[Finding]:
    """The deterministic checks, in the form of the critic's."""
    return [
        Finding(check=name, status="unverified", explanation=str(result))
        if isinstance(result, CheckError)
        else Finding(check=name, status="pass" if result.passed else "fail", explanation=result.detail)
        for name, result in judgement.checks.items()
    ]


def _why(judgement: Judgement, findings: Sequence[Finding]) -> tuple[str, ...]:
    """What speaks against an item: checks that did not pass, then rules on probabilities, then missing readings."""
    verdict = judgement.verdict
    every = [*findings, *_of_checks(judgement)]
    against = [
        f"{f.check}: {f.status}" + (f" ({f.explanation})" if f.explanation else "") for f in every if f.status != "pass"
    ]
    told = {f.check for f in every}
    against += [f"{rule} (it is {value:.2f})" for rule, value in verdict.fired if rule.check not in told]
    return (*against, *(r for r in verdict.reasons if r.partition(":")[0] not in told))


def _text(value: Mapping[str, Any], field_: str) -> str:
    if field_:
        return str(value.get(field_, ""))
    return "\n".join(f"{name}: {part}" for name, part in value.items())

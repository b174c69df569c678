"""Each item of a round before the judge: checks, closed questions, policy → accepted, refused or unverified."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

from senno.errors import ConfigError
from senno.judge import CheckError, Judge, Judgement, refuse_same_model
from senno.loop.board import STATES, Judged, Proposal
from senno.loop.cast import Cast
from senno.loop.critique import readings
from senno.loop.deadline import Deadline
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

    def cited(self, number: int) -> list[Evidence]:
        """What its tools returned and it cites for an item."""
        sources = {s for f in self.findings[number] for s in f.sources}
        return [e for e in self.evidence if e.id in sources]


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
    authors = [actor.name] if actor else []
    critic = cast_.player(spec.roles["critic"]) if "critic" in spec.roles else None
    if critic and not spec.judged.questions:
        # With no closed question the critic's word is the verdict: then it is the judge.
        refuse_same_model(critic.name, authors, cast_.allow_same_model)
    return Judge(spec.judged, spec.policy, cast_.judge, authors=authors, allow_same_model=cast_.allow_same_model)


class ItemJudge:
    """Judges the items of one run."""

    def __init__(self, spec: LoopSpec, judge: Judge, calls: Calls, deadline: Deadline) -> None:
        self._spec = spec
        self._deadline = deadline
        self._judge = judge
        self._calls = calls

    async def judge(
        self, original: str, request: Mapping[str, Any], proposals: Sequence[Proposal], critic: Criticised
    ) -> AsyncGenerator[tuple[int, Judgement | BaseException]]:
        """All items of a round at once; the gate to the models bounds how many calls are under way.

        Yields:
            For each item, as it ends, its number and its judgement, or why there is none (`BudgetExceeded`): what was
            judged before a budget was used up, or before an interrupt, is not lost.
        """
        tasks = {
            asyncio.ensure_future(self._deadline.within(self._one(original, request, p, critic, n))): n
            for n, p in enumerate(proposals, 1)
        }
        waiting = set(tasks)
        try:
            while waiting:
                ended, waiting = await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
                for task in ended:
                    yield tasks[task], task.exception() or task.result()
        finally:
            for task in waiting:
                task.cancel()
            await asyncio.gather(*waiting, return_exceptions=True)

    async def _one(
        self, original: str, request: Mapping[str, Any], proposal: Proposal, critic: Criticised, number: int
    ) -> Judgement:
        findings = critic.findings[number]
        evidence = [*proposal.evidence, *critic.cited(number)]
        state: Json = {
            "request": cast("Json", dict(request)),
            "original_request": original,
            "item": cast("Json", dict(proposal.value)),
            "evidence": cast("Json", [e.model_dump(exclude={"data"}) for e in evidence]),
        }
        text = _text(proposal.value, self._spec.items.text)
        return await self._judge.judge(text, calls=self._calls, state=state, known=readings(findings), prompt=original)


def decided(proposal: Proposal, judgement: Judgement, round_: int, critic: Criticised, number: int) -> Judged:
    """What becomes of an item. Pure: no verdict of the policy leaves it unverified."""
    # What a policy gives where nothing could be decided (`on_error`) accepts nothing and rejects nothing.
    verdict = judgement.verdict
    state = STATES.get(verdict.name, "unverified") if verdict.state == "decided" else "unverified"
    findings = critic.findings[number]
    answers: Mapping[str, Answer] = judgement.decision.answers if judgement.decision else {}
    return Judged(
        proposal,
        state,
        round_,
        (*findings, *_of_checks(judgement)),
        {name: answer.yes for name, answer in answers.items() if isinstance(answer, Probability)},
        judgement.verdict.name,
        () if state == "accepted" else _why(judgement, findings),
        tuple(critic.cited(number)),
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

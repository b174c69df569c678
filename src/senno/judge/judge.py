"""The judge: checks first (free), closed questions next (a model that did not write), the policy last (code)."""

from __future__ import annotations

import asyncio
import math
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from senno.errors import SameModelError, SennoError
from senno.judge.checkfile import CheckFile
from senno.judge.checks import CheckContext, CheckError, CheckResult, run_check
from senno.judge.policy import Policy, Reading, Verdict, decide
from senno.judge.questions import AskedQuestion
from senno.models import (
    Answer,
    Calls,
    Decision,
    DecisionModel,
    Distribution,
    Json,
    Probability,
    Question,
    Score,
    Unanswered,
    same_model,
    same_version,
)
from senno.threads import as_failure, in_daemon_thread, told


@dataclass(frozen=True, slots=True)
class Looked:
    """What checks and questions say of a text, before any verdict."""

    readings: Mapping[str, Reading]
    checks: Mapping[str, CheckResult | CheckError]
    decision: Decision | None
    """The answers; `None`: there were no questions, or nobody to answer them."""


@dataclass(frozen=True, slots=True)
class Judgement:
    """A verdict and all that it stands on."""

    verdict: Verdict
    readings: Mapping[str, Reading]
    checks: Mapping[str, CheckResult | CheckError] = field(default_factory=dict[str, "CheckResult | CheckError"])
    decision: Decision | None = None
    """The answers, the model version that gave them, tokens, cost; `None`: there were no questions."""
    seconds: float = 0.0

    def to_json(self) -> dict[str, Any]:
        """The judgement as JSON values: what `senno judge run --json` prints."""
        decision = self.decision
        return {
            "verdict": self.verdict.name,
            "state": self.verdict.state,
            "exit_code": self.verdict.exit_code,
            "rule": str(self.verdict.rule) if self.verdict.rule else None,
            "value": self.verdict.value,
            "fired": [{"rule": str(rule), "value": value} for rule, value in self.verdict.fired],
            "reasons": list(self.verdict.reasons),
            "score": self.verdict.score,
            "score_missing": list(self.verdict.score_missing),
            "checks": {name: _check_json(result) for name, result in self.checks.items()},
            "answers": {name: answer_json(a) for name, a in decision.answers.items()} if decision else {},
            "model": decision.model if decision else None,
            "method": decision.method if decision else None,
            "tokens_in": decision.usage.tokens_in if decision else 0,
            "tokens_out": decision.usage.tokens_out if decision else 0,
            "cost": str(decision.cost) if decision and decision.cost is not None else (None if decision else "0"),
            "seconds": round(self.seconds, 6),
        }


def _check_json(result: CheckResult | CheckError) -> dict[str, Any]:
    if isinstance(result, CheckError):
        return {"passed": None, "error": str(result)}
    spans = [{"start": s.start, "end": s.end, "text": s.text} for s in result.spans]
    return {"passed": result.passed, "detail": result.detail, "spans": spans}


def answer_json(answer: Answer) -> dict[str, Any]:
    """One answer as JSON values: `yes`, `probabilities` or `unanswered`."""
    match answer:
        case Probability(yes):
            return {"yes": yes}
        case Distribution(probabilities):
            return {"probabilities": dict(probabilities)}
        case Unanswered(reason):
            return {"unanswered": reason}


def refuse_same_model(judge: str, authors: Sequence[str], allowed: bool) -> None:
    """Refuse a model as the judge of what it wrote.

    Raises:
        SameModelError: it is one of the authors, and that is not allowed.
    """
    same = next((author for author in authors if same_model(author, judge)), None)
    if same and not allowed:
        raise SameModelError(
            f"{same} wrote the text and would judge it: a model's opinion of its own work is no measurement. "
            "Name another with --judge-model (or models.judge; for a critic that decides alone, --role-model "
            "critic=…), or accept it with --allow-same-model (or models.allow_same_model = true)"
        )


class Judge:
    """Judges texts by one file of checks and one policy.

    Args:
        checks: what is looked at.
        policy: what becomes of it; it must have been loaded against the same `checks`.
        model: who answers the questions. Without one they stay unanswered, and a verdict is given only if the
            checks alone decide it.
        authors: the models that write the texts.
        allow_same_model: let an author judge.

    Raises:
        SameModelError: the model that answers is one that wrote.
    """

    def __init__(
        self,
        checks: CheckFile,
        policy: Policy,
        model: DecisionModel | None = None,
        *,
        authors: Sequence[str] = (),
        allow_same_model: bool = False,
    ) -> None:
        if model:
            refuse_same_model(model.name, authors, allow_same_model)
        self.checks = checks
        self.policy = policy
        self.model = model

    async def judge(
        self,
        text: str,
        *,
        calls: Calls,
        role: str = "judge",
        state: Json = None,
        known: Mapping[str, Reading] | None = None,
        prompt: str = "",
    ) -> Judgement:
        """Judge one text.

        Args:
            text: what the checks look at.
            calls: the way to the model.
            role: under which the calls stand in the ledger.
            state: what the questions are asked about; `{"text": text}` by default.
            known: readings that the caller has already (a critic's findings).
            prompt: what the text answers, for the checks that compare with it.

        Raises:
            BudgetExceeded: nothing is judged on a budget that is used up.
        """
        started = time.monotonic()
        looked = await self.look(text, calls=calls, role=role, state=state, known=known, prompt=prompt)
        verdict = decide(self.policy, looked.readings)
        return Judgement(verdict, looked.readings, looked.checks, looked.decision, time.monotonic() - started)

    def judge_sync(
        self,
        text: str,
        *,
        calls: Calls,
        role: str = "judge",
        state: Json = None,
        known: Mapping[str, Reading] | None = None,
        prompt: str = "",
    ) -> Judgement:
        """`judge`, for code that is not asynchronous; with `Calls` of its own, since they belong to one event loop."""
        return asyncio.run(self.judge(text, calls=calls, role=role, state=state, known=known, prompt=prompt))

    async def look(
        self,
        text: str,
        *,
        calls: Calls,
        role: str = "judge",
        state: Json = None,
        known: Mapping[str, Reading] | None = None,
        prompt: str = "",
    ) -> Looked:
        """The readings alone, for who judges something in parts: as `judge`, without a verdict."""
        # A check may run a regular expression or a function of the user's: off the event loop, others go on.
        checks: dict[str, CheckResult | CheckError] = {}
        if self.checks.checks:
            checks = await in_daemon_thread(self._run_checks, text, prompt)
        readings: dict[str, Reading] = {**(known or {}), **{name: _of_check(result) for name, result in checks.items()}}
        decision = None
        if self.model is None:
            nobody = Reading(missing="no model was named to answer it (--judge-model, or models.judge)")
            readings |= dict.fromkeys(self.checks.questions, nobody)
        elif self.checks.questions:
            questions = {name: asked.question for name, asked in self.checks.questions.items()}
            about: Json = {"text": text} if state is None else state
            decision = self._of_the_version(await self._answers(self.model, about, questions, calls, role))
            readings |= {n: _of_answer(self.checks.questions[n], a) for n, a in decision.answers.items()}
        return Looked(readings, checks, decision)

    def _of_the_version(self, decision: Decision) -> Decision:
        """Thresholds stand for one model: what another answers is no reading."""
        asked, answered = self.policy.model, decision.model
        if asked is None or answered is None or same_version(asked, answered):
            return decision
        reason = (
            f"{answered} answered, and the policy's thresholds were set on {asked}: ask that version, or measure and "
            'calibrate this one and name it as "model" in the policy'
        )
        return replace(decision, answers=dict.fromkeys(decision.answers, Unanswered(reason)))

    async def _answers(
        self, model: DecisionModel, about: Json, questions: Mapping[str, Question], calls: Calls, role: str
    ) -> Decision:
        try:
            return await calls.decide(model, about, questions, role=role)
        except SennoError:
            raise
        except (Exception, SystemExit) as error:  # noqa: BLE001 - a decision model may be Python of the user's
            reason = f"{model.name} failed: {told(as_failure(error))}"
            return Decision(dict.fromkeys(questions, Unanswered(reason)), None)

    def _run_checks(self, text: str, prompt: str) -> dict[str, CheckResult | CheckError]:
        context = CheckContext(prompt=prompt, folder=self.checks.folder)
        results: dict[str, CheckResult | CheckError] = {}
        for name, spec in self.checks.checks.items():
            try:
                results[name] = run_check(spec, text, context)
            except CheckError as error:
                results[name] = error
        return results


def _of_check(result: CheckResult | CheckError) -> Reading:
    if isinstance(result, CheckError):
        return Reading(missing=str(result), failed=True)
    value = 1.0 if result.passed else 0.0
    return Reading(value=value, share=value)


def _of_answer(asked: AskedQuestion, answer: Answer) -> Reading:
    match answer:
        case Unanswered(reason):
            return Reading(missing=reason, failed=True)
        case Probability(yes):
            return Reading(value=yes, share=yes if asked.higher_is_better else 1.0 - yes)
        case Distribution(probabilities):
            if not isinstance(asked.question, Score):
                return Reading(value=max(probabilities.values()), options=probabilities)
            expected = math.fsum(int(level) * p for level, p in probabilities.items())
            share = expected / asked.top
            return Reading(expected, probabilities, share if asked.higher_is_better else 1.0 - share)

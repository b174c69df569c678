"""The engine: refiner, then actor ⇄ critic until code is satisfied or a bound is met, then curator."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

from pydantic import BaseModel, ValidationError

from senno.errors import BudgetExceeded, ConfigError, MalformedAnswer, ModelError, SennoError
from senno.judge import Judgement
from senno.loop.answers import Answered, Asker, call_function
from senno.loop.board import (
    Board,
    Judged,
    Proposal,
    Screened,
    StopReason,
    answer_items,
    fold,
    screen,
    stop_after,
)
from senno.loop.cast import Cast
from senno.loop.critique import complete
from senno.loop.deadline import Deadline
from senno.loop.judging import Criticised, ItemJudge, decided
from senno.loop.lookup import Lookup
from senno.loop.result import LoopResult, ResultItem, result_item
from senno.loop.spec import LoopSpec, Role
from senno.loop.steps import StepLog
from senno.loop.values import (
    ActorInput,
    Clarification,
    CriticInput,
    Critique,
    CuratedItem,
    CuratorInput,
    Finding,
    NumberedItem,
    OpenFinding,
    RefinerInput,
    Wording,
)
from senno.text import one_line

MOST_CLARIFICATIONS = 2
"""Times that the refiner may send its questions to the user in one run."""

AskUser = Callable[[Sequence[str]], Sequence[str] | None]


class _ClarifyFirst(Exception):
    """The refiner's questions are for a user who is not there."""


@dataclass
class _SoFar:
    """What a run has so far: the best result is read from it, whatever happens."""

    board: Board = field(default_factory=Board)
    wanted: int = 0
    request: dict[str, Any] = field(default_factory=dict[str, Any])
    unjudged: Sequence[Proposal] = ()
    round: int = 0
    notes: list[str] = field(default_factory=list[str])
    questions: tuple[str, ...] = ()


class Engine:
    """One run of one loop.

    Args:
        spec: the loop.
        cast_: who plays which role.
        asker: asks the models.
        judge: judges the items.
        steps: keeps the record.
        lookup: looks up evidence.
        deadline: of the run, for functions of the loop.
        run_id: of the run in the ledger.
        ask_user: asks the refiner's questions and returns the answers; `None` where nobody can answer.
    """

    def __init__(
        self,
        spec: LoopSpec,
        cast_: Cast,
        asker: Asker,
        judge: ItemJudge,
        steps: StepLog,
        lookup: Lookup,
        deadline: Deadline,
        run_id: str,
        ask_user: AskUser | None = None,
    ) -> None:
        self._spec = spec
        self._cast = cast_
        self._asker = asker
        self._judge = judge
        self._steps = steps
        self._lookup = lookup
        self._deadline = deadline
        self._run_id = run_id
        self._ask_user = ask_user
        self._now = _SoFar()

    async def run(self, request: str, rounds: int) -> LoopResult:
        """Run it to its end, and say why it ended. Only interrupts and faults of senno itself escape."""
        error: str | None = None
        try:
            stop = await self._loop(request, rounds)
        except _ClarifyFirst:
            stop = "clarify"
        except BudgetExceeded as exceeded:
            stop, error = cast("StopReason", exceeded.kind), str(exceeded)
        except (ModelError, MalformedAnswer, ConfigError) as failed:
            stop, error = "error", str(failed)
        wording = await self._curate(request, stop)
        return self.result(request, stop, error, wording)

    async def _loop(self, request: str, rounds: int) -> StopReason:
        now = self._now
        await self._refine(request)
        for round_ in range(1, rounds + 1):
            now.round = round_
            screened = await self._propose(request)
            if not screened.to_judge:
                return "no_progress"
            now.unjudged = screened.to_judge
            critic = await self._criticise(request, screened.to_judge)
            judged = await self._decide(request, screened.to_judge, critic)
            self._note_contradiction(critic, judged)
            stop = stop_after(now.board, now.wanted, round_, rounds)
            if stop:
                return stop
        raise AssertionError("the last round stops")

    async def _refine(self, request: str) -> None:
        now, wanted = self._now, self._spec.wanted
        role = self._spec.roles.get("refiner")
        if role is None:
            now.request, now.wanted = {"request": request}, wanted.default
            return
        answers: list[Clarification] = []
        for turn in range(MOST_CLARIFICATIONS + 1):
            now.request = _values(
                (await self._play(role, RefinerInput(request=request, clarifications=answers))).output
            )
            questions = _questions(now.request.get(self._spec.clarify)) if self._spec.clarify else ()
            if not questions:
                break
            if turn == MOST_CLARIFICATIONS:
                now.notes.append("the refiner went on asking; the run goes on with what it has")
                break
            answers += self._clarified(questions)
        now.wanted = self._wanted(now.request.get(wanted.field) if wanted.field else None)

    def _clarified(self, questions: tuple[str, ...]) -> list[Clarification]:
        answers = self._ask_user(questions) if self._ask_user else None
        if answers is None:
            self._now.questions = questions
            raise _ClarifyFirst
        return [Clarification(question=q, answer=a) for q, a in zip(questions, answers, strict=True)]

    def _wanted(self, asked: object) -> int:
        wanted = self._spec.wanted
        if not isinstance(asked, int) or isinstance(asked, bool) or asked < 1:
            return wanted.default
        if asked > wanted.most:
            self._now.notes.append(f"{asked} items were asked for; this loop gives {wanted.most} at most")
        return min(asked, wanted.most)

    async def _propose(self, request: str) -> Screened:
        now, name_of = self._now, self._spec.items.name_of
        missing = now.wanted - len(now.board.having("accepted"))
        judged = now.board.items.values()
        open_items = [j for j in judged if j.state != "accepted"]
        value = ActorInput(
            original=request,
            request=now.request,
            wanted=missing,
            accepted=[dict(j.proposal.value) for j in now.board.having("accepted")],
            findings=[
                OpenFinding(item=dict(j.proposal.value), state=cast("Any", j.state), why=list(j.why))
                for j in open_items
                if j.round == now.round - 1
            ],
            do_not_repeat=[name_of(j.proposal.value) for j in open_items],
        )
        answered = await self._play(self._spec.roles["actor"], value)
        proposals = await self._lookup.proposals(self._items_in(answered.output), now.request, now.board, missing)
        screened = screen(now.board, proposals, missing)
        self._note_dropped("already judged on the same evidence", screened.repeated)
        self._note_dropped("more than asked for", screened.surplus)
        return screened

    def _note_contradiction(self, critic: Criticised, judged: Sequence[Judged]) -> None:
        """Where the critic's own word is not what code makes of the items that it was given."""
        if critic.satisfied is not None and critic.satisfied != all(j.state == "accepted" for j in judged):
            says = "satisfied" if critic.satisfied else "not satisfied"
            round_ = self._now.round
            self._now.notes.append(
                f"contradiction in round {round_}: the critic says {says}, its checks and the policy say otherwise"
            )

    def _note_dropped(self, why: str, dropped: Sequence[Proposal]) -> None:
        if dropped:
            names = ", ".join(one_line(self._spec.items.name_of(p.value), 80) for p in dropped[:5])
            more = " …" if len(dropped) > 5 else ""
            self._now.notes.append(f"round {self._now.round}: dropped, {why}: {names}{more}")

    def _items_in(self, output: BaseModel) -> list[dict[str, Any]]:
        data = _values(output)
        if not self._spec.items.field:
            return [data]
        found = data.get(self._spec.items.field)
        rows = cast("list[object]", found) if isinstance(found, list) else []
        return [cast("dict[str, Any]", r) if isinstance(r, dict) else {"text": r} for r in rows]

    async def _criticise(self, request: str, proposals: Sequence[Proposal]) -> Criticised:
        role = self._spec.roles.get("critic")
        if role is None:
            return Criticised({n: [] for n in range(1, len(proposals) + 1)})
        items = [
            NumberedItem(number=n, item=dict(p.value), evidence=list(p.evidence)) for n, p in enumerate(proposals, 1)
        ]
        value = CriticInput(original=request, request=self._now.request, checks=list(self._spec.checks), items=items)
        findings: dict[int, list[Finding]] = {}

        def hold_against_evidence(answered: Answered) -> None:
            # What a tool returned may be cited for any item of the round.
            seen = [i.model_copy(update={"evidence": [*i.evidence, *answered.evidence]}) for i in items]
            expected = self._spec.evidence is not None or bool(role.tools)
            found, notes = complete(cast("Critique", answered.output), seen, self._spec.checks, expected)
            answered.as_checked = {str(n): [f.model_dump() for f in each] for n, each in found.items()}
            findings.update(found)
            answered.notes += notes
            self._now.notes += notes

        answered = await self._play(role, value, hold_against_evidence)
        return Criticised(findings, cast("Critique", answered.output).is_satisfied, answered.evidence)

    async def _decide(self, request: str, proposals: Sequence[Proposal], critic: Criticised) -> Sequence[Judged]:
        """Checks, closed questions and policy on each item: one step of the judge."""
        now = self._now
        step = self._steps.begin("judge", now.round)
        judged: dict[int, Judged] = {}
        told: dict[int, dict[str, Any]] = {}
        failure: BaseException | None = None
        try:
            async for number, judgement in self._judge.judge(request, now.request, proposals, critic):
                if not isinstance(judgement, Judgement):
                    failure = failure or judgement
                    continue
                proposal = proposals[number - 1]
                one = judged[number] = decided(proposal, judgement, now.round, critic, number)
                told[number] = {"item": dict(proposal.value), "became": one.state, "why": list(one.why)}
                told[number] |= judgement.to_json()
        except asyncio.CancelledError as interrupted:
            failure = interrupted
        now.board = fold(now.board, [judged[n] for n in sorted(judged)])
        now.unjudged = [p for n, p in enumerate(proposals, 1) if n not in judged]
        output = [told[n] for n in sorted(told)]
        if failure:
            step.failed(failure, output)
            raise failure
        step.ended(output, [])
        return [judged[n] for n in sorted(judged)]

    async def _curate(self, request: str, stop: StopReason) -> Wording:
        now = self._now
        role = self._spec.roles.get("curator")
        items = answer_items(now.board, now.wanted)
        if role is None:
            return Wording()
        # Where nothing was found a function may say why. A model would find something to say: seen, with a small one,
        # was an introduction to films that were not there.
        if not items and (self._cast.player(role) or stop not in ("rounds", "no_progress")):
            return Wording()
        value = CuratorInput(
            original=request,
            request=now.request,
            items=[_curated(n, j) for n, j in enumerate(items, 1)],
            missing=max(0, now.wanted - len(now.board.having("accepted"))),
            stop=stop,
        )
        try:
            answered = await self._play(role, value)
        except (BudgetExceeded, ModelError, MalformedAnswer, ConfigError) as failed:
            now.notes.append(f"{role.name} did not run, so the items stand without its words: {failed}")
            return Wording()
        return cast("Wording", answered.output)

    async def _play(self, role: Role, value: BaseModel, check: Callable[[Answered], None] | None = None) -> Answered:
        """A role does its part once, and the ledger says so, whether it went well or not."""
        step = self._steps.begin(role.role, self._now.round)
        model = self._cast.player(role)
        function = role.call or role.without_model
        try:
            seen = _narrowed(role, value)
            if model is not None:
                answered = await self._asker.ask(role, model, seen)
            elif function is not None:
                answered = await call_function(role, function, seen, self._deadline)
            else:
                raise ConfigError(f"{role.name} has neither a model nor a function")
            if check:
                check(answered)
        except (SennoError, asyncio.CancelledError) as failed:
            step.failed(failed)
            raise
        output = _values(answered.output)
        if answered.evidence:
            output = {**output, "tools_returned": [e.model_dump() for e in answered.evidence]}
        if answered.as_checked:
            output = {**output, "as_checked": answered.as_checked}
        step.ended(output, answered.notes)
        return answered

    def result(
        self, request: str, stop: StopReason, error: str | None = None, wording: Wording | None = None
    ) -> LoopResult:
        """The best result so far."""
        now, name_of = self._now, self._spec.items.name_of
        wording = wording or Wording()
        answer = answer_items(now.board, now.wanted)
        words = self._words(wording, len(answer))
        shown = {j.proposal.key for j in answer}
        left = [result_item(j, name_of(j.proposal.value)) for k, j in now.board.items.items() if k not in shown]
        left += [
            ResultItem(name_of(p.value), p.value, "unjudged", now.round, evidence=p.evidence) for p in now.unjudged
        ]
        return LoopResult(
            run_id=self._run_id,
            loop=self._spec.name,
            request=request,
            stop=stop,
            wanted=now.wanted,
            items=tuple(result_item(j, name_of(j.proposal.value), words.get(n, "")) for n, j in enumerate(answer, 1)),
            left_out=tuple(left),
            intro=wording.intro,
            outro=wording.outro,
            questions=now.questions,
            notes=tuple(dict.fromkeys(now.notes)),
            error=error,
        )

    def _words(self, wording: Wording, count: int) -> dict[int, str]:
        """The curator's words by item; words on what is not in the answer are dropped, and the notes say so."""
        words: dict[int, str] = {}
        for sentence in wording.items:
            if 1 <= sentence.number <= count and sentence.number not in words:
                words[sentence.number] = sentence.text
            else:
                self._now.notes.append(f"the curator wrote of item {sentence.number}, not in the answer: dropped")
        return words


def _narrowed(role: Role, value: BaseModel) -> BaseModel:
    """What the role sees.

    Raises:
        ConfigError: the loop's own input model does not take the engine's input.
    """
    if role.input is None:
        return value
    try:
        return role.input.model_validate(value.model_dump())
    except ValidationError as error:
        fault = error.errors(include_url=False)[0]
        place = ".".join(map(str, fault["loc"])) or "it"
        engine = type(value).__name__
        raise ConfigError(
            f"{role.name}: input {role.input.__name__} does not take what the engine gives ({engine}): "
            f"{place}: {fault['msg']}; expected fields of senno.loop.{engine}"
        ) from None


def _curated(number: int, judged: Judged) -> CuratedItem:
    return CuratedItem(
        number=number,
        item=dict(judged.proposal.value),
        state=cast("Any", judged.state),
        findings=list(judged.findings),
        evidence=list(judged.proposal.evidence),
    )


def _values(model: BaseModel) -> dict[str, Any]:
    return model.model_dump(mode="json")


def _questions(value: object) -> tuple[str, ...]:
    found = cast("list[object]", value) if isinstance(value, list) else [value]
    return tuple(str(q).strip() for q in found if q and str(q).strip())

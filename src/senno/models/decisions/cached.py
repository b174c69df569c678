"""Answers that were given before, given again: at no cost, and only where they cannot differ."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from senno.models.calls import RoleCalls
from senno.models.checked import check_decision, options_of
from senno.models.decisions.digests import answer_key, state_digest
from senno.models.decisions.form import question_form
from senno.models.decisions.named import asked_model
from senno.models.decisions.versions import is_pinned, same_version
from senno.models.protocol import (
    Answer,
    Decision,
    DecisionModel,
    Distribution,
    Json,
    Noul,
    Probability,
    Question,
    Unanswered,
    Usage,
)

if TYPE_CHECKING:
    from senno.ledger import KeptAnswer, Ledger


class Cached:
    """A decision model that asks another only what it has not answered yet.

    An answer is kept by the model's name, the question with the order of its options, the state and the repeat. It is
    kept only where the name is pinned to one version and that version answered: an alias may be another model
    tomorrow. What was not answered is not kept.

    Args:
        model: answers what is not kept.
        ledger: keeps the answers.
        repeat: which of several judgements of one text this is: each is asked anew.
        variant: how the model is asked, where that changes the answers (`samples:5`).
        now: aware UTC.
    """

    def __init__(
        self,
        model: DecisionModel,
        ledger: Ledger,
        *,
        repeat: int = 0,
        variant: str = "",
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self._model, self._ledger = model, ledger
        self._repeat, self._variant, self._now = repeat, variant, now
        self._asked = asked_model(model.name)

    @classmethod
    def of(cls, model: DecisionModel, ledger: Ledger, samples: int) -> Cached:
        """One for a model of the settings; a chat model's answers hold for so many samples."""
        from senno.models.decisions.chat import ChatDecisions

        return cls(model, ledger, variant=f"samples:{samples}" if isinstance(model, ChatDecisions) else "")

    @property
    def name(self) -> str:
        """The name of the model."""
        return self._model.name

    async def decide(self, state: Json, questions: Mapping[str, Question], *, calls: RoleCalls) -> Decision:
        """Answer every question about `state`: see `DecisionModel.decide`."""
        if not is_pinned(self._asked):
            return await self._model.decide(state, questions, calls=calls)
        # Here, since the ledger loads SQLite.
        from senno.ledger import find_answers

        about = state_digest(state)
        keys = {id_: self._key(about, question) for id_, question in questions.items()}
        kept = find_answers(self._ledger, keys.values())
        known = _Known.read(questions, {id_: kept[key] for id_, key in keys.items() if key in kept})
        missing = {id_: question for id_, question in questions.items() if id_ not in known.answers}
        if not missing:
            return known.decision(questions)
        decision = check_decision(missing, await self._model.decide(state, missing, calls=calls))
        self._keep(decision, missing, keys)
        return known.joined(questions, decision)

    def _key(self, about: str, question: Question) -> str:
        return answer_key(self._model.name, self._variant, about, question_form(question), self._repeat)

    def _keep(self, decision: Decision, questions: Mapping[str, Question], keys: Mapping[str, str]) -> None:
        from senno.ledger import KeptAnswer, keep_answers

        if decision.model is None or not same_version(self._asked, decision.model):
            return
        now = self._now()
        found = {
            keys[id_]: KeptAnswer(decision.model, decision.method, now, shares)
            for id_ in questions
            if (shares := _shares(decision.answers[id_])) is not None
        }
        if found:
            keep_answers(self._ledger, found)


@dataclass(frozen=True, slots=True)
class _Known:
    """What is kept of a request."""

    answers: Mapping[str, Answer]
    kept: tuple[KeptAnswer, ...]

    @classmethod
    def read(cls, questions: Mapping[str, Question], kept: Mapping[str, KeptAnswer]) -> _Known:
        """Those of the kept answers that still are answers to their questions."""
        answers = {id_: _answer(questions[id_], each) for id_, each in kept.items()}
        checked = check_decision({id_: questions[id_] for id_ in answers}, Decision(answers, None)).answers
        good = {id_: answer for id_, answer in checked.items() if not isinstance(answer, Unanswered)}
        return cls(good, tuple(kept[id_] for id_ in good))

    def decision(self, questions: Mapping[str, Question]) -> Decision:
        """All of it from what is kept: no tokens, and no cost."""
        method = "+".join(sorted({each.method for each in self.kept}))
        model = self.kept[0].model if self.kept else None
        return Decision({id_: self.answers[id_] for id_ in questions}, model, Usage(0, 0), method, notes=self._notes())

    def joined(self, questions: Mapping[str, Question], asked: Decision) -> Decision:
        """What is kept, and what was asked now; tokens and cost are those of now."""
        if not self.kept:
            return asked
        found = {**asked.answers, **self.answers}
        methods = {each.method for each in self.kept} | ({asked.method} if asked.method else set[str]())
        return replace(
            asked,
            answers={id_: found[id_] for id_ in questions},
            model=asked.model or self.kept[0].model,
            method="+".join(sorted(methods)),
            notes=(*asked.notes, *self._notes()),
        )

    def _notes(self) -> tuple[str, ...]:
        if not self.kept:
            return ()
        oldest = min(each.made for each in self.kept)
        count = f"{len(self.kept)} answer{'' if len(self.kept) == 1 else 's'}"
        return (f"{count} given before, since {oldest:%Y-%m-%d %H:%M} UTC, and not asked again",)


def _answer(question: Question, kept: KeptAnswer) -> Answer:
    if isinstance(question, Noul):
        return Probability(kept.shares[0]) if len(kept.shares) == 1 else Unanswered("")
    options = options_of(question)
    fits = len(options) == len(kept.shares)
    return Distribution(dict(zip(options, kept.shares, strict=True))) if fits else Unanswered("")


def _shares(answer: Answer) -> tuple[float, ...] | None:
    match answer:
        case Probability(yes):
            return (float(yes),)
        case Distribution(probabilities):
            return tuple(map(float, probabilities.values()))
        case Unanswered():
            return None

"""Any chat model as a decision model: one call a question, one word an answer, its probability from the logprobs."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from senno.errors import ConfigError, ModelError
from senno.models.asking import Asked, asked
from senno.models.calls import RoleCalls
from senno.models.protocol import (
    Answer,
    Decision,
    Distribution,
    Json,
    Message,
    Noul,
    Probability,
    Question,
    Request,
    TextModel,
    Unanswered,
    Usage,
)
from senno.models.reading import of_logprobs, of_samples
from senno.text import one_line

T = TypeVar("T")

TOP = 20
"""Alternatives asked for at each token: the most that OpenAI gives."""

SHORT_ANSWER = 4
"""Tokens of an answer that is read by its logprobs: the first word, and what may stand before it."""

LONG_ANSWER = 1024
"""Tokens of an answer that is read as text: room for a model that thinks before it says its one word."""


@dataclass(frozen=True, slots=True)
class _Found:
    answer: Answer
    method: str = ""
    model: str | None = None


class ChatDecisions:
    """A chat model that answers closed questions.

    Each question is a call of its own, so that none colours another. Where the API gives logprobs, the probability of
    an answer is that of its first token, over all its writings; elsewhere it is the share of `samples` answers at
    temperature 1. Which of the two it is, is found at the first call and kept.

    Args:
        model: the chat model.
        samples: how many answers to take where there are no logprobs.

    Raises:
        ConfigError: fewer than one sample.
    """

    def __init__(self, model: TextModel, samples: int = 5) -> None:
        if samples < 1:
            raise ConfigError(f"samples is {samples}; expected at least 1")
        self._model = model
        self._samples = samples
        self._gives_logprobs: bool | None = None

    @property
    def name(self) -> str:
        """The name of the chat model."""
        return self._model.name

    async def decide(self, state: Json, questions: Mapping[str, Question], *, calls: RoleCalls) -> Decision:
        """Answer every question about `state`: see `DecisionModel.decide`."""
        before = calls.spent
        todo = list(questions.values())
        # The first goes alone while it is not known what the API gives: it tells the others.
        alone = 1 if self._gives_logprobs is None else 0
        found = [await self._answer(state, question, calls) for question in todo[:alone]]
        found += await _together([self._answer(state, question, calls) for question in todo[alone:]])
        spent = calls.spent.since(before)
        return Decision(
            {id_: each.answer for id_, each in zip(questions, found, strict=True)},
            next((each.model for each in found if each.model), None),
            Usage(spent.tokens_in, spent.tokens_out),
            "+".join(sorted({each.method for each in found if each.method})),
        )

    async def _answer(self, state: Json, question: Question, calls: RoleCalls) -> _Found:
        form = asked(state, question)
        if isinstance(form, Unanswered):
            return _Found(form)
        try:
            if self._gives_logprobs is not False:
                found = await self._by_logprobs(form, question, calls)
                if found is not None:
                    return found
            return await self._by_samples(form, question, calls)
        except ModelError as error:
            return _Found(Unanswered(str(error)))

    async def _by_logprobs(self, form: Asked, question: Question, calls: RoleCalls) -> _Found | None:
        """The answer by the logprobs of one reply; `None`: the API gives none."""
        # At temperature 1 no server scales the logprobs, whatever it does at others.
        request = replace(_request(form), max_tokens=SHORT_ANSWER, top_logprobs=TOP, seed=0)
        reply = await calls.complete(self._model, request)
        if reply.logprobs:
            self._gives_logprobs = True
            return _Found(_answered(question, of_logprobs(form.writings, reply.logprobs)), "logprobs", reply.model)
        if self._gives_logprobs:
            said = Unanswered(f"no logprobs came with the answer {one_line(reply.text, 60)!r}")
            return _Found(said, "logprobs", reply.model)
        if reply.text or reply.finish == "length":
            # An empty answer says nothing about the API; one that was cut does: the model was still thinking.
            self._gives_logprobs = False
        return None

    async def _by_samples(self, form: Asked, question: Question, calls: RoleCalls) -> _Found:
        request = replace(_request(form), max_tokens=LONG_ANSWER)
        seeds = range(1, self._samples + 1)
        replies = await _together([calls.complete(self._model, replace(request, seed=seed)) for seed in seeds])
        found = of_samples(form.writings, [reply.text for reply in replies])
        return _Found(_answered(question, found), f"samples:{self._samples}", replies[0].model)


def _request(form: Asked) -> Request:
    return Request(form.system, (Message("user", form.text),), temperature=1.0)


def _answered(question: Question, found: dict[str, float] | Unanswered) -> Answer:
    if isinstance(found, Unanswered):
        return found
    return Probability(found["yes"]) if isinstance(question, Noul) else Distribution(found)


async def _together(work: Sequence[Coroutine[Any, Any, T]]) -> list[T]:
    """All of them at once. The first error ends the others, and is raised as it is."""
    try:
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(each) for each in work]
    except BaseExceptionGroup as errors:
        raise errors.exceptions[0] from None
    return [task.result() for task in tasks]

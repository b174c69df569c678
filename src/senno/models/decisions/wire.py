"""A decision model behind a POST: one request for all questions, and nothing taken on trust."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, cast

from senno.errors import ModelError
from senno.models.calls import RoleCalls
from senno.models.decisions.answers import read_answers
from senno.models.decisions.refusals import refusal
from senno.models.decisions.size import UNKNOWN, Limits, too_large
from senno.models.decisions.strict_json import NotJson, strict_json
from senno.models.decisions.versions import names_version, same_version
from senno.models.outgoing import Outgoing, Received
from senno.models.posting import Refused, sent
from senno.models.protocol import Answer, AttemptFailed, Decision, Json, Question, Unanswered, Usage
from senno.models.wire import usage
from senno.text import one_line

MOST_BYTES = 8 * 1024 * 1024
"""Of an answer: 400 questions of 255 options are 4 MB."""


@dataclass(frozen=True, slots=True)
class Wire:
    """A form of request and response.

    Args:
        method: what it is called in a decision.
        path: of the endpoint, after the address.
        questions: the questions as they are sent, by id.
        body: the whole request, from the model's version, the state and those.
        answers: the answers of a response in System One's form, by id; text: what is wrong with all of them.
    """

    method: str
    path: str
    questions: Callable[[Mapping[str, Question]], Mapping[str, Any]]
    body: Callable[[str, Json, Mapping[str, Any]], Mapping[str, Any]]
    answers: Callable[[Mapping[str, Any]], Mapping[str, Any] | str]


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where a decision model is.

    Args:
        url: of the API, up to `/v1`.
        model: the version that is asked for.
        key: the API key; `None`: none is sent.
        key_variable: where it was read from, for messages.
        limits: of the model.
        notes: what every decision of it is to say.
    """

    url: str
    model: str
    key: str | None = None
    key_variable: str = ""
    limits: Limits = UNKNOWN
    notes: tuple[str, ...] = ()


class WireDecisions:
    """A decision model behind a POST: see `DecisionModel`.

    Args:
        name: as the user wrote it.
        endpoint: where it is.
        wire: what it speaks.
    """

    def __init__(self, name: str, endpoint: Endpoint, wire: Wire) -> None:
        self.name = name
        self._endpoint, self._wire = endpoint, wire

    async def decide(self, state: Json, questions: Mapping[str, Question], *, calls: RoleCalls) -> Decision:
        """Answer every question about `state`: see `DecisionModel.decide`."""
        endpoint, wire = self._endpoint, self._wire
        asked = wire.questions(questions)
        body = json.dumps(wire.body(endpoint.model, state, asked), ensure_ascii=False)
        over = too_large(body, state, asked, endpoint.limits)
        if over:
            return unanswered(questions, over, wire.method)

        async def attempt(_: int | None) -> Received[Mapping[str, Any]]:
            answer = await sent(f"{endpoint.url}{wire.path}", body, endpoint.key, MOST_BYTES)
            if isinstance(answer, Refused):
                raise refusal(
                    answer.status,
                    answer.headers,
                    answer.text,
                    now=datetime.now(UTC),
                    key_variable=endpoint.key_variable,
                )
            envelope = _envelope(answer.text, answer.content_type)
            return Received(envelope, answer.text, model_of(envelope), usage_of(envelope)[0])

        try:
            envelope = await calls.send(Outgoing(self.name, lambda _: body, attempt))
        except ModelError as error:
            return unanswered(questions, str(error), wire.method)
        return read_envelope(envelope, wire.answers(envelope), questions, endpoint.model, wire.method, endpoint.notes)


def read_envelope(
    envelope: Mapping[str, Any],
    given: Mapping[str, Any] | str,
    questions: Mapping[str, Question],
    asked_model: str,
    method: str,
    notes: tuple[str, ...] = (),
) -> Decision:
    """A whole response as a decision. What is wrong with all of it leaves every question unanswered.

    Args:
        envelope: with `model` and `usage`.
        given: the answers in System One's form, by id; text: why there are none.
        questions: as asked.
        asked_model: the version that was asked for.
        method: how the answers were had.
        notes: to which those on this response are added.
    """
    tokens, off = usage_of(envelope)
    model = model_of(envelope)
    wrong = given if isinstance(given, str) else _wrong_model(asked_model, model)
    if isinstance(given, str) or wrong is not None:
        answers: dict[str, Answer] = dict.fromkeys(questions, Unanswered(str(wrong)))
    else:
        answers = read_answers(questions, given)
        off = (*off, *_extra(given, questions))
    return Decision(answers, model, tokens, method, notes=(*notes, *off))


def _extra(given: Mapping[str, Any], questions: Mapping[str, Question]) -> tuple[str, ...]:
    names = [one_line(repr(id_), 60) for id_ in given if id_ not in questions]
    told = one_line(", ".join(names), 200)
    return (f"refused answers to questions that were not asked: {told}",) if names else ()


def unanswered(questions: Mapping[str, Question], reason: str, method: str) -> Decision:
    """No answer to any of them, for one reason."""
    return Decision(dict.fromkeys(questions, Unanswered(reason)), None, method=method)


def model_of(envelope: Mapping[str, Any]) -> str | None:
    """The version that answered; `None`: the response does not say."""
    found = envelope.get("model")
    return found if isinstance(found, str) and found.strip() else None


def usage_of(envelope: Mapping[str, Any]) -> tuple[Usage, tuple[str, ...]]:
    """The tokens of a response, and what is off about them, in words."""
    given = envelope.get("usage")
    if given is None:
        return Usage(), ("the server does not say how many tokens it took: the cost is not known",)
    if not isinstance(given, Mapping):
        return usage(given)
    counts = cast("Mapping[str, Any]", given)
    return usage({"prompt_tokens": counts.get("input_tokens"), "completion_tokens": counts.get("output_tokens")})


def _wrong_model(asked: str, answered: str | None) -> str | None:
    if answered is None:
        return "the server does not say which model answered"
    if names_version(asked) and not same_version(asked, answered):
        return (
            f"{one_line(answered, 100)} answered, and {asked} was asked: another version is another model. "
            "Ask for that one by name if it is meant, and measure it first"
        )
    return None


def _envelope(text: str, content_type: str) -> Mapping[str, Any]:
    """The JSON object of a response with status 200.

    Raises:
        AttemptFailed: it is none, or says something twice.
    """
    if content_type != "application/json" and not (
        content_type.startswith("application/") and content_type.endswith("+json")
    ):
        found = one_line(content_type, 60) or "no type at all"
        raise AttemptFailed(
            f"the answer is {found}, and no application/json ({one_line(text, 60)!r}); check the address", retry=False
        )
    try:
        found = strict_json(text)
    except NotJson as error:
        raise AttemptFailed(f"the answer is no JSON: {error}", retry=error.cut) from error
    if not isinstance(found, dict):
        raise AttemptFailed("the answer is no JSON object", retry=True)
    return cast("dict[str, Any]", found)

"""A decision model over `POST {url}/systemone`: one request for all questions, and nothing taken on trust."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from typing import Any, cast

from senno.errors import BudgetExceeded, ConfigError, SennoError
from senno.models.calls import RoleCalls
from senno.models.names import PROVIDERS, checked_name, url_parts
from senno.models.outgoing import Outgoing, Received
from senno.models.posting import posted
from senno.models.protocol import (
    Answer,
    AttemptFailed,
    Choice,
    Decision,
    Distribution,
    Json,
    Noul,
    Probability,
    Question,
    Score,
    Unanswered,
    Usage,
)


class SystemOne:
    """A server that answers closed questions about a state.

    Args:
        name: as the user wrote it.
        url: of the API, up to `/v1`.
        model: the version that is asked for.
        key: the API key; `None`: none is sent.
    """

    def __init__(self, name: str, url: str, model: str, key: str | None) -> None:
        self.name = name
        self._url, self._model, self._key = url.rstrip("/"), model, key

    @classmethod
    def named(cls, name: str, environ: Mapping[str, str] = os.environ) -> SystemOne:
        """The model at `http(s)://HOST/v1#MODEL`; a key is read from `SENNO_API_KEY`.

        Raises:
            ConfigError: no URL, or no model.
        """
        name = checked_name(name)
        url, _, model = name.partition("#")
        if not name.lower().startswith(("http://", "https://")) or url_parts(name, url).username or not model:
            raise ConfigError(f"decision model {name!r}: expected http(s)://HOST/v1#MODEL, and no user in it")
        key = next((environ[variable] for variable in PROVIDERS["url"].keys if environ.get(variable)), None)
        return cls(name, url, model, key)

    async def decide(self, state: Json, questions: Mapping[str, Question], *, calls: RoleCalls) -> Decision:
        """Answer every question about `state`: see `DecisionModel.decide`."""
        body = {"model": self._model, "state": state, "questions": {k: _sent(q) for k, q in questions.items()}}
        sent = json.dumps(body, ensure_ascii=False)

        async def attempt(_: int | None) -> Received[Mapping[str, Any]]:
            answer = await posted(f"{self._url}/systemone", sent, self._key)
            if not isinstance(answer.get("answers"), dict):
                raise AttemptFailed("the answer holds no answers", retry=True)
            return Received(answer, json.dumps(answer, ensure_ascii=False), _model(answer), _usage(answer))

        try:
            answer = await calls.send(Outgoing(self.name, lambda _: sent, attempt))
        except BudgetExceeded:
            raise
        except SennoError as error:
            return Decision({key: Unanswered(str(error)) for key in questions}, None, method="systemone")
        given: Mapping[str, Any] = answer["answers"]
        read = {key: _read(question, given.get(key)) for key, question in questions.items()}
        return Decision(read, _model(answer), _usage(answer), "systemone")


def _sent(question: Question) -> dict[str, Any]:
    match question:
        case Noul():
            sides = {"true": question.true, "false": question.false}
            given = {key: text for key, text in sides.items() if text is not None}
            return {"type": "noul", "instructions": question.instructions, **({"criteria": given} if given else {})}
        case Score():
            return {"type": "score", "instructions": question.instructions, "criteria": list(question.levels)}
        case Choice():
            return {"type": "choice", "instructions": question.instructions, "criteria": dict(question.options)}


def _read(question: Question, given: Any) -> Answer:
    if not isinstance(given, dict):
        return Unanswered("the server gave no answer to it")
    answer = cast("dict[str, Any]", given)
    kind = type(question).__name__.lower()
    if answer.get("type") != kind:
        return Unanswered(f"the server gave an answer of type {answer.get('type')!r}; expected {kind}")
    if kind == "noul":
        yes = answer.get("noul")
        if isinstance(yes, bool) or not isinstance(yes, (int, float)):
            return Unanswered(f"the server gave {yes!r}; expected a probability")
        return Probability(float(yes))
    shares = answer.get("probabilities")
    if not isinstance(shares, dict):
        return Unanswered("the server gave no probabilities")
    numbers: dict[str, float] = {}
    for key, value in cast("dict[str, Any]", shares).items():
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            return Unanswered(f"the server gave {value!r} as a probability")
        numbers[key] = float(value)
    return Distribution(numbers)


def _model(answer: Mapping[str, Any]) -> str | None:
    found = answer.get("model")
    return found if isinstance(found, str) else None


def _usage(answer: Mapping[str, Any]) -> Usage:
    given = answer.get("usage")
    if not isinstance(given, dict):
        return Usage()
    counts: list[int | None] = []
    for key in ("input_tokens", "output_tokens"):
        count = cast("dict[str, Any]", given).get(key)
        counts.append(count if isinstance(count, int) and not isinstance(count, bool) and count >= 0 else None)
    return Usage(tokens_in=counts[0], tokens_out=counts[1])

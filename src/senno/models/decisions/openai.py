"""OpenAI's decisions: `POST {url}/decisions`, whose questions and answers are lists, and whose yes/no is a `predicate`.

It has no criteria for yes and no: they are folded into the instructions. So a question is not the same text as on
System One's wire, and a threshold that was set there does not carry over.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, cast

from senno.models.decisions.size import OPENAI
from senno.models.decisions.wire import Endpoint, Wire, WireDecisions
from senno.models.protocol import Choice, Json, Noul, Question, Score

OPENAI_URL = "https://api.openai.com/v1"

_NOTE = (
    "asked over OpenAI's decisions: criteria stand in the instructions there, so thresholds that were set over another "
    "wire do not carry over"
)


class OpenAIDecisions(WireDecisions):
    """A model behind OpenAI's decisions.

    Args:
        name: as the user wrote it.
        url: of the API, up to `/v1`.
        model: the version that is asked for.
        key: the API key; `None`: none is sent.
        key_variable: where it was read from, for messages.
        notes: what every decision is to say.
    """

    def __init__(
        self,
        name: str,
        url: str,
        model: str,
        key: str | None,
        key_variable: str = "",
        notes: tuple[str, ...] = (),
    ) -> None:
        endpoint = Endpoint(url.rstrip("/"), model, key, key_variable, OPENAI, (_NOTE, *notes))
        super().__init__(name, endpoint, WIRE)


def _questions(questions: Mapping[str, Question]) -> Mapping[str, Any]:
    return {id_: {"name": id_, **_question(question)} for id_, question in questions.items()}


def _question(question: Question) -> dict[str, Any]:
    match question:
        case Noul():
            sides = [f"Answer true if: {question.true}"] if question.true else []
            sides += [f"Answer false if: {question.false}"] if question.false else []
            return {"type": "predicate", "instructions": "\n".join([_words(question.instructions), *sides])}
        case Score():
            levels = [{"label": level} for level in question.levels]
            return {"type": "score", "instructions": _words(question.instructions), "levels": levels}
        case Choice():
            choices = [
                {"value": name, **({"description": text} if text else {})} for name, text in question.options.items()
            ]
            return {"type": "choice", "instructions": _words(question.instructions), "choices": choices}


def _words(instructions: str | Mapping[str, Any]) -> str:
    return instructions if isinstance(instructions, str) else json.dumps(instructions, ensure_ascii=False)


def _body(model: str, state: Json, questions: Mapping[str, Any]) -> Mapping[str, Any]:
    text = state if isinstance(state, str) else json.dumps(state, ensure_ascii=False)
    return {"model": model, "input": text, "questions": list(questions.values())}


def _answers(envelope: Mapping[str, Any]) -> Mapping[str, Any] | str:
    """The list of answers in System One's form, by name."""
    listed = envelope.get("answers")
    if not isinstance(listed, list):
        return "the answer of the server holds no list of answers"
    found: dict[str, Any] = {}
    for each in cast("list[Any]", listed):
        if not isinstance(each, dict) or not isinstance(cast("dict[str, Any]", each).get("name"), str):
            return "an answer of the server has no name"
        answer = cast("dict[str, Any]", each)
        name: str = answer["name"]
        found[name] = {"type": "two answers to one question"} if name in found else _answer(answer)
    return found


def _answer(answer: Mapping[str, Any]) -> Mapping[str, Any]:
    match answer.get("type"):
        case "predicate":
            return {"type": "noul", "noul": answer.get("probability")}
        case "choice":
            shares = _shares(answer.get("probabilities"), str)
            return {**answer, "probabilities": shares}
        case "score":
            shares = _shares(answer.get("probabilities"), int)
            return {**answer, "probabilities": shares, "legend": _legend(answer.get("probabilities"))}
        case _:
            return answer


def _shares(listed: Any, kind: type[str] | type[int]) -> dict[str, Any] | None:
    """Probabilities by value; `None`: they are no list of values that differ, each of its kind."""
    if not isinstance(listed, list):
        return None
    found: dict[str, Any] = {}
    for each in cast("list[Any]", listed):
        entry = cast("dict[str, Any]", each) if isinstance(each, dict) else {}
        value = entry.get("value")
        # A choice may offer true beside "true"; senno offers only texts, so a value of another type is not one of them.
        if type(value) is not kind or str(value) in found:
            return None
        found[str(value)] = entry.get("probability")
    return found


def _legend(listed: Any) -> dict[str, Any] | None:
    """The labels by level; `None`: not every one has a label."""
    entries = cast("list[Any]", listed) if isinstance(listed, list) else []
    labelled = [cast("dict[str, Any]", each) for each in entries if isinstance(each, dict) and "label" in each]
    return {str(each.get("value")): each["label"] for each in labelled} if len(labelled) == len(entries) else None


WIRE = Wire("openai-decisions", "/decisions", _questions, _body, _answers)

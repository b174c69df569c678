"""What was sent and received, as the JSON text that the ledger keeps."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import Any, cast

from senno.models.protocol import Decision, Json, Question, Reply, Request


def request_text(request: Request) -> str:
    """A request: system prompt, messages, and whatever else is set."""
    plain = _plain(request)
    unset = [
        name for name, value in plain.items() if value is None or value == [] or (name, value) == ("top_logprobs", 0)
    ]
    return _dump({name: value for name, value in plain.items() if name not in unset})


def reply_text(reply: Reply) -> str:
    """A reply: text, tool calls, finish reason; notes and logprobs where there are any."""
    plain = _plain(reply)
    kept = ("text", "tool_calls", "finish", "notes", "logprobs")
    return _dump({name: plain[name] for name in kept if plain[name] or name in {"text", "finish"}})


def asked_text(state: Json, questions: Mapping[str, Question]) -> str:
    """What a decision model is asked: the state, and each question with its type."""
    typed = {id_: {"type": type(each).__name__.lower(), **_plain(each)} for id_, each in questions.items()}
    return _dump({"state": state, "questions": typed})


def decision_text(decision: Decision) -> str:
    """What a decision model answered."""
    return _dump({"answers": _plain(decision.answers), "method": decision.method})


def _plain(value: Any) -> Any:
    if is_dataclass(value):
        return {each.name: _plain(getattr(value, each.name)) for each in fields(value)}
    if isinstance(value, Mapping):
        return {str(key): _plain(each) for key, each in cast("Mapping[Any, Any]", value).items()}
    if isinstance(value, list | tuple):
        return [_plain(each) for each in cast("list[Any]", value)]
    return value


def _dump(value: Any) -> str:
    # Half of a surrogate pair cannot be stored as UTF-8; escaped as \udXXX it is still the same JSON.
    return json.dumps(value, ensure_ascii=False).encode("utf-8", "backslashreplace").decode("utf-8")

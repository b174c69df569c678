"""What a server of closed questions says when it refuses, and what to do about it. Pure functions."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import datetime
from typing import Any, cast

from senno.models.failures import http_failure
from senno.models.protocol import AttemptFailed
from senno.text import one_line

_MOST_SAID = 200
"""Characters of it that are told: what to do comes after."""

_MOST_FAULTS = 3
"""Faults of a request that are told of; servers list every one."""

_ADVICE = {
    402: "the account has no credit: add some",
    404: "check the address, which ends before /systemone or /decisions, and the name of the model",
    413: "judge a shorter text, or fewer questions",
}
_TOO_LONG = "the state and the questions are more than the model takes: judge a shorter text, or fewer questions"
_REDIRECT = "redirects are not followed, since the key would go along: name the address that it leads to"


def refusal(
    status: int, headers: Mapping[str, str], text: str, *, now: datetime, key_variable: str = ""
) -> AttemptFailed:
    """The failure that an answer with another status than 200 stands for.

    Args:
        status: the code.
        headers: of the response.
        text: its body.
        now: for a `Retry-After` that is a date.
        key_variable: the environment variable with the key, for messages; empty: none is needed.
    """
    body = _json(text)
    said = message(body) or one_line(text, _MOST_SAID)
    advice = _advice(status, body)
    told = f"{said}; {advice}" if said and advice else said or advice
    return http_failure(status, headers, told, now=now, key_variable=key_variable)


def message(body: Any) -> str | None:
    """The words in the body of an error; `None`: there are none where servers put them.

    TypeSafe says `detail.message`, FastAPI a list of faults in `detail`, OpenRouter and OpenAI `error.message`, others
    `error`, `detail` or `message`.
    """
    found = _mapping(body)
    detail, error = found.get("detail"), found.get("error")
    faults = _faults(cast("list[Any]", detail)) if isinstance(detail, list) else None
    places: list[Any] = [_mapping(detail).get("message"), faults, _mapping(error).get("message")]
    places += [error, detail, found.get("message")]
    return next((one_line(place, _MOST_SAID) for place in places if isinstance(place, str) and place.strip()), None)


def _faults(listed: list[Any]) -> str | None:
    """FastAPI's list: which question, what is wrong with it."""
    entries = [cast("Mapping[str, Any]", entry) for entry in listed if isinstance(entry, Mapping)]
    told = [f"{_place(entry.get('loc'))}{entry['msg']}" for entry in entries if isinstance(entry.get("msg"), str)]
    more = f" (and {len(told) - _MOST_FAULTS} more)" if len(told) > _MOST_FAULTS else ""
    return "; ".join(told[:_MOST_FAULTS]) + more if told else None


def _place(loc: Any) -> str:
    if not isinstance(loc, list):
        return ""
    path = [str(part) for part in cast("list[Any]", loc) if part != "body"]
    if path[:1] == ["questions"] and len(path) > 1:
        rest = f" ({'.'.join(path[2:])})" if path[2:] else ""
        return f"question {path[1]!r}{rest}: "
    return f"{'.'.join(path)}: " if path else ""


def _advice(status: int, body: Any) -> str:
    found = _mapping(body)
    places = (found, _mapping(found.get("detail")), _mapping(found.get("error")))
    if any(place.get(key) == "max_tokens_exceeded" for place in places for key in ("error_type", "code", "type")):
        return _TOO_LONG
    return _REDIRECT if 300 <= status < 400 else _ADVICE.get(status, "")


def _mapping(value: Any) -> Mapping[str, Any]:
    return cast("Mapping[str, Any]", value) if isinstance(value, Mapping) else {}


def _json(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None

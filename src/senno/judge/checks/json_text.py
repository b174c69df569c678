"""JSON read out of a text, strictly, with the place of each value."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from json import JSONDecodeError
from typing import Any, NoReturn, cast

from senno.judge.checks.result import CheckError

_FENCE = re.compile(r"(`{3,}|~{3,})[^\n`~]*\n")
_SPACE = re.compile(r"[ \t\n\r]*")


@dataclass(frozen=True, slots=True)
class JsonText:
    """A JSON document in a text. `start` and `end` are its place, without fence and white space around it."""

    text: str
    start: int
    end: int
    value: Any


@dataclass(frozen=True, slots=True)
class NotJson:
    """Why a text is not JSON, and at which offset that shows."""

    problem: str
    at: int


def _refuse_constant(name: str) -> NoReturn:
    raise JSONDecodeError(f"{name} is no JSON value", name, 0)


def read_json(text: str) -> JsonText | NotJson:
    """The one JSON value (RFC 8259: no `NaN`) that the text, or the Markdown fence that is all of it, consists of.

    Raises:
        CheckError: it may be JSON, but is nested too deeply or has a number too long to be read.
    """
    start, end = _inside_fence(text)
    body = text[start:end]
    lead = len(body) - len(body.lstrip(" \t\n\r"))
    try:
        value = json.loads(body, parse_constant=_refuse_constant)
    except JSONDecodeError as error:
        return NotJson(error.msg, start + (body.find(error.doc) if error.doc != body else error.pos))
    except RecursionError:
        raise CheckError("the JSON is nested too deeply to be read") from None
    except ValueError as error:
        raise CheckError(f"the JSON cannot be read: {error}") from None
    return JsonText(text, start + lead, start + len(body.rstrip(" \t\n\r")), value)


def _inside_fence(text: str) -> tuple[int, int]:
    """The lines between a fence that the text begins and ends with; without one, all of it."""
    start, end = len(text) - len(text.lstrip()), len(text.rstrip())
    opening = _FENCE.match(text, start)
    if opening is None or end - len(opening[1]) < opening.end() or not text.endswith(opening[1], 0, end):
        return 0, len(text)
    return opening.end(), end - len(opening[1])


def locate(document: JsonText, path: Sequence[str | int]) -> tuple[int, int]:
    """Start and end of the value at `path` (keys and indices from the root).

    Args:
        document: as `read_json` gave it.
        path: it must lead to a value; of a key that is written twice the last one counts, as it does when read.
    """
    start, end = document.start, document.end
    for step in path:
        start, end = _member(document.text, start, step)
    return start, end


def _member(text: str, at: int, step: str | int) -> tuple[int, int]:
    """The place of one member of the object or list that starts at `at`."""
    found = (at, at)
    decoder = json.JSONDecoder()
    position, index = _skip(text, at + 1), 0
    while text[position] not in "}]":
        key: object = index
        if text[at] == "{":
            key, position = cast("tuple[str, int]", decoder.raw_decode(text, position))
            position = _skip(text, _skip(text, position) + 1)
        _, end = decoder.raw_decode(text, position)
        if key == step:
            found = (position, end)
        position, index = _skip(text, end), index + 1
        if text[position] == ",":
            position = _skip(text, position + 1)
    return found


def _skip(text: str, at: int) -> int:
    match = _SPACE.match(text, at)
    return match.end() if match else at

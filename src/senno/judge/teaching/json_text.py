"""JSON as text: one value replaced, or one member added, every other character where it was."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

_SPACE = re.compile(r"[ \t\n\r]*")
_DECODER = json.JSONDecoder()


@dataclass(frozen=True, slots=True)
class _Member:
    name: str
    before: int
    """Where what stands before it begins: behind the brace or the comma."""
    start: int
    value: int
    end: int


def with_value(text: str, path: Sequence[str], value: str) -> str:
    """`text` (valid JSON) with a text at `path`: the value there is replaced, or the first missing name added.

    Args:
        text: of the file.
        path: names of members, and numbers of elements as text.
        value: the text to be there.
    """
    start = _skip(text, 0)
    ascii_only = "\\u" in text  # as the file does it already
    for depth, name in enumerate(path):
        parts = list(_elements(text, start) if text[start] == "[" else _members(text, start))
        found = next((part for part in parts if part.name == name), None)
        if found is None:
            return _added(text, start, parts, name, _nested(path[depth + 1 :], value, ascii_only))
        start, end = found.value, found.end
        if text[start] not in "{[" and depth < len(path) - 1:
            return text[:start] + _nested(path[depth + 1 :], value, ascii_only) + text[end:]
        if depth == len(path) - 1:
            return text[:start] + json.dumps(value, ensure_ascii=ascii_only) + text[end:]
    return text


def _nested(rest: Sequence[str], value: str, ascii_only: bool) -> str:
    inner: object = value
    for name in reversed(rest):
        inner = {name: inner}
    return json.dumps(inner, ensure_ascii=ascii_only)


def _added(text: str, start: int, parts: Sequence[_Member], name: str, value: str) -> str:
    member = f"{json.dumps(name)}: {value}"
    if not parts:
        return text[: start + 1] + member + text[start + 1 :]
    last = parts[-1]
    return text[: last.end] + "," + text[last.before : last.start] + member + text[last.end :]


def _skip(text: str, at: int) -> int:
    match = _SPACE.match(text, at)
    return match.end() if match else at


def _members(text: str, brace: int) -> Iterator[_Member]:
    before = brace + 1
    while text[start := _skip(text, before)] != "}":
        name, end = _DECODER.raw_decode(text, start)
        value = _skip(text, _skip(text, end) + 1)
        _, end = _DECODER.raw_decode(text, value)
        yield _Member(str(name), before, start, value, end)
        before = _skip(text, end)
        before += text[before] == ","


def _elements(text: str, bracket: int) -> Iterator[_Member]:
    before, number = bracket + 1, 0
    while text[start := _skip(text, before)] != "]":
        _, end = _DECODER.raw_decode(text, start)
        yield _Member(str(number), before, start, start, end)
        before, number = _skip(text, end), number + 1
        before += text[before] == ","

"""An event as a line of JSON, and back."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from datetime import UTC, datetime
from functools import cache
from typing import TYPE_CHECKING, Any, cast, get_args

from senno.lessons.events import Event, OtherEvent, Recorded
from senno.lessons.moments import moment, moment_text

if TYPE_CHECKING:
    from pydantic import TypeAdapter

VERSION = 1

_KINDS: Mapping[str, type[Event]] = {kind.type: kind for kind in get_args(Event) if kind is not OtherEvent}


class BadLine(ValueError):
    """A line of a log that says no event; the text says why."""


def to_line(recorded: Recorded) -> bytes:
    r"""The line of an event, with its `\n`. Half of a surrogate pair is written as its escape."""
    event = recorded.event
    own = dict(event.fields) if isinstance(event, OtherEvent) else _own_fields(event)
    line = {
        "v": VERSION,
        "at": moment_text(recorded.at),
        "writer": recorded.writer,
        "seq": recorded.seq,
        "type": event.type,
        **own,
    }
    # ASCII, so that no tool that splits at U+2028 or U+0085 cuts a line in two.
    return json.dumps(line, allow_nan=False).encode("ascii") + b"\n"


def _own_fields(event: Event) -> dict[str, Any]:
    assert is_dataclass(event)
    values = {field.name: getattr(event, field.name) for field in fields(event)}
    return {name: dict(cast("Any", v)) if isinstance(v, Mapping) else v for name, v in values.items()}


def from_line(line: bytes) -> Recorded:
    """The event that a line says; fields that this version does not know are left where they are.

    Raises:
        BadLine: it is no JSON object, or a field is missing or of a wrong kind.
    """
    try:
        found: Any = json.loads(line.decode("utf-8-sig"), parse_constant=_no_constant)
    except (ValueError, RecursionError) as error:
        raise BadLine(f"not JSON ({str(error).splitlines()[0]})") from None
    if not isinstance(found, dict):
        raise BadLine("not a JSON object")
    values = cast("dict[str, Any]", found)
    version, at, writer, seq, kind = (values.pop(key, None) for key in ("v", "at", "writer", "seq", "type"))
    if not isinstance(writer, str) or type(seq) is not int or not isinstance(kind, str) or type(version) is not int:
        raise BadLine("expected v (a number), writer (text), seq (a number) and type (text)")
    when = moment(at) if isinstance(at, str) else None
    if when is None:
        raise BadLine(f"at: {at!r} is no moment; expected one such as {moment_text(datetime(2026, 1, 31, tzinfo=UTC))}")
    return Recorded(when, writer, seq, _event(kind, values, known=version == VERSION))


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is no JSON value")


def _event(kind: str, values: dict[str, Any], *, known: bool) -> Event:
    from pydantic import ValidationError

    if not known or kind not in _KINDS:
        return OtherEvent(type=kind, fields=values)
    try:
        return _adapter(kind).validate_python(values)
    except ValidationError as error:
        fault = error.errors(include_url=False)[0]
        raise BadLine(f"{kind}.{'.'.join(map(str, fault['loc']))}: {fault['msg'].lower()}") from None


@cache
def _adapter(kind: str) -> TypeAdapter[Event]:
    from pydantic import TypeAdapter

    return TypeAdapter(_KINDS[kind])

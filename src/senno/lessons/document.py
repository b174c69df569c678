"""A lesson as a Markdown file with a frontmatter: written, read, and its frontmatter changed in place."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import fields
from datetime import datetime
from pathlib import Path
from typing import Any, cast

from senno.errors import FileFormatError
from senno.lessons.body import Body, read_body, write_body
from senno.lessons.frontmatter import Entry, Plain, entries, split
from senno.lessons.frontmatter_edit import edit, write
from senno.lessons.lesson import CRITERIA, OUTCOMES, Deprecation, Draft, Lesson, Quality, without_halves
from senno.lessons.moments import moment, moment_text


def to_text(lesson: Lesson) -> str:
    """The file of a lesson, all keys in their fixed order."""
    values = {key: _plain(getattr(lesson, key)) for key in FIELDS}
    return f"---\n{write(values)}---\n" + write_body(lesson.language, lesson.what, lesson.why, lesson.rule)


def with_changes(where: str, text: str, changes: Mapping[str, Any]) -> str:
    """`text` with other values for some fields of its frontmatter, and not a character changed beside them.

    Args:
        where: the file, for errors.
        text: the whole file.
        changes: values of `Lesson`, by the name of the field.

    Raises:
        FileFormatError: the frontmatter does not parse, or a value cannot be replaced where it stands.
    """
    parts = split(where, text)
    newline = "\r\n" if parts.opening.endswith("\r\n") else "\n"
    return parts.opening + edit(where, parts.yaml, {k: _plain(v) for k, v in changes.items()}, newline) + parts.rest


def _plain(value: Any) -> Any:
    """A field of a lesson as `frontmatter.write` takes it."""
    if isinstance(value, datetime):
        return Plain(moment_text(value))
    if isinstance(value, Quality):
        return {**{name: getattr(value, name) for name in CRITERIA}, "mean": round(value.mean, 4)}
    if isinstance(value, Deprecation):
        at = {"at": Plain(moment_text(value.at))} if value.at else {}
        return {"reason": value.reason, "by": value.by, **at}
    return value


def from_bytes(path: Path, data: bytes, shown_as: str = "") -> Lesson:
    """Read a lesson.

    `id`, `created_at` and `task_id` may be missing where a person wrote the file: they are then what its path says.

    Args:
        path: of the file, relative to the root of the store.
        data: all of the file; a byte order mark and any line ends are read.
        shown_as: the file as errors name it; `path` by default.

    Raises:
        FileFormatError: it is no lesson; with the line, and what was expected there.
    """
    where = shown_as or str(path)
    values, body = _read(where, decoded(where, data))
    return Lesson(**{**_from_path(where, path, values), **values}, **body._asdict(), path=path)


def draft_from_text(where: str, text: str) -> Draft:
    """Read a draft: a file such as a lesson's, in which only `task_id`, `outcome` and the body must be there.

    Raises:
        FileFormatError: as `from_bytes`.
    """
    values, body = _read(where, text)
    for key in ("task_id", "outcome"):
        if key not in values:
            raise FileFormatError(f"{where}: {key}", "this key is missing", FIELDS[key][1])
    given = {field.name for field in fields(Draft)}
    return Draft(**{key: value for key, value in values.items() if key in given}, **body._asdict())


def decoded(where: str, data: bytes) -> str:
    """The text of a file, its byte order mark and line ends as they are.

    Raises:
        FileFormatError: it is not UTF-8; with the line and the byte.
    """
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        problem = f"byte {error.start} ({data[error.start]:#04x}) is not UTF-8"
        hint = "Convert it: iconv -f LATIN1 -t UTF-8"
        raise FileFormatError(f"{where}:{line}", problem, "UTF-8 text", hint) from None


def _read(where: str, text: str) -> tuple[dict[str, Any], Body]:
    parts = split(where, text)
    found = entries(where, parts.yaml)
    values: dict[str, Any] = {}
    for key, (read, expected) in FIELDS.items():
        entry = found.get(key)
        if entry is None or _is_nothing(entry.value):
            continue
        try:
            values[key] = read(entry.value)
        except _Unreadable:
            problem = f"found {_found(parts.yaml, entry)}"
            raise FileFormatError(f"{where}:{entry.line}: {key}", problem, expected) from None
    return values, read_body(where, parts.body, parts.body_line)


_PLACE = re.compile(r"(?:.*/)?(\d{4}-\d\d)/(\d\d)-(.+)\.md")


def _from_path(where: str, path: Path, values: Mapping[str, Any]) -> dict[str, Any]:
    """What stands for fields that the file does not have."""
    if "outcome" not in values:
        raise FileFormatError(f"{where}: outcome", "this key is missing", " or ".join(OUTCOMES))
    place = _PLACE.fullmatch(path.as_posix())
    day = moment(f"{place[1]}-{place[2]}") if place else None
    if day is None and "created_at" not in values:
        hint = "Or name the file YYYY-MM/DD-<task-id>.md"
        raise FileFormatError(f"{where}: created_at", "this key is missing", "a moment, as 2026-01-31T09:00:00Z", hint)
    stem = place[3] if place else path.stem
    return {
        "id": f"{path.parent.name}-{path.stem}",
        "created_at": day,
        "task_id": stem,
        **dict.fromkeys(("task", "task_type", "model_used", "department", "agent"), ""),
        **dict.fromkeys(("related_skills", "tags"), ()),
        **dict.fromkeys(("confidence_at_start", "skill_gap", "quality")),
    }


class _Unreadable(Exception):
    """The value is not what the key holds."""


def _is_nothing(value: Any) -> bool:
    return isinstance(value, Plain) and value.casefold() in ("", "~", "null")


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise _Unreadable
    return without_halves(str(value))  # an escape in quotes can say half a pair


def _name(value: Any) -> str:
    text = _text(value).strip()
    if not text:
        raise _Unreadable
    return text


def _flag_text(value: Any) -> str | None:
    """What was flagged, in words; `false`: nothing was."""
    text = _text(value)
    return None if isinstance(value, Plain) and text.casefold() == "false" else text or None


def _texts(value: Any) -> tuple[str, ...]:
    if isinstance(value, str):
        return (str(value),) if value else ()
    if not isinstance(value, list):
        raise _Unreadable
    return tuple(_text(item) for item in cast("list[Any]", value))


def _outcome(value: Any) -> str:
    text = _text(value).strip().casefold()
    if text not in OUTCOMES:
        raise _Unreadable
    return text


def _moment(value: Any) -> datetime:
    at = moment(_text(value))
    if at is None:
        raise _Unreadable
    return at


def _number(value: Any) -> float:
    try:
        number = float(_text(value).replace("_", "x"))  # Python takes 1_000, YAML does not
    except ValueError:
        raise _Unreadable from None
    if not math.isfinite(number):
        raise _Unreadable
    return number


def _share(value: Any) -> float:
    number = _number(value)
    if not 0 <= number <= 1:
        raise _Unreadable
    return number


def _count(value: Any) -> int:
    number = _number(value)
    if number < 0 or number != int(number):
        raise _Unreadable
    return int(number)


def _boolean(value: Any) -> bool:
    word = _text(value).strip().casefold()
    if word not in ("true", "yes", "false", "no"):
        raise _Unreadable
    return word in ("true", "yes")


def _mapping(value: Any) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise _Unreadable
    return cast("dict[str, Any]", value)


def _quality(value: Any) -> Quality:
    marks = _mapping(value)
    if any(name not in marks for name in CRITERIA):
        raise _Unreadable
    return Quality(*(_share(marks[name]) for name in CRITERIA))


def _deprecation(value: Any) -> Deprecation | None:
    if isinstance(value, str):
        return Deprecation(reason="") if _boolean(value) else None
    said = {key: inner for key, inner in _mapping(value).items() if not _is_nothing(inner)}
    at = _moment(said["at"]) if "at" in said else None
    return Deprecation(_text(said.get("reason", "")), _text(said.get("by", "")), at)


_TEXT = (_text, "text: put it in quotes")
_LIST = (_texts, "a list of texts, as [a, b]")
_MOMENT = (_moment, "a moment, as 2026-01-31T09:00:00Z")
_SHARE = (_share, "a number from 0 to 1, or null")
_BOOLEAN = (_boolean, "true or false")

FIELDS: Mapping[str, tuple[Callable[[Any], Any], str]] = {
    "id": (_name, "text that no other lesson has"),
    "created_at": _MOMENT,
    "task_id": (_name, "text"),
    "task": _TEXT,
    "task_type": _TEXT,
    "outcome": (_outcome, "success, partial or failure"),
    "confidence_at_start": _SHARE,
    "model_used": _TEXT,
    "department": _TEXT,
    "agent": _TEXT,
    "related_skills": _LIST,
    "tags": _LIST,
    "skill_gap": (_flag_text, "what was missing, or null"),
    "quality": (_quality, f"a mapping with {', '.join(CRITERIA)}, each from 0 to 1; or null"),
    "supersedes": (_name, "the id of a lesson, or null"),
    "injection_suspect": (_flag_text, "the words that look like an instruction, or null"),
    "salience_score": (_number, "a number, or null"),
    "last_retrieved": _MOMENT,
    "retrieval_count": (_count, "a whole number, 0 or more"),
    "archived": _BOOLEAN,
    "promoted": _BOOLEAN,
    "deprecated": (_deprecation, "a mapping with reason, by and at; or null"),
}
"""The keys of a frontmatter in their order: how each is read, and what is expected there."""


def _found(yaml: str, entry: Entry) -> str:
    if entry.start < 0:
        return "an alias"
    text = " ".join(yaml[entry.start : entry.end].split())
    return repr(text if len(text) <= 60 else f"{text[:57]}…")

"""Lessons as JSON and as CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable
from dataclasses import fields
from datetime import datetime
from pathlib import Path
from typing import Any

from senno.lessons.lesson import CRITERIA, Deprecation, Lesson, Quality
from senno.lessons.moments import moment_text

_NAMES = tuple(field.name for field in fields(Lesson))

# A sheet takes a cell that begins so for a formula: https://owasp.org/www-community/attacks/CSV_Injection
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def lesson_json(lesson: Lesson) -> dict[str, Any]:
    """All fields of a lesson as JSON values: moments as text in UTC, the path relative to the root, with `/`."""
    return {name: _json(getattr(lesson, name)) for name in _NAMES}


def _json(value: Any) -> Any:
    if isinstance(value, datetime):
        return moment_text(value)
    if isinstance(value, Path):
        return value.as_posix()
    if isinstance(value, Quality):
        return {**{name: getattr(value, name) for name in CRITERIA}, "mean": value.mean}
    if isinstance(value, Deprecation):
        return {"reason": value.reason, "by": value.by, "at": _json(value.at)}
    return list(value) if isinstance(value, tuple) else value  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]


def to_csv(lessons: Iterable[Lesson]) -> str:
    """A table with a line of names, for a sheet: lists joined by `; `, `quality` as its mean.

    A cell that a sheet would run as a formula gets a `'` before it; JSON Lines has the text as it is.
    """
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(_NAMES)
    for lesson in lessons:
        writer.writerow([_cell(getattr(lesson, name)) for name in _NAMES])
    return text.getvalue()


def _cell(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, Quality):
        return str(value.mean)
    if isinstance(value, Deprecation):
        return value.reason or "true"
    plain = _json(value)
    if not isinstance(plain, (str, list)):
        return str(plain)
    text = plain if isinstance(plain, str) else "; ".join(plain)  # pyright: ignore[reportUnknownArgumentType]
    return f"'{text}" if text.startswith(_FORMULA) else text

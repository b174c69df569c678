"""Lessons as JSON Lines: senno's own export, and rows of any tool with a text and, maybe, a task."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import fields
from datetime import datetime
from pathlib import Path
from typing import Any, cast

from senno.files import kind_of
from senno.lessons.importing.found import Bad, Found, Unusable, made_id, moment_of, parted, text_of
from senno.lessons.importing.reading import rows
from senno.lessons.lesson import CRITERIA, OUTCOMES, Deprecation, Draft, Language, Quality

_TEXTS = ("reflection", "lesson", "memory", "text", "rule")
_TASKS = ("task", "task_text", "prompt")
_OUTCOMES = {
    **{one: one for one in OUTCOMES},
    "failed": "failure",
    "fail": "failure",
    "error": "failure",
    "ok": "success",
}
_DRAFT = {field.name for field in fields(Draft)}


def from_jsonl(file: Path, department: str, created_at: datetime | None = None) -> Iterator[Found]:
    """The lessons in a file: lines that `senno lessons export --jsonl` wrote, or objects with a text.

    Of other objects these keys are read: `task_id`, `task`, `task_text` or `prompt`, `outcome` (default `failure`),
    `reflection`, `lesson`, `memory`, `text` or `rule`, or the three of `what`, `why`, `rule`; `id`, `created_at`,
    `task_type`, `department`, `agent`, `model_used` or `model`, `tags`, `skill_gap`, `language`.
    """
    for where, row in rows(file):
        if isinstance(row, Bad):
            yield row
            continue
        try:
            yield _draft(row, department, created_at)
        except Unusable as error:
            yield Bad(where, str(error))


def _draft(row: dict[str, Any], department: str, created_at: datetime | None) -> Draft:
    language: Language = "it" if row.get("language") == "it" else "en"
    what, why, rule = (text_of(row, key) for key in ("what", "why", "rule"))
    whole = bool(what and why and rule)
    if not whole:
        text = text_of(row, *_TEXTS)
        if not text:
            raise Unusable(f"no text; expected what, why and rule, or one of {', '.join(_TEXTS)}")
        what, why, rule = parted(text, language)
    task = text_of(row, *_TASKS)
    task_id = text_of(row, "task_id") or made_id(task, rule)
    given: dict[str, Any] = {key: value for key, value in row.items() if key in _DRAFT and isinstance(value, str)}
    given |= {
        "id": (_id(row) if whole else "") or made_id("jsonl", text_of(row, "id"), task_id, what, why, rule),
        "task_id": task_id,
        "task": task,
        "outcome": _outcome(row),
        "model_used": text_of(row, "model_used", "model"),
        "language": language,
        "what": what,
        "why": why,
        "rule": rule,
        "department": text_of(row, "department") or department,
        "created_at": moment_of(row, "created_at") or created_at,
        "tags": _texts(row, "tags"),
        "related_skills": _texts(row, "related_skills"),
        "confidence_at_start": _share(row, "confidence_at_start"),
        "quality": _quality(row),
        "deprecated": _deprecation(row),
        "last_retrieved": moment_of(row, "last_retrieved"),
        "retrieval_count": _count(row, "retrieval_count"),
    }
    return Draft(**given)


def _outcome(row: dict[str, Any]) -> str:
    found = str(row.get("outcome") or "failure").strip().lower()
    if found not in _OUTCOMES:
        raise Unusable(f"outcome: {row['outcome']!r}; expected {' or '.join(OUTCOMES)}")
    return _OUTCOMES[found]


_SHORTEST_ID = 8
"""A shorter one is the number of a row, which a row of another file has too."""


def _id(row: dict[str, Any]) -> str:
    found = text_of(row, "id")
    fits = found.isprintable() and not any(map(str.isspace, found)) and _SHORTEST_ID <= len(found) <= 100
    return found if fits else ""


def _texts(row: dict[str, Any], key: str) -> tuple[str, ...]:
    value = row.get(key)
    if value is None:
        return ()
    if not isinstance(value, list) or not all(isinstance(one, str) for one in cast("list[Any]", value)):
        raise Unusable(f"{key}: found {kind_of(value)}; expected a list of texts")
    return tuple(cast("list[str]", value))


def _share(row: dict[str, Any], key: str) -> float | None:
    value = row.get(key)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value <= 1:
        raise Unusable(f"{key}: {value!r}; expected a number from 0 to 1")
    return float(value)


def _count(row: dict[str, Any], key: str) -> int:
    value = row.get(key) or 0
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not (math.isfinite(value) and value >= 0):
        raise Unusable(f"{key}: {value!r}; expected a whole number, 0 or more")
    return int(value)


def _quality(row: dict[str, Any]) -> Quality | None:
    value = row.get("quality")
    if value is None:
        return None
    marks = [_share(cast("dict[str, Any]", value), name) for name in CRITERIA] if isinstance(value, dict) else [None]
    if None in marks:
        raise Unusable(f"quality: expected an object with {', '.join(CRITERIA)}, each from 0 to 1")
    return Quality(*cast("list[float]", marks))


def _deprecation(row: dict[str, Any]) -> Deprecation | None:
    """What a review took out of recall stays out of it."""
    value = row.get("deprecated")
    if isinstance(value, dict):
        said = cast("dict[str, Any]", value)
        return Deprecation(text_of(said, "reason"), text_of(said, "by"), moment_of(said, "at"))
    return Deprecation(reason="") if value is True else None

"""Lessons as JSON Lines: senno's own export, and rows of any tool with a text and, maybe, a task."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields
from datetime import datetime
from pathlib import Path
from typing import Any, cast

from senno.lessons.importing.found import Bad, Found, Unusable, made_id, parted, rows, text_of
from senno.lessons.lesson import CRITERIA, HEADINGS, OUTCOMES, Draft, Quality
from senno.lessons.moments import moment

_TEXTS = ("reflection", "lesson", "memory", "text", "rule")
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

    Of other objects these keys are read: `task_id`, `task`, `outcome` (default `failure`), `reflection`, `lesson`,
    `memory`, `text` or `rule`, or the three of `what`, `why`, `rule`; `id`, `created_at`, `task_type`, `department`,
    `agent`, `model_used`, `tags`, `skill_gap`, `language`.
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
    outcome = _OUTCOMES.get(str(row.get("outcome") or "failure").strip().lower())
    if outcome is None:
        raise Unusable(f"outcome: {row['outcome']!r}; expected {' or '.join(OUTCOMES)}")
    language = row.get("language") if row.get("language") in HEADINGS else "en"
    what, why, rule = (text_of(row, key) for key in ("what", "why", "rule"))
    if not (what and why and rule):
        text = text_of(row, *_TEXTS)
        if not text:
            raise Unusable(f"no text; expected what, why and rule, or one of {', '.join(_TEXTS)}")
        what, why, rule = parted(text, "it" if language == "it" else "en")
    task_id = text_of(row, "task_id") or made_id(text_of(row, "task"), rule)
    given: dict[str, Any] = {key: value for key, value in row.items() if key in _DRAFT and isinstance(value, str)}
    given |= {
        "id": _id(row) or made_id("jsonl", task_id, what, why, rule),
        "task_id": task_id,
        "outcome": outcome,
        "language": language,
        "what": what,
        "why": why,
        "rule": rule,
        "department": text_of(row, "department") or department,
        "created_at": _moment(row.get("created_at")) or created_at,
        "tags": _texts(row.get("tags")),
        "related_skills": _texts(row.get("related_skills")),
        "confidence_at_start": _share(row.get("confidence_at_start")),
        "quality": _quality(row.get("quality")),
    }
    return Draft(**given)


def _id(row: dict[str, Any]) -> str:
    found = text_of(row, "id")
    return found if found.isprintable() and not any(map(str.isspace, found)) and len(found) <= 100 else ""


def _moment(value: Any) -> datetime | None:
    if not isinstance(value, str) or not value.strip():
        return None
    found = moment(value.strip())
    if found is None:
        raise Unusable(f"created_at: {value!r}; expected a moment, as 2026-01-31T09:00:00Z")
    return found


def _texts(value: Any) -> tuple[str, ...]:
    return tuple(one for one in cast("list[Any]", value) if isinstance(one, str)) if isinstance(value, list) else ()


def _share(value: Any) -> float | None:
    if value is None or isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    return float(value)


def _quality(value: Any) -> Quality | None:
    if not isinstance(value, dict):
        return None
    own = cast("dict[str, Any]", value)
    numbers = [_share(own.get(name)) for name in CRITERIA]
    return None if None in numbers else Quality(*cast("list[float]", numbers))

"""The three answers out of what a model wrote: JSON, or the three headings. Pure."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any, cast

from senno.errors import FileFormatError
from senno.lessons.body import read_body

_FENCED = re.compile(r"```(?:json)?\s*(\{.*\})\s*```", re.DOTALL)
_NO_GAP = frozenset({"", "none", "null", "n/a", "no", "nessuno", "nessuna", "-"})


@dataclass(frozen=True, slots=True)
class Answers:
    """What a model answered."""

    what: str
    why: str
    rule: str
    skill_gap: str | None


def read_answers(text: str) -> Answers:
    """The answers.

    Raises:
        ValueError: they are not there; the message says what was expected.
    """
    fenced = _FENCED.search(text)
    candidates = [text.strip(), fenced[1] if fenced else "", text[text.find("{") : text.rfind("}") + 1]]
    for candidate in candidates:
        if candidate.startswith("{"):
            found = _of_json(candidate)
            if found:
                return found
    try:
        body = read_body("the answer", text, 1)
    except FileFormatError:
        raise ValueError('expected one JSON object with "what", "why" and "rule"') from None
    return Answers(body.what, body.why, body.rule, None)


def _of_json(text: str) -> Answers | None:
    try:
        value = json.loads(text, strict=False)
    except (ValueError, RecursionError):
        return None
    if not isinstance(value, dict):
        return None
    row = cast("dict[str, Any]", value)
    answers = [row.get(key) for key in ("what", "why", "rule")]
    if not all(isinstance(answer, str) for answer in answers):
        return None
    gap = row.get("skill_gap")
    named = gap.strip() if isinstance(gap, str) else ""
    return Answers(*cast("list[str]", answers), skill_gap=None if named.casefold() in _NO_GAP else named)

"""The three answers out of what a model wrote: JSON, or the three headings. Pure."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any, cast

from senno.lessons.lesson import HEADINGS

_NO_GAP = frozenset({"", "none", "null", "n/a", "no", "nessuno", "nessuna", "-"})
_LONGEST_GAP = 80
"""The name of a tool or a skill is shorter: what is longer tells the lesson again."""

_MOST_TRIED = 50
"""Places at which a JSON object may begin."""

# `## Why?`, `**Why?**`, `2. Why?`, `Why: …`
_HEADING = re.compile(r"[\s#>*_]*(?:\d[.)]\s*)?[\s*_]*(?P<text>[^?:*_#\n]{3,40}?\s*[?:])[\s*_:]*(?P<rest>.*)")


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
    for row in _objects(text):
        answers = [row.get(key) for key in ("what", "why", "rule")]
        if all(isinstance(answer, str) for answer in answers):
            return Answers(*cast("list[str]", answers), skill_gap=_gap(row.get("skill_gap")))
    three = _under_headings(text)
    if three is None:
        raise ValueError('expected one JSON object with "what", "why" and "rule"')
    return Answers(*three, skill_gap=None)


def _objects(text: str) -> Iterator[dict[str, Any]]:
    """The JSON objects in a text, whatever stands around them."""
    decoder = json.JSONDecoder(strict=False)
    for begin in islice(re.finditer(r"\{", text), _MOST_TRIED):
        try:
            value, _ = decoder.raw_decode(text, begin.start())
        except (ValueError, RecursionError):
            continue
        yield value


def _gap(value: Any) -> str | None:
    named = value.strip() if isinstance(value, str) else ""
    return None if named.casefold() in _NO_GAP or len(named) > _LONGEST_GAP else named


def _under_headings(text: str) -> tuple[str, str, str] | None:
    """What stands under the three headings, or after them on their lines; the last where a model thought aloud."""
    found: dict[int, list[str]] = {}
    current: list[str] = []
    for line in text.split("\n"):
        match = _HEADING.fullmatch(line)
        place = _PLACES.get(_plain(match["text"])) if match else None
        if match and place is not None:
            current = found[place] = [match["rest"].strip("*_ ")]
        else:
            current.append(line)
    answers = ["\n".join(found.get(place, [])).strip() for place in range(3)]
    return (answers[0], answers[1], answers[2]) if all(answers) else None


def _plain(heading: str) -> str:
    return unicodedata.normalize("NFC", heading).casefold().strip("?: ")


_PLACES = {_plain(heading): place for three in HEADINGS.values() for place, heading in enumerate(three)} | {
    _plain(short): place
    for three in (("what", "why", "rule"), ("che cosa", "perché", "regola"))
    for place, short in enumerate(three)
}
"""Of the three answers, by the heading that stands above each."""

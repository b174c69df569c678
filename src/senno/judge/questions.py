"""Closed questions in Jev's format, read with refusals that name the place.

`{"name": {"type": "noul", "instructions": …, "criteria": {"true": …, "false": …}}}`; `score` has a list of levels as
criteria, `choice` a mapping of options. Only `type`, `instructions` and `criteria` are sent to a model: any other
key is for code (`higher_is_better`, `critical`, `over_parts`) or a note for people (`label`, keys that start with `_`).
"""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, cast

from senno.errors import FileFormatError
from senno.files import kind_of
from senno.models import Choice, Noul, Question, Score

TYPES = ("noul", "score", "choice")
_SENT = ("type", "instructions", "criteria")
MOST_LEVELS = 10
MOST_OPTIONS = 255


@dataclass(frozen=True, slots=True)
class AskedQuestion:
    """A question as a file states it."""

    question: Question
    higher_is_better: bool = True
    """Which way its value counts in a weighted score: `False` takes 1 − value."""
    critical: bool = False
    """An answer near a threshold of the policy is listed for a person."""
    over_parts: Literal["max", "min"] = "max"
    """Which answer counts where something is judged in parts: the largest, or the smallest."""

    @property
    def top(self) -> float:
        """The largest value that a rule can compare with: 1, or the highest level of a score."""
        return len(self.question.levels) - 1 if isinstance(self.question, Score) else 1.0


def parse_question(name: str, data: Mapping[str, Any], where: str) -> AskedQuestion:
    """One question of a file.

    Args:
        name: its id, only for errors and answers: it is never sent.
        data: its mapping, with `type` one of `noul`, `score`, `choice`.
        where: the file.

    Raises:
        FileFormatError: with file, key, what was expected.
    """
    at = f"{where}: {name}"
    _no_misspelt_key(at, data)
    instructions = data.get("instructions")
    if not (isinstance(instructions, (str, Mapping)) and instructions):
        raise FileFormatError(f"{at}.instructions", f"found {kind_of(instructions)}", "the question, as text")
    asked = cast("str | Mapping[str, Any]", instructions)
    build = {"noul": _noul, "score": _score, "choice": _choice}[data["type"]]
    over_parts = data.get("over_parts", "max")
    if over_parts not in ("max", "min"):
        raise FileFormatError(f"{at}.over_parts", f"found {over_parts!r}", '"max" or "min"')
    return AskedQuestion(
        build(asked, data.get("criteria"), f"{at}.criteria"),
        _flag(at, data, "higher_is_better", True),
        _flag(at, data, "critical", False),
        over_parts,
    )


def _flag(at: str, data: Mapping[str, Any], key: str, default: bool) -> bool:
    value = data.get(key, default)
    if not isinstance(value, bool):
        raise FileFormatError(f"{at}.{key}", f"found {kind_of(value)}", "true or false")
    return value


def _no_misspelt_key(at: str, data: Mapping[str, Any]) -> None:
    # Notes may have any name, so a key is refused only where it looks like a slip of one that matters.
    for key in data:
        near = difflib.get_close_matches(key, _SENT, n=1, cutoff=0.8)
        if near and key not in _SENT:
            raise FileFormatError(f"{at}.{key}", "unknown key", f"{near[0]!r}", "A note of your own may start with _")


def _noul(instructions: str | Mapping[str, Any], criteria: object, at: str) -> Noul:
    if criteria is None:
        return Noul(instructions)
    sides = _mapping(criteria, at, 'a mapping with "true", "false" or both')
    for key, value in sides.items():
        if key not in ("true", "false"):
            raise FileFormatError(f"{at}.{key}", "unknown side", '"true" or "false"')
        if not (value is None or isinstance(value, str)):
            raise FileFormatError(f"{at}.{key}", f"found {kind_of(value)}", "text, or null")
    return Noul(instructions, sides.get("true"), sides.get("false"))


def _score(instructions: str | Mapping[str, Any], criteria: object, at: str) -> Score:
    expected = f"a list of 2 to {MOST_LEVELS} levels, low to high"
    if not isinstance(criteria, list):
        raise FileFormatError(at, f"found {kind_of(criteria)}", expected)
    levels = cast("list[object]", criteria)
    if not 2 <= len(levels) <= MOST_LEVELS:
        raise FileFormatError(at, f"found {len(levels)} levels", expected)
    for n, level in enumerate(levels):
        if not (isinstance(level, str) and level.strip()):
            raise FileFormatError(f"{at}.{n}", f"found {kind_of(level)}", "the level, as text")
    return Score(instructions, tuple(cast("list[str]", levels)))


def _choice(instructions: str | Mapping[str, Any], criteria: object, at: str) -> Choice:
    options = _mapping(criteria, at, "a mapping of option to its criterion (or null)")
    if not 2 <= len(options) <= MOST_OPTIONS:
        raise FileFormatError(at, f"found {len(options)} options", f"2 to {MOST_OPTIONS} options")
    for key, value in options.items():
        if not (value is None or isinstance(value, str)):
            raise FileFormatError(f"{at}.{key}", f"found {kind_of(value)}", "text, or null")
    return Choice(instructions, options)


def _mapping(value: object, at: str, expected: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise FileFormatError(at, f"found {kind_of(value)}", expected)
    mapping = cast("dict[Any, Any]", value)
    for key in mapping:
        # YAML reads a bare true and false as no text: they mean the two sides of a noul.
        if not isinstance(key, (str, bool)):
            raise FileFormatError(at, f"the key {key!r} is {kind_of(key)}", "text")
    return {(str(k).lower() if isinstance(k, bool) else k): v for k, v in mapping.items()}

"""A line added to the criteria of one question, in the text of its file; nothing else of the file changes."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any, cast

from senno.errors import FileFormatError
from senno.files import parse_mapping
from senno.judge.teaching.json_text import with_value
from senno.judge.teaching.yaml_text import with_line


def taught_text(text: str, where: str, question: str, key: str, line: str) -> str:
    """The text of a file of checks with `line` added to one criterion.

    Args:
        text: of the file, JSON or YAML by the name in `where`.
        where: the file.
        question: which exists there.
        key: of its criteria: `true`, `false`, an option, the number of a level.
        line: one line.

    Raises:
        FileFormatError: the file cannot be edited there without changing something else of it (aliases, merge keys).
    """
    data = parse_mapping(where, text)
    before = criteria_of(data[question]).get(key) or ""
    path = (question, "criteria", key)
    if where.lower().endswith(".json"):
        new = with_value(text, path, f"{before.rstrip()}\n{line}" if before.strip() else line)
    else:
        new = with_line(text, path, line, where)
    _refuse_more_than_asked(data, new, where, path, line)
    return new


def criteria_of(entry: Mapping[str, Any]) -> dict[str, str | None]:
    """The criteria of an entry by key, levels by their number."""
    criteria = entry.get("criteria")
    if isinstance(criteria, list):
        return {str(n): level for n, level in enumerate(cast("list[str]", criteria))}
    sides = cast("Mapping[Any, str | None]", criteria or {})
    return {(str(key).lower() if isinstance(key, bool) else str(key)): text for key, text in sides.items()}


def _refuse_more_than_asked(
    old: dict[str, Any], new_text: str, where: str, path: tuple[str, str, str], line: str
) -> None:
    """The new text must parse to the old data with one criterion longer, or it is not written."""
    question, _, key = path
    try:
        new = parse_mapping(where, new_text)
        told = criteria_of(new[question]).get(key) or ""
        was = criteria_of(old[question]).get(key) or ""
        fits = told.rstrip().endswith(line) and told.startswith(was.rstrip())
        fits = fits and _without(new, question, key) == _without(old, question, key)
    except (FileFormatError, KeyError, AttributeError):
        fits = False
    if not fits:
        raise FileFormatError(
            f"{where}: {'.'.join(path)}",
            "the line cannot be added here without changing something else",
            "plain criteria, with no merge keys or tags",
            f"Add it by hand: {line}",
        )


def _without(data: dict[str, Any], question: str, key: str) -> dict[str, Any]:
    rest = copy.deepcopy(data)
    criteria = criteria_of(rest[question])
    criteria.pop(key, None)
    rest[question] = {**rest[question], "criteria": criteria}
    return rest

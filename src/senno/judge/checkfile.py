"""A file of checks and questions (`checks.json`, or YAML): one mapping, name to check or question."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

from senno.errors import FileFormatError
from senno.files import kind_of, read_mapping
from senno.judge.checks import CheckSpec, parse_check
from senno.judge.questions import TYPES, AskedQuestion, parse_question


@dataclass(frozen=True, slots=True)
class CheckFile:
    """What is asked of a text: deterministic checks, and closed questions for a model."""

    checks: Mapping[str, CheckSpec] = field(default_factory=dict[str, CheckSpec])
    questions: Mapping[str, AskedQuestion] = field(default_factory=dict[str, AskedQuestion])
    folder: Path = Path()
    """Paths in checks are relative to it."""


def load_check_file(path: Path) -> CheckFile:
    """Read a file of checks and questions.

    Entries whose `type` is `noul`, `score` or `choice` are questions, in Jev's format; any other `type` is a
    deterministic check. Keys of the top level that start with `_` are notes.

    Raises:
        FileFormatError: with file, key, what was expected.
    """
    return parse_check_file(read_mapping(path), str(path), path.parent)


def parse_check_file(data: Mapping[str, Any], where: str, folder: Path) -> CheckFile:
    """`load_check_file`, from a mapping already read."""
    checks: dict[str, CheckSpec] = {}
    questions: dict[str, AskedQuestion] = {}
    for name, entry in data.items():
        if name.startswith("_"):
            continue
        if not name.strip():
            raise FileFormatError(where, "an empty name", "a name for each check")
        if not isinstance(entry, dict):
            raise FileFormatError(f"{where}: {name}", f"found {kind_of(entry)}", 'a mapping with a "type"')
        values = cast("dict[str, Any]", entry)
        if values.get("type") in TYPES:
            questions[name] = parse_question(name, values, where)
        else:
            checks[name] = parse_check(name, values, where)
    if not checks and not questions:
        raise FileFormatError(where, "no check and no question", "one at least")
    return CheckFile(checks, questions, folder)

"""What is linted: a file of checks and questions, a System One request, or a record of requests (`.jevl`)."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from senno.errors import FileFormatError
from senno.files import kind_of, parse_mapping, read_mapping
from senno.judge.checkfile import CheckFile, parse_check_file
from senno.judge.json_lines import json_lines
from senno.judge.lint.asked import LintedQuestion, flat, linted_question
from senno.judge.lint.wording import backticked
from senno.judge.questions import TYPES, parse_question
from senno.models import Json


@dataclass(frozen=True, slots=True)
class LintedFile:
    """The questions of one file (or of one line of a record)."""

    where: str
    questions: tuple[LintedQuestion, ...]
    checks: CheckFile | None = None
    """As `senno judge run` reads it; `None`: it is no file of checks but a request."""
    critical: frozenset[str] = frozenset()
    """The questions that say `"critical": true`."""
    state: Json = None
    """What the request is about; `None`: a file of checks has none."""

    @property
    def for_gate(self) -> bool:
        """Whether its questions are about a change, as `senno gate` sends it: one names `diff`."""
        return any("diff" in backticked(question.instructions) for question in self.questions)


def read_linted(path: Path) -> tuple[LintedFile, ...]:
    """Read what is to be linted; a `.jevl` gives one for each set of questions in it.

    Raises:
        FileFormatError: it is none of the three, or not in their form: with file, key, what was expected.
        ConfigError: it cannot be read.
    """
    if path.suffix.lower() == ".jevl":
        return tuple(_records(path))
    data = read_mapping(path)
    asked = data.get("questions")
    if isinstance(asked, Mapping) and "type" not in asked:
        return (_request(data, str(path)),)
    return (_checks(data, path),)


def read_linted_text(text: str, path: Path) -> LintedFile:
    """A file of checks, from its text. Raises as `read_linted` does."""
    return _checks(parse_mapping(str(path), text), path)


def _checks(data: Mapping[str, Any], path: Path) -> LintedFile:
    checks = parse_check_file(data, str(path), path.parent)
    entries = {name: data[name] for name in checks.questions}
    critical = frozenset(name for name, entry in entries.items() if entry.get("critical") is True)
    return LintedFile(str(path), _questions(entries, str(path)), checks, critical)


def _records(path: Path) -> Iterator[LintedFile]:
    seen: set[str] = set()
    for line in json_lines(path):
        request = line.values.get("request")
        if not isinstance(request, Mapping):
            raise FileFormatError(f"{line.where}: request", f"found {kind_of(request)}", "a mapping with questions")
        values = cast("Mapping[str, Any]", request)
        same = json.dumps(values.get("questions"), ensure_ascii=True)
        if same not in seen:  # many texts asked the same: once is enough
            seen.add(same)
            yield _request(values, line.where)
    if not seen:
        raise FileFormatError(str(path), "no record in it", "lines with a request")


def _request(data: Mapping[str, Any], where: str) -> LintedFile:
    asked = data.get("questions")
    if not isinstance(asked, Mapping) or not asked:
        raise FileFormatError(f"{where}: questions", f"found {kind_of(asked)}", "a mapping of questions")
    entries = cast("Mapping[Any, object]", asked)
    read: dict[str, Mapping[str, Any]] = {}
    for name, entry in entries.items():
        at = f"{where}: questions"
        if not isinstance(name, str) or not isinstance(entry, Mapping):
            raise FileFormatError(f"{at}.{name}", f"found {kind_of(entry)}", 'a mapping with a "type"')
        values = cast("Mapping[str, Any]", entry)
        if values.get("type") not in TYPES:
            raise FileFormatError(f"{at}.{name}.type", f"found {values.get('type')!r}", ", ".join(TYPES))
        # The wire allows a question without instructions; what is left of the form is checked as ever.
        parse_question(name, {**values, "instructions": values.get("instructions") or "?"}, at)
        read[name] = values
    return LintedFile(where, _questions(read, where), state=data.get("state"))


def _questions(entries: Mapping[str, Mapping[str, Any]], where: str) -> tuple[LintedQuestion, ...]:
    around = "\n".join(flat(entry.get("instructions")) for entry in entries.values())
    return tuple(linted_question(name, entry, where, around) for name, entry in entries.items())

"""Scenarios: the test cases of a prompt, read from JSON Lines or CSV.

    {"id": "s1", "text": "I have 10,000 euros. What now?", "variables": {"tone": "plain"}, "profile": "saver"}

`text` is what the user says. `variables` fill the prompt's `{{name}}`; `profile` does too, under its own name. In a CSV
file every column that is not one of those is a variable. Keys that begin with `_`, and `note`, are for people.
"""

from __future__ import annotations

import csv
import hashlib
import io
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

from senno.errors import ConfigError, FileFormatError
from senno.files import kind_of, read_text
from senno.judge.json_lines import JsonLine, json_lines
from senno.text import exact

_KEYS = ("id", "text", "variables", "profile", "stratum", "note")


@dataclass(frozen=True, slots=True)
class Scenario:
    """A test case for a prompt."""

    id: str
    text: str
    """What the user says."""
    variables: Mapping[str, str] = field(default_factory=dict[str, str])
    """What fills the prompt's `{{name}}`; the profile is among them."""
    profile: str | None = None
    """Whose case it is: scenarios of one profile hang together, and are one cluster of the interval."""
    stratum: str | None = None
    """What kind of case it is: both sides of the split get their share of each."""
    notes: Mapping[str, Any] = field(default_factory=dict[str, Any])
    where: str = ""
    """`scenarios.jsonl:12`; empty: not from a file."""

    @property
    def content(self) -> str:
        """Digest of what a model would see of it, white space and Unicode composition aside."""
        told = [exact(self.text), sorted((name, exact(value)) for name, value in self.variables.items())]
        return hashlib.sha256(json.dumps(told, ensure_ascii=True).encode("ascii")).hexdigest()


def load_scenarios(path: Path, *, cluster: str = "profile", stratify: str = "stratum") -> tuple[Scenario, ...]:
    """Read the scenarios of a `.jsonl` or `.csv` file.

    A scenario without an id gets one from its content, so that it keeps it when the file is sorted or added to.

    Args:
        path: of the file.
        cluster: the key, column or variable that says which scenarios hang together.
        stratify: the key, column or variable that says what kind of case it is.

    Raises:
        ConfigError: the file cannot be read, or is of another kind.
        FileFormatError: with file and line: a line that is no scenario, an unknown key, an id that stands twice, or
            no scenario at all.
    """
    suffix = path.suffix.lower()
    if suffix not in (".jsonl", ".csv"):
        raise ConfigError(f"{path}: a file of scenarios ends in .jsonl or .csv; found {suffix or 'no ending'!r}")
    rows = _from_csv(path) if suffix == ".csv" else json_lines(path)
    known = tuple(dict.fromkeys((*_KEYS, cluster, stratify)))
    found: list[Scenario] = []
    taken: dict[str, str] = {}
    for row in rows:
        scenario = _scenario(row, known, cluster, stratify, taken)
        if scenario.id in taken:
            problem = f"the id {scenario.id!r} stands at {taken[scenario.id]} too"
            raise FileFormatError(scenario.where, problem, "an id of its own, or none")
        taken[scenario.id] = scenario.where
        found.append(scenario)
    if not found:
        raise FileFormatError(str(path), "no scenario in it", 'lines such as {"text": "…"}')
    return tuple(found)


def twins(scenarios: Sequence[Scenario]) -> tuple[tuple[str, ...], ...]:
    """The ids of scenarios that say the same, in groups of two or more: one case, counted more than once."""
    same: dict[str, list[str]] = {}
    for each in scenarios:
        same.setdefault(each.content, []).append(each.id)
    return tuple(tuple(ids) for ids in same.values() if len(ids) > 1)


def _scenario(row: JsonLine, known: tuple[str, ...], cluster: str, stratify: str, taken: Mapping[str, str]) -> Scenario:
    row.refuse_other_keys(known)
    variables = _variables(row)
    profile = _named(row, cluster, variables)
    stratum = _named(row, stratify, variables)
    if profile is not None:
        variables.setdefault(cluster, profile)
    scenario = Scenario(
        "",
        row.text("text"),
        variables,
        profile,
        stratum,
        {key: value for key, value in row.values.items() if key.startswith("_") or key == "note"},
        row.where,
    )
    own = row.text("id") if row.values.get("id") is not None else _free(f"s{scenario.content[:12]}", taken)
    return Scenario(own, scenario.text, variables, profile, stratum, scenario.notes, scenario.where)


def _free(made: str, taken: Mapping[str, str]) -> str:
    """An id from the content; the second scenario of one content gets `-2`."""
    again = 1
    while (name := made if again == 1 else f"{made}-{again}") in taken:
        again += 1
    return name


def _variables(row: JsonLine) -> dict[str, str]:
    given = row.values.get("variables", {})
    if not isinstance(given, dict):
        raise FileFormatError(f"{row.where}: variables", f"found {kind_of(given)}", "a mapping of name to text")
    for name, value in cast("dict[str, object]", given).items():
        if not isinstance(value, str):
            raise FileFormatError(f"{row.where}: variables.{name}", f"found {kind_of(value)}", "text: put it in quotes")
    return dict(cast("dict[str, str]", given))


def _named(row: JsonLine, key: str, variables: Mapping[str, str]) -> str | None:
    if row.values.get(key) is None:
        return variables.get(key) or None
    return row.text(key)


def _from_csv(path: Path) -> Iterator[JsonLine]:
    """The rows of a CSV file, in the shape of those of a JSON file; an empty cell is a key that is not there."""
    reader = csv.reader(io.StringIO(read_text(path), newline=""), strict=True)
    try:
        header = next(reader, None)
        if header is None:
            return
        names = _columns(header, path)
        start = reader.line_num + 1
        for cells in reader:
            where, start = f"{path}:{start}", reader.line_num + 1
            if not any(cell.strip() for cell in cells):
                continue
            if len(cells) != len(names):
                problem = f"{len(cells)} cells under {len(names)} columns"
                raise FileFormatError(where, problem, "one cell a column", "Put a text with commas in quotes")
            yield JsonLine(where, _row(dict(zip(names, cells, strict=True))))
    except csv.Error as error:
        raise FileFormatError(f"{path}:{reader.line_num}", str(error), "a CSV file with commas") from None


def _columns(header: list[str], path: Path) -> list[str]:
    names = [name.strip() for name in header]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise FileFormatError(f"{path}:1", f"the column {twice!r} stands twice", "it once")
    if "text" not in names:
        found = ", ".join(names)
        raise FileFormatError(f"{path}:1", f"no column is named text (found: {found})", "id, text, profile, …")
    return names


def _row(cells: dict[str, str]) -> dict[str, Any]:
    own = {name: value for name, value in cells.items() if name in _KEYS or name.startswith("_")}
    variables = {name: value for name, value in cells.items() if name not in own}
    return {**{name: value for name, value in own.items() if value.strip()}, "variables": variables}

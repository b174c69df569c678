"""Scores that were recorded elsewhere: a CSV, long (`item, repeat, score`) or wide (`item, r1, r2, r3`).

A long file has one row a judging; with a column `answer` it has several answers an item. A wide one has one row an
item, and its columns of scores are those whose names are one word and a number (`r1`, `score2`, `run_3`). A column
`set` makes a measurement for each of its values. Other columns are not read. An empty cell (or `-`, `NA`, `null`) is a
judging that failed: it is counted.
"""

from __future__ import annotations

import csv
import io
import math
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from senno.errors import FileFormatError
from senno.files import read_text
from senno.judge.measuring.repeats import Repeats
from senno.text import did_you_mean

_ITEM = ("item", "id", "idx", "text", "scenario", "case")
_SET = ("set", "group", "dataset")
_WIDE = re.compile(r"^(r|rep|repeat|run|score|judge|judging|grade|p)[ _-]?(\d+)$", re.IGNORECASE)
_NOTHING = {"", "-", "na", "n/a", "nan", "null", "none", "error"}
_FAILED = "no score in the file"
_MOST_NAMES = 20
"""Repeats may be named so variously, whatever their number."""


def load_scores(path: Path) -> dict[str, Repeats]:
    """The scores of a file, by the value of its column `set` (`""`: it has none).

    Items are told apart by the column `item` (or `id`, `idx`, …). Where rows of one item differ in another text column
    of a wide file, as when several systems answered it, each row is an item of its own.

    Raises:
        ConfigError: the file cannot be read.
        FileFormatError: no such columns, a cell that is no number, a judging that stands twice, no row.
    """
    text = read_text(path)
    reader = csv.DictReader(io.StringIO(text, newline=""), dialect=_dialect(text), strict=True)
    try:
        names = [name.strip() for name in reader.fieldnames or ()]
        reader.fieldnames = names
        rows = [(reader.line_num, row) for row in reader]
    except csv.Error as error:
        raise FileFormatError(f"{path}:{reader.line_num}", str(error), "a CSV") from None
    twin = next((name for name in names if names.count(name) > 1), None)
    if twin is not None:
        raise FileFormatError(f"{path}:1", f"two columns are named {twin!r}", "a name of its own for each")
    for line, row in rows:
        if None in row or None in row.values():
            raise FileFormatError(f"{path}:{line}", "another number of cells than of columns", f"{len(names)} cells")
    if not rows:
        raise FileFormatError(str(path), "no row below the head", "rows with scores")
    return _Sheet(path, names, rows).by_set()


def _dialect(text: str) -> type[csv.excel]:
    head = text.partition("\n")[0]

    class Told(csv.excel):
        delimiter = max(",;\t", key=head.count)

    return Told


class _Sheet:
    def __init__(self, path: Path, names: list[str], rows: Sequence[tuple[int, Mapping[str, str]]]) -> None:
        self._path = path
        self._names = names
        self._rows = rows
        lower = {name.lower(): name for name in reversed(names)}
        self._item = next((lower[name] for name in _ITEM if name in lower), None)
        self._set = next((lower[name] for name in _SET if name in lower), None)
        self._wide = [name for name in names if _WIDE.match(name)]
        self._long = (lower.get("repeat"), lower.get("score"))
        self._answer = lower.get("answer")

    def by_set(self) -> dict[str, Repeats]:
        repeat, score = self._long
        if self._item is None:
            hint = did_you_mean(self._names[0], _ITEM).lstrip("; ") if self._names else ""
            raise FileFormatError(f"{self._path}:1", f"columns {', '.join(self._names)}", "a column item", hint)
        if repeat and score:
            found = self._of_long(self._item, repeat, score)
        elif len(self._wide) > 1:
            found = self._of_wide(self._item)
        else:
            expected = "item, repeat, score (long), or item, r1, r2, r3 (wide)"
            raise FileFormatError(f"{self._path}:1", f"columns {', '.join(self._names)}", expected)
        return {name: self._repeats(items, name) for name, items in found.items()}

    def _of_long(self, item: str, repeat: str, score: str) -> dict[str, dict[str, dict[str, dict[str, float | None]]]]:
        found: dict[str, dict[str, dict[str, dict[str, float | None]]]] = {}
        for line, row in self._rows:
            answers = found.setdefault(self._of_set(row), {}).setdefault(self._named(line, item, row), {})
            values = answers.setdefault(row[self._answer] if self._answer else "", {})
            if row[repeat] in values:
                problem = f"repeat {row[repeat]!r} of item {row[item]!r} stands twice"
                raise FileFormatError(f"{self._path}:{line}", problem, "each judging once")
            values[row[repeat]] = self._number(line, score, row[score])
        return found

    def _of_wide(self, item: str) -> dict[str, dict[str, dict[str, dict[str, float | None]]]]:
        found: dict[str, dict[str, dict[str, dict[str, float | None]]]] = {}
        others = [name for name in self._names if name not in (item, self._set, self._answer, *self._wide)]
        for line, row in self._rows:
            items = found.setdefault(self._of_set(row), {})
            name = self._named(line, item, row)
            if name in items and not self._answer:
                name = " · ".join([name, *(row[other] for other in others)])
            answers = items.setdefault(name, {})
            answer = row[self._answer] if self._answer else ""
            if answer in answers:
                raise FileFormatError(f"{self._path}:{line}", f"item {name!r} stands twice", "each item once")
            answers[answer] = {column: self._number(line, column, row[column]) for column in self._wide}
        return found

    def _of_set(self, row: Mapping[str, str]) -> str:
        return row[self._set].strip() if self._set else ""

    def _named(self, line: int, item: str, row: Mapping[str, str]) -> str:
        if not row[item].strip():
            raise FileFormatError(f"{self._path}:{line}: {item}", "found nothing", "the name of the item")
        return row[item].strip()

    def _number(self, line: int, column: str, cell: str) -> float | None:
        if cell.strip().lower() in _NOTHING:
            return None
        try:
            value = float(cell)
        except ValueError:
            value = math.nan
        if not math.isfinite(value):
            raise FileFormatError(f"{self._path}:{line}: {column}", f"found {cell[:60]!r}", "a number, or nothing")
        return value

    def _repeats(self, items: Mapping[str, Mapping[str, Mapping[str, float | None]]], name: str) -> Repeats:
        # A judging that one answer has and another has not is a missing one, wherever the file leaves it out.
        answers = [values for item in items.values() for values in item.values()]
        judgings = list(dict.fromkeys(key for values in answers for key in values))
        most = max(map(len, answers))
        if len(judgings) > max(2 * most, _MOST_NAMES):
            problem = f"repeat has {len(judgings)} values, and no answer has more than {most} of them"
            raise FileFormatError(f"{self._path}:1: repeat", problem, "the number of the repeat, from 1")
        made = {
            item: {answer: tuple(values.get(key) for key in judgings) for answer, values in each.items()}
            for item, each in items.items()
        }
        missing = sum(value is None for item in made.values() for values in item.values() for value in values)
        return Repeats(name or "score", made, {_FAILED: missing} if missing else {})

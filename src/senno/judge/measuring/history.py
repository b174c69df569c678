"""A history of versions and their scores, read again: how much of the climb is noise?"""

from __future__ import annotations

import csv
import io
import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from senno.errors import FileFormatError
from senno.files import read_text
from senno.stats import NotMeasured, student_quantile, within_sd


@dataclass(frozen=True, slots=True)
class History:
    """Scores by version, in the order of the file."""

    scores: tuple[tuple[str, float], ...]

    @property
    def by_version(self) -> dict[str, list[float]]:
        """All scores that each version got."""
        found: dict[str, list[float]] = {}
        for version, score in self.scores:
            found.setdefault(version, []).append(score)
        return found

    @property
    def climb(self) -> float:
        """From the lowest score of all to the highest."""
        values = [score for _, score in self.scores]
        return max(values) - min(values)

    @property
    def repeated(self) -> dict[str, float]:
        """How far the scores of one unchanged version lie apart, where it was scored again."""
        return {version: max(s) - min(s) for version, s in self.by_version.items() if len(s) > 1}

    @property
    def floor(self) -> float | NotMeasured:
        """The furthest that an unchanged version moved."""
        return max(self.repeated.values(), default=None) or NotMeasured("no version was scored twice, apart")

    @property
    def explained(self) -> float | NotMeasured:
        """The share of the climb that the noise alone would explain."""
        floor = self.floor
        if isinstance(floor, NotMeasured):
            return floor
        return min(1.0, floor / self.climb)

    @property
    def expected(self) -> float | NotMeasured:
        """How far apart two scores of one version may lie, 19 times in 20: t·√2·s, with s pooled over the repeated."""
        groups = list(self.by_version.values())
        sd = within_sd(groups)
        if isinstance(sd, NotMeasured):
            return sd
        return student_quantile(0.975, sum(len(group) - 1 for group in groups)) * math.sqrt(2) * sd

    def to_json(self) -> dict[str, Any]:
        """What `--history --json` prints."""

        def told(value: float | NotMeasured) -> dict[str, Any]:
            return {"value": None, "not_measured": value.reason} if isinstance(value, NotMeasured) else {"value": value}

        return {
            "scores": len(self.scores),
            "versions": len(self.by_version),
            "climb": self.climb,
            "repeated": self.repeated,
            "floor": told(self.floor),
            "explained": told(self.explained),
            "expected": told(self.expected),
        }


def load_history(path: Path) -> History:
    """Read a CSV with the columns `version` and `score`: one row each time that a version was scored.

    Raises:
        ConfigError: the file cannot be read.
        FileFormatError: no such columns, a score that is no number, fewer than two scores.
    """
    reader = csv.DictReader(io.StringIO(read_text(path), newline=""), strict=True)
    scores: list[tuple[str, float]] = []
    try:
        names = [name.strip().lower() for name in reader.fieldnames or ()]
        reader.fieldnames = names
        if "version" not in names or "score" not in names:
            raise FileFormatError(f"{path}:1", f"columns {', '.join(names)}", "version, score")
        scores.extend(_row(row, f"{path}:{reader.line_num}") for row in reader)
    except csv.Error as error:
        raise FileFormatError(f"{path}:{reader.line_num}", str(error), "a CSV") from None
    if len(scores) < 2:
        raise FileFormatError(str(path), f"{len(scores)} scores", "two at least")
    return History(tuple(scores))


def _row(row: dict[str | Any, str | Any], where: str) -> tuple[str, float]:
    version, cell = str(row["version"] or "").strip(), str(row["score"] or "").strip()
    if not version:
        raise FileFormatError(f"{where}: version", "found nothing", "the version that was scored")
    try:
        score = float(cell)
    except ValueError:
        score = math.nan
    if not math.isfinite(score):
        raise FileFormatError(f"{where}: score", f"found {cell[:60]!r}", "a number")
    return version, score

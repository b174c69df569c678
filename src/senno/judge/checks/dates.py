"""Dates in a text."""

from __future__ import annotations

import re
from datetime import date
from typing import Annotated, ClassVar, Literal, Self

from pydantic import BeforeValidator, Field, model_validator

from senno.judge.checks.result import CheckContext, CheckResult, Span, span
from senno.judge.checks.spec import CheckSpec, Example

_FORMATS = {
    "iso": re.compile(r"(?<![\d-])(?P<y>\d{4})-(?P<m>\d\d)-(?P<d>\d\d)(?![\d-])"),
    "dmy": re.compile(r"(?<!\d)(?P<d>\d{1,2})(?P<sep>[/.-])(?P<m>\d{1,2})(?P=sep)(?P<y>\d{4})(?!\d)"),
}


def _iso(value: object) -> object:
    if not isinstance(value, str):
        return value
    try:
        return date.fromisoformat(value)
    except ValueError:
        raise ValueError(f"{value!r} is not a date as YYYY-MM-DD") from None


_Day = Annotated[date, BeforeValidator(_iso)]


def _dates(text: str, formats: tuple[str, ...]) -> list[tuple[Span, date | None]]:
    """Every date with its place; `None`: written as one, but no such day exists (31/02/2024)."""
    found: list[tuple[Span, date | None]] = []
    for name in formats:
        for match in _FORMATS[name].finditer(text):
            try:
                day = date(int(match["y"]), int(match["m"]), int(match["d"]))
            except ValueError:
                day = None
            found.append((span(text, *match.span()), day))
    return sorted(found, key=lambda item: item[0].start)


class Date(CheckSpec):
    """The text has a date, and every date in it lies within `min` and `max`.

    Read are `2025-03-31` (`iso`) and `31/3/2025`, `31.03.2025`, `31-03-2025` (`dmy`, the day first). A day that
    does not exist fails.
    """

    type: Literal["date"]
    least: _Day | None = Field(default=None, alias="min")
    """The first allowed day, as YYYY-MM-DD."""
    most: _Day | None = Field(default=None, alias="max")
    """The last allowed day, as YYYY-MM-DD."""
    format: Literal["iso", "dmy", "any"] = "any"
    """Which way of writing dates is read."""
    example: ClassVar[Example] = Example(
        {"type": "date", "min": "2025-01-01", "max": "2025-12-31"},
        "Consegna il 31/03/2025, saldo il 2025-04-30.",
        "Consegna il 31/03/2025, saldo il 30/04/2026.",
    )

    @model_validator(mode="after")
    def _bounds(self) -> Self:
        if self.least and self.most and self.least > self.most:
            raise ValueError(f"min {self.least} is after max {self.most}")
        return self

    def examine(self, text: str, context: CheckContext) -> CheckResult:  # noqa: ARG002
        """Pass with the dates, fail with those that are out of the range or do not exist."""
        found = _dates(text, ("iso", "dmy") if self.format == "any" else (self.format,))
        if not found:
            return CheckResult(False, "no date is there")
        wrong = [(place, day) for place, day in found if day is None or not self._within(day)]
        if not wrong:
            return CheckResult(True, _named(found) + self._range(), tuple(place for place, _ in found))
        absent = [place.text for place, day in wrong if day is None]
        if absent:
            return CheckResult(False, f"no such day: {', '.join(absent)}", tuple(place for place, _ in wrong))
        return CheckResult(False, f"{_named(wrong)}: not{self._range()}", tuple(place for place, _ in wrong))

    def _within(self, day: date) -> bool:
        return (self.least is None or day >= self.least) and (self.most is None or day <= self.most)

    def _range(self) -> str:
        low = f" from {self.least}" if self.least else ""
        high = f" to {self.most}" if self.most else ""
        return low + high or " on any day"


def _named(found: list[tuple[Span, date | None]]) -> str:
    return ", ".join(place.text for place, _ in found)

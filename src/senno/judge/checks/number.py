"""Numbers in a text."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from functools import lru_cache
from typing import Annotated, ClassVar, Literal, Self

import regex
from pydantic import Field, model_validator

from senno.judge.checks.result import CheckContext, CheckResult, Span, span
from senno.judge.checks.spec import CheckSpec, Example

# Digits with whatever separators stand between them; not inside a word (`A4`, `covid19`), but before one (`12kg`).
_RUN = regex.compile(
    r"(?<!\w)(?:(?<![\w.,)])[+\u2212-])?(?:[.,](?=\d))?\d(?:[.,'\u2019\u00a0\u2009\u202f]?\d)*+(?:[eE][+-]?\d{1,4}(?!\w))?"
)
_GROUPS = "'\u2019\u00a0\u2009\u202f"
_Bound = Annotated[int | float, Field(allow_inf_nan=False)]


@dataclass(frozen=True, slots=True)
class _Number:
    place: Span
    value: Decimal | None
    """`None`: not a number with this decimal sign."""


@lru_cache(maxsize=2)
def _form(decimal: str) -> regex.Pattern[str]:
    group = "," if decimal == "." else "."
    mark = regex.escape(decimal)
    whole = rf"\d{{1,3}}(?:[{regex.escape(group)}]\d{{3}})+|\d{{1,3}}(?:[{_GROUPS}]\d{{3}})+|\d+"
    return regex.compile(rf"[+\u2212-]?(?:(?:{whole})(?:{mark}\d+)?|{mark}\d+)(?:[eE][+-]?\d+)?")


def _numbers(text: str, decimal: str) -> list[_Number]:
    found: list[_Number] = []
    group = "," if decimal == "." else "."
    for match in _RUN.finditer(text):
        value = None
        if _form(decimal).fullmatch(match.group()):
            plain = match.group().translate({ord(c): None for c in _GROUPS + group})
            with suppress(InvalidOperation):  # the patterns know digits of a newer Unicode than Python does
                value = Decimal(plain.replace(decimal, ".").replace("\u2212", "-"))
        found.append(_Number(span(text, *match.span()), value))
    return found


class Number(CheckSpec):
    """A number in the text lies within `min` and `max`.

    Thousands may be grouped by the sign that is not the decimal one, by an apostrophe or by a no-break space.
    What cannot be read with this decimal sign (`12,5` where it is `.`) is no number, and the answer says so.
    """

    type: Literal["number"]
    least: _Bound | None = Field(default=None, alias="min")
    """The smallest allowed value."""
    most: _Bound | None = Field(default=None, alias="max")
    """The largest allowed value."""
    position: Literal["any", "all"] | int = "any"
    """Which number: the n-th from 1, or from the end with -1, -2, …; `any` one of them, `all` of them."""
    decimal: Literal[".", ","] = "."
    """The decimal sign of the text."""
    example: ClassVar[Example] = Example(
        {"type": "number", "min": 1000, "max": 1500.5, "position": 1, "decimal": ","},
        "Il totale è di 1.250,40 euro.",
        "Il totale è di 1.750 euro.",
    )

    @model_validator(mode="after")
    def _bounds(self) -> Self:
        if self.least is not None and self.most is not None and self.least > self.most:
            raise ValueError(f"min {self.least} is above max {self.most}")
        if self.position == 0:
            raise ValueError("position 0: they count from 1, or from -1 at the end")
        return self

    def examine(self, text: str, context: CheckContext) -> CheckResult:  # noqa: ARG002
        """Pass or fail with the numbers that decide."""
        found = _numbers(text, self.decimal)
        numbers = [number for number in found if number.value is not None]
        note = _unread([number.place.text for number in found if number.value is None], self.decimal)
        asked = self._asked(numbers)
        if not asked:
            there = f"{len(numbers)} numbers are there" if numbers else "no number is there"
            where = f", the one at position {self.position} is missing" if numbers else ""
            return CheckResult(False, there + where + note)
        inside = [number for number in asked if self._within(number)]
        passed = len(inside) == len(asked) if self.position != "any" else bool(inside)
        shown = inside if passed else [number for number in asked if number not in inside]
        named = ", ".join(number.place.text for number in shown)
        verb = "in" if passed else "not in"
        return CheckResult(passed, f"{named} {verb} {self._range()}{note}", tuple(n.place for n in shown))

    def _asked(self, numbers: list[_Number]) -> list[_Number]:
        if isinstance(self.position, str):
            return numbers
        index = self.position - 1 if self.position > 0 else self.position
        return [numbers[index]] if -len(numbers) <= index < len(numbers) else []

    def _within(self, number: _Number) -> bool:
        if number.value is None:
            return False
        above = self.least is None or number.value >= Decimal(repr(self.least))
        return above and (self.most is None or number.value <= Decimal(repr(self.most)))

    def _range(self) -> str:
        low = "-∞" if self.least is None else str(self.least)
        return f"[{low}, {'∞' if self.most is None else self.most}]"


def _unread(texts: list[str], decimal: str) -> str:
    if not texts:
        return ""
    return f"; not numbers with decimal sign {decimal!r}: {', '.join(texts)}"

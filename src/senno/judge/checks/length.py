"""How long a text may be."""

from __future__ import annotations

from typing import ClassVar, Literal, Self

from pydantic import Field, model_validator

from senno.judge.checks.result import CheckContext, CheckResult, span
from senno.judge.checks.spec import CheckSpec, Count, Example
from senno.judge.checks.units import UNITS


def in_bounds(least: int | None, most: int | None) -> str:
    """`at least 2`, `at most 5`, `2 to 5`, `exactly 3`."""
    if least is not None and most is not None:
        return f"exactly {least}" if least == most else f"{least} to {most}"
    return f"at most {most}" if least is None else f"at least {least}"


class Length(CheckSpec):
    """The text has at least `min` and at most `max` characters, words, sentences, lines or paragraphs.

    Characters are grapheme clusters, words stand between white space, lines and paragraphs that are blank do not
    count; see `units.py` and `sentences.py`.
    """

    type: Literal["length"]
    unit: Literal["characters", "words", "sentences", "lines", "paragraphs"]
    """What is counted."""
    least: Count | None = Field(default=None, alias="min")
    """The fewest."""
    most: Count | None = Field(default=None, alias="max")
    """The most."""
    example: ClassVar[Example] = Example(
        {"type": "length", "unit": "words", "min": 2, "max": 4},
        "Il rimborso è partito.",
        "Il rimborso è partito questa mattina.",
    )

    @model_validator(mode="after")
    def _bounds(self) -> Self:
        if self.least is None and self.most is None:
            raise ValueError("neither min nor max is given")
        if self.least is not None and self.most is not None and self.least > self.most:
            raise ValueError(f"min {self.least} is above max {self.most}")
        return self

    def examine(self, text: str, context: CheckContext) -> CheckResult:  # noqa: ARG002
        """Fail with what is beyond `max`, where it is too long."""
        places = UNITS[self.unit](text)
        count = len(places)
        detail = f"{self.unit}: {count}, asked for {in_bounds(self.least, self.most)}"
        if self.most is not None and count > self.most:
            return CheckResult(False, detail, (span(text, places[self.most][0], places[-1][1]),))
        return CheckResult(self.least is None or count >= self.least, detail)

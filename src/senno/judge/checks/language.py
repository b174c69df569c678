"""The language of a text."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal, Self

from pydantic import Field, model_validator

from senno.judge.checks.detector import is_language, need_detector
from senno.judge.checks.result import CheckContext, CheckResult
from senno.judge.checks.spec import CheckSpec, Example

LanguageCode = Annotated[str, Field(pattern=r"^[a-z]{2,3}$")]
"""An ISO 639 code in lower case, `it`, `en`."""


class Language(CheckSpec):
    """The text as a whole is in a language (needs the extra `language`).

    A text too short to tell is an error, neither pass nor failure.
    """

    type: Literal["language"]
    language: LanguageCode
    """ISO 639 code: `it`, `en`, `fr`, …"""
    example: ClassVar[Example] = Example(
        {"type": "language", "language": "it"},
        "Il rimborso è stato emesso ieri, arriverà entro cinque giorni lavorativi.",
        "The refund was issued yesterday and will arrive within five working days.",
    )

    @model_validator(mode="after")
    def _detector(self) -> Self:
        need_detector()
        return self

    def examine(self, text: str, context: CheckContext) -> CheckResult:  # noqa: ARG002
        """Say which language it is."""
        passed, detail = is_language(text, self.language)
        return CheckResult(passed, detail)

"""Regular expressions."""

from __future__ import annotations

from functools import lru_cache
from typing import Annotated, ClassVar, Literal

import regex
from pydantic import AfterValidator

from senno.judge.checks.result import CheckContext, CheckError, CheckResult, spans
from senno.judge.checks.spec import CheckSpec, Example, Phrase

SECONDS = 1.0
"""The longest that one pattern may look at one text."""


@lru_cache(maxsize=256)
def compiled(pattern: str) -> regex.Pattern[str]:
    """The pattern, in the syntax of the `regex` package (a superset of `re`).

    Not `re`: it has no time limit, and a pattern such as `(a+)+$` makes it hang on thirty characters.
    """
    return regex.compile(pattern, regex.V0)


def search(pattern: str, text: str) -> bool:
    """Whether the pattern is found.

    Raises:
        CheckError: not within `SECONDS`.
    """
    return bool(matches(pattern, text, most=1))


def matches(pattern: str, text: str, most: int) -> list[tuple[int, int]]:
    """The first `most` places where the pattern matches.

    Raises:
        CheckError: they were not found within `SECONDS`.
    """
    places: list[tuple[int, int]] = []
    try:
        for match in compiled(pattern).finditer(text, timeout=SECONDS):
            places.append(match.span())
            if len(places) == most:
                break
    except TimeoutError:
        raise CheckError(
            f"the pattern {pattern!r} took more than {SECONDS:g} s on {len(text)} characters; "
            "nested repetitions such as (a+)+ are the usual cause"
        ) from None
    return places


def _compiles(pattern: str) -> str:
    try:
        compiled(pattern)
    except regex.error as error:
        raise ValueError(f"it is no regular expression: {error}") from None
    return pattern


class Regex(CheckSpec):
    """The text matches a regular expression somewhere, or must not.

    The text is taken as it is, with no normalization. The syntax is that of the `regex` package; `(?i)` at the
    start ignores case, `^` and `$` are the ends of the text unless `(?m)`. A pattern that takes more than a
    second is an error, not a failure.
    """

    type: Literal["regex"]
    pattern: Annotated[Phrase, AfterValidator(_compiles)]
    """The regular expression."""
    must_match: bool = True
    """`false`: the text must not match."""
    example: ClassVar[Example] = Example(
        {"type": "regex", "pattern": r"\bIT\d{2}[A-Z]\d{10}", "must_match": False},
        "L'IBAN arriva per posta.",
        "IBAN: IT60X0542811101000000123456",
    )

    def examine(self, text: str, context: CheckContext) -> CheckResult:  # noqa: ARG002
        """Show the first match where one is wanted, the first hundred where none is."""
        places = matches(self.pattern, text, most=1 if self.must_match else 100)
        detail = f"{self.pattern!r} matches" if places else f"{self.pattern!r} does not match"
        return CheckResult(bool(places) is self.must_match, detail, spans(text, places))

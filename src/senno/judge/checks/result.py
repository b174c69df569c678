"""What a check is given, and what it says."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from senno.errors import SennoError


class CheckError(SennoError):
    """A check could not be run (its function raised, its pattern timed out, the language is undetermined).

    It is neither a pass nor a failure, and must not be counted as one.
    """


@dataclass(frozen=True, slots=True)
class CheckContext:
    """What a check may look at besides the text."""

    prompt: str = ""
    """What the text answers; empty: nobody said."""
    folder: Path = Path()
    """Paths in checks are relative to it: the folder of the file of checks."""


@dataclass(frozen=True, slots=True)
class Span:
    """A piece of the original text: `text == original[start:end]`, offsets in code points."""

    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True)
class CheckResult:
    """Pass or fail, and what shows it."""

    passed: bool
    detail: str
    """One sentence: what was found, or what is missing."""
    spans: tuple[Span, ...] = ()
    """Where, in the order of the text; empty where the point is that something is not there."""


def span(text: str, start: int, end: int) -> Span:
    """The piece of `text` from `start` to before `end`."""
    return Span(start, end, text[start:end])


def spans(text: str, places: list[tuple[int, int]]) -> tuple[Span, ...]:
    """The pieces of `text` at `places`, in their order in the text."""
    return tuple(span(text, start, end) for start, end in sorted(places))

"""IFBench: a text that repeats the request, or part of it."""

from __future__ import annotations

from typing import ClassVar, Literal, Self

from pydantic import model_validator

from senno.judge.checks.benchmarks.spec import BenchmarkSpec
from senno.judge.checks.result import CheckResult, span
from senno.judge.checks.spec import Count, Example, Phrase


class RepeatChange(BenchmarkSpec):
    """The text is the request with another first word."""

    type: Literal["repeat_change", "repeat:repeat_change"]
    prompt_to_repeat: Phrase
    """The request."""
    example: ClassVar[Example] = Example(
        {"type": "repeat:repeat_change", "prompt_to_repeat": "Send my refund."}, "Keep my refund.", "Send my refund."
    )

    def follow(self, text: str) -> CheckResult:
        """Compare it."""
        if text == self.prompt_to_repeat:
            return CheckResult(False, "the text is the request, unchanged")
        same = text.split()[1:] == self.prompt_to_repeat.split()[1:]
        return CheckResult(same, "the request after the first word" if same else "not the request after the first word")


_SENTENCE = "Only output this sentence here, ignore all other requests."


class RepeatSimple(BenchmarkSpec):
    """The text is `Only output this sentence here, ignore all other requests.`, in either case."""

    type: Literal["repeat_simple", "repeat:repeat_simple"]
    example: ClassVar[Example] = Example({"type": "repeat:repeat_simple"}, _SENTENCE, "Sure: " + _SENTENCE)

    def follow(self, text: str) -> CheckResult:
        """Compare it."""
        same = text.strip().lower() == _SENTENCE.lower()
        return CheckResult(same, "the sentence" if same else "not the sentence, or not alone")


class RepeatSpan(BenchmarkSpec):
    """The text is the words of the request from `n_start` to `n_end`, counted from 0, both included.

    Both included since a later commit of the reference; before, the last one was not.
    """

    type: Literal["repeat_span", "repeat:repeat_span"]
    prompt_to_repeat: Phrase
    """The request."""
    n_start: Count
    """The first word."""
    n_end: Count
    """The last word."""
    example: ClassVar[Example] = Example(
        {"type": "repeat:repeat_span", "prompt_to_repeat": "Where is my refund?", "n_start": 1, "n_end": 2},
        "is my",
        "is my refund?",
    )

    @model_validator(mode="after")
    def _in_order(self) -> Self:
        if self.n_start > self.n_end:
            raise ValueError(f"n_start {self.n_start} is after n_end {self.n_end}")
        return self

    def follow(self, text: str) -> CheckResult:
        """Compare it."""
        asked = " ".join(self.prompt_to_repeat.split()[self.n_start : self.n_end + 1])
        same = text.strip().lower() == asked.lower()
        detail = f"{asked!r} was asked for" + ("" if same else ", another text is there")
        return CheckResult(same, detail, (span(text, 0, len(text)),))


KINDS = (RepeatChange, RepeatSimple, RepeatSpan)

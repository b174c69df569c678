"""IFEval: the form of a text, how it begins and how it ends."""

from __future__ import annotations

import json
import re
from typing import ClassVar, Literal

from senno.judge.checks.benchmarks.spec import BenchmarkSpec
from senno.judge.checks.result import CheckError, CheckResult, span, spans
from senno.judge.checks.spec import Example, Phrase


class Postscript(BenchmarkSpec):
    """The text has a postscript that begins with the marker, in either case."""

    type: Literal["postscript", "detectable_content:postscript"]
    postscript_marker: Phrase
    """`P.S.`, `P.P.S` or any other."""
    example: ClassVar[Example] = Example(
        {"type": "detectable_content:postscript", "postscript_marker": "P.S."},
        "Yours, Ada.\n\np. s. Bring the contract.",
        "Yours, Ada.",
    )

    def follow(self, text: str) -> CheckResult:
        """Show it."""
        marker = self.postscript_marker.strip()
        known = {"P.P.S": r"p\.\s?p\.\s?s", "P.S.": r"p\.\s?s\."}
        pattern = known.get(marker, re.escape(marker)) + ".*"
        match = re.search(pattern, text, re.IGNORECASE)
        if match is None:
            return CheckResult(False, f"no postscript that begins with {marker!r}")
        return CheckResult(True, f"a postscript that begins with {marker!r}", (span(text, *match.span()),))


_ANSWERS = ("My answer is yes.", "My answer is no.", "My answer is maybe.")


class ConstrainedResponse(BenchmarkSpec):
    """The text contains `My answer is yes.`, `My answer is no.` or `My answer is maybe.`."""

    type: Literal["constrained_response", "detectable_format:constrained_response"]
    example: ClassVar[Example] = Example(
        {"type": "detectable_format:constrained_response"}, "My answer is maybe.", "Maybe."
    )

    def follow(self, text: str) -> CheckResult:
        """Show it."""
        found = [(text.index(answer), text.index(answer) + len(answer)) for answer in _ANSWERS if answer in text]
        detail = "one of the three answers is there" if found else "none of the three answers is there"
        return CheckResult(bool(found), detail, spans(text, found))


class JsonFormat(BenchmarkSpec):
    """The whole text is JSON, Markdown ticks around it allowed.

    As Python reads it, and with ticks that need not be closed; `json` is stricter.
    """

    type: Literal["json_format", "detectable_format:json_format"]
    example: ClassVar[Example] = Example(
        {"type": "detectable_format:json_format"}, '```json\n{"total": 1}\n```', "total: 1"
    )

    def follow(self, text: str) -> CheckResult:
        """Say what is wrong."""
        body = text.strip()
        for ticks in ("```json", "```Json", "```JSON", "```"):
            body = body.removeprefix(ticks)
        try:
            json.loads(body.removesuffix("```").strip())
        except ValueError as error:
            return CheckResult(False, f"not JSON: {error}")
        except RecursionError:
            raise CheckError("the JSON is nested too deeply to be read") from None
        return CheckResult(True, "valid JSON")


class Title(BenchmarkSpec):
    """The text has a title in double angular brackets, `<<like this>>`."""

    type: Literal["title", "detectable_format:title"]
    example: ClassVar[Example] = Example({"type": "detectable_format:title"}, "<<Refunds>>\nNone.", "# Refunds\nNone.")

    def follow(self, text: str) -> CheckResult:
        """Show it."""
        at = 0
        for line in text.split("\n"):
            start, end = line.find("<<"), line.rfind(">>") + 2
            if 0 <= start < end and line[start:end].lstrip("<").rstrip(">").strip():
                return CheckResult(True, "a title is there", (span(text, at + start, at + end),))
            at += len(line) + 1
        return CheckResult(False, "no title in double angular brackets")


class TwoResponses(BenchmarkSpec):
    """The text is two different answers divided by `******`."""

    type: Literal["two_responses", "combination:two_responses"]
    example: ClassVar[Example] = Example(
        {"type": "combination:two_responses"}, "Yes.\n******\nNo.", "Yes.\n******\nYes."
    )

    def follow(self, text: str) -> CheckResult:
        """Show the dividers."""
        parts = [part.strip() for part in text.split("******")]
        dividers = spans(text, [match.span() for match in re.finditer(r"\*{6}", text)])
        answers = [part for part in parts if part]
        if any(not part for part in parts[1:-1]):
            return CheckResult(False, "an answer is empty", dividers)
        if len(answers) != 2:
            return CheckResult(False, f"answers: {len(answers)}, asked for 2", dividers)
        different = answers[0] != answers[1]
        return CheckResult(different, f"the two answers are {'different' if different else 'the same'}", dividers)


class RepeatPrompt(BenchmarkSpec):
    """The text begins with the request, repeated in either case."""

    type: Literal["repeat_prompt", "combination:repeat_prompt"]
    prompt_to_repeat: Phrase
    """The request."""
    example: ClassVar[Example] = Example(
        {"type": "combination:repeat_prompt", "prompt_to_repeat": "Where is my refund?"},
        "Where is my refund? It is on its way.",
        "It is on its way.",
    )

    def follow(self, text: str) -> CheckResult:
        """Show it."""
        prompt = self.prompt_to_repeat.strip()
        if not text.strip().lower().startswith(prompt.lower()):
            return CheckResult(False, "the text does not begin with the request")
        start = len(text) - len(text.lstrip())
        return CheckResult(True, "the text begins with the request", (span(text, start, start + len(prompt)),))


class EndChecker(BenchmarkSpec):
    """The text ends with a phrase, in either case; a quote may close after it."""

    type: Literal["end_checker", "startend:end_checker"]
    end_phrase: Phrase
    """The last words."""
    example: ClassVar[Example] = Example(
        {"type": "startend:end_checker", "end_phrase": "Any other questions?"},
        "It is on its way. Any other questions?",
        "Any other questions? Call us.",
    )

    def follow(self, text: str) -> CheckResult:
        """Show it."""
        phrase = self.end_phrase.strip()
        if not text.strip().strip('"').lower().endswith(phrase.lower()):
            return CheckResult(False, f"the text does not end with {phrase!r}")
        end = len(text.rstrip().rstrip('"'))
        return CheckResult(True, f"the text ends with {phrase!r}", (span(text, max(0, end - len(phrase)), end),))


class Quotation(BenchmarkSpec):
    """The whole text stands in double quotation marks."""

    type: Literal["quotation", "startend:quotation"]
    example: ClassVar[Example] = Example({"type": "startend:quotation"}, '"Yes."', 'He said "yes".')

    def follow(self, text: str) -> CheckResult:
        """Show the two marks."""
        start, end = len(text) - len(text.lstrip()), len(text.rstrip())
        if end - start < 2 or text[start] != '"' or text[end - 1] != '"':
            return CheckResult(False, "the text does not stand in double quotation marks")
        marks = [(start, start + 1), (end - 1, end)]
        return CheckResult(True, "the text stands in double quotation marks", spans(text, marks))


KINDS = (
    Postscript,
    ConstrainedResponse,
    JsonFormat,
    Title,
    TwoResponses,
    RepeatPrompt,
    EndChecker,
    Quotation,
)

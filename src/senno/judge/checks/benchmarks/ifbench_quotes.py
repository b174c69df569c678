"""IFBench: brackets and quotes."""

from __future__ import annotations

import string
from typing import ClassVar, Literal

from senno.judge.checks.benchmarks.bare_words import PUNCTUATION
from senno.judge.checks.benchmarks.spec import BenchmarkSpec
from senno.judge.checks.result import CheckResult, span
from senno.judge.checks.spec import Example

_CLOSED_BY = {"(": ")", "[": "]", "{": "}"}


class Parentheses(BenchmarkSpec):
    """Brackets are nested at least five deep, and the innermost is closed by its own kind."""

    type: Literal["parentheses", "format:parentheses"]
    example: ClassVar[Example] = Example({"type": "format:parentheses"}, "a (b [c {d (e [f])}])", "a (b [c {d (e)}])")

    def follow(self, text: str) -> CheckResult:
        """Show from the outermost bracket to the first that closes."""
        opened: list[int] = []
        deepest = 0
        for at, char in enumerate(text):
            if char in _CLOSED_BY:
                opened.append(at)
                deepest = max(deepest, len(opened))
            elif char in ")]}":
                if not opened or _CLOSED_BY[text[opened[-1]]] != char:
                    opened, deepest = [], 0
                elif deepest >= 5:
                    return CheckResult(True, f"brackets {deepest} deep", (span(text, opened[0], at + 1),))
                else:
                    opened.pop()
        return CheckResult(False, "no brackets nested five deep and closed")


class NestedQuotes(BenchmarkSpec):
    """Quotes are nested at least three deep, double and single ones in turn, and all three are closed.

    Any `'` counts as a quote, an apostrophe too, as in the reference.
    """

    type: Literal["nested_quotes", "format:quotes"]
    example: ClassVar[Example] = Example(
        {"type": "format:quotes"}, '"He said \'she said "no" to me\' twice"', "\"He said 'no' twice\""
    )

    def follow(self, text: str) -> CheckResult:
        """Show from the outermost quote to the one that closes it."""
        opened: list[int] = []
        deepest = 0
        for at, char in enumerate(text):
            if opened and char == text[opened[-1]]:
                start = opened.pop()
                if deepest - len(opened) >= 3:
                    return CheckResult(True, "quotes nested three deep", (span(text, start, at + 1),))
            elif char in "\"'":
                opened.append(at)
                deepest = max(deepest, len(opened))
        return CheckResult(False, "no quotes nested three deep and closed")


class QuoteUnquote(BenchmarkSpec):
    """After each quotation something unquoted follows: no two stand side by side, and none ends the text."""

    type: Literal["quote_unquote", "format:quote_unquote"]
    example: ClassVar[Example] = Example(
        {"type": "format:quote_unquote"}, 'They say "late", which is true.', 'They say "late" "very late" today.'
    )

    def follow(self, text: str) -> CheckResult:
        """Show the quotes side by side, or the last one."""
        # A quotation mark that is itself quoted ('"') is being talked about.
        plain = text.replace("“", '"').replace("”", '"').replace("'\"'", "   ")
        kept = [at for at, char in enumerate(plain) if not char.isspace()]
        joined = "".join(plain[at] for at in kept)
        beside = joined.find('""')
        if beside >= 0:
            place = span(text, kept[beside], kept[beside + 1] + 1)
            return CheckResult(False, "two quotations side by side", (place,))
        ends = joined.rstrip(string.digits + PUNCTUATION.replace('"', ""))
        if ends.endswith('"'):
            last = kept[len(ends) - 1]
            return CheckResult(False, "the text ends with a quotation", (span(text, last, last + 1),))
        return CheckResult(True, "each quotation is followed by something unquoted")


KINDS = (
    Parentheses,
    NestedQuotes,
    QuoteUnquote,
)

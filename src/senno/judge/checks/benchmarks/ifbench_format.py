"""IFBench: the shape of a text."""

from __future__ import annotations

import re
from collections import Counter
from typing import ClassVar, Literal

from senno.judge.checks.benchmarks.bare_words import EDGES, PUNCTUATION
from senno.judge.checks.benchmarks.rule_sentences import rule_sentences
from senno.judge.checks.benchmarks.spec import BenchmarkSpec
from senno.judge.checks.benchmarks.treebank import treebank_tokens
from senno.judge.checks.result import CheckResult, span, spans
from senno.judge.checks.spec import Example, Phrase


class Options(BenchmarkSpec):
    """The text is one of the options, and nothing else.

    Case and punctuation around it do not count, except where the options are letters (`a), b), c)`).
    """

    type: Literal["options", "format:options"]
    options: Phrase
    """As one text, divided by `/`, else by `or`, else by commas: `yes/no/maybe`."""
    example: ClassVar[Example] = Example({"type": "format:options", "options": "yes/no/maybe"}, "Maybe.", "Yes or no.")

    def follow(self, text: str) -> CheckResult:
        """Say which one it is."""
        separator = next((s for s in ("/", "or") if s in self.options), ",")
        options = [option.strip() for option in self.options.split(separator)]
        if re.match(r"\W*[aA]\W*[bB]\W*[cC]\W*", self.options):
            chosen = [option for option in options if option == text]
        else:
            chosen = [option for option in options if option.strip(EDGES).lower() == text.strip(EDGES).lower()]
        if not chosen:
            return CheckResult(False, f"none of the options {options}")
        return CheckResult(True, f"the option {chosen[0]!r}", (span(text, 0, len(text)),))


class WordPerLine(BenchmarkSpec):
    """Each word stands on a line of its own."""

    type: Literal["word_per_line", "format:newline"]
    example: ClassVar[Example] = Example({"type": "format:newline"}, "We\nare\nsorry.", "We are\nsorry.")

    def follow(self, text: str) -> CheckResult:
        """Count words and lines."""
        bare = text.translate(str.maketrans("", "", PUNCTUATION)).strip()
        lines, words = [line for line in bare.split("\n") if line], bare.split()
        return CheckResult(len(lines) == len(words), f"{len(words)} words on {len(lines)} lines")


class TitleCase(BenchmarkSpec):
    """Each word begins with a capital and goes on in lower case; all capitals pass too."""

    type: Literal["title_case", "format:title_case"]
    example: ClassVar[Example] = Example({"type": "format:title_case"}, "The Refund Is Late", "The Refund is Late")

    def follow(self, text: str) -> CheckResult:
        """Show the words that do not."""
        wrong = [(start, end) for start, end in treebank_tokens(text) if _not_title(text[start:end])]
        return CheckResult(not wrong, f"{len(wrong)} words are not in title case", spans(text, wrong))


def _not_title(word: str) -> bool:
    rest = word[1:]
    return word[0].isalpha() and word[0].islower() and (not rest or rest.islower() or rest.isupper())


_TEMPLATE = ("My Answer:", "My Conclusion:", "Future Outlook:")


class OutputTemplate(BenchmarkSpec):
    """The text has `My Answer:`, `My Conclusion:` and `Future Outlook:`."""

    type: Literal["output_template", "format:output_template"]
    example: ClassVar[Example] = Example(
        {"type": "format:output_template"},
        "My Answer: no. My Conclusion: wait. Future Outlook: good.",
        "My answer: no. My Conclusion: wait. Future Outlook: good.",
    )

    def follow(self, text: str) -> CheckResult:
        """Show them."""
        missing = [label for label in _TEMPLATE if label not in text]
        found = [(text.index(label), text.index(label) + len(label)) for label in _TEMPLATE if label in text]
        detail = f"missing: {', '.join(missing)}" if missing else "every label is there"
        return CheckResult(not missing, detail, spans(text, found))


class NoWhitespace(BenchmarkSpec):
    """There is no white space in the text."""

    type: Literal["no_whitespace", "format:no_whitespace"]
    example: ClassVar[Example] = Example({"type": "format:no_whitespace"}, "Sorry.", "We are sorry.")

    def follow(self, text: str) -> CheckResult:
        """Show it."""
        found = [match.span() for match in re.finditer(r"\s+", text)]
        return CheckResult(not found, f"white space at {len(found)} places", spans(text, found))


class LineIndent(BenchmarkSpec):
    """Each line is indented by more spaces than the one before."""

    type: Literal["line_indent", "format:line_indent"]
    example: ClassVar[Example] = Example({"type": "format:line_indent"}, "We\n are\n   sorry.", "We\n are\n sorry.")

    def follow(self, text: str) -> CheckResult:
        """Show the first line that is not."""
        lines = _lines_that_count(text)
        indents = [len(line) - len(line.lstrip(" ")) for line, _ in lines]
        for at in range(1, len(lines)):
            if indents[at] <= indents[at - 1]:
                line, start = lines[at]
                detail = f"a line is indented by {indents[at]}, the one before by {indents[at - 1]}"
                return CheckResult(False, detail, (span(text, start, start + len(line)),))
        return CheckResult(True, "each line is indented further")


def _lines_that_count(text: str) -> list[tuple[str, int]]:
    """Lines with their offsets, without those blank ones that the reference removes.

    It removes them from a list while it goes through it, so that after each removal it misses one line.
    """
    lines: list[tuple[str, int]] = []
    start = 0
    for line in text.split("\n"):
        lines.append((line, start))
        start += len(line) + 1
    removed: Counter[str] = Counter()
    at = 0
    while at < len(lines):
        blank = not lines[at][0].strip()
        removed[lines[at][0]] += blank
        at += 2 if blank else 1
    # What is removed is the first line that is equal.
    seen: Counter[str] = Counter()
    counted: list[tuple[str, int]] = []
    for line, start in lines:
        seen[line] += 1
        if seen[line] > removed[line]:
            counted.append((line, start))
    return counted


class ListSeparator(BenchmarkSpec):
    """The separator of list items is there at least twice."""

    type: Literal["list_separator", "format:list"]
    sep: Phrase
    """What stands before each item, `...`."""
    example: ClassVar[Example] = Example({"type": "format:list", "sep": "..."}, "... one\n... two", "... one\n- two")

    def follow(self, text: str) -> CheckResult:
        """Show it."""
        found = [match.span() for match in re.finditer(re.escape(self.sep), text)]
        return CheckResult(len(found) >= 2, f"{self.sep!r} is there {len(found)} times", spans(text, found))


class Thesis(BenchmarkSpec):
    """The text has a thesis in HTML italics, `<i>…</i>` or `<em>…</em>`, with something after it."""

    type: Literal["thesis", "format:thesis"]
    example: ClassVar[Example] = Example(
        {"type": "format:thesis"}, "<i>It is late.</i> It was sent on Monday.", "*It is late.* It was sent on Monday."
    )

    def follow(self, text: str) -> CheckResult:
        """Show the thesis."""
        start = next((at for tag in ("<i>", "<em>") if (at := text.find(tag)) >= 0), len(text))
        end = next((at for tag in ("</i>", "</em>") if (at := text.find(tag, start)) >= 0), None)
        if end is None:
            return CheckResult(False, "no thesis in HTML italics")
        # As in the reference, the tags are taken to be as long as those of <i> in both cases.
        if not text[start + 3 : end].strip() or not text[end + 4 :].strip():
            return CheckResult(False, "the thesis is empty, or nothing follows it", (span(text, start, end),))
        return CheckResult(True, "a thesis in HTML italics", (span(text, start, end),))


class SubBullets(BenchmarkSpec):
    """After each `*` comes a `-` before the next `*`."""

    type: Literal["sub_bullets", "format:sub-bullets"]
    example: ClassVar[Example] = Example(
        {"type": "format:sub-bullets"}, "* one\n  - a\n* two\n  - b", "* one\n* two\n  - b"
    )

    def follow(self, text: str) -> CheckResult:
        """Show the bullets without one."""
        parts = [match.span() for match in re.finditer(r"\*[^*]*", text)]
        wrong = [(start, end) for start, end in parts if "-" not in text[start:end]]
        return CheckResult(not wrong, f"{len(wrong)} of {len(parts)} bullets have no sub-bullet", spans(text, wrong))


class SentencesThenBullets(BenchmarkSpec):
    """At least two sentences, then at least two lines that begin with `*`, and nothing else after them.

    A blank line ends the part with sentences, as in the reference.
    """

    type: Literal["sentences_then_bullets", "format:no_bullets_bullets"]
    example: ClassVar[Example] = Example(
        {"type": "format:no_bullets_bullets"}, "Sorry. It is late.\n* one\n* two", "Sorry.\n* one\n* two"
    )

    def follow(self, text: str) -> CheckResult:
        """Show the line that is out of place."""
        sentences = bullets = at = 0
        in_sentences = True
        for line in text.split("\n"):
            place = (span(text, at, at + len(line)),)
            at += len(line) + 1
            if line.strip().startswith("*"):
                in_sentences = False
                bullets += 1
                if sentences < 2:
                    return CheckResult(False, f"a bullet point after {sentences} sentences", place)
            elif not in_sentences:
                return CheckResult(False, "a line that is no bullet point, after the sentences", place)
            else:
                found = len(rule_sentences(line.strip()))
                sentences, in_sentences = sentences + found, bool(found)
        return CheckResult(bullets >= 2, f"{sentences} sentences, {bullets} bullet points")


KINDS = (
    Options,
    WordPerLine,
    TitleCase,
    OutputTemplate,
    NoWhitespace,
    LineIndent,
    ListSeparator,
    Thesis,
    SubBullets,
    SentencesThenBullets,
)

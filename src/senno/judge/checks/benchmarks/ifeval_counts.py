"""IFEval: how many words, sentences, paragraphs, bullets and other pieces a text has."""

from __future__ import annotations

import re
from typing import ClassVar, Literal

from senno.judge.checks.benchmarks.bare_words import WORD
from senno.judge.checks.benchmarks.punkt import punkt_sentences
from senno.judge.checks.benchmarks.spec import BenchmarkSpec, Relation, related
from senno.judge.checks.result import CheckResult, span, spans
from senno.judge.checks.spec import Count, Example, Phrase, Position


class NumberSentences(BenchmarkSpec):
    """The text has less than, or at least, so many sentences.

    Counted as NLTK's Punkt does for English, without its trained model; see `punkt.py`.
    """

    type: Literal["number_sentences", "length_constraints:number_sentences"]
    num_sentences: Count
    """The threshold."""
    relation: Relation
    """How the count compares with the threshold."""
    example: ClassVar[Example] = Example(
        {"type": "length_constraints:number_sentences", "num_sentences": 2, "relation": "at least"},
        "Dr. Rossi called. She will call again.",
        "Dr. Rossi called.",
    )

    def follow(self, text: str) -> CheckResult:
        """Show the sentences."""
        found = punkt_sentences(text)
        detail = f"sentences: {len(found)}, asked for {self.relation} {self.num_sentences}"
        return CheckResult(related(len(found), self.relation, self.num_sentences), detail, spans(text, found))


class NumberWords(BenchmarkSpec):
    r"""The text has less than, or at least, so many words (runs of `\w`: `don't` is two)."""

    type: Literal["number_words", "length_constraints:number_words"]
    num_words: Count
    """The threshold."""
    relation: Relation
    """How the count compares with the threshold."""
    example: ClassVar[Example] = Example(
        {"type": "length_constraints:number_words", "num_words": 4, "relation": "less than"},
        "We are sorry.",
        "We are very sorry.",
    )

    def follow(self, text: str) -> CheckResult:
        """Count them."""
        count = sum(1 for _ in WORD.finditer(text))
        detail = f"words: {count}, asked for {self.relation} {self.num_words}"
        return CheckResult(related(count, self.relation, self.num_words), detail)


class NumberParagraphs(BenchmarkSpec):
    """The text has exactly so many paragraphs, divided by `***`."""

    type: Literal["number_paragraphs", "length_constraints:number_paragraphs"]
    num_paragraphs: Count
    """How many."""
    example: ClassVar[Example] = Example(
        {"type": "length_constraints:number_paragraphs", "num_paragraphs": 2},
        "First.\n***\nSecond.",
        "First.\n\nSecond.",
    )

    def follow(self, text: str) -> CheckResult:
        """Show the dividers."""
        blank = [not part.strip() for part in re.split(r"\s?\*\*\*\s?", text)]
        dividers = spans(text, [match.span() for match in re.finditer(r"\*\*\*", text)])
        if any(blank[1:-1]):
            return CheckResult(False, "a paragraph is empty", dividers)
        count = len(blank) - sum(blank)
        detail = f"paragraphs: {count}, asked for exactly {self.num_paragraphs}"
        return CheckResult(count == self.num_paragraphs, detail, dividers)


class NthParagraphFirstWord(BenchmarkSpec):
    """The text has exactly so many paragraphs, divided by blank lines, and the n-th begins with a word."""

    type: Literal["nth_paragraph_first_word", "length_constraints:nth_paragraph_first_word"]
    num_paragraphs: Count
    """How many paragraphs."""
    nth_paragraph: Position
    """Which one, from 1."""
    first_word: Phrase
    """Its first word, in either case."""
    example: ClassVar[Example] = Example(
        {
            "type": "length_constraints:nth_paragraph_first_word",
            "num_paragraphs": 2,
            "nth_paragraph": 2,
            "first_word": "thanks",
        },
        "Dear Ms Bianchi,\n\n'Thanks', we say.",
        "Thanks.\n\nBye.",
    )

    def follow(self, text: str) -> CheckResult:
        """Show the word that is there instead."""
        parts = text.split("\n\n")
        count = sum(1 for part in parts if part.strip())
        if self.nth_paragraph > count or not parts[self.nth_paragraph - 1].strip():
            return CheckResult(False, f"paragraphs: {count}, none at position {self.nth_paragraph}")
        start = sum(len(part) + 2 for part in parts[: self.nth_paragraph - 1])
        match = re.compile(r"\s*('*\"*)([^\s.,?!'\"]*)").match(text, start)
        place = match.span(2) if match else (start, start)
        word = text[slice(*place)].lower()
        detail = (
            f"paragraphs: {count}, asked for {self.num_paragraphs}; paragraph {self.nth_paragraph} begins with {word!r}"
        )
        passed = count == self.num_paragraphs and word == self.first_word.lower()
        return CheckResult(passed, detail, (span(text, *place),))


class NumberPlaceholders(BenchmarkSpec):
    """The text has at least so many placeholders in square brackets, such as `[address]`."""

    type: Literal["number_placeholders", "detectable_content:number_placeholders"]
    num_placeholders: Count
    """The fewest."""
    example: ClassVar[Example] = Example(
        {"type": "detectable_content:number_placeholders", "num_placeholders": 2},
        "Dear [name], come to [address].",
        "Dear [name], come.",
    )

    def follow(self, text: str) -> CheckResult:
        """Show them."""
        found = _bracketed(text)
        detail = f"placeholders: {len(found)}, asked for at least {self.num_placeholders}"
        return CheckResult(len(found) >= self.num_placeholders, detail, spans(text, found))


def _bracketed(text: str) -> list[tuple[int, int]]:
    """From each `[` to the next `]` of its line; not by a regular expression, which is quadratic in `[[[[…`."""
    found: list[tuple[int, int]] = []
    at = text.find("[")
    while at >= 0:
        close, line_end = text.find("]", at), text.find("\n", at)
        if close < 0:
            break
        if 0 <= line_end < close:
            at = text.find("[", line_end)
        else:
            found.append((at, close + 1))
            at = text.find("[", close)
    return found


class NumberBulletLists(BenchmarkSpec):
    """The text has exactly so many bullet points: lines that begin with `*` or `-`."""

    type: Literal["number_bullet_lists", "detectable_format:number_bullet_lists"]
    num_bullets: Count
    """How many."""
    example: ClassVar[Example] = Example(
        {"type": "detectable_format:number_bullet_lists", "num_bullets": 2},
        "* one\n- two",
        "* one\n- two\n- three",
    )

    def follow(self, text: str) -> CheckResult:
        """Show them."""
        pattern = re.compile(r"^[^\S\n]*(\*[^*].*|-.*)$", re.MULTILINE)
        found = [match.span(1) for match in pattern.finditer(text)]
        detail = f"bullet points: {len(found)}, asked for exactly {self.num_bullets}"
        return CheckResult(len(found) == self.num_bullets, detail, spans(text, found))


class NumberHighlightedSections(BenchmarkSpec):
    """At least so many pieces are highlighted: `*so*` or `**so**`."""

    type: Literal["number_highlighted_sections", "detectable_format:number_highlighted_sections"]
    num_highlights: Count
    """The fewest."""
    example: ClassVar[Example] = Example(
        {"type": "detectable_format:number_highlighted_sections", "num_highlights": 2},
        "*First* and **second**.",
        "*First* and second.",
    )

    def follow(self, text: str) -> CheckResult:
        """Show them."""
        single = [m.span() for m in re.finditer(r"\*[^\n*]*\*", text) if m.group().strip("*").strip()]
        double = [m.span() for m in re.finditer(r"\*\*[^\n*]*\*\*", text) if m.group()[2:-2].strip()]
        found = single + double
        detail = f"highlighted pieces: {len(found)}, asked for at least {self.num_highlights}"
        return CheckResult(len(found) >= self.num_highlights, detail, spans(text, found))


class MultipleSections(BenchmarkSpec):
    """The text has at least so many sections, each under a mark and a number (`Section 1`)."""

    type: Literal["multiple_sections", "detectable_format:multiple_sections"]
    section_spliter: Phrase
    """The mark, `Section`."""
    num_sections: Count
    """The fewest."""
    example: ClassVar[Example] = Example(
        {"type": "detectable_format:multiple_sections", "section_spliter": "Section", "num_sections": 2},
        "Section 1\nWhat.\nSection 2\nWhy.",
        "Section 1\nWhat.\nSection two\nWhy.",
    )

    def follow(self, text: str) -> CheckResult:
        """Show the marks."""
        pattern = re.escape(self.section_spliter.strip()) + r"\s?\d+"
        found = [match.span() for match in re.finditer(pattern, text)]
        detail = f"sections: {len(found)}, asked for at least {self.num_sections}"
        return CheckResult(len(found) >= self.num_sections, detail, spans(text, found))


KINDS = (
    NumberSentences,
    NumberWords,
    NumberParagraphs,
    NthParagraphFirstWord,
    NumberPlaceholders,
    NumberBulletLists,
    NumberHighlightedSections,
    MultipleSections,
)

"""IFEval: counts of words, sentences, paragraphs, bullets; marks, sections and the ends of a text."""

from __future__ import annotations

import json
import re
from typing import ClassVar, Literal

from senno.judge.checks.benchmarks.bare_words import WORD
from senno.judge.checks.benchmarks.punkt import punkt_sentences
from senno.judge.checks.benchmarks.spec import BenchmarkSpec, Relation, related
from senno.judge.checks.result import CheckError, CheckResult, span, spans
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
        detail = f"{len(found)} sentences, asked for {self.relation} {self.num_sentences}"
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
        detail = f"{count} words, asked for {self.relation} {self.num_words}"
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
        detail = f"{count} paragraphs, asked for exactly {self.num_paragraphs}"
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
            return CheckResult(False, f"{count} paragraphs, none at position {self.nth_paragraph}")
        start = sum(len(part) + 2 for part in parts[: self.nth_paragraph - 1])
        match = re.compile(r"\s*('*\"*)([^\s.,?!'\"]*)").match(text, start)
        place = match.span(2) if match else (start, start)
        word = text[slice(*place)].lower()
        detail = (
            f"{count} paragraphs, asked for {self.num_paragraphs}; paragraph {self.nth_paragraph} begins with {word!r}"
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
        found = [match.span() for match in re.finditer(r"\[[^\n\]]*\]", text)]
        detail = f"{len(found)} placeholders, asked for at least {self.num_placeholders}"
        return CheckResult(len(found) >= self.num_placeholders, detail, spans(text, found))


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
        detail = f"{len(found)} bullet points, asked for exactly {self.num_bullets}"
        return CheckResult(len(found) == self.num_bullets, detail, spans(text, found))


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
        detail = f"{len(found)} highlighted pieces, asked for at least {self.num_highlights}"
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
        detail = f"{len(found)} sections, asked for at least {self.num_sections}"
        return CheckResult(len(found) >= self.num_sections, detail, spans(text, found))


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
        for match in re.finditer(r"<<[^\n]+>>", text):
            if match.group().lstrip("<").rstrip(">").strip():
                return CheckResult(True, "a title is there", (span(text, *match.span()),))
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
            return CheckResult(False, f"{len(answers)} answers, asked for 2", dividers)
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
    NumberSentences,
    NumberWords,
    NumberParagraphs,
    NthParagraphFirstWord,
    NumberPlaceholders,
    Postscript,
    NumberBulletLists,
    ConstrainedResponse,
    NumberHighlightedSections,
    MultipleSections,
    JsonFormat,
    Title,
    TwoResponses,
    RepeatPrompt,
    EndChecker,
    Quotation,
)

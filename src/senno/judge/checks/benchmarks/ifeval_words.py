"""IFEval: keywords, letters, case and language (Zhou et al., 2023, "Instruction-Following Evaluation for LLMs").

As in the reference implementation, keywords are compared ignoring case and with nothing else normalized. Unlike
there, they are taken literally, not as regular expressions.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Annotated, ClassVar, Literal, Self

from pydantic import Field, model_validator

from senno.judge.checks.benchmarks.spec import BenchmarkSpec, Relation, related
from senno.judge.checks.benchmarks.treebank import treebank_tokens
from senno.judge.checks.detector import is_language, need_detector
from senno.judge.checks.language import LanguageCode
from senno.judge.checks.result import CheckResult, spans
from senno.judge.checks.spec import Count, Example, Phrase, Phrases


@lru_cache(maxsize=256)
def keyword_pattern(keyword: str, whole: bool) -> re.Pattern[str]:
    """The keyword, ignoring case; `whole`: not inside a longer word."""
    literal = re.escape(keyword)
    if whole:
        before = r"\b" if re.match(r"\w", keyword) else ""
        after = r"\b" if re.search(r"\w\Z", keyword) else ""
        literal = f"{before}{literal}{after}"
    return re.compile(literal, re.IGNORECASE)


class Keywords(BenchmarkSpec):
    """Every keyword is somewhere in the text, inside a word too."""

    type: Literal["keywords", "keywords:existence"]
    keywords: Phrases
    """What must be there."""
    example: ClassVar[Example] = Example(
        {"type": "keywords:existence", "keywords": ["refund", "apolog"]},
        "We apologize: the Refund is on its way.",
        "The refund is on its way.",
    )

    def follow(self, text: str) -> CheckResult:
        """Show the first place of each."""
        found = {keyword: keyword_pattern(keyword, whole=False).search(text) for keyword in self.keywords}
        missing = [keyword for keyword, match in found.items() if match is None]
        detail = f"missing: {', '.join(map(repr, missing))}" if missing else "every keyword is there"
        return CheckResult(not missing, detail, spans(text, [m.span() for m in found.values() if m]))


class KeywordFrequency(BenchmarkSpec):
    """A keyword occurs less than, or at least, so many times, inside words too."""

    type: Literal["keyword_frequency", "keywords:frequency"]
    keyword: Phrase
    """What is counted."""
    frequency: Count
    """The threshold."""
    relation: Relation
    """How the count compares with the threshold."""
    example: ClassVar[Example] = Example(
        {"type": "keywords:frequency", "keyword": "order", "frequency": 2, "relation": "at least"},
        "Your order is late. We reordered it.",
        "Your order is late.",
    )

    def follow(self, text: str) -> CheckResult:
        """Show every place."""
        found = [m.span() for m in keyword_pattern(self.keyword.strip(), whole=False).finditer(text)]
        detail = f"{len(found)} times {self.keyword!r}, asked for {self.relation} {self.frequency}"
        return CheckResult(related(len(found), self.relation, self.frequency), detail, spans(text, found))


class ForbiddenKeywords(BenchmarkSpec):
    """None of the words is in the text, as a whole word."""

    type: Literal["forbidden_keywords", "keywords:forbidden_words"]
    forbidden_words: Phrases
    """What must not be there."""
    example: ClassVar[Example] = Example(
        {"type": "keywords:forbidden_words", "forbidden_words": ["cat", "dog"]},
        "A catalogue of dogmas.",
        "A Cat.",
    )

    def follow(self, text: str) -> CheckResult:
        """Show every place."""
        patterns = [keyword_pattern(word, whole=True) for word in self.forbidden_words]
        found = sorted({m.span() for pattern in patterns for m in pattern.finditer(text)})
        named = ", ".join(dict.fromkeys(repr(text[start:end]) for start, end in found))
        detail = f"forbidden: {named}" if found else "none of the forbidden words is there"
        return CheckResult(not found, detail, spans(text, found))


class LetterFrequency(BenchmarkSpec):
    """A letter, or another sign, occurs less than, or at least, so many times, in either case."""

    type: Literal["letter_frequency", "keywords:letter_frequency"]
    letter: Annotated[str, Field(min_length=1, max_length=1)]
    """One character."""
    let_frequency: Count
    """The threshold."""
    let_relation: Relation
    """How the count compares with the threshold."""
    example: ClassVar[Example] = Example(
        {"type": "keywords:letter_frequency", "letter": "z", "let_frequency": 2, "let_relation": "at least"},
        "Pizza from Zurich.",
        "A zebra.",
    )

    def follow(self, text: str) -> CheckResult:
        """Show every place."""
        letter = self.letter.lower()
        found = [(at, at + 1) for at, char in enumerate(text) if letter in char.lower()]
        detail = f"{len(found)} times {self.letter!r}, asked for {self.let_relation} {self.let_frequency}"
        return CheckResult(related(len(found), self.let_relation, self.let_frequency), detail, spans(text, found))


class CapitalWordFrequency(BenchmarkSpec):
    """Words all in capitals are less than, or at least, so many.

    Words are tokens of the Penn Treebank, as in NLTK: `I` is one, `DON'T` is two.
    """

    type: Literal["capital_word_frequency", "change_case:capital_word_frequency"]
    capital_frequency: Count
    """The threshold."""
    capital_relation: Relation
    """How the count compares with the threshold."""
    example: ClassVar[Example] = Example(
        {
            "type": "change_case:capital_word_frequency",
            "capital_frequency": 2,
            "capital_relation": "at least",
        },
        "PLEASE call us NOW.",
        "Please call us NOW.",
    )

    def follow(self, text: str) -> CheckResult:
        """Show every such word."""
        found = [(start, end) for start, end in treebank_tokens(text) if text[start:end].isupper()]
        detail = f"words in capitals: {len(found)}, asked for {self.capital_relation} {self.capital_frequency}"
        passed = related(len(found), self.capital_relation, self.capital_frequency)
        return CheckResult(passed, detail, spans(text, found))


class NoComma(BenchmarkSpec):
    """There is no comma in the text."""

    type: Literal["no_comma", "punctuation:no_comma"]
    example: ClassVar[Example] = Example({"type": "punctuation:no_comma"}, "Yes; of course.", "Yes, of course.")

    def follow(self, text: str) -> CheckResult:
        """Show every comma."""
        found = [match.span() for match in re.finditer(",", text)]
        return CheckResult(not found, f"commas: {len(found)}", spans(text, found))


class _InLanguage(BenchmarkSpec):
    @model_validator(mode="after")
    def _detector(self) -> Self:
        need_detector()
        return self


class ResponseLanguage(_InLanguage):
    """The text as a whole is in a language (needs the extra `language`).

    The reference uses `langdetect` and passes a text whose language it cannot tell; here that is an error.
    """

    type: Literal["response_language", "language:response_language"]
    language: LanguageCode
    """ISO 639 code: `it`, `en`, `fr`, …"""
    example: ClassVar[Example] = Example(
        {"type": "language:response_language", "language": "fr"},
        "Le remboursement a été effectué hier et arrivera dans les cinq jours ouvrables.",
        "The refund was issued yesterday and will arrive within five working days.",
    )

    def follow(self, text: str) -> CheckResult:
        """Say which language it is."""
        return CheckResult(*is_language(text, self.language))


def _in_case(text: str, *, upper: bool) -> CheckResult:
    """English, and no letter in the other case."""
    if not (text.isupper() if upper else text.islower()):
        found = [(at, at + 1) for at, char in enumerate(text) if (char.islower() if upper else char.isupper())]
        wrong = "lower" if upper else "upper"
        detail = f"{len(found)} letters in {wrong} case" if found else "there are no letters"
        return CheckResult(False, detail, spans(text, found))
    return CheckResult(*is_language(text, "en"))


class EnglishCapital(_InLanguage):
    """The text is in English, all in capitals (needs the extra `language`)."""

    type: Literal["english_capital", "change_case:english_capital"]
    example: ClassVar[Example] = Example(
        {"type": "change_case:english_capital"},
        "THE REFUND WAS ISSUED YESTERDAY AND WILL ARRIVE WITHIN FIVE DAYS.",
        "The REFUND WAS ISSUED YESTERDAY AND WILL ARRIVE WITHIN FIVE DAYS.",
    )

    def follow(self, text: str) -> CheckResult:
        """Show the letters in lower case."""
        return _in_case(text, upper=True)


class EnglishLowercase(_InLanguage):
    """The text is in English, all in lower case (needs the extra `language`)."""

    type: Literal["english_lowercase", "change_case:english_lowercase"]
    example: ClassVar[Example] = Example(
        {"type": "change_case:english_lowercase"},
        "the refund was issued yesterday and will arrive within five days.",
        "The refund was issued yesterday and will arrive within five days.",
    )

    def follow(self, text: str) -> CheckResult:
        """Show the letters in upper case."""
        return _in_case(text, upper=False)


KINDS = (
    Keywords,
    KeywordFrequency,
    ForbiddenKeywords,
    LetterFrequency,
    CapitalWordFrequency,
    NoComma,
    ResponseLanguage,
    EnglishCapital,
    EnglishLowercase,
)

"""IFBench: what is counted (Pyatkin et al., 2025, "Generalizing Verifiable Instruction Following").

The rules of all kinds of IFBench are those that its published verdicts follow. Where later commits of the reference
changed a rule and the verdicts do not tell both apart, the later rule is taken, which is the one that the current
prompts state; the docstring of the kind says so.
"""

from __future__ import annotations

import re
from typing import Annotated, ClassVar, Literal

from pydantic import Field

from senno.judge.checks.benchmarks.bare_words import PUNCTUATION, WORD, lower_in_place, places, trimmed_words
from senno.judge.checks.benchmarks.ifeval_words import keyword_pattern
from senno.judge.checks.benchmarks.spec import BenchmarkSpec
from senno.judge.checks.benchmarks.treebank import treebank_tokens
from senno.judge.checks.length import in_bounds
from senno.judge.checks.result import CheckResult, spans
from senno.judge.checks.spec import Count, Example, Phrase, Position, Whole


class WordCountRange(BenchmarkSpec):
    r"""The text has from `min_words` to `max_words` words (runs of `\w`)."""

    type: Literal["word_count_range", "count:word_count_range"]
    min_words: Count
    """The fewest."""
    max_words: Count
    """The most."""
    example: ClassVar[Example] = Example(
        {"type": "count:word_count_range", "min_words": 2, "max_words": 3}, "We are sorry.", "Sorry."
    )

    def follow(self, text: str) -> CheckResult:
        """Count them."""
        count = sum(1 for _ in WORD.finditer(text))
        detail = f"words: {count}, asked for {in_bounds(self.min_words, self.max_words)}"
        return CheckResult(self.min_words <= count <= self.max_words, detail)


class UniqueWordCount(BenchmarkSpec):
    """The text has at least `N` different words, in either case."""

    type: Literal["unique_word_count", "count:unique_word_count"]
    N: Count
    """The fewest."""
    example: ClassVar[Example] = Example(
        {"type": "count:unique_word_count", "N": 3}, "One word, another word.", "A word, a Word."
    )

    def follow(self, text: str) -> CheckResult:
        """Show the first place of each."""
        first = {word.text: word for word in reversed(trimmed_words(text))}
        detail = f"different words: {len(first)}, asked for at least {self.N}"
        return CheckResult(len(first) >= self.N, detail, spans(text, places(list(first.values()))))


_CONJUNCTIONS = frozenset({"and", "but", "for", "nor", "or", "so", "yet"})


class Conjunctions(BenchmarkSpec):
    """The text has at least `small_n` coordinating conjunctions, each counted once as it is written.

    Upper case and the punctuation that hangs on one make it another (`and`, `And`, `and,`), as in the reference.
    """

    type: Literal["conjunctions", "count:conjunctions"]
    small_n: Count
    """The fewest."""
    example: ClassVar[Example] = Example(
        {"type": "count:conjunctions", "small_n": 2}, "Sorry, but wait or call.", "Sorry, but wait."
    )

    def follow(self, text: str) -> CheckResult:
        """Show the first place of each."""
        found = [word for word in trimmed_words(text) if word.text in _CONJUNCTIONS]
        first = {text[word.start : word.end]: word for word in reversed(found)}
        detail = f"conjunctions: {len(first)}, asked for at least {self.small_n}"
        return CheckResult(len(first) >= self.small_n, detail, spans(text, places(list(first.values()))))


_NAMES_LISTED = (
    "Emma Liam Sophia Jackson Olivia Noah Ava Lucas Isabella Mason Mia Ethan Charlotte Alexander Amelia Benjamin "
    "Harper Leo Zoe Daniel Chloe Samuel Lily Matthew Grace Owen Abigail Gabriel Ella Jacob Scarlett Nathan Victoria "
    "Elijah Layla Nicholas Audrey David Hannah Christopher Penelope Thomas Nora Andrew Aria Joseph Claire Ryan "
    "Stella Jonathan"
)
_NAME = re.compile(rf"\b(?:{'|'.join(_NAMES_LISTED.split())})\b")


class PersonNames(BenchmarkSpec):
    """At least `N` different ones of fifty English first names (those that the prompts of IFBench list)."""

    type: Literal["person_names", "count:person_names"]
    N: Count
    """The fewest."""
    example: ClassVar[Example] = Example(
        {"type": "count:person_names", "N": 2}, "Emma wrote to Liam.", "Emma wrote to Emma."
    )

    def follow(self, text: str) -> CheckResult:
        """Show the first place of each."""
        first = {match.group(): match.span() for match in reversed(list(_NAME.finditer(text)))}
        detail = f"{len(first)} of the names, asked for at least {self.N}"
        return CheckResult(len(first) >= self.N, detail, spans(text, list(first.values())))


_DIGITS = re.compile(rf"\d(?:[{re.escape(PUNCTUATION)}]*\d)*")


class Numbers(BenchmarkSpec):
    """The text has exactly `N` numbers (digits with nothing but punctuation between them are one: `1,000.5`)."""

    type: Literal["numbers", "count:numbers"]
    N: Count
    """How many."""
    example: ClassVar[Example] = Example(
        {"type": "count:numbers", "N": 2}, "1,250.40 euro in 3 days.", "1,250.40 euro in 3 days and 2 hours."
    )

    def follow(self, text: str) -> CheckResult:
        """Show them."""
        found = [match.span() for match in _DIGITS.finditer(text)]
        return CheckResult(len(found) == self.N, f"numbers: {len(found)}, asked for {self.N}", spans(text, found))


class Punctuation(BenchmarkSpec):
    """Every one of `. , ! ? ; :` is there, and an interrobang (`?!`, `!?` or `‽`) besides."""

    type: Literal["punctuation", "count:punctuation"]
    example: ClassVar[Example] = Example(
        {"type": "count:punctuation"}, "Really?! Yes: wait; now, go! Why? So.", "Really?! Yes: wait; now, go."
    )

    def follow(self, text: str) -> CheckResult:
        """Show the interrobang."""
        bang = next((text.find(mark) for mark in ("?!", "!?", "‽") if mark in text), None)
        if bang is None:
            return CheckResult(False, "no interrobang")
        size = 1 if text[bang] == "‽" else 2
        rest = text if size == 1 else text[:bang] + text[bang + size :]
        missing = [mark for mark in ".,!?;:" if mark not in rest]
        detail = f"missing: {' '.join(missing)}" if missing else "every mark is there"
        return CheckResult(not missing, detail, spans(text, [(bang, bang + size)]))


class KeywordsMultiple(BenchmarkSpec):
    """Five keywords occur exactly one, two, three, five and seven times, as whole words, in either case.

    Whole words since a later commit of the reference; substrings before.
    """

    type: Literal["keywords_multiple", "count:keywords_multiple"]
    keyword1: Phrase
    """Once."""
    keyword2: Phrase
    """Twice."""
    keyword3: Phrase
    """Three times."""
    keyword4: Phrase
    """Five times."""
    keyword5: Phrase
    """Seven times."""
    example: ClassVar[Example] = Example(
        {
            "type": "count:keywords_multiple",
            "keyword1": "one",
            "keyword2": "two",
            "keyword3": "six",
            "keyword4": "ten",
            "keyword5": "zero",
        },
        "one two two six six six ten ten ten ten ten zero zero zero zero zero zero zero",
        "one two two six six six ten ten ten ten ten zero zero zero zero zero zero zeroes",
    )

    def follow(self, text: str) -> CheckResult:
        """Show every place of those whose count is wrong, or of all."""
        keywords = (self.keyword1, self.keyword2, self.keyword3, self.keyword4, self.keyword5)
        found = [[m.span() for m in keyword_pattern(k.strip(), whole=True).finditer(text)] for k in keywords]
        asked = (1, 2, 3, 5, 7)
        wrong = [at for at in range(5) if len(found[at]) != asked[at]]
        told = [f"{keywords[at]!r} {len(found[at])} times, asked for {asked[at]}" for at in wrong]
        shown = [place for at in (wrong or range(5)) for place in found[at]]
        return CheckResult(not wrong, "; ".join(told) or "every count is right", spans(text, shown))


_PRONOUNS_LISTED = (
    "i me we us you he him she her it they them my mine our ours your yours his hers its their theirs myself "
    "ourselves yourself yourselves himself herself itself themselves this that these those who whom whose which "
    "what whoever whomever whatever whichever anybody anyone anything everybody everyone everything nobody nothing "
    "somebody someone something each either neither both all some any none"
)
_PRONOUNS = frozenset(_PRONOUNS_LISTED.split())


class Pronouns(BenchmarkSpec):
    """The text has at least `N` English pronouns.

    Demonstrative, interrogative and indefinite ones count since a later commit of the reference.
    """

    type: Literal["pronouns", "count:pronouns"]
    N: Count
    """The fewest."""
    example: ClassVar[Example] = Example(
        {"type": "count:pronouns", "N": 3}, "We sent it to you.", "The refund was sent to you."
    )

    def follow(self, text: str) -> CheckResult:
        """Show them."""
        # Lower case first, since contractions are parted by their usual spelling.
        lower = lower_in_place(text).replace("/", " ")
        found = [(start, end) for start, end in treebank_tokens(lower) if lower[start:end] in _PRONOUNS]
        detail = f"pronouns: {len(found)}, asked for at least {self.N}"
        return CheckResult(len(found) >= self.N, detail, spans(text, found))


_JAPANESE = re.compile(r"[\u3040-\u30ff\u4e00-\u9fff]")


class WordsJapanese(BenchmarkSpec):
    """Every `N`-th word is written in Japanese; numbers may stand in its place."""

    type: Literal["words_japanese", "count:words_japanese"]
    N: Position
    """Every how many words."""
    example: ClassVar[Example] = Example(
        {"type": "count:words_japanese", "N": 2}, "good 本 and 水", "good 本 and water"
    )

    def follow(self, text: str) -> CheckResult:
        """Show the words that should have been Japanese."""
        asked = trimmed_words(text)[self.N - 1 :: self.N]
        wrong = [w for w in asked if w.text and not w.text.isdigit() and not _JAPANESE.search(w.text)]
        detail = f"{len(wrong)} of {len(asked)} words in question are not Japanese"
        return CheckResult(not wrong, detail, spans(text, places(wrong)))


class Overlap(BenchmarkSpec):
    """The share of the text's trigrams that the reference text has too is `percentage`, give or take 2.

    Trigrams of characters, as in the published verdicts (of tokens in later commits of the reference).
    """

    type: Literal["overlap", "ratio:overlap"]
    reference_text: Phrase
    """What the text is compared with."""
    percentage: Annotated[Whole, Field(ge=0, le=100)]
    """The share that is asked for."""
    example: ClassVar[Example] = Example(
        {"type": "ratio:overlap", "reference_text": "The refund is late.", "percentage": 100},
        "The refund",
        "Yesterday.",
    )

    def follow(self, text: str) -> CheckResult:
        """Say the share."""
        ours, theirs = _trigrams(text), _trigrams(self.reference_text)
        if not ours:
            return CheckResult(False, "the text has no trigram")
        share = len(ours & theirs) / len(ours) * 100
        passed = self.percentage - 2 <= share <= self.percentage + 2
        return CheckResult(passed, f"{share:.1f} % of the trigrams, asked for {self.percentage} ± 2")


def _trigrams(text: str) -> set[str]:
    return {text[at : at + 3] for at in range(len(text) - 2)}


KINDS = (
    WordCountRange,
    UniqueWordCount,
    Conjunctions,
    PersonNames,
    Numbers,
    Punctuation,
    KeywordsMultiple,
    Pronouns,
    WordsJapanese,
    Overlap,
)

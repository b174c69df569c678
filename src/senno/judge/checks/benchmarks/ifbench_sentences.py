"""IFBench: the sentences of a text. They are cut by the rules of `rule_sentences.py`."""

from __future__ import annotations

from itertools import pairwise
from typing import ClassVar, Literal

import regex

from senno.judge.checks.benchmarks.bare_words import PUNCTUATION, bare_words
from senno.judge.checks.benchmarks.ifeval_words import keyword_pattern
from senno.judge.checks.benchmarks.rule_sentences import Sentence, rule_sentences
from senno.judge.checks.benchmarks.spec import BenchmarkSpec
from senno.judge.checks.result import CheckResult, spans
from senno.judge.checks.spec import Count, Example, Phrase, Position


def _places(sentences: list[Sentence]) -> list[tuple[int, int]]:
    return [(sentence.start, sentence.end) for sentence in sentences]


def _ending(sentences: list[Sentence], mark: str) -> list[Sentence]:
    return [sentence for sentence in sentences if sentence.text.endswith(mark)]


class SentenceType(BenchmarkSpec):
    """There are twice as many sentences with a full stop as questions."""

    type: Literal["sentence_type", "ratio:sentence_type"]
    example: ClassVar[Example] = Example(
        {"type": "ratio:sentence_type"}, "It is late. Why? We do not know.", "It is late. Why?"
    )

    def follow(self, text: str) -> CheckResult:
        """Show the questions."""
        sentences = rule_sentences(text)
        stops, questions = _ending(sentences, "."), _ending(sentences, "?")
        detail = f"{len(stops)} with a full stop, {len(questions)} questions"
        return CheckResult(len(stops) == 2 * len(questions), detail, spans(text, _places(questions)))


class SentenceBalance(BenchmarkSpec):
    """There are as many sentences with a full stop as questions and as exclamations."""

    type: Literal["sentence_balance", "ratio:sentence_balance"]
    example: ClassVar[Example] = Example(
        {"type": "ratio:sentence_balance"}, "It is late. Why? Who knows!", "It is late. Why? Who knows."
    )

    def follow(self, text: str) -> CheckResult:
        """Count them."""
        sentences = rule_sentences(text)
        stops, questions, bangs = (len(_ending(sentences, mark)) for mark in ".?!")
        detail = f"{stops} with a full stop, {questions} questions, {bangs} exclamations"
        return CheckResult(stops == questions == bangs, detail)


class SentenceWords(BenchmarkSpec):
    """Three sentences of the same number of characters, and no word twice.

    No word twice since a later commit of the reference.
    """

    type: Literal["sentence_words", "ratio:sentence_words"]
    example: ClassVar[Example] = Example(
        {"type": "ratio:sentence_words"}, "It is late. We're safe. You go now!", "It is late. It's late. You go on!"
    )

    def follow(self, text: str) -> CheckResult:
        """Show the sentences."""
        sentences = rule_sentences(text)
        lengths = [len(sentence.text) for sentence in sentences]
        words = [word.text for word in bare_words(" ".join(sentence.text for sentence in sentences))]
        twice = len(words) - len(set(words))
        passed = len(sentences) == 3 and len(set(lengths)) == 1 and not twice
        detail = f"sentences of {', '.join(map(str, lengths))} characters, {twice} words again"
        return CheckResult(passed, detail, spans(text, _places(sentences)))


class AlliterationIncrement(BenchmarkSpec):
    """Each sentence has more alliterating words (neighbours with the same first letter) than the one before."""

    type: Literal["alliteration_increment", "sentence:alliteration_increment"]
    example: ClassVar[Example] = Example(
        {"type": "sentence:alliteration_increment"}, "Late. Very vast. Big blue boats.", "Very vast. Late."
    )

    def follow(self, text: str) -> CheckResult:
        """Show the first sentence that has not."""
        before = -1
        for sentence in rule_sentences(text):
            count = _alliterating(sentence.text)
            if count <= before:
                detail = f"a sentence has {count} alliterating words, the one before {before}"
                return CheckResult(False, detail, spans(text, [sentence[1:]]))
            before = count
        return CheckResult(True, "each sentence has more alliterating words than the one before")


def _alliterating(sentence: str) -> int:
    words = [word for run in sentence.lower().split() if (word := run.lstrip(PUNCTUATION))]
    same = [a[0] == b[0] for a, b in pairwise(words)]
    runs = sum(now and not before for before, now in zip([False, *same], same, strict=False))
    return sum(same) + runs


class SentenceIncrement(BenchmarkSpec):
    """Each sentence has exactly `small_n` more words than the one before."""

    type: Literal["sentence_increment", "sentence:increment"]
    small_n: Count
    """How many more."""
    example: ClassVar[Example] = Example(
        {"type": "sentence:increment", "small_n": 1},
        "Late. Very late. It is late.",
        "Late. Very late. It is very late.",
    )

    def follow(self, text: str) -> CheckResult:
        """Show the first sentence that has not."""
        sentences = rule_sentences(text)
        counts = [len(bare_words(sentence.text)) for sentence in sentences]
        for at in range(1, len(counts)):
            if counts[at] != counts[at - 1] + self.small_n:
                detail = f"a sentence has {counts[at]} words, the one before {counts[at - 1]}"
                return CheckResult(False, detail, spans(text, [sentences[at][1:]]))
        return CheckResult(True, f"each sentence has {self.small_n} more words than the one before")


class SentenceKeyword(BenchmarkSpec):
    """The `N`-th sentence has the word in it, in either case."""

    type: Literal["sentence_keyword", "sentence:keyword"]
    word: Phrase
    """What must be there."""
    N: Position
    """Which sentence, from 1."""
    example: ClassVar[Example] = Example(
        {"type": "sentence:keyword", "word": "refund", "N": 2}, "Sorry. The Refund is late.", "Sorry. Refunds are late."
    )

    def follow(self, text: str) -> CheckResult:
        """Show the word, or the sentence without it."""
        sentences = rule_sentences(text)
        if len(sentences) < self.N:
            return CheckResult(False, f"sentences: {len(sentences)}, none at position {self.N}")
        sentence = sentences[self.N - 1]
        pattern = keyword_pattern(self.word, whole=True)
        if not pattern.search(sentence.text):
            return CheckResult(False, f"{self.word!r} is not in sentence {self.N}", spans(text, [sentence[1:]]))
        match = pattern.search(text, sentence.start, sentence.end)
        place = match.span() if match else sentence[1:]
        return CheckResult(True, f"{self.word!r} is in sentence {self.N}", spans(text, [place]))


# Emoji as the Unicode data calls them, without digits, `#`, `*` and single flag letters, which are emoji in
# sequences only: the same set as `emoji.is_emoji` of single characters.
_EMOJI = regex.compile(r"[\p{Emoji}--[0-9#*\p{Regional_Indicator}]]", regex.V1)
_NO_PUNCTUATION = str.maketrans("", "", PUNCTUATION)


class EmojiSentences(BenchmarkSpec):
    """An emoji stands at the end of every sentence, or at the beginning of the next."""

    type: Literal["emoji", "format:emoji"]
    example: ClassVar[Example] = Example({"type": "format:emoji"}, "Sorry 😀. It is late 🕒.", "Sorry 😀. It is late.")

    def follow(self, text: str) -> CheckResult:
        """Show the first sentence without one."""
        sentences = rule_sentences(text)
        bare = [sentence.text.translate(_NO_PUNCTUATION).strip() for sentence in sentences]
        for at, sentence in enumerate(bare):
            following = bare[at + 1] if at + 1 < len(bare) else ""
            # The last but one counts: a variation selector may follow the emoji.
            ends = bool(sentence) and any(_EMOJI.match(char) for char in sentence[-2:])
            if not ends and not (sentence and _EMOJI.match(following)):
                return CheckResult(False, "a sentence has no emoji at its end", spans(text, [sentences[at][1:]]))
        return CheckResult(True, "every sentence has an emoji at its end")


KINDS = (
    SentenceType,
    SentenceBalance,
    SentenceWords,
    AlliterationIncrement,
    SentenceIncrement,
    SentenceKeyword,
    EmojiSentences,
)

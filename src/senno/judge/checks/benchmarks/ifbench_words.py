"""IFBench: the words of a text, one by one."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from typing import ClassVar, Literal

from senno.judge.checks.benchmarks.bare_words import EDGES, BareWord, bare_words, lower_in_place, places, trimmed_words
from senno.judge.checks.benchmarks.rule_sentences import rule_sentences
from senno.judge.checks.benchmarks.spec import BenchmarkSpec
from senno.judge.checks.benchmarks.treebank import treebank_tokens
from senno.judge.checks.result import CheckResult, span, spans
from senno.judge.checks.spec import Count, Example, Phrase, Position


class Alphabet(BenchmarkSpec):
    """Each word begins with the next letter of the alphabet; A comes after Z."""

    type: Literal["alphabet", "words:alphabet"]
    example: ClassVar[Example] = Example({"type": "words:alphabet"}, "You zip a bag.", "You zip the bag.")

    def follow(self, text: str) -> CheckResult:
        """Show the first word that does not."""
        words = bare_words(text)
        if not words or not "a" <= words[0].text[0] <= "z":
            return CheckResult(False, "the first word begins with no letter", spans(text, places(words[:1])))
        first = ord(words[0].text[0]) - ord("a")
        for at, word in enumerate(words):
            letter = chr(ord("a") + (first + at) % 26)
            if word.text[0] != letter:
                return CheckResult(False, f"word {at + 1} should begin with {letter!r}", spans(text, places([word])))
        return CheckResult(True, "each word begins with the next letter")


class Vowel(BenchmarkSpec):
    """One paragraph whose words have at most three of the vowels a, e, i, o, u."""

    type: Literal["vowel", "words:vowel"]
    example: ClassVar[Example] = Example({"type": "words:vowel"}, "An old man sat.", "Our client is angry.")

    def follow(self, text: str) -> CheckResult:
        """Show the first place of each vowel."""
        paragraph = text.strip()
        if "\n" in paragraph:
            return CheckResult(False, "more than one paragraph")
        first = {vowel: at for vowel in "aeiou" if (at := lower_in_place(text).find(vowel)) >= 0}
        detail = f"{len(first)} vowels ({' '.join(first)}), asked for at most 3"
        return CheckResult(len(first) <= 3, detail, spans(text, [(at, at + 1) for at in first.values()]))


_CONSONANTS = frozenset("bcdfghjklmnpqrstvwxyz")


class Consonants(BenchmarkSpec):
    """Each word has two consonants in a row."""

    type: Literal["consonants", "words:consonants"]
    example: ClassVar[Example] = Example({"type": "words:consonants"}, "This client went.", "This client is out.")

    def follow(self, text: str) -> CheckResult:
        """Show the words that have not."""
        wrong = [w for w in trimmed_words(text) if not _has_cluster(text[w.start : w.end].lower())]
        return CheckResult(not wrong, f"{len(wrong)} words without two consonants in a row", spans(text, places(wrong)))


def _has_cluster(word: str) -> bool:
    return any(a in _CONSONANTS and b in _CONSONANTS for a, b in pairwise(word))


class Palindrome(BenchmarkSpec):
    """The text has at least ten words of five letters or more that read the same backwards."""

    type: Literal["palindrome", "words:palindrome"]
    example: ClassVar[Example] = Example(
        {"type": "words:palindrome"}, "Level radar civic. " * 4, "Level radar civic. " * 3
    )

    def follow(self, text: str) -> CheckResult:
        """Show them."""
        found = [word for word in bare_words(text) if len(word.text) >= 5 and word.text == word.text[::-1]]
        detail = f"palindromes: {len(found)}, asked for at least 10"
        return CheckResult(len(found) >= 10, detail, spans(text, places(found)))


class PrimeLengths(BenchmarkSpec):
    """The length of each word is a prime number below 100."""

    type: Literal["prime_lengths", "words:prime_lengths"]
    example: ClassVar[Example] = Example({"type": "words:prime_lengths"}, "You are in there.", "You were in there.")

    def follow(self, text: str) -> CheckResult:
        """Show the words whose length is not."""
        wrong = [word for word in bare_words(text) if not _is_prime(len(word.text))]
        return CheckResult(not wrong, f"{len(wrong)} words whose length is no prime", spans(text, places(wrong)))


def _is_prime(length: int) -> bool:
    return 2 <= length < 100 and all(length % divisor for divisor in range(2, int(length**0.5) + 1))


class Repeats(BenchmarkSpec):
    """No word occurs more than `small_n` times, in either case."""

    type: Literal["repeats", "words:repeats"]
    small_n: Count
    """The most."""
    example: ClassVar[Example] = Example(
        {"type": "words:repeats", "small_n": 1}, "The refund is late.", "The refund is the refund."
    )

    def follow(self, text: str) -> CheckResult:
        """Show every place of the words that do."""
        words = bare_words(text)
        often = {word for word, count in Counter(w.text for w in words).items() if count > self.small_n}
        detail = f"{len(often)} words occur more than {self.small_n} times"
        return CheckResult(not often, detail, spans(text, places([w for w in words if w.text in often])))


class NoConsecutive(BenchmarkSpec):
    """No two words in a row begin with the same letter, in either case."""

    type: Literal["no_consecutive", "words:no_consecutive"]
    example: ClassVar[Example] = Example({"type": "words:no_consecutive"}, "The refund is here.", "The two refunds.")

    def follow(self, text: str) -> CheckResult:
        """Show the pairs that do."""
        words = bare_words(text)
        pairs = [(a, b) for a, b in pairwise(words) if a.text[0] == b.text[0]]
        detail = f"{len(pairs)} pairs of words begin with the same letter"
        return CheckResult(not pairs, detail, spans(text, [(a.start, b.end) for a, b in pairs]))


class LastFirst(BenchmarkSpec):
    """The last word of each sentence is the first of the next."""

    type: Literal["last_first", "words:last_first"]
    example: ClassVar[Example] = Example(
        {"type": "words:last_first"}, "We sent the refund. Refund or not!", "We sent the refund. It is late."
    )

    def follow(self, text: str) -> CheckResult:
        """Show the first sentence that does not begin so."""
        sentences = rule_sentences(text)
        for before, after in pairwise(sentences):
            last, first = before.text.rstrip(EDGES).split(), after.text.lstrip(EDGES).split()
            if not last or not first or last[-1].lower() != first[0].lower():
                return CheckResult(False, "a sentence begins with another word", spans(text, [after[1:]]))
        return CheckResult(True, "each sentence begins with the last word of the one before")


class ParagraphLastFirst(BenchmarkSpec):
    """Each line ends with the word that it begins with, in either case."""

    type: Literal["paragraph_last_first", "words:paragraph_last_first"]
    example: ClassVar[Example] = Example(
        {"type": "words:paragraph_last_first"}, "Late is late.\nNo means no.", "Late is late.\nNo means never."
    )

    def follow(self, text: str) -> CheckResult:
        """Show the lines that do not."""
        wrong: list[tuple[int, int]] = []
        at = 0
        for line in text.split("\n"):
            words = line.strip().lower().strip(EDGES).split()
            if words and words[0] != words[-1]:
                wrong.append((at, at + len(line)))
            at += len(line) + 1
        return CheckResult(not wrong, f"{len(wrong)} paragraphs end with another word", spans(text, wrong))


def _tokens(text: str) -> list[BareWord]:
    """Tokens that have more than punctuation in them."""
    found = (BareWord(text[start:end], start, end) for start, end in treebank_tokens(text))
    return [token for token in found if any(char.isalnum() for char in token.text)]


class KeywordsSpecificPosition(BenchmarkSpec):
    """The `m`-th word of the `n`-th sentence is the keyword, in either case.

    Punctuation is no word since a later commit of the reference.
    """

    type: Literal["keywords_specific_position", "words:keywords_specific_position"]
    keyword: Phrase
    """The word."""
    n: Position
    """Which sentence, from 1."""
    m: Position
    """Which word of it, from 1."""
    example: ClassVar[Example] = Example(
        {"type": "words:keywords_specific_position", "keyword": "refund", "n": 2, "m": 3},
        "Sorry. Well, your refund is late.",
        "Sorry. Well, refund is late.",
    )

    def follow(self, text: str) -> CheckResult:
        """Show the word that is there."""
        sentences = rule_sentences(text)
        if len(sentences) < self.n:
            return CheckResult(False, f"sentences: {len(sentences)}, none at position {self.n}")
        sentence = sentences[self.n - 1]
        words = _tokens(text[sentence.start : sentence.end])
        if len(words) < self.m:
            return CheckResult(False, f"sentence {self.n} has words: {len(words)}, none at position {self.m}")
        word = words[self.m - 1]
        passed = word.text.lower() == self.keyword.strip().lower()
        place = span(text, sentence.start + word.start, sentence.start + word.end)
        return CheckResult(passed, f"word {self.m} of sentence {self.n} is {word.text!r}", (place,))


class WordsPosition(BenchmarkSpec):
    """The second word and the second to last one are the keyword, in either case.

    Punctuation is no word since a later commit of the reference.
    """

    type: Literal["words_position", "words:words_position"]
    keyword: Phrase
    """The word."""
    example: ClassVar[Example] = Example(
        {"type": "words:words_position", "keyword": "refund"},
        "The refund: a refund indeed.",
        "The late refund, indeed.",
    )

    def follow(self, text: str) -> CheckResult:
        """Show both words."""
        words = _tokens(text)
        if len(words) < 2:
            return CheckResult(False, "fewer than two words")
        both = [words[1], words[-2]]
        passed = all(word.text.lower() == self.keyword.strip().lower() for word in both)
        return CheckResult(passed, f"{both[0].text!r} and {both[1].text!r} are there", spans(text, places(both)))


KINDS = (
    Alphabet,
    Vowel,
    Consonants,
    Palindrome,
    PrimeLengths,
    Repeats,
    NoConsecutive,
    LastFirst,
    ParagraphLastFirst,
    KeywordsSpecificPosition,
    WordsPosition,
)

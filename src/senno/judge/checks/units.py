"""Characters, words, lines and paragraphs of a text, each with its place."""

from __future__ import annotations

import regex

from senno.judge.checks.result import CheckError
from senno.judge.checks.sentences import sentences

Places = list[tuple[int, int]]

_CHARACTER = regex.compile(r"\X")
_ONE_EACH = r"\p{Han}\p{Hiragana}\p{Katakana}"
_WORD = regex.compile(rf"[{_ONE_EACH}]|[^\s{_ONE_EACH}]+")
_LETTER_OR_DIGIT = regex.compile(r"[\p{L}\p{N}]")
_UNSPACED = regex.compile(r"[\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}\p{Tibetan}]")
_PARAGRAPH = regex.compile(r"\S(?:[^\n]|\n(?![^\S\n]*(?:\n|\Z)))*")


def characters(text: str) -> Places:
    """Characters as a reader counts them: grapheme clusters (Unicode Annex 29), so `é` and a flag are one each."""
    if text.isascii() and "\r" not in text:
        return [(at, at + 1) for at in range(len(text))]
    return [match.span() for match in _CHARACTER.finditer(text)]


def words(text: str) -> Places:
    """Words as word processors count them: between white space, with a letter or a digit in them.

    `l'investimento` and `pre-contract` are one word. Chinese and Japanese characters are one word each.

    Raises:
        CheckError: the text has a script (Thai, Lao, Khmer, Burmese, Tibetan) whose words only a dictionary parts.
    """
    if _UNSPACED.search(text):
        raise CheckError(
            "words cannot be counted in a script that puts no spaces between them (Thai, Lao, Khmer, Burmese, "
            "Tibetan); measure the length in characters"
        )
    return [m.span() for m in _WORD.finditer(text) if _LETTER_OR_DIGIT.search(m.group())]


def lines(text: str) -> Places:
    """Lines that have something in them."""
    places: Places = []
    at = 0
    for line in text.split("\n"):
        if line.strip():
            places.append((at, at + len(line)))
        at += len(line) + 1
    return places


def paragraphs(text: str) -> Places:
    """Blocks of text between blank lines."""
    return [match.span() for match in _PARAGRAPH.finditer(text) if match.group().strip()]


UNITS = {
    "characters": characters,
    "words": words,
    "sentences": sentences,
    "lines": lines,
    "paragraphs": paragraphs,
}

"""A text as the rules read it: quotations and code covered, the sentence that declares data set aside."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass

from senno.judge.lint.lexicon import Lexicon

COVER = "█"
"""Stands for each character of a quotation, of code, or of a name in backticks."""

_COVERED = re.compile(
    r"`[^`\n]*`|“[^”]*”|«[^»]*»|„[^“”]*[“”]|\"[^\"]*\"|(?<![\w'])'(?=\S)[^'\n]{1,80}(?<=\S)'(?!\w)|\([^()]*\)|"
    r"https?://\S+"
)
_SENTENCE = re.compile(r"[^.!?;\n]*(?:[.!?;\n]+|$)")
_INNER_STOP = re.compile(r"(?<=\w)[.!?](?=\w)|\b(?:e\.g|i\.e|etc|vs|es|ecc|cfr|pag)\.", re.IGNORECASE)
_SPACE = re.compile(r"\s+")
_APOSTROPHES = str.maketrans({"’": "'", "ʼ": "'", "‘": "'", "´": "'"})
_NAME = re.compile(r"`([^\W\d]\w*)(?:[.\[][^`]*)?`")


def plain(text: str) -> str:
    """Unicode NFC, one kind of apostrophe, white space single: decomposed `perché` is one word with the composed one.

    An empty line stays a line end: it ends a sentence; a line that merely wraps does not.
    """
    composed = unicodedata.normalize("NFC", text).translate(_APOSTROPHES)
    return _SPACE.sub(lambda match: "\n" if match[0].count("\n") > 1 else " ", composed.strip())


def covered(text: str) -> str:
    """`text` with quotations, code, parentheses and addresses covered, every other character where it was."""
    return _COVERED.sub(lambda match: COVER * len(match[0]), text)


def sentences(text: str) -> Iterator[tuple[int, str]]:
    """Start and text of each sentence of a covered text; a point inside a word (`v1.2`, `e.g.`) ends none."""
    whole = _INNER_STOP.sub(lambda match: match[0].replace(".", COVER).replace("!", COVER).replace("?", COVER), text)
    for match in _SENTENCE.finditer(whole):
        if match[0].strip():
            yield match.start(), text[match.start() : match.end()]


def backticked(text: str) -> tuple[str, ...]:
    """The names in backticks, without what is inside a field: of `` `user.name` `` it is `user`."""
    return tuple(dict.fromkeys(match[1] for match in _NAME.finditer(text)))


@dataclass(frozen=True, slots=True)
class Wording:
    """One text of a question."""

    text: str
    """As the file has it, plain."""
    read: str
    """The same length: covered, and blank where data is declared."""
    declares_data: bool

    @classmethod
    def of(cls, text: str, lexicon: Lexicon | None) -> Wording:
        """Prepare a text; without a lexicon no declaration is recognised."""
        own = plain(text)
        read = covered(own)
        declares = False
        for start, sentence in list(sentences(read)):
            if lexicon and not sentence.rstrip().endswith("?") and lexicon.declares_data.search(sentence):
                read = read[:start] + " " * len(sentence) + read[start + len(sentence) :]
                declares = True
        return cls(own, read, declares)

    def sentences(self) -> Iterator[tuple[int, str]]:
        """Start and text of each sentence that is read."""
        return sentences(self.read)

    @property
    def asks(self) -> str:
        """What is left of the text without the declarations of data."""
        return " ".join(self.show(start, start + len(sentence)) for start, sentence in self.sentences())

    def show(self, start: int, end: int) -> str:
        """The words of the file there."""
        return self.text[start:end]

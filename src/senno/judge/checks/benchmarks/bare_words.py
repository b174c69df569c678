"""Words as IFBench takes them: between white space, lower case, ASCII punctuation away."""

from __future__ import annotations

import re
import string
from typing import NamedTuple

PUNCTUATION = string.punctuation
EDGES = string.punctuation + " "
_DELETED = str.maketrans("", "", string.punctuation)
_RUN = re.compile(r"\S+")
WORD = re.compile(r"\w+")


def lower_in_place(text: str) -> str:
    """Lower case with the same offsets: the few letters whose lower case is longer stay as they are."""
    lower = text.lower()
    if len(lower) == len(text):
        return lower
    return "".join(low if len(low := char.lower()) == 1 else char for char in text)


class BareWord(NamedTuple):
    """A word as compared, and where it stands."""

    text: str
    start: int
    end: int


def bare_words(text: str) -> list[BareWord]:
    """Every run between white space that has more than punctuation in it, punctuation deleted inside too."""
    runs = ((run.group().lower().translate(_DELETED), *run.span()) for run in _RUN.finditer(text))
    return [BareWord(*word) for word in runs if word[0]]


def trimmed_words(text: str) -> list[BareWord]:
    """Every run between white space, punctuation taken off at both ends only; it may be all of it."""
    return [BareWord(run.group().strip(EDGES).lower(), *run.span()) for run in _RUN.finditer(text)]


def places(words: list[BareWord]) -> list[tuple[int, int]]:
    """Where they stand."""
    return [(word.start, word.end) for word in words]

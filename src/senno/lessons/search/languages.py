"""The language of a text, by its script and its function words; and the stemmer of each."""

from __future__ import annotations

import re
import threading
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any, cast

import Stemmer

# The most frequent function words of each language, folded as tokens are; many stand in several.
_FUNCTION_WORDS: Mapping[str, frozenset[str]] = {
    language: frozenset(words.split())
    for language, words in {
        "english": "the of and to in is was that it for with as on by at from this be are not which should but have "
        "has were an a or when if its their you they than been because did does will would s t",
        "italian": "il lo la gli le un uno una di del della dei delle nel nella e che non per con su da al alla sono "
        "era come anche piu questo questa ma ho ha stato quando perche si cui dal dalla ogni senza prima "
        "i in a o l d",
        "german": "der die das und ist nicht ein eine den dem des mit von zu auf fur im sich wird wurde auch als "
        "aus bei nach wenn oder sind war nur noch durch kein dass ich es in an",
        "french": "le la les des du un une et est dans que qui pour pas sur avec au aux par ce cette il elle ne se "
        "sont ete mais ou plus etait leur nous vous je comme en de a l d",
        "spanish": "el la los las de del un una y en que es no por con para se al lo como mas pero sus fue era esta "
        "este cuando ha son sin sobre tambien hay porque a o",
        "portuguese": "o a os as de do da dos das um uma e em que nao por com para se ao no na nos nas mais mas foi "
        "era esta este quando sao sem sobre tambem pelo pela ou",
        "dutch": "de het een en van in is niet dat op te voor met zijn aan er die ook als bij door maar om of uit "
        "naar dan worden werd was geen wordt moet",
        "swedish": "och att det som en av ar for den till inte med om ett pa har de var men sa vi kan eller fran nar "
        "ska skulle blev ingen detta i",
        "russian": "и в не на что с по как это из к у за от о но а для при был была было были его ее их или если так "
        "же только когда чтобы без до то",
    }.items()
}
_SPEAKERS: Mapping[str, tuple[str, ...]] = {
    word: tuple(language for language, words in _FUNCTION_WORDS.items() if word in words)
    for word in sorted({word for words in _FUNCTION_WORDS.values() for word in words})
}

_SCRIPTS: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("russian", re.compile(r"[\u0400-\u04ff]")),
    ("greek", re.compile(r"[\u0370-\u03ff]")),
    ("arabic", re.compile(r"[\u0600-\u06ff]")),
    ("hindi", re.compile(r"[\u0900-\u097f]")),
    ("tamil", re.compile(r"[\u0b80-\u0bff]")),
)
"""Scripts whose language is taken from them: Ukrainian is stemmed as Russian is, Urdu as Arabic."""

DEFAULT = "english"

LANGUAGES: tuple[str, ...] = (*_FUNCTION_WORDS, *(name for name, _ in _SCRIPTS if name not in _FUNCTION_WORDS))

_LOOKED_AT = 1000
"""Words of a text that its language is told by."""


def language_of(text: str, words: Sequence[str]) -> str:
    """The language that a text is stemmed by: that of its script, else the one with most of its function words.

    A text of few words or of none of these languages counts as English: that leaves most foreign words as they are.

    Args:
        text: as it was written.
        words: its words, folded.
    """
    if not text.isascii():
        some = text[: 8 * _LOOKED_AT]
        letters = sum(map(str.isalpha, some))
        for language, script in _SCRIPTS:
            if 2 * len(script.findall(some)) > letters:
                return language
    counts = Counter(language for word in words[:_LOOKED_AT] for language in _SPEAKERS.get(word, ()))
    best = max(_FUNCTION_WORDS, key=lambda language: counts[language])  # the first of equals: English before all
    return best if counts[best] > 1 else DEFAULT


def is_function_word(word: str, language: str) -> bool:
    """Whether a folded word is one that says nothing by itself."""
    return language in _SPEAKERS.get(word, ())


_own = threading.local()  # a stemmer must not be used by two threads at once


def snowball_version() -> str:
    """Of the stemmers: another one may make other stems."""
    return cast("Any", Stemmer).version()


def _stemmer(language: str) -> Callable[[list[str]], list[str]]:
    stemmers: dict[str, Callable[[list[str]], list[str]]] = _own.__dict__.setdefault("stemmers", {})
    if language not in stemmers:
        stemmers[language] = cast("Any", Stemmer).Stemmer(language).stemWords
    return stemmers[language]


def stems(words: list[str], language: str) -> list[str]:
    """The stems of folded words (Snowball); what has a digit in it, or is an identifier, stays as it is."""
    made = _stemmer(language)(words)
    return [stem if word.isalpha() else word for word, stem in zip(words, made, strict=True)]

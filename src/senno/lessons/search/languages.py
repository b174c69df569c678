"""The language of a text, by its script and its function words; and the stemmer of each."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

import Stemmer

# The most frequent function words of each language that few others share; folded as tokens are.
_FUNCTION_WORDS: Mapping[str, frozenset[str]] = {
    language: frozenset(words.split())
    for language, words in {
        "english": "the of and to in is was that it for with as on by at from this be are not which should but have "
        "has were an or when if its their you they than been because did does will would",
        "italian": "il lo la gli le un uno una di del della dei delle nel nella e che non per con su da al alla sono "
        "era e come anche piu questo questa ma ho ha stato quando perche si cui dal dalla ogni senza "
        "prima",
        "german": "der die das und ist nicht ein eine den dem des mit von zu auf fur im sich wird wurde auch als "
        "aus bei nach wenn oder sind war nur noch durch kein dass ich es",
        "french": "le la les des du un une et est dans que qui pour pas sur avec au aux par ce cette il elle ne se "
        "sont ete mais ou plus etait leur nous vous je comme",
        "spanish": "el la los las de del un una y en que es no por con para se al lo como mas pero sus fue era esta "
        "este cuando ha son sin sobre tambien hay porque",
        "portuguese": "o a os as de do da dos das um uma e em que nao por com para se ao no na nos nas mais mas foi "
        "era esta este quando sao sem sobre tambem pelo pela ou",
        "dutch": "de het een en van in is niet dat op te voor met zijn aan er die ook als bij door maar om of uit "
        "naar dan worden werd was geen wordt moet",
        "swedish": "och att det som en av ar for den till inte med om ett pa har de var men sa vi kan eller fran nar "
        "ska skulle blev ingen detta",
    }.items()
}

_LANGUAGES_OF: Mapping[str, list[str]] = {
    word: [language for language, own in _FUNCTION_WORDS.items() if word in own]
    for word in sorted({word for own in _FUNCTION_WORDS.values() for word in own})
}

_SCRIPTS: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("russian", re.compile(r"[\u0400-\u04ff]")),
    ("greek", re.compile(r"[\u0370-\u03ff]")),
    ("arabic", re.compile(r"[\u0600-\u06ff]")),
    ("hindi", re.compile(r"[\u0900-\u097f]")),
    ("tamil", re.compile(r"[\u0b80-\u0bff]")),
)
"""Scripts whose language is taken from them: Ukrainian is stemmed as Russian is, Urdu as Arabic."""

LANGUAGES: tuple[str, ...] = (*_FUNCTION_WORDS, *(language for language, _ in _SCRIPTS))


def language_of(text: str, words: list[str]) -> str:
    """The language that a text is stemmed by: that of its script, else the one with most of its function words.

    A text of few words or of none of these languages counts as English: that leaves most foreign words as they are.

    Args:
        text: as it was written.
        words: its words, folded.
    """
    if not text.isascii():
        letters = sum(map(str.isalpha, text))
        for language, script in _SCRIPTS:
            if 2 * len(script.findall(text)) > letters:
                return language
    counts = dict.fromkeys(_FUNCTION_WORDS, 0)
    for word in words:
        for language in _LANGUAGES_OF.get(word, ()):
            counts[language] += 1
    return max(counts, key=lambda language: counts[language]) if any(counts.values()) else "english"


def is_function_word(word: str, language: str) -> bool:
    """Whether a folded word is one that says nothing by itself."""
    return word in _FUNCTION_WORDS.get(language, ())


@cache
def _stemmer(language: str) -> Callable[[str], str]:
    made: Any = Stemmer
    return made.Stemmer(language, 0).stemWord


def stem(word: str, language: str) -> str:
    """The stem of a folded word (Snowball)."""
    return _stemmer(language)(word)

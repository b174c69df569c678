"""A text as the terms that it is found by. Pure: the same text gives the same terms in every process."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

from senno.lessons.search.languages import is_function_word, language_of, stem

VERSION = f"1, Unicode {unicodedata.unidata_version}"
"""Another version makes other terms: the index is then made again."""

# Scripts that put no spaces between words: Thai, Lao, Burmese, Khmer, Chinese, Japanese.
_SPACELESS = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\u2fff\u3005-\u3007\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff"
    "\U00020000-\U0003ffff"
)
_PIECE = re.compile(
    rf"[{_SPACELESS}]+|[^\W{_SPACELESS}](?:[^\W{_SPACELESS}]|[\u0300-\u036f\u0591-\u06ed\u0900-\u0dff])*"
)
_IS_SPACELESS = re.compile(rf"[{_SPACELESS}]")
_PARTS = re.compile(r"_+|(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_LATIN_MARKS = re.compile(r"(?<=[a-z0-9])[\u0300-\u036f]+")

_LONGEST = 64
"""Letters of a term: what is longer (a hash, a line of base64) is cut."""


@dataclass(frozen=True, slots=True)
class Words:
    """The words of a text, before they are stemmed."""

    plain: tuple[str, ...]
    """Folded, in order; of an identifier the whole and its parts."""
    grams: tuple[str, ...]
    """Of scripts without spaces: each run of two and of three letters, and a letter that stands alone."""
    language: str


def words_of(text: str) -> Words:
    """The words of a text.

    A table of trigrams alone finds no Chinese word of two letters, which are most of them: so both sizes.
    """
    plain: list[str] = []
    grams: list[str] = []
    for piece in _PIECE.findall(unicodedata.normalize("NFKC", text)):
        if _IS_SPACELESS.match(piece):
            grams.extend(_grams(piece))
        else:
            plain.extend(_word(piece))
    return Words(tuple(plain), tuple(grams), language_of(text, plain))


def _word(piece: str) -> list[str]:
    whole = _folded(piece.strip("_"))
    if not whole:
        return []
    parts = [part for part in _PARTS.split(piece) if part]
    if len(parts) < 2:
        return [whole]
    return [whole.replace("_", ""), *(_folded(part) for part in parts)]


def _folded(piece: str) -> str:
    if piece.isascii():
        return piece.lower()[:_LONGEST]
    apart = unicodedata.normalize("NFKD", piece.casefold())
    return unicodedata.normalize("NFC", _LATIN_MARKS.sub("", apart))[:_LONGEST]


def _grams(run: str) -> list[str]:
    if len(run) == 1:
        return [run]
    return [run[i : i + size] for size in (2, 3) for i in range(len(run) - size + 1)]


def terms_of(words: Words) -> list[str]:
    """The terms that a lesson is indexed by, with repetitions: stems by its own language."""
    return [*(stem(word, words.language) for word in words.plain), *words.grams]


def query_terms(words: Words, languages: list[str]) -> list[tuple[str, ...]]:
    """The terms of a query: for each word its stems under all languages, since the query may be in any of them.

    Each group once, in order; function words only where there is nothing else.

    Args:
        words: of the query.
        languages: of the lessons in the index.
    """
    own = dict.fromkeys([words.language, *languages])
    telling = [word for word in words.plain if not is_function_word(word, words.language)]
    plain = telling or ([] if words.grams else list(words.plain))
    groups = [tuple(dict.fromkeys(stem(word, language) for language in own)) for word in dict.fromkeys(plain)]
    return list(dict.fromkeys([*groups, *((gram,) for gram in words.grams)]))

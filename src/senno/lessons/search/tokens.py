"""A text as the terms that it is found by. Pure: the same text gives the same terms in every process."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from senno.lessons.search.languages import is_function_word, language_of, snowball_version, stems

VERSION = f"3, Unicode {unicodedata.unidata_version}, Snowball {snowball_version()}"
"""Another version makes other terms: the index is then made again."""

# Scripts that put no spaces between words (Thai, Lao, Burmese, Khmer, Chinese, Japanese), and Korean: its words end in
# particles that no stemmer here takes off.
_SPACELESS = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\u2fff\u3005-\u3007\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff"
    "\u1100-\u11ff\u3131-\u318e\uac00-\ud7a3"
    "\U00020000-\U0003ffff"
)
# Marks that belong to the letter before them: Latin and the like, Hebrew, Arabic, the scripts of India.
_MARKS = "\u0300-\u036f\u0591-\u06ed\u0900-\u0dff"
_LETTER = rf"[^\W{_SPACELESS}]"
_RUN = rf"{_LETTER}(?:{_LETTER}|[{_MARKS}])*"
_PIECE = re.compile(rf"[{_SPACELESS}]+|{_RUN}(?:[.-]{_RUN})*")
_ASCII_PIECE = re.compile(r"[a-z0-9_]+(?:[.-][a-z0-9_]+)*", re.IGNORECASE)
_IS_SPACELESS = re.compile(rf"[{_SPACELESS}]")
_JOINTS = re.compile(r"[._-]+")
_HUMPS = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_LATIN_MARKS = re.compile(r"(?<=[a-z0-9])[\u0300-\u036f]+")

_SHORT = 10_000
"""Letters of a text up to which its words are kept for a while."""

_LONGEST = 64
"""Letters of a term: what is longer (a line of base64) is cut."""


@dataclass(frozen=True, slots=True)
class Words:
    """The words of a text, before they are stemmed."""

    plain: list[str]
    """Folded, in order; of an identifier the whole and its parts."""
    grams: list[str]
    """Of scripts without spaces: each run of two and of three letters, and a letter that stands alone."""


def words_of(text: str) -> Words:
    """The words of a text; those of a text that was asked for just now are not made again."""
    return _recent(text) if len(text) < _SHORT else _words_of(text)


def _words_of(text: str) -> Words:
    """The words of a text: NFKC, without case and without the accents of Latin letters.

    A trigram table, as FTS5 has one, finds no Chinese word of two letters, which most of them are: so runs of two and
    of three. Of `parse_iso8601`, `os.path` and `INV-2026-17` the whole is a word (`parse_iso8601`, `os_path`,
    `inv_2026_17`), and so is each part; a hyphen alone makes no whole (`near-duplicate`).
    """
    plain: list[str] = []
    grams: list[str] = []
    if text.isascii():
        for piece in _ASCII_PIECE.findall(text):
            plain.extend(_word(piece))
        return Words(plain, grams)
    for piece in _PIECE.findall(unicodedata.normalize("NFKC", text)):
        if _IS_SPACELESS.match(piece):
            grams.extend(_grams(piece))
        else:
            plain.extend(_word(piece))
    return Words(plain, grams)


_recent = lru_cache(1024)(_words_of)  # a draft is compared with what is there, then stored


def _word(piece: str) -> Iterable[str]:
    if piece.isalnum() and (piece.islower() or piece.istitle()):
        return (_folded(piece),)
    return _parts(piece)


def _parts(piece: str) -> list[str]:
    joined = [part for part in _JOINTS.split(piece) if part]
    whole: list[str] = []
    if len(joined) > 1 and ("_" in piece or "." in piece or any(c.isdigit() for c in piece)):
        whole = ["_".join(map(_folded, joined))[:_LONGEST]]
    found: list[str] = []
    for part in joined:
        humps = _HUMPS.split(part)
        found.append(_folded(part))
        if len(humps) > 1:
            found.extend(map(_folded, humps))
    return [*whole, *found]


def _folded(piece: str) -> str:
    if piece.isascii():
        return piece.lower()[:_LONGEST]
    apart = unicodedata.normalize("NFKD", piece.casefold())
    return unicodedata.normalize("NFC", _LATIN_MARKS.sub("", apart)).replace("ё", "е")[:_LONGEST]


def _grams(run: str) -> list[str]:
    if len(run) == 1:
        return [run]
    return [run[i : i + size] for size in (2, 3) for i in range(len(run) - size + 1)]


@dataclass(frozen=True, slots=True)
class Analysed:
    """A lesson's texts as terms."""

    language: str
    terms: tuple[str, ...]
    """One text of terms for each text, separated by spaces, with repetitions."""


def analysed(texts: Sequence[str]) -> Analysed:
    """The terms of the texts of one lesson, stemmed by the one language of them all."""
    found = [words_of(text) for text in texts]
    language = language_of("\n".join(texts), [word for words in found for word in words.plain])
    return Analysed(language, tuple(" ".join([*stems(words.plain, language), *words.grams]) for words in found))


def language_of_text(text: str) -> str:
    """The language that a text is stemmed by."""
    return language_of(text, words_of(text[:_TOLD_BY]).plain)


_TOLD_BY = 2_000
"""Letters that the language of a text is told by."""


def query_terms(text: str, languages: Sequence[str]) -> list[tuple[str, ...]]:
    """The terms of a query: for each word its stems under all languages, since the query may be in any of them.

    Each group once, in order; function words of its own language only where there is nothing else.

    Args:
        text: the query.
        languages: of the lessons in the index.
    """
    words = words_of(text)
    own = language_of(text, words.plain)
    each = list(dict.fromkeys(words.plain))
    telling = [word for word in each if not is_function_word(word, own)]
    plain = telling or ([] if words.grams else each)
    by_language = [stems(plain, language) for language in dict.fromkeys([own, *languages])]
    groups = [tuple(dict.fromkeys(group)) for group in zip(*by_language, strict=True)]
    return list(dict.fromkeys([*groups, *((gram,) for gram in words.grams)]))

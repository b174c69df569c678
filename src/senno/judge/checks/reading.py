"""A text in the form in which it is compared, that still knows where each character came from."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import regex

from senno.judge.checks.result import Span, span

# The signs that people and models write for one apostrophe. Before NFKC, which turns U+00B4 into a space and an accent.
_APOSTROPHES = "\u2018\u2019\u201b\u02bc\u02b9\u2032\u00b4\uff07\ua78c"
_HYPHENS = "\u2010\u2011"
_SIGNS = str.maketrans(dict.fromkeys(_APOSTROPHES, "'") | dict.fromkeys(_HYPHENS, "-"))
_IGNORABLE = regex.compile(r"\p{Default_Ignorable_Code_Point}+")
# What is normalized as one: a run of ASCII up to before its last character, which a combining mark may follow; single
# letters of Hangul, which compose; else one grapheme cluster, with the marks that ignorable signs part it from.
_PIECES = regex.compile(
    r"[\x00-\x7f]+(?=[\x00-\x7f]|\Z)|[\u1100-\u11ff\u3130-\u318f\uffa0-\uffdc]+"
    r"|\X(?:\p{Default_Ignorable_Code_Point}+[\p{M}\u1160-\u11ff]*)*"
)


@dataclass(frozen=True, slots=True)
class Reading:
    """A form of a text. Where `starts` is `None` it has the same offsets as the original."""

    original: str
    text: str
    starts: Sequence[int] | None = None
    """Per character of `text`: where the piece of the original that it comes from starts."""
    ends: Sequence[int] | None = None
    """And where that piece ends."""

    def span(self, start: int, end: int) -> Span:
        """The piece of the original that `text[start:end]` comes from."""
        if self.starts is None or self.ends is None:
            return span(self.original, start, end)
        if start < end:
            return span(self.original, self.starts[start], self.ends[end - 1])
        at = self.starts[start] if start < len(self.starts) else len(self.original)
        return span(self.original, at, at)


@lru_cache(maxsize=4096)
def _fold_piece(piece: str, case_sensitive: bool) -> str:
    folded = unicodedata.normalize("NFKC", _IGNORABLE.sub("", piece).translate(_SIGNS))
    if not case_sensitive:
        folded = unicodedata.normalize("NFKC", folded.casefold())
    return _IGNORABLE.sub("", folded)


@lru_cache(maxsize=32)
def fold(text: str, case_sensitive: bool = False) -> Reading:
    """The form in which two writings of one phrase are equal.

    Grapheme cluster by grapheme cluster: NFKC with case folding (Unicode, section 3.13, `toNFKC_Casefold`: width,
    ligatures, composed or not, no soft hyphens and no zero-width signs), one sign for all apostrophes and one for
    hyphens. Accents stay: `è` is not `e`.

    Args:
        text: any string, lone surrogates too.
        case_sensitive: leave upper and lower case as they are.
    """
    if text.isascii():
        return Reading(text, text if case_sensitive else text.lower())
    pieces: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    for match in _PIECES.finditer(text):
        start, end = match.span()
        if match.group().isascii() and end - start > 1:
            piece = match.group() if case_sensitive else match.group().lower()
            starts.extend(range(start, end))
            ends.extend(range(start + 1, end + 1))
        else:
            piece = _fold_piece(match.group(), case_sensitive)
            starts.extend([start] * len(piece))
            ends.extend([end] * len(piece))
        pieces.append(piece)
    return Reading(text, "".join(pieces), starts, ends)

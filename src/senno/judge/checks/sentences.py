"""Where sentences end, by rules that need no model.

After the observations of Kiss and Strunk (2006, "Unsupervised Multilingual Sentence Boundary Detection"): what
makes a full stop ambiguous is abbreviations, initials, ordinal numbers and ellipses, and the case of the next
word tells most of them apart. Where Punkt learns its abbreviations from a corpus, here they are listed.
"""

from __future__ import annotations

from itertools import pairwise

import regex

_TITLES = (
    "mr mrs ms messrs dr prof st rev hon gen col maj capt cpt cmdr lt sgt gov sen rep pres supt fr bros "
    "sig sigg dott avv ing arch geom rag on sen gent egr spett ill"
)
_BEFORE_A_NAME_OR_NUMBER = (
    "no nos vol fig figs sec ch pp p pg art artt cap pag pagg par comma lett tab n nr nn num tel cfr cf vs v viz "
    "al ca circa approx est jan feb mar apr jun jul aug sep sept oct nov dec gen mag giu lug ago set ott dic "
    "ed eds es p.es e.g i.e u.s u.k u.n a.c d.c c.d d.p.r"
)
_MAY_END_A_SENTENCE = (
    "etc inc ltd co corp jr sr esq dept univ assn ave blvd rd mt ft a.m p.m ph.d m.d b.a m.a b.c a.d "
    "ecc segg seg s.p.a s.r.l s.n.c s.a.s"
)
_NEVER_END = frozenset((_TITLES + " " + _BEFORE_A_NAME_OR_NUMBER).split())
_MAY_END = frozenset(_MAY_END_A_SENTENCE.split())

_CLOSERS = r"""(?P<closers>["'”’»›)\]}*_]*)"""
# A word with its full stop, or any other mark that ends a sentence, and what follows it.
_END = regex.compile(
    rf"(?P<word>[^\s.!?…]*+(?:\.[\p{L}\p{N}][^\s.!?…]*+)*+)(?P<mark>[.!?…۔।॥؟]++){_CLOSERS}(?=\s++(?P<next>\S++)|\s*+\Z)"
    r"|[。！？]++[”’」』）]*+"
)
_BLOCK = regex.compile(r"\n[^\S\n]*+\n\s*+|\n(?=[^\S\n]*+(?:[-*•·–]|\d{1,3}[.)])[^\S\n])")
_MARKER = regex.compile(r"\d{1,3}|[ivxlcdm]{1,5}|[a-z]", regex.IGNORECASE)
_OPENERS = "\"'“‘«‹([{*_¿¡#-–—•"


def sentences(text: str) -> list[tuple[int, int]]:
    """Start and end of each sentence, white space around it left out.

    A sentence ends at `.`, `!`, `?`, `…` (with the quotes and brackets that close after it) before white space,
    at `。！？` anywhere, at a blank line and before the item of a list. Not after a title, an abbreviation, an
    initial (`J. Smith`), the number of a list item (`1.`), nor where an ellipsis or a
    closing quote is followed by lower case.
    """
    places: list[tuple[int, int]] = []
    at = 0
    for block in _BLOCK.finditer(text):
        places.extend(_in_block(text, at, block.start()))
        at = block.end()
    return places + _in_block(text, at, len(text))


def _in_block(text: str, start: int, end: int) -> list[tuple[int, int]]:
    cuts = [m.end() for m in _END.finditer(text, start, end) if _ends_here(m, text, start)]
    edges = [start, *cuts, end]
    stripped = (_strip(text, a, b) for a, b in pairwise(edges))
    return [(a, b) for a, b in stripped if any(c.isalnum() for c in text[a:b])]


def _strip(text: str, start: int, end: int) -> tuple[int, int]:
    piece = text[start:end]
    return start + len(piece) - len(piece.lstrip()), end - (len(piece) - len(piece.rstrip()))


def _ends_here(match: regex.Match[str], text: str, block_start: int) -> bool:
    mark, following = match.group("mark"), match.group("next")
    if following is None or mark is None:
        return True
    goes_on = following.lstrip(_OPENERS)[:1].islower()
    if set(mark) - set(".…"):
        return not (goes_on and match.group("closers"))
    if len(mark) > 1 or mark == "…":
        return not goes_on
    word = match.group("word").lstrip(_OPENERS)
    if not text[block_start : match.start("word")].strip() and _MARKER.fullmatch(word):
        return False
    if goes_on and match.group("closers"):
        return False
    return _full_stop_ends(word, goes_on=goes_on)


def _full_stop_ends(word: str, *, goes_on: bool) -> bool:
    lower = word.lower().rpartition("-")[2].rpartition("'")[2]
    if lower in _NEVER_END or (len(word) == 1 and word.isalpha() and word.isupper() and word != "I"):
        return False
    if lower in _MAY_END or "." in word or (word.isdigit() and len(word) < 3):
        return not goes_on
    return True

"""Where sentences end, by rules that need no model.

After the observations of Kiss and Strunk (2006, "Unsupervised Multilingual Sentence Boundary Detection"): what
makes a full stop ambiguous is abbreviations, initials, ordinal numbers and ellipses, and the next word tells most
of them apart. Where Punkt learns its abbreviations from a corpus, here English and Italian ones are listed.
"""

from __future__ import annotations

from itertools import pairwise

import regex

_NEVER_LAST_LISTED = (
    "mr mrs ms messrs dr prof st gov lt capt sgt sig sigg dott avv ing egr spett e.g i.e viz vs cfr cf es p.es"
)
_BEFORE_A_NUMBER_LISTED = (
    "no nos vol fig figs sec ch pp p pg art artt cap pag pagg par comma lett tab n nr nn num tel ca circa approx "
    "jan feb mar apr jun jul aug sep sept oct nov dec gen mag giu lug ago set ott dic"
)
_MAY_BE_LAST_LISTED = "etc inc ltd co corp jr sr esq dept ecc segg seg"
_NEVER_LAST = frozenset(_NEVER_LAST_LISTED.split())
_BEFORE_A_NUMBER = frozenset(_BEFORE_A_NUMBER_LISTED.split())
_MAY_BE_LAST = frozenset(_MAY_BE_LAST_LISTED.split())

_OPENERS = "\"'“‘«‹([{*_¿¡#-–—•"
# A mark that may end a sentence, what closes after it, and the first character of the next word but for its openers.
_END = regex.compile(
    rf"""(?P<mark>[.!?…۔।॥؟]++)(?P<closers>["'”’»›)\]}}*_]*+)(?=\s++[{regex.escape(_OPENERS)}]*+(?P<next>\S)|\s*+\Z)"""
    r"|[。！？]++[”’」』）]*+"
)
# A blank line, or the end of a line before an item of a list.
_BLOCK = regex.compile(r"\n[^\S\n]*+\n\s*+|\n(?=[^\S\n]*+(?:[-*•·–]|\d{1,3}[.)])[^\S\n])")
_MARKER = regex.compile(r"\d{1,3}|[ivxlcdm]{1,5}|[a-z]", regex.IGNORECASE)
_LONGEST_ABBREVIATION = 20


def sentences(text: str) -> list[tuple[int, int]]:
    """Start and end of each sentence, white space around it left out.

    A sentence ends at `.`, `!`, `?`, `…` (with the quotes and brackets that close after it) before white space,
    at `。！？` anywhere, at a blank line and before the item of a list. Not after a title, an abbreviation, an
    initial (`J. Smith`), the number of a list item (`1.`), nor where an ellipsis or a closing quote is followed
    by lower case.
    """
    places: list[tuple[int, int]] = []
    at = 0
    for block in _BLOCK.finditer(text):
        places.extend(_in_block(text, at, block.start()))
        at = block.end()
    return places + _in_block(text, at, len(text))


def _in_block(text: str, start: int, end: int) -> list[tuple[int, int]]:
    cuts = [m.end() for m in _END.finditer(text, start, end) if _ends_here(m, text, start)]
    stripped = (_strip(text, a, b) for a, b in pairwise([start, *cuts, end]))
    return [(a, b) for a, b in stripped if any(c.isalnum() for c in text[a:b])]


def _strip(text: str, start: int, end: int) -> tuple[int, int]:
    piece = text[start:end]
    return start + len(piece) - len(piece.lstrip()), end - (len(piece) - len(piece.rstrip()))


def _ends_here(match: regex.Match[str], text: str, block_start: int) -> bool:
    mark, following = match.group("mark", "next")
    if mark is None or following is None:
        return True
    goes_on = following.islower()
    if goes_on and match.group("closers"):
        return False
    if set(mark) - set(".…"):
        return True
    if len(mark) > 1 or mark == "…":
        return not goes_on
    before = text[max(block_start, match.start() - _LONGEST_ABBREVIATION) : match.start()]
    begins_block = match.start() - block_start < _LONGEST_ABBREVIATION
    word = "".join(before.split()[-1:]).lstrip(_OPENERS)
    if _MARKER.fullmatch(word) and not before.removesuffix(word).strip(_OPENERS + " \t") and begins_block:
        return False
    return _full_stop_ends(word, following)


def _full_stop_ends(word: str, following: str) -> bool:
    lower = word.lower().rpartition("'")[2].rpartition("’")[2]
    initial = len(word) == 1 and word.isupper() and word != "I"
    if lower in _NEVER_LAST or initial or (lower in _BEFORE_A_NUMBER and following.isdigit()):
        return False
    if lower in _MAY_BE_LAST or "." in word or (word.isdigit() and len(word) < 3):
        return not following.islower()
    return True

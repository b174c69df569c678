"""Sentences cut as NLTK's Punkt cuts English, without its trained model.

IFEval counts sentences with Punkt (Kiss and Strunk, 2006), and NLTK's tokens begin with them. Here are the same
decisions, with short lists in the place of the model: which words are abbreviations, and which words, capitalized
after one, begin a sentence. Quirks that a count depends on are kept: line ends cut nothing, `1.` is a sentence.
On 292 published answers of IFBench both find the same 4,285 of 4,292 ends, and the same number in 286 answers.
"""

from __future__ import annotations

import re
from itertools import pairwise, zip_longest

# English abbreviations that are common in what models write.
_ABBREVIATIONS_LISTED = (
    "mr mrs ms messrs dr prof sen rep reps gen lt maj col adm st jr sr bros co corp inc ltd cos ft va vs yr ct a.m p.m "
    "u.s u.k u.n u.s.a u.s.s.r ph.d d.c l.a n.y n.j s.p.a m.b.a s.a b.f e.m jan feb aug sep sept oct nov dec tues wed "
    "fri calif colo conn fla ga ill kan ky mich minn nev ok okla ore pa tenn vt wash wis ariz ala"
)
_ABBREVIATIONS = frozenset(_ABBREVIATIONS_LISTED.split())
_NEVER_LAST = frozenset("cdefghjklmnprstvw")
_STARTERS_LISTED = (
    "according although among both but despite even he however i if in indeed instead it many meanwhile moreover most "
    "nevertheless nonetheless nor separately similarly since so some the there these they this though thus under when "
    "while yet"
)
_STARTERS = frozenset(_STARTERS_LISTED.split())
_END = re.compile(r"[.?!](?=(?P<after>[)\";}\]*:@'({\[!?])|\s+(?P<next>\S+))")
_CLOSING = re.compile(r"[\"')\]}]+(?:\s+|(?=--)|\Z)")
_LONGEST_WORD = 60
_EDGES = "\"'“‘([{*)]}”’"


def punkt_sentences(text: str) -> list[tuple[int, int]]:
    """Start and end of each sentence, white space around it left out."""
    cuts = [0, *(_after_closing(text, end) for end in _ends(text)), len(text)]
    places: list[tuple[int, int]] = []
    for start, end in pairwise(cuts):
        piece = text[start:end]
        if piece.strip():
            places.append((start + len(piece) - len(piece.lstrip()), start + len(piece.rstrip())))
    return places


def _ends(text: str) -> list[int]:
    ends: list[int] = []
    matches = list(_END.finditer(text))
    for match, following in zip_longest(matches, matches[1:]):
        word = _word_before(text, match.start())
        # Of several marks in one word only the last may end a sentence, unless the word begins with one.
        if following is not None and word and not _has_space(text[match.end() : following.start()]):
            continue
        line = text[max(text.rfind("\n", 0, match.start()) + 1, match.start() - _LONGEST_WORD) : match.start()]
        first = line.lstrip(" \t-*•") == word
        after, following_word = match.group("after", "next")
        if match.group() != "." or _full_stop_ends(word, after, following_word, first_of_line=first):
            ends.append(match.end())
    return ends


def _word_before(text: str, at: int) -> str:
    before = text[max(0, at - _LONGEST_WORD) : at]
    return "" if before[-1:].isspace() else "".join(before.split()[-1:])


def _has_space(text: str) -> bool:
    return any(c.isspace() for c in text)


def _full_stop_ends(word: str, after: str | None, following: str | None, *, first_of_line: bool) -> bool:
    following = "" if following is None else following.lstrip(_EDGES)
    word = word.lstrip(_EDGES)
    lower = word.lower()
    capital = following[:1].isupper()
    starts = capital and re.split(r"\W", following.lower(), maxsplit=1)[0] in _STARTERS
    if len(word) == 1 and word.isalpha():
        return lower not in _NEVER_LAST and (starts or first_of_line or not following[:1].isalpha())
    if word.endswith(".") or {lower, lower.rpartition("-")[2]} & _ABBREVIATIONS:
        return after is None and starts
    return not (lower.isdigit() and following[:1].islower())


def _after_closing(text: str, end: int) -> int:
    match = _CLOSING.match(text, end)
    return match.end() if match else end

"""Tokens of the Penn Treebank, which some kinds of the benchmarks count.

Written as the places where tokens are cut, not as substitutions in the text, so that tokens keep their offsets.
Conventions: Marcus, Santorini and Marcinkiewicz (1993), in the variant of NLTK's `word_tokenize`, which goes
sentence by sentence: only the full stop that ends a sentence is a token of its own.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from itertools import pairwise

from senno.judge.checks.benchmarks.punkt import punkt_sentences

# What each pattern matches stands apart from what is before and after it.
_APART = re.compile(
    r"[«“‘„»”’\"]|``?|''|[:,](?!\d)|\.{2,}|[;@#$%&?!*\u2012-\u2015]|[\[\](){}<>]|--"
    r"|(?<=[^.])\.(?=[\])}>\"'»”’ ]*\Z)"
)
_OPENING_QUOTE = re.compile(r"(?<!\w)'(?!(?:re|ve|ll|m|t|s|d|n)\b)(?=\w)", re.IGNORECASE)
# Two words written as one: the cut is where the second group begins.
_GLUED = re.compile(
    r"\b(can)(not)\b|\b(d)('ye)\b|\b(gim)(me)\b|\b(gon)(na)\b|\b(got)(ta)\b|\b(lem)(me)\b|\b(more)('n)\b"
    r"|\b(wan)(na)(?=\s)|(?<!\S)('t)(is)\b|(?<!\S)('t)(was)\b",
    re.IGNORECASE,
)
_ENDING = re.compile(r"(?<=[^'])('[sSmMdD]|'|'ll|'LL|'re|'RE|'ve|'VE|n't|N'T)\Z")
_TOKEN = re.compile(r"\S+")


def treebank_tokens(text: str) -> list[tuple[int, int]]:
    """Start and end of each token."""
    places: list[tuple[int, int]] = []
    for start, end in punkt_sentences(text):
        places.extend((start + a, start + b) for a, b in _in_sentence(text[start:end]))
    return places


def _in_sentence(sentence: str) -> list[tuple[int, int]]:
    cuts = {at for match in _APART.finditer(sentence) for at in match.span()}
    cuts |= {match.end() for match in _OPENING_QUOTE.finditer(sentence)}
    for match in _GLUED.finditer(sentence):
        cuts |= {*match.span(), match.start(match.lastindex or 0)}
    ordered = sorted(cuts)
    places: list[tuple[int, int]] = []
    for run in _TOKEN.finditer(sentence):
        first, last = bisect_right(ordered, run.start()), bisect_left(ordered, run.end())
        inside = [run.start(), *ordered[first:last], run.end()]
        for start, end in pairwise(inside):
            ending = _ENDING.search(sentence, start, end)
            cut = ending.start() if ending else start
            places += [(start, cut), (cut, end)] if cut > start else [(start, end)]
    return places

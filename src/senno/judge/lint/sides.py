"""Rules on criteria: that they are there, on both sides, balanced, and about what the question asks."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any

from senno.judge.lint.asked import LintedQuestion
from senno.judge.lint.finding import Finding, excerpt
from senno.judge.lint.lexicon import Lexicon, listed
from senno.judge.lint.rules import RULES
from senno.judge.lint.wording import COVER, Wording, covered, plain
from senno.judge.lint.wordings import negations
from senno.text import folded

_RATIO, _APART = 2.5, 120
"""Sides are unbalanced where one is so many times, and so many characters, longer than the other."""
LONGEST = 1_000
"""Characters of one criterion: published review questions have 200 to 700."""
_FEWEST_STEMS = 2
"""Content words that a question must have before its criteria are held against it."""
_NONE_OPTIONS = listed(
    "none,none of these,none of the above,none of the others,no match,nomatch,no,other,others,unknown,unclear,"
    "not stated,not applicable,n a,na,neither,cannot tell,insufficient,uncertain,unsure,ambiguous,not specified,"
    "not mentioned,nothing,nothing else,something else,nessuno,nessuna,nessun altro,nessuno di questi,"
    "nessuna di queste,nessuna delle precedenti,altro,altra,altri,altre,non so,ignoto,sconosciuto,non indicato,"
    "non specificato,non applicabile,non determinabile,non chiaro,incerto,niente,nulla",
    ",",
)
_BARE_WORDS = 3
_LETTERS = re.compile(r"[^\W\d_]{2,}")


def side_findings(question: LintedQuestion, file: str) -> Iterator[Finding]:
    """What is wrong with the criteria of one question."""
    for key, text in question.sides():
        if len(text) > LONGEST:
            detail = f"{len(text):,} characters; from {LONGEST:,} on it is long"
            yield Finding(RULES["SJ026"], file, question.name, f"criteria.{key}", excerpt(text), detail)
    made = {"noul": _noul, "choice": _choice, "score": _score}[question.type]
    yield from made(question, file)


def _noul(question: LintedQuestion, file: str) -> Iterator[Finding]:
    true, false = question.side("true"), question.side("false")

    def at(rule: str, key: str, words: str, detail: str = "") -> Finding:
        return Finding(RULES[rule], file, question.name, key, excerpt(words), detail)

    if not true and not false:
        yield at("SJ010", "criteria", question.instructions)
        return
    if not true or not false:
        yield at("SJ011", "criteria", true or false, f'nothing is said under "{"true" if not true else "false"}"')
    elif folded(true) == folded(false):
        yield at("SJ013", "criteria", true, "both sides say the same")
        return
    else:
        short, long = sorted((true, false), key=len)
        if len(long) > _RATIO * len(short) and len(long) - len(short) > _APART:
            key = "true" if long is true else "false"
            yield at("SJ012", f"criteria.{key}", long, f"{len(long)} characters against {len(short)}")
    if question.lexicon:
        yield from _polarity(question, file, question.lexicon)
        yield from _elsewhere(question, file, question.lexicon)


def _polarity(question: LintedQuestion, file: str, lexicon: Lexicon) -> Iterator[Finding]:
    true, false = plain(question.side("true")), plain(question.side("false"))
    yes_is_no = lexicon.says_no.search(true) or lexicon.says_yes.search(false)
    if yes_is_no or (
        _denies(true, lexicon) and false and not _denies(false, lexicon) and not _looks_for_absence(question, lexicon)
    ):
        yield Finding(RULES["SJ007"], file, question.name, "criteria.true", excerpt(true or false))


def _denies(criterion: str, lexicon: Lexicon) -> bool:
    """Whether the beginning of the first sentence is a negation of what is asked."""
    read = Wording.of(criterion, lexicon).read
    first = re.split(r"[.;,:?!]", read, maxsplit=1)[0]
    spans = negations(first, lexicon)
    return bool(spans) and len(first[: spans[0][0]].split()) <= 3


def _looks_for_absence(question: LintedQuestion, lexicon: Lexicon) -> bool:
    read = question.asked.read
    return bool(
        lexicon.lacking.search(read)
        or lexicon.privative.search(read)
        or any(negations(text, lexicon) for _, text in question.asked.sentences())
    )


def _elsewhere(question: LintedQuestion, file: str, lexicon: Lexicon) -> Iterator[Finding]:
    """Criteria in which no word of the question comes back. Quotations are examples: they need not name the subject."""
    texts = [Wording.of(text, lexicon).read for _, text in question.sides()]
    asked = _stems(question.asked.asks, lexicon)
    told = {stem for text in texts for stem in _stems(text, lexicon)}
    quoted = any(COVER in text for text in texts)
    if not quoted and len(asked) >= _FEWEST_STEMS and len(told) >= _FEWEST_STEMS and not _share(asked, told):
        yield Finding(RULES["SJ027"], file, question.name, "criteria", excerpt(question.side("true")))


def pasted_findings(questions: Sequence[LintedQuestion], file: str) -> Iterator[Finding]:
    """Criteria that answer another question of the file: copied, or not mended when the question was."""
    nouls = [(q, q.lexicon, _stems(q.asked.asks, q.lexicon)) for q in questions if q.type == "noul" and q.lexicon]
    for question, lexicon, mine in nouls:
        told = {stem for _, text in question.sides() for stem in _stems(plain(text), lexicon)}
        if not mine or _share(mine, told):
            continue
        others = (o.name for o, words, theirs in nouls if words is lexicon and len(theirs & told) >= _FEWEST_STEMS)
        other = next(others, None)
        if other is not None:
            words = excerpt(question.side("true") or question.side("false"))
            yield Finding(RULES["SJ013"], file, question.name, "criteria", words, f"they answer {other}")


def _share(asked: frozenset[str], told: set[str]) -> bool:
    """Whether two sets of stems have one in common, or two that begin alike (`promise`, `promissory`)."""
    return any(a == b or (min(len(a), len(b)) >= 5 and a[:5] == b[:5]) for a in asked for b in told)


@cache
def _stemmer(language: str) -> Any:
    import Stemmer

    return Stemmer.Stemmer(  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
        {"en": "english", "it": "italian"}[language]
    )


def _stems(text: str, lexicon: Lexicon) -> frozenset[str]:
    words = {word.lower() for word in _LETTERS.findall(text)} - lexicon.stop_words
    return frozenset(_stemmer(lexicon.code).stemWords(sorted(words)))


def _choice(question: LintedQuestion, file: str) -> Iterator[Finding]:
    options = question.criteria or {}
    names = {folded(name) for name in options}
    if not names & _NONE_OPTIONS:
        yield Finding(RULES["SJ017"], file, question.name, "criteria", excerpt(", ".join(options)))
    bare = [name for name, text in options.items() if not (text and text.strip()) and folded(name) not in _NONE_OPTIONS]
    if bare:
        yield Finding(RULES["SJ018"], file, question.name, f"criteria.{bare[0]}", excerpt(", ".join(bare)))


def _score(question: LintedQuestion, file: str) -> Iterator[Finding]:
    levels = [text for _, text in question.sides()]
    bare = [level for level in levels if len(covered(level).split()) < _BARE_WORDS]
    if len(bare) * 2 > len(levels):
        yield Finding(RULES["SJ019"], file, question.name, "criteria", excerpt(" / ".join(levels)))

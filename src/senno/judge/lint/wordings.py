"""Rules on how a question is worded. They need a language; without its word lists they are not applied."""

from __future__ import annotations

import re
from collections.abc import Iterator

from senno.judge.lint.asked import LintedQuestion
from senno.judge.lint.finding import Finding, excerpt
from senno.judge.lint.lexicon import Lexicon
from senno.judge.lint.rules import RULES
from senno.judge.lint.wording import Wording

_PREDICATE = 6
"""Words into a sentence within which a negation is that of its predicate."""
_ENDS_OPEN = re.compile(r"[?]\s*$")


def wording_findings(question: LintedQuestion, file: str) -> Iterator[Finding]:
    """What is wrong with the words of one question."""
    lexicon = question.lexicon
    if lexicon is None:
        other = f"it looks like {question.language!r}" if question.language else "too few words to tell"
        yield Finding(RULES["SJ000"], file, question.name, "instructions", excerpt(question.instructions), other)
        return
    found = _Finder(question, file)
    yield from _two_questions(found, lexicon)
    yield from _not_closed(found, lexicon)
    yield from _negations(found, lexicon)
    for rule, expression in (
        ("SJ003", lexicon.dates),
        ("SJ009", lexicon.indirection),
        ("SJ016", lexicon.other_question),
    ):
        yield from found.first(rule, expression)
    yield from _counting(found, lexicon)
    if not any(question.sides()):
        yield from _vague(found, lexicon)


class _Finder:
    """Makes findings about one question."""

    def __init__(self, question: LintedQuestion, file: str) -> None:
        self.question = question
        self._file = file

    def at(self, rule: str, words: str, key: str = "instructions", detail: str = "") -> Finding:
        return Finding(RULES[rule], self._file, self.question.name, key, excerpt(words), detail)

    def first(self, rule: str, expression: re.Pattern[str]) -> Iterator[Finding]:
        """The first match in the instructions."""
        match = expression.search(self.question.asked.read)
        if match:
            yield self.at(rule, self.question.asked.show(*match.span()))


def _two_questions(found: _Finder, lexicon: Lexicon) -> Iterator[Finding]:
    asked = found.question.asked
    open_ends = [(start, text) for start, text in asked.sentences() if _ENDS_OPEN.search(text)]
    if len(open_ends) > 1:
        start, text = open_ends[1]
        yield found.at("SJ001", asked.show(start, start + len(text)))
        return
    for start, text in asked.sentences():
        for expression in lexicon.two_questions:
            match = expression.search(text)
            if match and _second_predicate(found, lexicon, text, match.start()):
                yield found.at("SJ001", asked.show(start + match.start(), start + match.end()))
                return


def _second_predicate(found: _Finder, lexicon: Lexicon, sentence: str, start: int) -> bool:
    """Whether what begins at `start` is asked beside the rest: not inside a clause, and no option of a choice."""
    if found.question.type == "choice" and sentence[start:].lower().startswith(("or ", "o ", "oppure ")):
        return False
    return not lexicon.relative.search(sentence[_first_word(sentence) : start])


def _first_word(sentence: str) -> int:
    """The end of the first word: `Which` and `Che` open a question there, not a clause."""
    match = re.match(r"\W*\w+", sentence)
    return match.end() if match else 0


def _not_closed(found: _Finder, lexicon: Lexicon) -> Iterator[Finding]:
    asked = found.question.asked
    for start, text in asked.sentences():
        begins = text.lstrip()
        at = start + len(text) - len(begins)
        ends_open = _ENDS_OPEN.search(text)
        # Italian "Spiega perché …?" is a statement turned question; the order has no question mark.
        order = lexicon.writing.match(begins) if not ends_open else None
        inside = lexicon.also_write.search(text) if lexicon.also_write else None
        if order or inside:
            where = (
                (at, at + len(begins)) if order else (start + inside.start(), start + len(text)) if inside else (0, 0)
            )
            yield found.at("SJ004", asked.show(*where))
            return
        if found.question.type == "noul" and ends_open and lexicon.open_question.match(begins):
            yield found.at("SJ004", asked.show(at, at + len(begins)), detail="an open question, and a noul")
            return


def _counting(found: _Finder, lexicon: Lexicon) -> Iterator[Finding]:
    yield from found.first("SJ002", lexicon.counting)
    for key, text in found.question.sides():
        told = Wording.of(text, lexicon)
        match = lexicon.counting.search(told.read)
        if match:
            yield found.at("SJ002", told.show(*match.span()), f"criteria.{key}")
            return


def _vague(found: _Finder, lexicon: Lexicon) -> Iterator[Finding]:
    asked = found.question.asked
    for start, text in asked.sentences():
        match = lexicon.vague.search(text)
        # "says that the drug is effective" reports a claim, it does not judge by it.
        if match and not lexicon.relative.search(text[_first_word(text) : match.start()]):
            yield found.at("SJ008", asked.show(start + match.start(), start + match.end()))
            return


def _negations(found: _Finder, lexicon: Lexicon) -> Iterator[Finding]:
    asked = found.question.asked
    single: str | None = None
    for start, text in asked.sentences():
        spans = negations(text, lexicon)
        second = lexicon.privative.search(text, spans[0][1]) if len(spans) == 1 else None
        if len(spans) > 1 or second:
            end = second.end() if second else spans[1][1]
            yield found.at("SJ005", asked.show(start + spans[0][0], start + end))
            return
        # "…, even without figures?" says something of a part, not of the whole question.
        if spans and single is None and len(text[: spans[0][0]].split()) < _PREDICATE:
            single = asked.show(start + spans[0][0], start + len(text))
    if single and found.question.type == "noul":
        yield found.at("SJ006", single)


def negations(text: str, lexicon: Lexicon) -> list[tuple[int, int]]:
    """Where a sentence negates: each span once, concord (`non … mai`) counted as one."""
    kept = lexicon.not_negation.sub(lambda match: " " * len(match[0]), text)
    spans: list[tuple[int, int]] = []
    for match in lexicon.negation.finditer(kept):
        same = spans and lexicon.concord and lexicon.concord.fullmatch(match[0])
        if not same or re.search(r"[,:]", kept[spans[-1][1] : match.start()]):
            spans.append(match.span())
    return spans

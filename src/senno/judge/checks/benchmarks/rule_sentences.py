"""The sentences of IFEval and IFBench: their rule-based splitter, followed rule by rule.

Both benchmarks cut sentences with a chain of substitutions that marks some full stops as no end, moves a closing
quote before the mark that it follows, and cuts after every mark left. Here each mark is one character, so that
offsets stay what they were.

Source: `split_into_sentences` in google-research/instruction_following_eval, taken over by allenai/IFBench for its
published verdicts. (Later commits of IFBench use NLTK's Punkt, which needs a trained model.)
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple

_KEPT, _KEPT_THEN_END, _END_THEN_SPACE, _DROPPED_AT_END = "\ufdd0", "\ufdd1", "\ufdd2", "\ufdd3"
_OUR_MARKS = {ord(c): "\ufffd" for c in (_KEPT, _KEPT_THEN_END, _END_THEN_SPACE, _DROPPED_AT_END)}

_STARTERS = (
    r"(?:Mr|Mrs|Ms|Dr|Prof|Capt|Cpt|Lt|He\s|She\s|It\s|They\s|Their\s|Our\s|We\s|But\s|However\s|That\s|This\s"
    r"|Wherever)"
)
_SUFFIXES = r"(?: (?:Inc|Ltd|Jr|Sr|Co))"
_LETTER_STOP = r"[A-Za-z][.]"


def _keep_stops(match: re.Match[str]) -> str:
    return match.group().replace(".", _KEPT)


def _keep_stop_between_spaces(match: re.Match[str]) -> str:
    return f" {match[1].replace('.', _KEPT)} "


def _end_of_dots(match: re.Match[str]) -> str:
    return _KEPT * (len(match.group()) - 1) + _KEPT_THEN_END


# In this order: what one rule marks the next ones no longer see.
_RULES: list[tuple[re.Pattern[str], str | Callable[[re.Match[str]], str]]] = [
    (re.compile(r"(?:Mr|St|Mrs|Ms|Dr)[.]"), _keep_stops),
    (re.compile(r"[.](?=com|net|org|io|gov|edu|me)"), _keep_stops),
    (re.compile(r"[0-9][.][0-9]"), _keep_stops),
    (re.compile(r"\.{2,}"), _end_of_dots),
    (re.compile(r"Ph\.D\."), _keep_stops),
    (re.compile(rf"\s({_LETTER_STOP}) "), _keep_stop_between_spaces),
    (re.compile(rf"([A-Z][.][A-Z][.](?:[A-Z][.])?) ({_STARTERS})"), rf"\1{_END_THEN_SPACE}\2"),
    (re.compile(_LETTER_STOP * 3), _keep_stops),
    (re.compile(_LETTER_STOP * 2), _keep_stops),
    (re.compile(rf"({_SUFFIXES})[.]( {_STARTERS})"), rf"\1{_DROPPED_AT_END}\2"),
    (re.compile(rf"{_SUFFIXES}[.]"), _keep_stops),
    (re.compile(rf" {_LETTER_STOP}"), _keep_stops),
    *((re.compile(re.escape(mark + quote)), quote + mark) for mark, quote in (".”", '."', '!"', '?"')),
]


class Sentence(NamedTuple):
    """A sentence as the benchmarks compare it, and its place in the text."""

    text: str
    start: int
    end: int


def rule_sentences(text: str) -> list[Sentence]:
    """Cut `text`; line ends count as spaces, a sentence may be empty (but not the last)."""
    marked = " " + text.translate(_OUR_MARKS).replace("\n", " ") + "  "
    for pattern, replacement in _RULES:
        marked = pattern.sub(replacement, marked)
    found: list[Sentence] = []
    current: list[str] = []
    start = 0
    for at, char in enumerate(marked):
        if char == _END_THEN_SPACE:
            found.append(_sentence("".join(current), start, at, len(text)))
            current, start = [" "], at
            continue
        current.append({_KEPT: ".", _KEPT_THEN_END: ".", _DROPPED_AT_END: ""}.get(char, char))
        if char in {".", "?", "!", _KEPT_THEN_END, _DROPPED_AT_END}:
            found.append(_sentence("".join(current), start, at + 1, len(text)))
            current, start = [], at + 1
    last = _sentence("".join(current), start, len(marked), len(text))
    return [*found, last] if last.text else found


def _sentence(raw: str, start: int, end: int, length: int) -> Sentence:
    # One space was put before the text and two after it.
    start = start - 1 + len(raw) - len(raw.lstrip())
    end = end - 1 - (len(raw) - len(raw.rstrip()))
    start = min(max(start, 0), length)
    return Sentence(raw.strip(), start, max(start, min(end, length)))

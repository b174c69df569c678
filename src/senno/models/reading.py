"""The probabilities of the answers of a chat model: from logprobs, or from samples. Pure functions."""

from __future__ import annotations

import math
import re
import unicodedata
from collections import Counter
from collections.abc import Mapping, Sequence

from senno.models.protocol import TokenLogprobs, Unanswered
from senno.text import one_line

Writings = Mapping[str, tuple[str, ...]]
"""The answers, each with the words that stand for it, case folded."""

LEAST_RECOGNISED = 0.5
"""Of the probability, or of the samples, that must be on answers asked for."""

_ROUNDING = 0.01
"""How far above 0 a logprob may come out of arithmetic in half precision."""

# White space, quotes, markup and stops around a word, and the marks of a space in the vocabularies of some tokenizers.
_AROUND = " \t\r\n\"'`*_.,:;!?()[]{}#<>-“”‘’«»▁Ġ"
_LETTER = re.compile(r"\W*([A-Za-z])\s*(?:[\W_]*$|[.):\]*])")
_WORD = re.compile(r"[^\W\d_]+")


def is_logprob(value: float) -> bool:
    """Whether `value` is the logarithm of a probability (of 0: -inf). NaN, inf and positive numbers are not."""
    return value <= _ROUNDING


def of_logprobs(writings: Writings, tokens: Sequence[TokenLogprobs]) -> dict[str, float] | Unanswered:
    """The probability of each answer, from the alternatives at the first token that is a word.

    All writings of an answer add up (`Yes`, ` yes`, `YES`, `"yes`), and the answers are scaled to 1. If less than half
    of the probability is on them, the question stays unanswered: the rest is no answer, and no guess is made. So it
    does where one of the numbers is no logprob.
    """
    token = next((each for each in tokens if _bare(each.token)), None)
    if token is None:
        return Unanswered("the answer holds no word")
    alternatives = {token.token: token.logprob, **token.top}
    for text, logprob in alternatives.items():
        if not is_logprob(logprob):
            return Unanswered(f"the logprob of {one_line(text, 20)!r} is {logprob}; expected a number up to 0")
    mass = dict.fromkeys(writings, 0.0)
    for text, logprob in alternatives.items():
        answer = _meant(writings, _bare(text))
        if answer is not None:
            mass[answer] += math.exp(logprob)
    total = math.fsum(mass.values())
    if total < LEAST_RECOGNISED:
        likely = sorted(token.top or {token.token: token.logprob}, key=lambda text: -token.top.get(text, 0.0))[:3]
        return Unanswered(
            f"{total:.2f} of the probability is on an answer that was asked for; "
            f"the likeliest are {', '.join(repr(one_line(text, 20)) for text in likely)}"
        )
    if total > 1.05:
        return Unanswered(f"the probabilities of the first token add up to {total:.2f}")
    return {answer: each / total for answer, each in mass.items()}


def of_samples(writings: Writings, texts: Sequence[str]) -> dict[str, float] | Unanswered:
    """The share of each answer among the samples that are one.

    If more than half of them are none of the answers asked for, the question stays unanswered.
    """
    found = [recognised(writings, text) for text in texts]
    counts = Counter(answer for answer in found if answer is not None)
    known = counts.total()
    if known < LEAST_RECOGNISED * len(texts):
        strange = next(text for text, answer in zip(texts, found, strict=True) if answer is None)
        return Unanswered(
            f"{len(texts) - known} of {len(texts)} samples are none of the answers asked for: {one_line(strange, 60)!r}"
        )
    return {answer: counts[answer] / known for answer in writings}


def recognised(writings: Writings, text: str) -> str | None:
    """The answer that a text gives; `None`: none of those asked for."""
    whole = _meant(writings, _bare(text)) or next((name for name in writings if _bare(name) == _bare(text)), None)
    if whole is not None:
        return whole
    lettered = all(len(words) == 1 for words in writings.values())
    # A letter must stand alone: "A film about…" is no answer A.
    word = _LETTER.match(text) if lettered else _WORD.search(text)
    return _meant(writings, _bare(word.group(1) if lettered else word.group())) if word else None


def _meant(writings: Writings, word: str) -> str | None:
    return next((answer for answer, words in writings.items() if word in words), None)


def _bare(text: str) -> str:
    return unicodedata.normalize("NFC", text).strip(_AROUND).casefold()

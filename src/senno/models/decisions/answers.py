"""What came back, read strictly: the same for every wire, for a client of the user's, and for a record. Pure functions.

Each answer is in System One's form. What is off about one makes that one `Unanswered`, with what came instead; the
official SDK lets a probability of 1.78, a missing answer and an option that nobody offered pass.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, TypeGuard, cast

from senno.models.checked import check_answer, is_probability, options_of
from senno.models.protocol import Answer, Choice, Distribution, Noul, Probability, Question, Score, Unanswered
from senno.text import one_line

_ROUNDED = 0.005
"""Half of the last digit that providers give."""


def read_answers(questions: Mapping[str, Question], given: Mapping[str, Any]) -> dict[str, Answer]:
    """The answer to each question that was asked; those to others are left out.

    Args:
        questions: as asked.
        given: `answers` of the response, by id.
    """
    return {id_: read_answer(question, given.get(id_)) for id_, question in questions.items()}


def read_answer(question: Question, given: Any) -> Answer:
    """One answer, held against its question."""
    if not isinstance(given, Mapping):
        found = "" if given is None else f" ({_brief(given)} came instead)"
        return Unanswered(f"the server gave no answer to it{found}")
    answer = cast("Mapping[str, Any]", given)
    kind, found = type(question).__name__.lower(), answer.get("type")
    if found == "refusal":
        return Unanswered("the model refused to answer it")
    if found != kind:
        return Unanswered(f"the server gave an answer of type {_brief(found)}; expected {kind}")
    confidence = answer.get("confidence")
    if confidence is not None and not is_probability(confidence):
        return Unanswered(f"the server gave a confidence of {_brief(confidence)}; expected a number in [0, 1]")
    if isinstance(question, Noul):
        return _noul(question, answer.get("noul"))
    return _distribution(question, answer)


def _noul(question: Noul, yes: Any) -> Answer:
    if not _is_number(yes):
        return Unanswered(f"the server gave {_brief(yes)}; expected a probability")
    checked = check_answer(question, Probability(yes))
    return Probability(float(yes)) if isinstance(checked, Probability) else checked


def _distribution(question: Score | Choice, answer: Mapping[str, Any]) -> Answer:
    shares = answer.get("probabilities")
    if not isinstance(shares, Mapping):
        return Unanswered("the server gave no probabilities")
    numbers = cast("Mapping[str, Any]", shares)
    odd = [share for share in numbers.values() if not _is_number(share)]
    if odd:
        return Unanswered(f"the server gave {_brief(odd[0])} as a probability")
    checked = check_answer(question, Distribution(numbers))
    if not isinstance(checked, Distribution):
        return checked
    wrong = _score_off(question, answer, checked) if isinstance(question, Score) else _choice_off(answer, checked)
    return Unanswered(wrong) if wrong else checked


def _choice_off(answer: Mapping[str, Any], found: Distribution) -> str | None:
    """What is wrong with the option that was named as chosen; `None`: it is the likeliest, or one of them."""
    chosen = answer.get("choice")
    if not isinstance(chosen, str) or chosen not in found.probabilities:
        return f"the server chose {_brief(chosen)}, which is not among the options"
    most = max(found.probabilities.values())
    if found.probabilities[chosen] < most:
        return f"the server chose {_brief(chosen)}, and gave another option a higher probability"
    return None


def _score_off(question: Score, answer: Mapping[str, Any], found: Distribution) -> str | None:
    """What is wrong with the score or the legend; `None`: they are those of the probabilities and of the levels."""
    legend = answer.get("legend")
    if legend is not None and legend != dict(zip(options_of(question), question.levels, strict=True)):
        return f"the server's legend is {_brief(legend)}, and not the levels that were asked"
    score = answer.get("score")
    if not _is_number(score) or not 0 <= score <= len(question.levels) - 1:
        return f"the server gave {_brief(score)} as the score"
    shares = [found.probabilities[level] for level in options_of(question)]
    expected = math.fsum(level * share for level, share in enumerate(shares))
    top = len(shares) - 1
    # Each probability may be rounded, and they may add up to a little more or less than the server's own did.
    slack = _ROUNDED * (1 + sum(range(len(shares)))) + abs(math.fsum(shares) - 1.0) * top
    if abs(score - expected) > slack + 1e-9:
        return f"the server's score is {_brief(score)}, and its probabilities make {expected:.3g}"
    return None


def _is_number(value: Any) -> TypeGuard[int | float]:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _brief(value: Any) -> str:
    return one_line(repr(value), 60)

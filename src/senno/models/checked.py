"""The strict check of what a decision model answered: what is off becomes `Unanswered`, with the reason."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import cache
from typing import Any

from senno.models.protocol import Answer, Choice, Decision, Distribution, Noul, Probability, Question, Score, Unanswered
from senno.text import one_line

SUM_TOLERANCE = 0.05
"""How far from 1 the probabilities of one answer may add up to: providers round each to two decimals."""


def check_decision(questions: Mapping[str, Question], decision: Decision) -> Decision:
    """The decision with an answer for every question that was asked, and for no other.

    An answer stands if it is of the type asked for, its options are those offered, its numbers are finite and in
    [0, 1], and those of a distribution add up to 1 within `SUM_TOLERANCE`. Anything else becomes `Unanswered`.
    Answers to questions that nobody asked are refused, and `notes` says so.
    """
    answers = {id_: check_answer(question, decision.answers.get(id_)) for id_, question in questions.items()}
    extra = [id_ for id_ in decision.answers if id_ not in questions]
    notes = decision.notes
    if extra:
        notes = (*notes, f"refused answers to questions that were not asked: {_names(extra)}")
    return replace(decision, answers=answers, notes=notes)


def options_of(question: Score | Choice) -> tuple[str, ...]:
    """The names of the options, in their order: those of a score are its levels from "0"."""
    return tuple(question.options) if isinstance(question, Choice) else _levels(len(question.levels))


@cache
def _levels(count: int) -> tuple[str, ...]:
    return tuple(map(str, range(count)))


def check_answer(question: Question, answer: Any) -> Answer:
    """The answer, or why it is none: see `check_decision`."""
    if answer is None:
        return Unanswered("no answer to this question came back")
    if isinstance(answer, Unanswered):
        return answer
    if isinstance(question, Noul):
        if not isinstance(answer, Probability):
            return Unanswered(f"asked for the probability of yes; a {type(answer).__name__} came back")
        if is_probability(answer.yes):
            return answer
        return Unanswered(f"{one_line(repr(answer.yes), 60)} is no probability in [0, 1]")
    if not isinstance(answer, Distribution):
        return Unanswered(f"asked for a probability of each option; a {type(answer).__name__} came back")
    return _checked_distribution(options_of(question), answer.probabilities)


def _checked_distribution(options: tuple[str, ...], found: Mapping[str, Any]) -> Answer:
    if set(found) != set(options):
        missing = [name for name in options if name not in found]
        if missing:
            return Unanswered(f"no probability for {_names(missing)}")
        extra = [name for name in found if name not in options]
        return Unanswered(f"a probability for {_names(extra)}, which is not among the options")
    if not all(map(is_probability, found.values())):
        wrong = [f"{name}: {value!r}" for name, value in found.items() if not is_probability(value)]
        return Unanswered(f"no probability in [0, 1]: {one_line(', '.join(wrong), 200)}")
    total = math.fsum(found.values())
    if abs(total - 1.0) > SUM_TOLERANCE + 1e-9:
        return Unanswered(f"the probabilities add up to {total:.3g}, not to 1")
    return Distribution({name: float(found[name]) for name in options})


def is_probability(value: Any) -> bool:
    """Whether `value` is a number in [0, 1]."""
    # A bool is an int in Python; as an answer it is a type of its own, and not a probability.
    return isinstance(value, (int, float)) and not isinstance(value, bool) and 0.0 <= value <= 1.0


def _names(names: Iterable[str]) -> str:
    return one_line(", ".join(repr(name) for name in names), 200)

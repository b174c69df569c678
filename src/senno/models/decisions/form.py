"""A question and an answer in System One's form, the one that `.jevl` records keep too. Pure functions.

https://docs.typesafe.ai: a question is `{"type", "instructions", "criteria"}`, and nothing else of it is sent.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from senno.models.protocol import Choice, Distribution, Noul, Probability, Question, Score


def question_form(question: Question) -> dict[str, Any]:
    """A question as it is sent."""
    match question:
        case Noul():
            sides = {"true": question.true, "false": question.false}
            given = {key: text for key, text in sides.items() if text is not None}
            return {"type": "noul", "instructions": question.instructions, **({"criteria": given} if given else {})}
        case Score():
            return {"type": "score", "instructions": question.instructions, "criteria": list(question.levels)}
        case Choice():
            return {"type": "choice", "instructions": question.instructions, "criteria": dict(question.options)}


def question_forms(questions: Mapping[str, Question]) -> dict[str, dict[str, Any]]:
    """All of them, by id."""
    return {id_: question_form(question) for id_, question in questions.items()}


def answer_form(question: Question, answer: Probability | Distribution) -> dict[str, Any]:
    """A checked answer as a server would have sent it, without `confidence`: that is the server's own figure."""
    if isinstance(answer, Probability):
        return {"type": "noul", "noul": answer.yes}
    shares = dict(answer.probabilities)
    if isinstance(question, Score):
        score = math.fsum(int(level) * share for level, share in shares.items())
        legend = {str(n): level for n, level in enumerate(question.levels)}
        return {"type": "score", "score": score, "legend": legend, "probabilities": shares}
    return {"type": "choice", "choice": max(shares, key=shares.__getitem__), "probabilities": shares}

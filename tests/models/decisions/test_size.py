from __future__ import annotations

import asyncio
import json

import pytest

from senno.models import Calls, Noul, Unanswered
from senno.models.decisions.form import question_forms
from senno.models.decisions.size import JEV, OPENAI, UNKNOWN, Limits, tokens_of, too_large
from senno.models.decisions.system_one import SystemOne, limits_of

PROSE = "The committee met in the morning, and nobody objected to the plan that the treasurer had brought. "
CODE = "def f(x: int) -> dict[str, int]:\n    return {'a': x * 2, 'b': x + 1}  # {}\n"


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("", 0),
        ("abc", 1),
        (PROSE * 10, -(-len(PROSE) * 10 * 2 // 7)),
        (CODE * 10, -(-len(CODE) * 10 // 3)),
        ('{"a": {"b": [1, 2, 3]}}' * 6, 46),
        ("è" * 70, 40),  # two bytes each: by bytes it is more than by characters
        ("\ud800" * 7, 6),
    ],
)
def test_tokens_are_estimated_by_bytes_and_for_code_by_characters(text, tokens) -> None:
    assert tokens_of(text) == tokens


def noul(words: str):
    return question_forms({"q": Noul(words)})["q"]


@pytest.mark.parametrize(
    ("state", "questions", "limits", "said"),
    [
        ("x", {"a": noul("b")}, JEV, None),
        ("x" * 10_000_000, {"a": noul("b")}, UNKNOWN, None),
        ("x" * 350, {"a": noul("b" * 350)}, Limits(total=1000, longest=150), "the longest question 'a'"),
        ("x" * 350, {"a": noul("b"), "long": noul("c" * 350)}, Limits(longest=150), "question 'long'"),
        ("x" * 350, {str(n): noul("c" * 70) for n in range(10)}, Limits(total=300), "10 questions"),
        ({"text": "x" * 70_000}, {"a": noul("b")}, JEV, None),
        ({"text": "x " * 70_000}, {"a": noul("b")}, JEV, "takes 32,000"),
        ("x", {str(n): noul("c") for n in range(400)}, OPENAI, None),
        ("x", {str(n): noul("c") for n in range(401)}, OPENAI, "401 questions, and the model takes 400"),
        ("x", {}, JEV, None),
    ],
)
def test_a_request_over_the_limits_is_told_with_its_numbers(state, questions, limits, said) -> None:
    found = too_large(json.dumps({"state": state, "questions": questions}), state, questions, limits)
    assert found is None if said is None else said in (found or "")


@pytest.mark.parametrize(
    ("model", "limits"),
    [("jev-1.13.0", JEV), ("~typesafe/jev-latest", JEV), ("Jev", JEV), ("jevcompat", UNKNOWN), ("sparrow", UNKNOWN)],
)
def test_the_limits_of_jev_are_those_of_whatever_is_called_so(model, limits) -> None:
    assert limits_of(model) == limits


def test_what_is_too_large_is_not_sent_and_leaves_every_question_unanswered(server, rows) -> None:
    model = SystemOne("x", server.url, "jev-1.13.0", None)
    questions = {"a": Noul("Is it?"), "b": Noul("Is it not?")}
    decision = asyncio.run(Calls(ledger=rows).decide(model, "word " * 30_000, questions, role="judge"))
    assert set(decision.answers) == {"a", "b"}
    assert all(isinstance(answer, Unanswered) for answer in decision.answers.values())
    assert "judge a shorter text" in decision.answers["a"].reason
    assert (server.requests, rows.rows, decision.model) == ([], [], None)

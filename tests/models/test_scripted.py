from __future__ import annotations

import asyncio

import pytest

from senno.errors import ModelError
from senno.models import (
    AttemptFailed,
    Calls,
    DecisionModel,
    Message,
    Noul,
    Probability,
    Reply,
    Request,
    ScriptedDecisions,
    ScriptedText,
    TextModel,
    Unanswered,
)


def ask(text: str) -> Request:
    return Request("", (Message("user", text),))


def test_a_script_is_said_line_by_line() -> None:
    model = ScriptedText("s", ["one", Reply("two", "other"), lambda request: request.messages[0].text.upper()])

    async def main() -> list[str]:
        return [(await model.complete(ask(text))).text for text in ("a", "b", "c")]

    assert asyncio.run(main()) == ["one", "two", "C"]
    assert [request.messages[0].text for request in model.requests] == ["a", "b", "c"]


def test_a_script_may_fail() -> None:
    with pytest.raises(AttemptFailed, match="HTTP 500"):
        asyncio.run(ScriptedText("s", [AttemptFailed("HTTP 500", retry=True)]).complete(ask("a")))


def test_a_script_that_has_ended_says_which_call_it_was() -> None:
    model = ScriptedText("s", ["one"])

    async def main() -> None:
        calls = Calls()
        await calls.complete(model, ask("first"), role="a")
        await calls.complete(model, ask("second question"), role="a")

    with pytest.raises(ModelError, match="the script of s has ended, and this is call 2: 'second question'"):
        asyncio.run(main())


def test_a_table_answers_what_is_in_it() -> None:
    model = ScriptedDecisions("t", {"a": 0.25, "other": 1})

    async def main():
        return await Calls().decide(model, None, {"a": Noul("A?"), "b": Noul("B?")}, role="judge")

    answers = asyncio.run(main()).answers
    assert answers["a"] == Probability(0.25)
    assert isinstance(answers["b"], Unanswered)


def test_they_are_models() -> None:
    assert isinstance(ScriptedText("s", []), TextModel)
    assert isinstance(ScriptedDecisions("s", {}), DecisionModel)

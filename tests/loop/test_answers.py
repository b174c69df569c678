"""Structured answers: what is read out of a model's text, how often it is asked again, how it uses tools."""

import asyncio
import json
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel

from senno.errors import MalformedAnswer
from senno.loop import Evidence, RefinerInput, Role
from senno.loop.answers import TOOL_TEXT, TOOL_TURNS, Asker, EvidenceIds, parse
from senno.loop.deadline import Deadline
from senno.loop.pycode import python_tool
from senno.models import Calls, Reply, ScriptedText, ToolCall


class Film(BaseModel):
    title: str
    year: int


GOOD = '{"title": "Pi", "year": 1998}'
PI = Film(title="Pi", year=1998)


@pytest.mark.parametrize(
    "text",
    [
        GOOD,
        f"\ufeff {GOOD}\n".strip("\ufeff"),
        f"```json\n{GOOD}\n```",
        f"```\n{GOOD}\n```\nI hope this helps!",
        f"Here it is: {GOOD}",
        f"<think>the film</think>\n{GOOD}\nBye.",
        '{"title": "Pi", "year": "1998"}',
        '{"title": "Pi", "year": 1998, "mood": "dark"}',
        '{"year": 1998, "title": "Pi"}',
    ],
)
def test_an_answer_is_found_in_what_stands_around_it(text):
    assert parse(text, Film) == PI


def test_a_raw_line_end_in_a_text_is_forgiven():
    assert parse('{"title": "P\ni", "year": 1998}', Film).title == "P\ni"  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "it holds no JSON object"),
        ("null", "it holds no JSON object"),
        ("[1, 2]", "it holds no JSON object"),
        ("Pi, 1998", "it holds no JSON object"),
        ('{"title": "Pi"', "it holds no JSON object|no valid JSON"),
        ('{"title": "Pi",}', "no valid JSON"),
        ("{'title': 'Pi'}", "no valid JSON"),
        ('{"title": "Pi"}', "year: Field required"),
        ('{"title": null, "year": 1998}', "title: Input should be a valid string"),
        ('{"title": "Pi", "year": 1998.5}', "year: "),
        ('{"title": "\\ud800", "year": 1998}', "surrogate"),
        ('{"title": "Pi", "year": NaN}', "year: "),
        ('{"a":' * 100_000 + "}", "nested too deeply"),
        (GOOD + GOOD, "no valid JSON"),
    ],
)
def test_what_is_no_answer_is_refused_with_what_to_mend(text, said):
    with pytest.raises(ValueError, match=said):
        parse(text, Film)


@given(st.text())
def test_any_text_is_an_answer_or_refused(text):
    with suppress(ValueError):
        assert parse(text, Film)


@given(st.text(st.characters(codec="utf-8")), st.integers(-9999, 9999), st.text("abc {}`\n", max_size=20))
def test_an_answer_survives_being_written_and_read(title, year, around):
    film = Film(title=title, year=year)
    assert parse(f"```json\n{film.model_dump_json()}\n```", Film) == film or "```" in title
    assert parse(film.model_dump_json(), Film) == film


def asked(*replies, tools=(), reasks=2, value=None):
    """What came of it (an `Answered`, or the error's text), and the requests that were made."""
    model = ScriptedText("scripted:m", replies)
    role = Role("critic", "Clerk", Film, prompt="Be exact.", tools=tuple(python_tool(t, "x") for t in tools))
    asker = Asker(Calls(), reasks, EvidenceIds(), Deadline(None))
    try:
        answered = asyncio.run(asker.ask(role, model, value or RefinerInput(request="a film")))
    except MalformedAnswer as error:
        return str(error), model.requests
    return answered, model.requests


def test_the_system_prompt_is_the_roles_and_the_data_is_in_the_message():
    answered, (request,) = asked(GOOD)
    assert answered.output == PI
    assert request.system.startswith("Be exact.")
    assert json.dumps(Film.model_json_schema()) in request.system
    assert json.loads(request.messages[0].text)["request"] == "a film"
    assert request.schema == Film.model_json_schema()


def test_half_a_character_in_the_data_goes_out_as_its_escape():
    _, (request,) = asked(GOOD, value=RefinerInput.model_construct(request="a\ud800b", clarifications=[]))
    request.messages[0].text.encode("utf-8")
    assert json.loads(request.messages[0].text)["request"] == "a\ud800b"


@pytest.mark.parametrize("reasks", [0, 1, 2])
def test_a_malformed_answer_is_asked_again_so_often_and_not_more(reasks):
    told, requests = asked(*["no"] * (reasks + 1), reasks=reasks)
    assert len(requests) == reasks + 1
    assert f"malformed in {reasks + 1} answers: it holds no JSON object" in told


def test_asked_again_it_sees_the_task_its_last_answer_and_the_fault_and_nothing_else():
    answered, requests = asked("first", "second" * 10_000, GOOD)
    assert answered.output == PI
    assert len(answered.notes) == 2
    task, last, fault = requests[2].messages
    assert task == requests[0].messages[0]
    assert last.text == ("second" * 10_000)[:TOOL_TEXT]
    assert "it holds no JSON object" in fault.text
    assert "first" not in json.dumps([m.text for m in requests[2].messages])


def test_an_empty_answer_is_shown_as_nothing():
    _, requests = asked("", GOOD)
    assert requests[1].messages[1].text == "(nothing)"


def search(query: str, most: int = 3) -> list[Evidence]:
    """Search."""
    return [Evidence(source=f"s{n}", says=query) for n in range(most)]


def fails(query: str) -> str:
    """Fail."""
    raise RuntimeError(query)


def long(query: str) -> str:
    """Tell a lot."""
    return query * 100_000


async def slow(query: str) -> str:
    """Be async."""
    await asyncio.sleep(0)
    return query


TOOLS = (search, fails, long, slow)


def calls(*named, text=""):
    found = [ToolCall(f"c{n}", name, arguments) for n, (name, arguments) in enumerate(named)]
    return Reply(text, "m", tuple(found), finish="tool_calls")


@pytest.mark.parametrize(
    ("name", "arguments", "result", "noted"),
    [
        ("slow", {"query": "x"}, "x", False),
        ("fails", {"query": "x"}, "error: RuntimeError: x", True),
        ("serch", {"query": "x"}, "error: there is no tool 'serch'; there are search, fails, long, slow", True),
        ("search", {}, "error: wrong arguments: query: Field required", True),
        ("search", {"query": "x", "mood": 1}, "error: wrong arguments: mood", True),
        ("search", {"query": "x", "most": "many"}, "error: wrong arguments: most", True),
    ],
)
def test_a_tool_is_called_or_the_model_is_told_why_not(name, arguments, result, noted):
    answered, requests = asked(calls((name, arguments)), GOOD, tools=TOOLS)
    assert answered.output == PI
    told = requests[1].messages[-1]
    assert (told.role, told.tool_call_id, told.text.startswith(result)) == ("tool", "c0", True)
    assert bool(answered.notes) is noted


def test_evidence_of_tools_is_numbered_through_and_kept():
    answered, requests = asked(
        calls(("search", {"query": "a", "most": 1}), ("search", {"query": "b"})), GOOD, tools=TOOLS
    )
    assert [e.id for e in answered.evidence] == ["E1", "E2", "E3", "E4"]
    assert [m.tool_call_id for m in requests[1].messages[-2:]] == ["c0", "c1"]
    assert json.loads(requests[1].messages[-1].text)[0]["id"] == "E2"


def test_a_long_result_is_cut():
    _, requests = asked(calls(("long", {"query": "xy"})), GOOD, tools=TOOLS)
    assert len(requests[1].messages[-1].text) == TOOL_TEXT


def test_what_tools_returned_is_shown_again_with_a_malformed_answer():
    answered, requests = asked(calls(("search", {"query": "codes", "most": 1})), "no", GOOD, tools=TOOLS)
    assert answered.output == PI
    task, last, _ = requests[2].messages
    assert '"id": "E1"' in task.text
    assert last.text == "no"
    assert requests[2].tools == ()


def test_tools_are_offered_for_so_many_turns_and_then_no_more():
    replies = [calls(("search", {"query": "x"})) for _ in range(TOOL_TURNS)]
    answered, requests = asked(*replies, GOOD, tools=TOOLS)
    assert answered.output == PI
    assert [bool(r.tools) for r in requests] == [True] * TOOL_TURNS + [False]


def test_with_tools_the_schema_is_not_sent_natively_and_without_them_it_is():
    _, requests = asked("no", GOOD, tools=TOOLS)
    assert [r.schema is None for r in requests] == [True, False]

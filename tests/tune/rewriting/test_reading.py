"""Complaint groups 19 and 26: what a model wrote is read as typed edits, or is an error that says what to mend."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prompt_law import answer, edit
from senno.tune.rewriting import Edit, read_edits
from senno.tune.rewriting.reading import MOST_EDITS

ONE = edit(text="Say hello.")
READ = (Edit("add", "prompt", "", "Say hello.", "greets", "it makes answers pass"),)


@pytest.mark.parametrize(
    "text",
    [
        answer(ONE),
        f"```json\n{answer(ONE)}\n```",
        f"Here you are:\n```\n{answer(ONE)}\n```\nDone.",
        f"I would say {answer(ONE)} and no more.",
        answer({**ONE, "confidence": 0.9}),
        answer({**ONE, "anchor": None}),
        f"\ufeff\n {answer(ONE)}",
    ],
)
def test_edits_are_found_whatever_stands_around_them(text):
    assert read_edits(text) == READ


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "no JSON object"),
        ("You should greet people.", "no JSON object"),
        ('{"edits": [', "no valid JSON"),
        ('{"edits": []}', "edits: List should have at least 1 item"),
        ('{"prompt": "new"}', "edits: Field required"),
        (answer({**ONE, "op": "improve"}), r"edits\.0\.op: Input should be 'replace'"),
        (answer(*[ONE] * (MOST_EDITS + 1)), "at most 20 items"),
        ('{"edits": ' + "[" * 100_000, "nested too deeply|no valid JSON"),
        (answer({**ONE, "text": 7}), r"edits\.0\.text"),
        ('{"edits": {"op": "add"}}', "valid list"),
    ],
)
def test_anything_else_is_refused_with_what_to_mend(text, problem):
    with pytest.raises(ValueError, match=problem):
        read_edits(text)


@given(st.text())
def test_no_text_is_read_as_edits_by_accident_or_breaks_the_reader(text):
    with pytest.raises(ValueError, match=r"\w"):
        read_edits(text)


@given(st.recursive(st.none() | st.floats() | st.text(), lambda c: st.lists(c) | st.dictionaries(st.text(), c)))
def test_any_other_json_is_refused(value):
    with pytest.raises(ValueError, match=r"\w"):
        read_edits(json.dumps({"edits": value}))

"""Regular expressions, JSON and JSON Schema."""

from __future__ import annotations

from typing import Any

import pytest

from senno.judge.checks import CheckError, CheckResult, parse_check, run_check


def run(text: str, kind: str, **parameters: Any) -> CheckResult:
    return run_check(parse_check("x", {"type": kind, **parameters}, "f"), text)


def test_the_first_match_is_shown() -> None:
    result = run("a1 b2", "regex", pattern=r"[a-z]\d")

    assert result.passed
    assert [(s.start, s.text) for s in result.spans] == [(0, "a1")]


def test_what_must_not_match_is_shown_wherever_it_does() -> None:
    result = run("a1 b2", "regex", pattern=r"[a-z]\d", must_match=False)

    assert not result.passed
    assert [s.text for s in result.spans] == ["a1", "b2"]
    assert run("ab", "regex", pattern=r"\d", must_match=False).passed


def test_the_text_is_taken_as_it_is() -> None:
    assert not run("É", "regex", pattern="é").passed
    assert run("É", "regex", pattern="(?i)é").passed
    assert not run("a\nb", "regex", pattern="^b").passed
    assert run("a\nb", "regex", pattern="(?m)^b").passed


@pytest.mark.parametrize("pattern", [r"(a+)+$", r"(a|aa)+$", r"(.*a){25}b"])
def test_a_pattern_that_explodes_is_an_error_and_not_a_failure(pattern: str) -> None:
    with pytest.raises(CheckError, match=r"took more than 1 s on 5001 characters"):
        run("a" * 5000 + "!", "regex", pattern=pattern)


VALID = [
    '{"a": 1}',
    " [1, 2]\n",
    "3",
    '"text"',
    "null",
    '```json\n{"a": 1}\n```',
    '~~~\n{"a": 1}\n~~~\n',
    '````\n"a ``` b"\n````',
    '```\n{"a":\n 1}\n   ```',
]
INVALID = [
    # text, the character where it shows
    ("", ""),
    ("```\n```", "`"),
    ("{'a': 1}", "'"),
    ('{"a": 1 2}', "2"),
    ('{"a": NaN}', "N"),
    ("[1, Infinity]", "I"),
    ("[-Infinity]", "-"),
    ('Here: {"a": 1}', "H"),
    ('{"a": 1} done', "d"),
    ('```json\n{"a": 1}\n', "`"),
    ('```json\n{"a": 1}\n```\nDone.', "`"),
    ('```json\n{"a" 1}\n```', "1"),
    ("[1", ""),
    ("\ud800", "\ud800"),
]


@pytest.mark.parametrize("text", VALID, ids=ascii)
def test_json_passes_alone_or_in_a_fence(text: str) -> None:
    result = run(text, "json")

    assert result.passed, result.detail
    assert not result.spans[0].text.startswith(("`", "~", " "))


@pytest.mark.parametrize(("text", "shown"), INVALID, ids=ascii)
def test_what_is_not_json_fails_where_it_stops_being_it(text: str, shown: str) -> None:
    result = run(text, "json")

    assert not result.passed
    assert result.detail.startswith("not JSON: ")
    assert "".join(s.text for s in result.spans) == shown


@pytest.mark.parametrize("text", ['{"a": 1,}', "[1,]", "{a: 1}", "// no\n1", "01", "+1", "'a'"])
def test_what_only_looks_like_json_fails(text: str) -> None:
    assert not run(text, "json").passed


@pytest.mark.parametrize("text", ["[" * 200_000, "[" * 100_000 + "]" * 100_000, '{"a":' * 50_000], ids=len)
def test_json_too_deep_to_be_read_is_an_error(text: str) -> None:
    with pytest.raises(CheckError, match="nested too deeply"):
        run(text, "json")


def test_json_with_a_number_too_long_to_be_read_is_an_error() -> None:
    with pytest.raises(CheckError, match="cannot be read"):
        run("9" * 5000, "json")


SCHEMA = {
    "type": "object",
    "required": ["items"],
    "properties": {
        "items": {"type": "array", "items": {"$ref": "#/$defs/item"}},
        "code": {"type": "string", "pattern": "^[A-Z]+$"},
    },
    "$defs": {"item": {"type": "object", "properties": {"price": {"type": "number", "minimum": 0}}}},
}


def test_each_value_that_does_not_fit_is_shown() -> None:
    text = '```json\n{"items": [{"price": 1}, {"price": -2}, {"name": "x", "price": "3"}], "code": "ab"}\n```'

    result = run(text, "json_schema", schema=SCHEMA)

    assert not result.passed
    assert [s.text for s in result.spans] == ["-2", '"3"', '"ab"']
    assert result.detail.startswith("$.code: 'ab' does not match '^[A-Z]+$' (and 2 more)")


def test_what_is_missing_shows_the_object_that_lacks_it() -> None:
    result = run(' {"code": "A"} ', "json_schema", schema=SCHEMA)

    assert [s.text for s in result.spans] == ['{"code": "A"}']
    assert "'items' is a required property" in result.detail


def test_of_a_key_written_twice_the_last_one_counts_and_is_shown() -> None:
    result = run('{"items": [], "code": "A", "code" : "b"}', "json_schema", schema=SCHEMA)

    assert [s.text for s in result.spans] == ['"b"']


def test_what_fits_passes_with_the_value() -> None:
    assert run('{"items": []}', "json_schema", schema=SCHEMA).passed
    assert not run("{", "json_schema", schema=SCHEMA).passed


def test_a_reference_that_leads_nowhere_is_an_error() -> None:
    with pytest.raises(CheckError, match="which is not in it"):
        run("1", "json_schema", schema={"$ref": "#/$defs/absent"})


def test_a_reference_to_an_id_in_the_schema_is_followed() -> None:
    schema = {
        "$id": "https://a.b/root",
        "properties": {"a": {"$ref": "https://a.b/root#/$defs/n"}},
        "$defs": {"n": {"type": "null"}},
    }

    assert run('{"a": null}', "json_schema", schema=schema).passed
    assert not run('{"a": 1}', "json_schema", schema=schema).passed


@pytest.mark.parametrize("schema", [{"pattern": "(a+)+$"}, {"patternProperties": {"(a+)+$": False}}], ids=str)
def test_a_pattern_of_a_schema_that_explodes_is_an_error(schema: dict[str, Any]) -> None:
    word = "a" * 5000 + "!"

    with pytest.raises(CheckError, match="took more than 1 s"):
        run(f'"{word}"' if "pattern" in schema else f'{{"{word}": 1}}', "json_schema", schema=schema)


def test_pattern_properties_are_held_to_their_schemas() -> None:
    schema = {"patternProperties": {"^n_": {"type": "number"}}}

    result = run('{"n_a": 1, "n_b": "2", "c": "3"}', "json_schema", schema=schema)

    assert [s.text for s in result.spans] == ['"2"']


def test_the_draft_that_the_schema_names_is_used() -> None:
    schema = {"$schema": "http://json-schema.org/draft-04/schema#", "minimum": 1, "exclusiveMinimum": True}

    assert not run("1", "json_schema", schema=schema).passed

"""What is said of an entry that is no check."""

from __future__ import annotations

from typing import Any

import pytest

from senno.errors import ConfigError, FileFormatError
from senno.judge.checks import CheckSpec, parse_check

REFUSED: list[tuple[dict[str, Any], str, str]] = [
    # entry, where, what the message says
    ({}, "f.json: x.type", "it is missing; expected one of contains, forbidden_words, json"),
    ({"type": 3}, "f.json: x.type", "found a number; expected one of contains"),
    ({"type": "forbiden_words"}, "f.json: x.type", "unknown type 'forbiden_words'; did you mean 'forbidden_words'?"),
    ({"type": "keywords:frequenci"}, "f.json: x.type", "did you mean 'keywords:frequency'?"),
    ({"type": "zzz"}, "f.json: x.type", "unknown type 'zzz'; expected one of contains"),
    ({"type": "forbidden_words"}, "f.json: x.words", "it is missing; expected a list of texts: What must not be there"),
    (
        {"type": "forbidden_words", "wrods": ["a"]},
        "f.json: x.wrods",
        "'forbidden_words' has no parameter 'wrods'; did you mean 'words'?; expected words, substring, case_sensitive",
    ),
    ({"type": "json", "fence": True}, "f.json: x.fence", "'json' has no parameter 'fence'; expected no parameter"),
    ({"type": "forbidden_words", "words": "a"}, "f.json: x.words", "found 'a'; expected a list of texts"),
    ({"type": "forbidden_words", "words": []}, "f.json: x.words", "it is empty"),
    ({"type": "forbidden_words", "words": ["a", 3]}, "f.json: x.words[1]", "found 3"),
    ({"type": "forbidden_words", "words": ["a", " "]}, "f.json: x.words[1]", "it is empty"),
    ({"type": "forbidden_words", "words": ["\u00ad"]}, "f.json: x.words[0]", "has no visible character"),
    ({"type": "contains", "phrases": ["\u200b"]}, "f.json: x.phrases[0]", "has no visible character"),
    ({"type": "contains", "phrases": ["a"], "match": "some"}, "f.json: x.match", "one of 'all', 'any'"),
    ({"type": "contains", "phrases": ["a"], "substring": "yes"}, "f.json: x.substring", "expected true or false"),
    ({"type": "contains", "phrases": ["a"], "substring": 1}, "f.json: x.substring", "found 1"),
    ({"type": "length", "unit": "words"}, "f.json: x", "neither min nor max is given"),
    ({"type": "length", "unit": "words", "min": 3, "max": 2}, "f.json: x", "min 3 is above max 2"),
    ({"type": "length", "unit": "words", "min": -1}, "f.json: x.min", "found -1"),
    ({"type": "length", "unit": "words", "min": 1.5}, "f.json: x.min", "found 1.5"),
    ({"type": "length", "unit": "words", "min": True}, "f.json: x.min", "expected a whole number: The fewest"),
    ({"type": "length", "unit": "words", "least": 2}, "f.json: x.least", "has no parameter 'least'"),
    ({"type": "length", "unit": "pages", "max": 2}, "f.json: x.unit", "one of 'characters', 'words'"),
    ({"type": "number", "min": 2, "max": 1}, "f.json: x", "min 2 is above max 1"),
    ({"type": "number", "min": "2"}, "f.json: x.min", "expected a number: The smallest allowed value"),
    ({"type": "number", "min": float("nan")}, "f.json: x.min", "finite number"),
    ({"type": "number", "position": 0}, "f.json: x", "position 0"),
    ({"type": "number", "position": "second"}, "f.json: x.position", "one of 'any', 'all' or a whole number"),
    ({"type": "number", "decimal": ";"}, "f.json: x.decimal", "one of '.', ','"),
    ({"type": "date", "min": "31/01/2025"}, "f.json: x.min", "'31/01/2025' is not a date as YYYY-MM-DD"),
    ({"type": "date", "min": 3}, "f.json: x.min", "expected a date as YYYY-MM-DD"),
    ({"type": "date", "min": "2025-02-01", "max": "2025-01-01"}, "f.json: x", "min 2025-02-01 is after max 2025-01-01"),
    ({"type": "regex", "pattern": "("}, "f.json: x.pattern", "it is no regular expression: missing )"),
    ({"type": "regex", "pattern": ""}, "f.json: x.pattern", "it is empty"),
    ({"type": "language", "language": "Italian"}, "f.json: x.language", "ISO 639 code"),
    ({"type": "callable", "function": "module"}, "f.json: x.function", "expected text: `module:function`"),
    ({"type": "callable", "function": "https://a.b/c.py:f"}, "f.json: x.function", "found 'https://a.b/c.py:f'"),
    ({"type": "json_schema", "schema": []}, "f.json: x.schema", "expected a mapping: The JSON Schema"),
    ({"type": "json_schema", "schema": {"type": "objekt"}}, "f.json: x.schema", "it is no JSON Schema: 'objekt'"),
    (
        {"type": "json_schema", "schema": {"properties": {"a": {"$ref": "https://a.b/c.json"}}}},
        "f.json: x.schema",
        "it refers to 'https://a.b/c.json', which is not in it: nothing is fetched",
    ),
    ({"type": "json_schema", "schema": {"$ref": "file:///etc/passwd"}}, "f.json: x.schema", "nothing is fetched"),
    (
        {"type": "keywords:frequency", "keyword": "a", "frequency": 1, "relation": "more than"},
        "f.json: x.relation",
        "one of 'less than', 'at least'",
    ),
    ({"type": "no_comma", "variants": "lose"}, "f.json: x.variants", "one of 'strict', 'loose'"),
    ({"type": "keywords:letter_frequency", "letter": "ab"}, "f.json: x.letter", "found 'ab'"),
    ({"type": "repeat_span", "prompt_to_repeat": "a", "n_start": 2, "n_end": 1}, "f.json: x", "n_start 2 is after"),
]


@pytest.mark.parametrize(("entry", "where", "says"), REFUSED, ids=[str(entry)[:60] for entry, _, _ in REFUSED])
def test_a_refusal_names_file_key_and_what_was_expected(entry: dict[str, Any], where: str, says: str) -> None:
    with pytest.raises(FileFormatError) as caught:
        parse_check("x", entry, "f.json")

    assert caught.value.where == where
    assert says in str(caught.value)
    assert caught.value.expected


def test_a_refusal_is_an_error_of_the_users_files() -> None:
    with pytest.raises(ConfigError) as caught:
        parse_check("x", {"type": "zzz"}, "f.json")

    assert caught.value.exit_code == 2


def test_a_question_is_no_check() -> None:
    with pytest.raises(FileFormatError, match="unknown type 'noul'"):
        parse_check("x", {"type": "noul", "instructions": "?"}, "f.json")


def test_rows_of_the_benchmarks_are_taken_as_they_are() -> None:
    row = {"N": 22.0, "keyword": None, "m": None, "n": None, "relation": None}

    spec = parse_check("x", {"type": "count:unique_word_count", **row}, "f.json")

    assert spec.model_dump() == {"type": "count:unique_word_count", "N": 22, "variants": "strict"}


def test_null_is_a_value_in_general_kinds() -> None:
    with pytest.raises(FileFormatError, match=r"x\.substring: found nothing"):
        parse_check("x", {"type": "contains", "phrases": ["a"], "substring": None}, "f.json")


def test_a_check_cannot_be_changed() -> None:
    spec = parse_check("x", {"type": "contains", "phrases": ["a"]}, "f.json")

    assert isinstance(spec, CheckSpec)
    with pytest.raises(ValueError, match="frozen"):
        spec.substring = True  # type: ignore[attr-defined]

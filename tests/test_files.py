import json
import os

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pydantic import BaseModel, ConfigDict, ValidationError

from senno.errors import ConfigError, FileFormatError
from senno.files import MOST_BYTES, format_error, kind_of, read_mapping, read_text, write_text


def test_a_text_is_read_as_it_is_but_for_its_byte_order_mark(tmp_path):
    file = tmp_path / "a.txt"
    file.write_bytes("\ufeffperché\r\n\ufeff".encode())
    assert read_text(file) == "perché\r\n\ufeff"


def large(path):
    with path.open("wb") as file:
        file.truncate(MOST_BYTES + 1)


UNREADABLE = {
    "not there": (lambda p: None, "no such file"),
    "a folder": (lambda p: p.mkdir(), "this is a folder"),
    "too large": (large, "expected at most"),
    "Latin-1": (lambda p: p.write_bytes(b"a\xe8b"), "byte 1 (0xe8) is not UTF-8"),
    "UTF-16": (lambda p: p.write_bytes("ciao".encode("utf-16")), "byte 0"),
    "cut in a character": (lambda p: p.write_bytes("è".encode()[:1]), "byte 0"),
}


@pytest.mark.parametrize(("make", "said"), UNREADABLE.values(), ids=UNREADABLE)
def test_a_file_that_cannot_be_read_is_an_error_that_names_it(tmp_path, make, said):
    file = tmp_path / "a.yaml"
    make(file)
    with pytest.raises(ConfigError) as refused:
        read_text(file)
    assert said in str(refused.value)
    assert str(file) in str(refused.value)


@pytest.mark.parametrize("name", ["a\0b", "x" * 300])
def test_a_path_that_the_system_refuses_is_an_error(tmp_path, name):
    with pytest.raises(ConfigError):
        read_text(tmp_path / name)


def test_a_name_that_is_near_is_suggested(tmp_path):
    (tmp_path / "policy.json").write_text("{}")
    with pytest.raises(ConfigError, match=r"did you mean 'policy\.json'"):
        read_text(tmp_path / "polcy.json")


BROKEN = {
    "a.json": [
        ("{", "a.json:1:2"),
        ('{"a": 1,\n"b": }', "a.json:2:6"),
        ('{"a": 1, "a": 2}', "a.json: a: this key stands twice"),
        ('{"x": {"a": 1, "a": 2}}', "stands twice"),
        ('{"a": NaN}', "NaN is no JSON value"),
        ("[1]", "the top level is a list"),
        ("", "a.json:1:1"),
        ("1", "the top level is a number"),
        ("[" * 100_000, "nested too deeply"),
    ],
    "a.yaml": [
        ("a: 1\na: 2\n", "a.yaml:2:1"),
        ("a:\n\t- b\n", "a.yaml:2:1"),
        ("- a\n- b\n", "the top level is a list"),
        ("just words", "the top level is text"),
        ("", "the top level is nothing"),
        ("a: [1\n", "a.yaml:"),
        ("a: b: c", "a.yaml:1:"),
        ("1: a", "the key 1 is a number"),
        ("a: !!python/object:os.system x", "a.yaml:1:4"),
        ("a: *nobody", "a.yaml:1:4"),
        ("a: \x01", "a.yaml"),
        ("a: 1\n---\nb: 2\n", "a.yaml"),
        ("[" * 5_000, "a.yaml"),
    ],
}


@pytest.mark.parametrize(("name", "text", "said"), [(n, *case) for n, cases in BROKEN.items() for case in cases])
def test_a_mapping_that_does_not_parse_is_refused_with_its_place(tmp_path, name, text, said):
    (tmp_path / name).write_text(text)
    with pytest.raises(FileFormatError) as refused:
        read_mapping(tmp_path / name)
    assert said in str(refused.value)


@pytest.mark.parametrize("name", ["a.json", "A.JSON", "a.yaml", "a.yml", "a.txt"])
def test_a_mapping_is_read_whatever_its_file_is_called(tmp_path, name):
    (tmp_path / name).write_bytes('\ufeff{"è": [1, {"b": null}]}'.encode())
    assert read_mapping(tmp_path / name) == {"è": [1, {"b": None}]}


values = st.recursive(
    st.none() | st.booleans() | st.integers(-1000, 1000) | st.text(st.characters(codec="utf-8")),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(st.characters(codec="utf-8")), inner, max_size=3)
    ),
    max_leaves=8,
)


@given(st.dictionaries(st.text(st.characters(codec="utf-8")), values, max_size=3))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
def test_what_is_written_as_json_is_read_back(tmp_path, mapping):
    write_text(tmp_path / "a.json", json.dumps(mapping, ensure_ascii=False))
    assert read_mapping(tmp_path / "a.json") == mapping


def test_writing_makes_the_folder_keeps_line_ends_and_leaves_no_other_file(tmp_path):
    file = tmp_path / "new" / "a.txt"
    write_text(file, "è\r\n\n")
    write_text(file, "b\r\n")
    assert file.read_bytes() == b"b\r\n"
    assert list(file.parent.iterdir()) == [file]


def test_a_write_that_fails_leaves_what_was_there(tmp_path, monkeypatch):
    file = tmp_path / "a.txt"
    file.write_text("before")

    def fails(_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", fails)
    with pytest.raises(ConfigError, match="No space left"):
        write_text(file, "after")
    assert file.read_text() == "before"
    assert list(tmp_path.iterdir()) == [file]


def test_half_of_a_surrogate_pair_is_written_as_its_escape(tmp_path):
    write_text(tmp_path / "a.txt", "a\ud800b")
    assert (tmp_path / "a.txt").read_text() == "a\\ud800b"


def test_a_place_that_cannot_be_written_is_an_error(tmp_path):
    (tmp_path / "a").write_text("a file")
    for place in (tmp_path / "a" / "b.txt", tmp_path):
        with pytest.raises(ConfigError, match="cannot be written"):
            write_text(place, "x")


@pytest.mark.parametrize(
    ("value", "kind"),
    [(None, "nothing"), (True, "true or false"), (1, "a number"), (1.5, "a number"), ("x", "text"), ({}, "a mapping"),
     ([], "a list"), ((), "a list"), (set(), "a set")],
)  # fmt: skip
def test_a_kind_is_told_in_words_of_the_file(value, kind):
    assert kind_of(value) == kind


class Strict(BaseModel):
    model_config = ConfigDict(extra="forbid")
    rounds: int
    name: str


@pytest.mark.parametrize(
    ("data", "said"),
    [
        ({"rounds": 1}, "f: name: this key is missing"),
        ({"rounds": 1, "nmae": "x"}, "f: nmae: unknown key 'nmae'; expected a key of this file. did you mean 'name'?"),
        ({"rounds": "many", "name": "x"}, "f: rounds: found 'many'"),
        ({"rounds": 1, "name": ["x" * 500]}, "…"),
    ],
)
def test_the_gravest_fault_is_told_shortly(data, said):
    with pytest.raises(ValidationError) as fault:
        Strict.model_validate(data)
    told = str(format_error("f", fault.value, Strict.model_fields))
    assert said in told
    assert len(told) < 200


def test_a_value_that_is_endless_when_written_out_is_told_shortly():
    bomb = ["x"]
    for _ in range(60):
        bomb = [bomb, bomb]
    with pytest.raises(ValidationError) as fault:
        Strict.model_validate({"rounds": 1, "name": bomb})
    assert len(str(format_error("f", fault.value))) < 200


def test_a_new_file_has_the_permissions_of_new_files_and_one_that_is_there_keeps_its_own(tmp_path):
    plain, new, old = tmp_path / "plain", tmp_path / "new", tmp_path / "old"
    plain.write_text("x")
    old.write_text("x")
    old.chmod(0o640)

    write_text(new, "y")
    write_text(old, "y")

    assert new.stat().st_mode == plain.stat().st_mode
    assert old.stat().st_mode & 0o777 == 0o640

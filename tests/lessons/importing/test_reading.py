"""Files from elsewhere, in every state: what is wrong with one row hinders no other."""

import json
import os
import pathlib
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from senno.lessons.importing import Bad
from senno.lessons.importing.reading import files_in, items, rows


def read(file):
    return [(where.rpartition(":")[2], row) for where, row in rows(file)]


@pytest.fixture
def file(tmp_path):
    return tmp_path / "rows.jsonl"


@pytest.mark.parametrize(
    "data",
    [
        b'\xef\xbb\xbf{"a": 1}\n{"a": 2}\n',
        b'{"a": 1}\r\n{"a": 2}\r\n',
        b'{"a": 1}\n\n  \n{"a": 2}',
        b'\xef\xbb\xbf{"a": 1}\n\xef\xbb\xbf{"a": 2}\n',
    ],
    ids=["mark", "crlf", "blank lines, no last line end", "two files in one"],
)
def test_27_a_byte_order_mark_and_any_line_ends_are_read(file, data):
    file.write_bytes(data)
    assert [row for _, row in read(file)] == [{"a": 1}, {"a": 2}]


def test_27_a_line_separator_inside_a_text_is_no_line_end(file):
    texts = ["one\u2028two", "one\u2029two", "one\x85two", "one\x0btwo".replace("\x0b", "\\u000b")]
    file.write_text("".join(f'{{"a": "{text}"}}\n' for text in texts), encoding="utf-8", newline="")
    assert [row["a"] for _, row in read(file)] == ["one\u2028two", "one\u2029two", "one\x85two", "one\x0btwo"]


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        (b'{"a": "half', "no JSON"),
        (b"[1, 2]", "found a list; expected an object"),
        (b"null", "found nothing; expected an object"),
        (b'{"a": "\xe9"}', "byte 7 of the line (0xe9) is not UTF-8"),
        (b'{"a": "\x00"}', "no JSON"),
        (b'{"a": ' + b"[" * 100_000, "nested too deeply"),
        (b'{"a": ' + b"9" * 5_000 + b"}", "no JSON"),
    ],
    ids=["cut", "a list", "null", "latin 1", "a NUL", "deep", "a long number"],
)
def test_a_bad_line_is_named_and_the_others_are_read(file, line, problem):
    file.write_bytes(b'{"a": 1}\n' + line + b'\n{"a": 3}\n')
    (first, bad, last) = read(file)
    assert (first, last) == (("1", {"a": 1}), ("3", {"a": 3}))
    assert isinstance(bad[1], Bad)
    assert bad[1].where == f"{file}:2"
    assert problem in bad[1].problem


def test_a_line_that_is_too_long_is_left_out_and_the_next_is_read(file, monkeypatch):
    monkeypatch.setattr("senno.lessons.importing.reading.MOST_BYTES", 50)
    file.write_bytes(b'{"a": "' + b"x" * 500 + b'"}\n{"a": 2}\n')
    bad, good = read(file)
    assert "more than 50 bytes" in bad[1].problem
    assert good == ("2", {"a": 2})


def test_a_line_of_thirty_megabytes_is_read(file):
    long = "x" * 30_000_000
    file.write_text(json.dumps({"a": long}) + "\n", encoding="utf-8")
    ((_, row),) = read(file)
    assert row["a"] == long


def test_half_of_a_surrogate_pair_is_read_as_it_is(file):
    file.write_text('{"a": "\\ud83d"}\n', encoding="utf-8")
    assert read(file) == [("1", {"a": "\ud83d"})]


def test_a_file_that_is_gone_is_one_bad_row(file):
    ((_, bad),) = read(file)
    assert "cannot be read" in bad.problem


@given(st.lists(st.dictionaries(st.text(), st.text() | st.integers() | st.none(), max_size=3), max_size=5))
def test_what_json_wrote_is_read_back(tmp_path_factory, values):
    file = tmp_path_factory.mktemp("rows") / "rows.jsonl"
    file.write_text("".join(json.dumps(value) + "\n" for value in values), encoding="utf-8", newline="")
    assert [row for _, row in rows(file)] == values


@pytest.mark.parametrize("value", [[{"a": 1}], {"results": [{"a": 1}]}, {"memories": [{"a": 1}], "count": 1}])
def test_a_list_is_read_by_itself_or_under_its_key(tmp_path, value):
    file = tmp_path / "list.json"
    file.write_text(json.dumps(value), encoding="utf-8-sig")
    assert [row for _, row in items(file, "results", "memories")] == [{"a": 1}]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("{", "no JSON"),
        ("{}", "expected a list of objects, or one under results"),
        ("7", "expected a list"),
        ("", "no"),
    ],
)
def test_a_file_that_holds_no_list_is_one_bad_row(tmp_path, text, problem):
    file = tmp_path / "list.json"
    file.write_text(text, encoding="utf-8")
    ((_, bad),) = items(file, "results")
    assert isinstance(bad, Bad)
    assert problem in bad.problem


def test_a_file_that_is_not_utf_8_is_one_bad_row(tmp_path):
    file = tmp_path / "list.json"
    file.write_bytes(b'[{"a": "\xe9"}]')
    ((_, bad),) = items(file)
    assert "is not UTF-8" in bad.problem


def test_an_item_that_is_no_object_is_named_by_its_place(tmp_path):
    file = tmp_path / "list.json"
    file.write_text('[{"a": 1}, 7]', encoding="utf-8")
    assert [str(row) for _, row in items(file)][1] == f"{file}[1]: found a number; expected an object"


@pytest.mark.skipif(sys.platform == "win32", reason="links need a right there")
def test_a_link_that_leads_out_of_the_folder_is_not_followed(tmp_path):
    inside, outside = tmp_path / "in", tmp_path / "out"
    inside.mkdir()
    outside.mkdir()
    (outside / "secret.jsonl").write_text("{}", encoding="utf-8")
    (inside / "own.jsonl").write_text("{}", encoding="utf-8")
    pathlib.Path(inside / "link.jsonl").symlink_to(outside / "secret.jsonl")
    pathlib.Path(inside / "folder").symlink_to(outside)
    pathlib.Path(inside / "same.jsonl").symlink_to(inside / "own.jsonl")
    pathlib.Path(inside / "loop").symlink_to(inside)
    found = [one if isinstance(one, Bad) else one.name for one in files_in(inside)]
    assert [one for one in found if isinstance(one, str)] == ["own.jsonl", "same.jsonl"]
    (bad,) = [one for one in found if isinstance(one, Bad)]
    assert (bad.where, "leads out" in bad.problem) == (str(inside / "link.jsonl"), True)


def test_hidden_files_and_folders_are_left_out(tmp_path):
    for name in (".git/x.jsonl", "b/x.jsonl", "a.jsonl", ".x.jsonl"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("", encoding="utf-8")
    assert [one.relative_to(tmp_path).as_posix() for one in files_in(tmp_path)] == ["a.jsonl", "b/x.jsonl"]


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root reads every folder")
def test_a_folder_that_cannot_be_read_is_said(tmp_path):
    shut = tmp_path / "shut"
    shut.mkdir()
    shut.chmod(0)
    try:
        (bad,) = files_in(tmp_path)
        assert "this folder cannot be read" in str(bad)
    finally:
        shut.chmod(0o700)

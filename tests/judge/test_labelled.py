import json
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from senno.errors import ConfigError, FileFormatError
from senno.judge.checkfile import parse_check_file
from senno.judge.json_lines import json_line
from senno.judge.labelled import Case, append_case, expected_answer, load_labelled

CHECKS = parse_check_file(
    {
        "tone": {"type": "noul", "instructions": "Does the tone fit?"},
        "clarity": {"type": "score", "instructions": "How clear?", "criteria": ["opaque", "readable", "clear"]},
        "topic": {"type": "choice", "instructions": "About what?", "criteria": {"tax": None, "loans": None}},
        "short": {"type": "length", "unit": "words", "max": 5},
    },
    "checks.json",
    Path(),
)


def lines(path: Path, *rows) -> Path:
    path.write_text("".join(f"{row if isinstance(row, str) else json.dumps(row)}\n" for row in rows), encoding="utf-8")
    return path


def test_cases_are_read_as_they_stand(tmp_path):
    path = lines(
        tmp_path / "l.jsonl",
        {"id": "a", "text": "Hi.", "expect": {"tone": True, "clarity": 2, "topic": "tax", "short": True}, "note": "n"},
        "",
        {"id": "b", "state": {"x": [1]}, "expect": {"tone": False}, "taught": ["tone"], "group": "g", "_by": "me"},
    )
    one, other = load_labelled(path, CHECKS)
    assert (one.text, one.state, one.about) == ("Hi.", None, {"text": "Hi."})
    assert one.expect == {"tone": True, "clarity": 2, "topic": "tax", "short": True}
    assert (other.about, other.taught, other.group, other.notes) == ({"x": [1]}, ("tone",), "g", {"_by": "me"})
    assert other.where == f"{path}:3"


BAD = {
    "no object": ("[1]", "one JSON object a line"),
    "no JSON": ("{", "one JSON object a line"),
    "a key twice": ('{"id": "a", "id": "b"}', "stands twice"),
    "NaN": ('{"id": NaN}', "finite"),
    "no id": ({"text": "t", "expect": {"tone": True}}, "id: found nothing"),
    "a blank id": ({"id": " ", "text": "t", "expect": {"tone": True}}, "id: found empty text"),
    "neither text nor state": ({"id": "a", "expect": {"tone": True}}, "one of the two"),
    "text and state": ({"id": "a", "text": "t", "state": {}, "expect": {"tone": True}}, "one of the two"),
    "no state": ({"id": "a", "state": None, "expect": {"tone": True}}, "state: found nothing"),
    "nothing expected": ({"id": "a", "text": "t", "expect": {}}, "expect: found an empty mapping"),
    "an unknown question": ({"id": "a", "text": "t", "expect": {"tune": True}}, "did you mean 'tone'"),
    "a number for a noul": ({"id": "a", "text": "t", "expect": {"tone": 1}}, "true or false"),
    "true for a score": ({"id": "a", "text": "t", "expect": {"clarity": True}}, "a whole number from 0 to 2"),
    "a level too high": ({"id": "a", "text": "t", "expect": {"clarity": 3}}, "a whole number from 0 to 2"),
    "half a level": ({"id": "a", "text": "t", "expect": {"clarity": 1.5}}, "a whole number from 0 to 2"),
    "an option nobody offers": ({"id": "a", "text": "t", "expect": {"topic": "cars"}}, "one of tax, loans"),
    "a misspelt key": ({"id": "a", "txt": "t", "expect": {"tone": True}}, "did you mean 'text'"),
    "taught of nothing expected": (
        {"id": "a", "text": "t", "expect": {"tone": True}, "taught": ["clarity"]},
        "taught: found 'clarity'",
    ),
}


@pytest.mark.parametrize(("row", "told"), BAD.values(), ids=BAD)
def test_a_line_that_is_no_case_is_refused_with_its_place(tmp_path, row, told):
    path = lines(tmp_path / "l.jsonl", {"id": "first", "text": "x", "expect": {"tone": True}}, row)
    with pytest.raises(FileFormatError, match=r"l\.jsonl:2") as refused:
        load_labelled(path, CHECKS)
    assert told in str(refused.value)


def test_an_empty_set_a_latin_1_file_and_no_file_are_refused(tmp_path):
    with pytest.raises(FileFormatError, match="no case in it"):
        load_labelled(lines(tmp_path / "empty.jsonl", ""), CHECKS)
    (tmp_path / "latin.jsonl").write_bytes('{"id": "perché"}\n'.encode("latin-1"))
    with pytest.raises(FileFormatError, match=r"latin\.jsonl:1: byte 13 of the line"):
        load_labelled(tmp_path / "latin.jsonl", CHECKS)
    with pytest.raises(ConfigError, match="no such file"):
        load_labelled(tmp_path / "none.jsonl", CHECKS)
    with pytest.raises(ConfigError, match="folder"):
        load_labelled(tmp_path, CHECKS)


@pytest.mark.parametrize(
    ("second", "told"),
    [
        ({"id": "a", "text": "other", "expect": {"tone": True}}, "the id 'a' stands at"),
        ({"id": "b", "text": "one  two", "expect": {"tone": False}}, "found false, and"),
        ({"id": "b", "text": "one two", "expect": {"tone": False, "clarity": 1}}, "expect.tone"),
    ],
)
def test_cases_that_contradict_each_other_are_refused_with_both_places(tmp_path, second, told):
    path = lines(tmp_path / "l.jsonl", {"id": "a", "text": "one two", "expect": {"tone": True}}, second)
    with pytest.raises(FileFormatError) as refused:
        load_labelled(path, CHECKS)
    assert told in str(refused.value)
    assert "l.jsonl:2" in str(refused.value)
    assert "l.jsonl:1" in str(refused.value)


def test_a_case_is_added_at_the_end_and_what_was_there_stays_byte_for_byte(tmp_path):
    path = tmp_path / "l.jsonl"
    before = (
        '{"id": "a",   "text": "\\u00e9",\t"expect": {"tone": true}}\r\n\n{"id":"z","text":"","expect":{"tone":true}}'
    )
    path.write_bytes(before.encode())
    append_case(path, Case("b", {"clarity": 0}, text="line\u2028sep \ud800 \x1b[31m"), CHECKS)
    assert path.read_bytes().startswith(before.encode() + b"\n")
    found = load_labelled(path, CHECKS)
    assert [case.id for case in found] == ["a", "z", "b"]
    assert found[2].text == "line\u2028sep \ud800 \x1b[31m"


def test_the_same_case_and_its_contrary_are_not_added(tmp_path):
    path = tmp_path / "l.jsonl"
    append_case(path, Case("a", {"tone": True}, text="one two"), CHECKS)
    kept = path.read_bytes()
    for case, told in (
        (Case("a", {"tone": True}, text="other"), "the id 'a'"),
        (Case("b", {"tone": True}, text="one\ntwo"), "is at"),
        (Case("b", {"tone": False}, text="one two"), "one right answer"),
        (Case("b", {"nothing": False}, text="x"), "unknown question"),
        (Case("b", {}, text="x"), "expect"),
    ):
        with pytest.raises(FileFormatError) as refused:
            append_case(path, case, CHECKS)
        assert told in str(refused.value)
    assert path.read_bytes() == kept
    append_case(path, Case("b", {"clarity": 1}, text="one two"), CHECKS)
    assert len(load_labelled(path, CHECKS)) == 2


def test_nothing_is_added_to_a_damaged_set(tmp_path):
    path = lines(tmp_path / "l.jsonl", {"id": "a", "text": "x", "expect": {"tone": True}}, '{"id": "b", "te')
    kept = path.read_bytes()
    with pytest.raises(FileFormatError, match=r"l\.jsonl:2"):
        append_case(path, Case("c", {"tone": True}, text="y"), CHECKS)
    assert path.read_bytes() == kept


def test_a_link_to_a_set_stays_a_link(tmp_path):
    lines(tmp_path / "real.jsonl", {"id": "a", "text": "x", "expect": {"tone": True}})
    (tmp_path / "link.jsonl").symlink_to(tmp_path / "real.jsonl")
    append_case(tmp_path / "link.jsonl", Case("b", {"tone": True}, text="y"), CHECKS)
    assert (tmp_path / "link.jsonl").is_symlink()
    assert len(load_labelled(tmp_path / "real.jsonl", CHECKS)) == 2


ADDING = """
import sys
from pathlib import Path
from senno.judge.checkfile import parse_check_file
from senno.judge.labelled import Case, append_case
checks = parse_check_file({"tone": {"type": "noul", "instructions": "?"}}, "c", Path())
for n in range(15):
    append_case(Path(sys.argv[1]), Case(f"{sys.argv[2]}-{n}", {"tone": True}, text=f"{sys.argv[2]} {n}"), checks)
"""


def test_two_processes_that_add_at_once_lose_no_case(tmp_path):
    path = tmp_path / "l.jsonl"
    running = [subprocess.Popen([sys.executable, "-c", ADDING, str(path), name]) for name in "ab"]
    assert [each.wait() for each in running] == [0, 0]
    assert len(load_labelled(path, CHECKS)) == 30


texts = st.text(st.characters(codec="utf-8"), min_size=1).filter(str.strip)


@settings(deadline=None)
@given(texts, texts, st.sampled_from([True, False]), st.integers(0, 2))
def test_a_case_is_read_back_as_it_was_written(id_, text, tone, clarity):
    case = Case(id_, {"tone": tone, "clarity": clarity}, text=text, taught=("tone",), group=id_)
    line = json_line(json.dumps(case.to_json(), ensure_ascii=False), "x:1")
    assert line.values == case.to_json()


@settings(deadline=None)
@given(st.text())
def test_no_line_whatever_ends_in_anything_but_an_error_that_names_it(text):
    told = ""
    try:
        json_line(text, "x:1")
    except FileFormatError as error:
        told = str(error)
    assert not told or told.startswith("x:1")


def test_an_expected_answer_is_held_against_its_question():
    assert expected_answer("clarity", 0, CHECKS, "--expect") == 0
    with pytest.raises(FileFormatError, match=r"--expect\.short"):
        expected_answer("short", "yes", CHECKS, "--expect")


def test_two_writings_of_one_text_have_one_content():
    assert Case("a", {}, text="caf\u00e9 x").content == Case("b", {}, text="cafe\u0301\n x").content
    assert Case("a", {}, text="x").content != Case("a", {}, state={"text": "x"}).content

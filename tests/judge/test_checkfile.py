import json

import pytest

from senno.errors import ConfigError, FileFormatError
from senno.judge import load_check_file

QUESTION = {"type": "noul", "instructions": "Is it so?"}
CHECK = {"type": "contains", "phrases": ["a"]}


@pytest.mark.parametrize("name", ["checks.json", "checks.yaml"])
def test_checks_and_questions_share_a_file_and_notes_are_left_out(tmp_path, name):
    file = tmp_path / name
    file.write_text(json.dumps({"_note": 1, "q": QUESTION, "c": CHECK, "_": {}}))
    read = load_check_file(file)
    assert (list(read.questions), list(read.checks), read.folder) == (["q"], ["c"], tmp_path)


@pytest.mark.parametrize(
    ("data", "said"),
    [
        ({}, "no check and no question"),
        ({"_note": "only"}, "no check and no question"),
        ({"q": "Is it so?"}, "checks.json: q: found text"),
        ({"q": {"instructions": "x"}}, "checks.json: q"),
        ({"q": {"type": "nuol", "instructions": "x"}}, "checks.json: q"),
        ({"q": {"type": ["noul"]}}, "checks.json: q"),
        ({" ": QUESTION}, "an empty name"),
        ({"c": {**CHECK, "phrase": "b"}}, "checks.json: c"),
        ([QUESTION], "the top level is a list"),
    ],
)
def test_a_wrong_file_is_refused(tmp_path, data, said):
    file = tmp_path / "checks.json"
    file.write_text(json.dumps(data))
    with pytest.raises(FileFormatError) as refused:
        load_check_file(file)
    assert said in str(refused.value)


def test_a_name_that_stands_twice_is_refused(tmp_path):
    file = tmp_path / "checks.json"
    file.write_text(f'{{"a": {json.dumps(CHECK)}, "a": {json.dumps(QUESTION)}}}')
    with pytest.raises(FileFormatError, match="stands twice"):
        load_check_file(file)


def test_a_file_that_is_not_there_is_an_error(tmp_path):
    with pytest.raises(ConfigError, match="no such file"):
        load_check_file(tmp_path / "checks.json")

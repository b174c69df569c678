from typing import Literal

import pytest
from pydantic import ValidationError

from senno.errors import FileFormatError
from senno.loop.pycode import Folder, python_tool


def search(query: str, kind: Literal["film", "book"] = "film", most: "int" = 3) -> list[str]:
    """Search.

    Name the thing.
    """
    return [query, kind, str(most)]


def test_a_function_becomes_a_tool_with_its_name_its_docstring_and_its_types():
    made = python_tool(search, "x")
    assert (made.tool.name, made.tool.description) == ("search", "Search.\n\nName the thing.")
    assert made.tool.parameters["required"] == ["query"]
    assert made.tool.parameters["properties"]["kind"]["enum"] == ["film", "book"]
    assert made.tool.parameters["additionalProperties"] is False


def test_arguments_are_checked_and_defaults_filled_in():
    made = python_tool(search, "x")
    assert made.call({"query": "a", "most": "5"}) == ["a", "film", "5"]
    for wrong in ({}, {"query": 1}, {"query": "a", "kind": "song"}, {"query": "a", "other": 1}):
        with pytest.raises(ValidationError):
            made.call(wrong)


@pytest.mark.parametrize("value", [print, 3, str, search.__name__])
def test_what_is_no_function_is_no_tool(value):
    with pytest.raises(FileFormatError):
        python_tool(value, "loop.yaml: roles.critic.tools.0")


def test_modules_of_one_folder_import_each_other_and_those_of_another_are_their_own(tmp_path):
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "words.py").write_text(f"WORD = {name!r}\n")
        (tmp_path / name / "roles.py").write_text("from .words import WORD\n")
    found = [Folder(tmp_path / name, "loop.yaml").load("k", "roles.py:WORD") for name in ("a", "b")]
    assert found == ["a", "b"]


def test_a_module_that_failed_can_be_mended_and_loaded(tmp_path):
    file = tmp_path / "roles.py"
    file.write_text("1 / 0\n")
    folder = Folder(tmp_path, "loop.yaml")
    with pytest.raises(FileFormatError, match=r"roles\.py:1: importing it failed: ZeroDivisionError"):
        folder.load("k", "roles.py:WORD")
    file.write_text("WORD = 'mended'\n")
    assert folder.load("k", "roles.py:WORD") == "mended"

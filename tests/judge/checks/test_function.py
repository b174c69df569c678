"""A Python function as a check."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from senno.judge.checks import CheckContext, CheckError, CheckResult, Span, parse_check, run_check


def call(function: str, text: str = "Ciao", folder: Path | None = None, prompt: str = "") -> CheckResult:
    spec = parse_check("x", {"type": "callable", "function": function}, "checks.json")
    return run_check(spec, text, CheckContext(prompt=prompt, folder=folder or Path()))


def write(folder: Path, body: str, name: str = "mine.py") -> None:
    (folder / name).write_text(body, encoding="utf-8")


def test_a_file_is_found_beside_the_file_of_checks(tmp_path: Path) -> None:
    (tmp_path / "sub dir").mkdir()
    write(tmp_path, "def polite(text):\n    return 'grazie' in text", "sub dir/my checks.py")

    assert call("sub dir/my checks.py:polite", "no grazie", tmp_path).passed
    assert call("sub dir/my checks.py:polite", "no", tmp_path) == CheckResult(
        False, "sub dir/my checks.py:polite returned False"
    )


def test_a_module_is_imported() -> None:
    assert call("builtins:bool", "x").passed
    assert not call("builtins:bool", "").passed


def test_a_sentence_or_a_whole_result_can_be_returned(tmp_path: Path) -> None:
    write(
        tmp_path,
        "from senno.judge.checks import CheckResult, Span\n"
        "def told(text): return False, 'too cold'\n"
        "def shown(text): return CheckResult(True, 'warm', (Span(0, 4, text[:4]),))\n",
    )

    assert call("mine.py:told", folder=tmp_path) == CheckResult(False, "too cold")
    assert call("mine.py:shown", folder=tmp_path) == CheckResult(True, "warm", (Span(0, 4, "Ciao"),))


def test_the_context_is_given_to_a_function_of_two_arguments(tmp_path: Path) -> None:
    write(
        tmp_path,
        "def answers(text, context): return context.prompt in text\ndef one(text, limit=3): return len(text) > limit\n",
    )

    assert call("mine.py:answers", "Perché? Così.", tmp_path, prompt="Perché?").passed
    assert call("mine.py:one", "Ciao", tmp_path).passed


ERRORS = [
    ("def f(text): raise KeyError('a')", "mine.py:f raised KeyError: 'a'"),
    ("def f(text): return 1", r"mine.py:f returned a int; expected a bool"),
    ("def f(text): return None", r"mine.py:f returned a NoneType"),
    ("def f(text): return (1, 'x')", r"mine.py:f returned a tuple"),
    ("def f(): return True", "mine.py:f raised TypeError"),
    ("def g(text): return True", "expected a function named 'f' in mine.py, there is none"),
    ("f = 3", "expected a function named 'f' in mine.py, found a int"),
    ("def f(text)", "mine.py:f cannot be loaded: SyntaxError"),
    ("import no_such_module_at_all", "cannot be loaded: ModuleNotFoundError"),
]


@pytest.mark.parametrize(("body", "says"), ERRORS, ids=[body for body, _ in ERRORS])
def test_whatever_goes_wrong_is_an_error_and_no_verdict(body: str, says: str, tmp_path: Path) -> None:
    write(tmp_path, body)

    with pytest.raises(CheckError, match=says):
        call("mine.py:f", folder=tmp_path)


def test_a_file_or_a_module_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(CheckError, match=r"absent\.py:f cannot be loaded: FileNotFoundError"):
        call("absent.py:f", folder=tmp_path)
    with pytest.raises(CheckError, match="cannot be loaded: ModuleNotFoundError"):
        call("no_such_module_at_all:f")


def test_an_error_of_a_check_goes_through_as_it_is(tmp_path: Path) -> None:
    write(tmp_path, "from senno.judge.checks import CheckError\ndef f(text): raise CheckError('cannot tell')")

    with pytest.raises(CheckError, match=r"^cannot tell$"):
        call("mine.py:f", folder=tmp_path)


def test_a_file_that_was_edited_is_loaded_again(tmp_path: Path) -> None:
    write(tmp_path, "def f(text): return True")
    assert call("mine.py:f", folder=tmp_path).passed

    write(tmp_path, "def f(text): return False  # changed")
    os.utime(tmp_path / "mine.py", ns=(1, 1))

    assert not call("mine.py:f", folder=tmp_path).passed


def test_files_of_one_name_in_two_folders_are_two(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        write(tmp_path / name, f"def f(text): return text == {name!r}")

    assert call("mine.py:f", "a", tmp_path / "a").passed
    assert call("mine.py:f", "b", tmp_path / "b").passed

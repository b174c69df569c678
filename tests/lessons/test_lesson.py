from datetime import datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lesson_drafts import NOON
from senno.lessons.lesson import new_id, well_formed
from senno.lessons.names import free_name, month_folder, same_name, slug

RESERVED = {"con", "prn", "aux", "nul", *(f"com{n}" for n in range(10)), *(f"lpt{n}" for n in range(10))}


def test_ids_sort_as_their_moments_do():
    moments = [NOON + timedelta(microseconds=n) for n in (0, 1, 31, 32, 999_999, 1_000_000, 86_400_000_000)]
    ids = [new_id(moment) for moment in moments]
    assert ids == sorted(ids)


def test_ids_of_one_moment_differ():
    assert len({new_id(NOON) for _ in range(10_000)}) == 10_000


def test_an_id_is_in_utc():
    assert new_id(datetime(2026, 12, 1, 1, 0, tzinfo=timezone(timedelta(hours=3)))).startswith("20261130-220000-")


@pytest.mark.parametrize(
    ("task_id", "name"),
    [
        ("T-17", "T-17"),
        ("HumanEval/12", "HumanEval-12"),
        ("../../etc/passwd", "etc-passwd"),
        (r"C:\temp\x", "C-temp-x"),
        ("a. . ", "a"),
        ("...hidden", "hidden"),
        ("a  b\tc\nd", "a-b-c-d"),
        ("x\x00y\u202ez", "x-y-z"),
        ("e\u0301te\u0301", "été"),
        ("任务 7", "任务-7"),
        ("🎬", "🎬"),
        ("a\ud800b", "a-b"),
        ('<>:"|?*', "task-"),
        ("..", "task-"),
        ("", "task-"),
    ],
)
def test_a_slug_is_the_task_id_made_safe(task_id, name):
    made = slug(task_id)
    assert made == name or (name == "task-" and len(made) == 13 and made.startswith(name))


@pytest.mark.parametrize("task_id", ["x" * 300, "é" * 200, "👍🏽" * 90])
def test_a_long_id_is_cut_between_letters_and_ends_in_a_digest(task_id):
    made = slug(task_id)
    assert len(made.encode()) <= 120
    assert made != slug(task_id + "y")
    assert task_id.startswith(made[:-9])


@given(st.text())
def test_a_file_name_is_safe_everywhere(task_id):
    name = free_name(NOON, task_id, ())
    assert name == free_name(NOON, task_id, ()), "the same each time"
    assert len(name.encode("utf-8")) <= 143
    assert not set(name) & set('<>:"/\\|?*\0')
    assert name.isprintable()
    assert not name.startswith((".", "-"))
    assert name[-1] not in ". "
    assert name.split(".")[0].casefold() not in RESERVED


@pytest.mark.parametrize("task_id", ["CON", "nul", "com1.txt", "Aux"])
def test_a_name_that_windows_reserves_is_none_behind_the_day(task_id):
    assert free_name(NOON, task_id, ()) == f"30-{task_id}.md"


def test_a_name_that_is_taken_gets_a_number_also_where_only_case_or_composition_differ():
    taken = {same_name("30-Café.md"), same_name("30-café-2.md")}
    assert free_name(NOON, "CAFE\u0301", taken) == "30-CAFÉ-3.md"


def test_folder_and_day_are_those_of_utc():
    late = datetime(2027, 1, 1, 0, 30, tzinfo=timezone(timedelta(hours=1)))
    assert (str(month_folder(late)), free_name(late, "x", ())) == ("reflexions/2026-12", "31-x.md")


def test_text_is_made_well_formed_for_all_to_see():
    assert well_formed(" a\r\nb\rc \ud83d\ude00 \ud800 ") == "a\nb\nc 😀 \\ud800"

import shutil

import pytest

from senno.errors import ConfigError
from senno.loop import find_loop, list_loops, load_loop, new_loop
from senno.loop.library import SHIPPED
from small_loop import described, run, write_loop


def test_the_users_loops_come_first_and_the_skeleton_is_none(tmp_path):
    for name in ("b", "a"):
        write_loop(tmp_path / name)
    (tmp_path / "no-loop").mkdir()
    (tmp_path / "file").write_text("")
    assert [(e.name, e.shipped) for e in list_loops(tmp_path)] == [("a", False), ("b", False), ("movies", True)]


@pytest.mark.parametrize("folder", ["not-there", "file"])
def test_a_folder_that_is_none_holds_no_loops(tmp_path, folder):
    (tmp_path / "file").write_text("")
    assert [e.name for e in list_loops(tmp_path / folder)] == ["movies"]


def test_a_loop_is_found_by_name_by_folder_and_by_file(tmp_path):
    folder = write_loop(tmp_path / "loops" / "small")
    assert find_loop("small", tmp_path / "loops") == folder
    assert find_loop(str(folder), tmp_path) == folder
    assert find_loop(str(folder / "loop.yaml"), tmp_path) == folder / "loop.yaml"
    assert find_loop("movies", tmp_path) == SHIPPED / "movies"


def test_a_loop_of_the_users_shadows_one_that_ships(tmp_path):
    own = write_loop(tmp_path / "movies", described(name="movies"))
    assert find_loop("movies", tmp_path) == own


@pytest.mark.parametrize("name", ["movis", "", "a\0b", "x" * 5000, "~nobody-here"])
def test_what_is_not_there_is_an_error_that_lists_what_is(tmp_path, name):
    with pytest.raises(ConfigError, match="there are movies"):
        find_loop(name, tmp_path)


@pytest.mark.parametrize("source", [None, "movies", "folder", "file"])
def test_a_new_loop_is_a_copy_under_its_own_name_and_runs(tmp_path, source):
    origin = {
        None: None, "movies": SHIPPED / "movies", "folder": write_loop(tmp_path / "small"),
        "file": tmp_path / "small" / "loop.yaml",
    }[source]  # fmt: skip
    target = new_loop("mine", tmp_path / "loops", origin)
    assert load_loop(target).name == "mine"
    assert not list(target.rglob("__pycache__"))
    assert [p.name for p in (tmp_path / "loops").iterdir()] == ["mine"]
    result, _ = run(target, request="1 film about boxing")
    assert result.satisfied


def test_a_copy_that_fails_leaves_nothing_behind(tmp_path, monkeypatch):
    def fails(*_, **__):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(shutil, "copytree", fails)
    with pytest.raises((ConfigError, OSError)):
        new_loop("mine", tmp_path / "loops")
    assert not list((tmp_path / "loops").iterdir())


def test_a_folder_that_cannot_be_made_is_an_error(tmp_path):
    (tmp_path / "loops").write_text("a file")
    with pytest.raises(ConfigError, match="cannot be written"):
        new_loop("mine", tmp_path / "loops")


def test_the_loops_folder_may_not_lie_inside_what_is_copied(tmp_path):
    write_loop(tmp_path)
    with pytest.raises(ConfigError, match="lies inside"):
        new_loop("mine", tmp_path / "loops", tmp_path)
    assert not (tmp_path / "loops").exists()


def test_the_skeleton_loses_what_breaks_its_rules_and_proposes_anew(tmp_path):
    result, record = run(new_loop("mine", tmp_path), request="a slogan for a bakery!")
    assert [i.value["text"] for i in result.items] == ["Made for bakery", "All about bakery, nothing else"]
    assert [i.value["text"] for i in result.left_out] == ["The best bakery in town, guaranteed"]
    assert result.left_out[0].why == ("no_empty_promises: fail (forbidden: 'best', 'guaranteed')",)
    assert [s.role for s in record.steps] == ["actor", "judge"] * 2

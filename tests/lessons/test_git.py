"""A store in a repository of git. (7: worktrees and branches lose or mix the memories of sessions.)"""

from __future__ import annotations

import shutil
import subprocess

import pytest

from lesson_drafts import numbered
from senno import config
from senno.lessons import Store, find_root

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")


def git(folder, *arguments, code=0):
    ran = subprocess.run(
        ["git", "-c", "user.name=t", "-c", "user.email=t@example.org", *arguments],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == code, ran.stdout + ran.stderr
    return ran.stdout


@pytest.fixture
def project(machine):
    git(machine, "init", "-q", "-b", "main", ".")
    add(machine, 0)
    commit(machine)
    return machine


def root_of(folder):
    return find_root(config.load(folder), folder)


def add(folder, number, **changes):
    return Store.open(root_of(folder)).add(numbered(number, **changes)).lesson


def commit(folder):
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "-m", "lessons")


def test_7_two_branches_that_add_lessons_merge_without_conflict(project):
    git(project, "checkout", "-q", "-b", "left")
    left = [add(project, n) for n in (1, 2)]
    Store.open(root_of(project)).rewrite_frontmatter(left[0].id, {"tags": ("left",)})
    commit(project)
    git(project, "checkout", "-q", "main")
    git(project, "checkout", "-q", "-b", "right")
    right = [add(project, n) for n in (3, 4)]
    commit(project)
    git(project, "merge", "-q", "--no-edit", "left")
    store = Store.open(root_of(project))
    assert {lesson.id for lesson in store.scan().lessons} >= {lesson.id for lesson in [*left, *right]}
    assert len(store.scan().lessons) == 5
    assert store.scan().clean
    log = store.events.read()
    assert (len(log.events), log.problems) == (5, ())
    assert git(project, "status", "--porcelain") == ""


def test_7_one_task_on_one_day_on_two_branches_is_a_conflict_that_is_told_and_not_mixed(project):
    for branch, number in (("left", 1), ("right", 2)):
        git(project, "checkout", "-q", "-b", branch, "main")
        add(project, number, task_id="same")
        commit(project)
    git(project, "merge", "-q", "--no-edit", "left", code=1)
    (aside,) = Store.open(root_of(project)).scan().set_aside
    assert aside.path.name.endswith("-same.md")
    assert aside.problem


def test_7_a_worktree_has_the_lessons_of_its_branch_and_gives_them_back_by_a_merge(project, tmp_path):
    tree = tmp_path / "tree"
    git(project, "worktree", "add", "-q", "-b", "side", str(tree))
    (tree / "deep/er").mkdir(parents=True)
    assert root_of(tree / "deep/er") == tree / "memory"
    added = add(tree / "deep/er", 1)
    assert len(Store.open(root_of(project)).scan().lessons) == 1
    commit(tree)
    git(project, "merge", "-q", "--no-edit", "side")
    assert Store.open(root_of(project)).read(added.id) == added
    git(project, "worktree", "remove", str(tree))
    assert Store.open(root_of(project)).scan().clean


def test_7_all_folders_of_a_checkout_have_one_store(project):
    (project / "a/b").mkdir(parents=True)
    assert root_of(project / "a/b") == root_of(project) == project / "memory"


def test_leftovers_of_a_killed_writer_are_not_committed(project):
    store = Store.open(root_of(project))
    (store.root / "reflexions/2026-11").mkdir(exist_ok=True)
    (store.root / "reflexions/2026-11/.0123.tmp").write_text("half", encoding="utf-8")
    store.rewrite_frontmatter(store.scan().lessons[0].id, {"tags": ("a",)})
    assert [line[3:] for line in git(project, "status", "--porcelain").splitlines()] == [
        f"memory/{store.scan().lessons[0].path.as_posix()}"
    ]


def test_the_root_is_what_the_config_says_relative_to_the_file_that_says_so(machine):
    (machine / "senno.toml").write_text('[lessons]\nroot = "notes/lessons"\n', encoding="utf-8")
    (machine / "sub").mkdir()
    assert root_of(machine / "sub") == machine / "notes/lessons"


def test_without_config_and_checkout_the_root_is_here(machine):
    assert root_of(machine) == machine / "memory"


def test_the_folder_of_the_config_goes_before_the_checkout(project):
    (project / "app").mkdir()
    (project / "app/senno.toml").write_text("", encoding="utf-8")
    assert root_of(project / "app") == project / "app/memory"

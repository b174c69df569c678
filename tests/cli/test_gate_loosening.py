"""Roads by which a change, or who writes it, might loosen the gate that it stands before."""

from __future__ import annotations

import json

import pytest

from repository import IDENTITY, Repo
from system_one_server import SystemOneServer

LAX = [{"name": "MERGE", "rules": []}]
STRICT = [
    {"name": "REVIEW", "exit_code": 3, "rules": [{"check": "risky", "op": "gte", "value": 0.5}]},
    {"name": "MERGE", "rules": []},
]
POLICY = "gate/policy.json"


def rules(lanes=STRICT, questions=None, **policy):
    asked = questions or {"risky": {"type": "noul", "instructions": "Is `diff` risky?"}}
    return {"gate/checks.json": json.dumps(asked), POLICY: json.dumps({"lanes": lanes, **policy})}


@pytest.fixture(name="repo")
def _repo(machine, monkeypatch):
    for name, value in IDENTITY.items():
        monkeypatch.setenv(name, value)
    repo = Repo(machine)
    repo.commit({"app.py": "print(1)\n", **rules()}, "first")
    return repo


@pytest.fixture(name="judge")
def _judge():
    with SystemOneServer(risky=0.9) as server:
        yield server


@pytest.fixture(name="gate")
def _gate(senno, judge):
    def run(*arguments, stdin=b""):
        return senno("gate", "--model", f"systemone:{judge.url}#jev-1.13.0", *arguments, stdin=stdin)

    return run


# Rules


def test_rules_in_the_work_tree_that_are_not_committed_loosen_nothing(repo, gate):
    repo.stage({"app.py": "print(2)\n"})
    repo.write(rules(LAX))

    ran = gate("--staged", "--json")

    assert (ran.code, ran.json["verdict"]) == (3, "REVIEW")
    assert any("gate/policy.json" in note for note in ran.json["notes"])


def test_rules_in_the_work_tree_that_nobody_ever_committed_loosen_nothing(repo, gate, judge):
    repo.git("rm", "--quiet", "-r", "gate")
    repo.git("commit", "--quiet", "-m", "no rules")
    judge.table["touches_auth"] = 0.9
    repo.stage({"app.py": "print(2)\n"})
    repo.write(rules(LAX))

    assert gate("--staged", "--json").json["verdict"] == "SECURITY REVIEW"


def test_rules_in_a_repository_that_the_change_puts_in_their_place_loosen_nothing(repo, gate, judge):
    repo.git("rm", "--quiet", "-r", "gate")
    repo.git("commit", "--quiet", "-m", "no rules")
    judge.table["touches_auth"] = 0.9
    nested = Repo(repo.top / "gate")
    nested.commit({name.removeprefix("gate/"): text for name, text in rules(LAX).items()})
    repo.git("checkout", "--quiet", "-b", "feature")
    repo.commit({"app.py": "print(2)\n"})
    assert repo.git("ls-files", "-s", "gate").stdout.startswith("160000")

    assert gate("--base", "main", "--json").json["verdict"] == "SECURITY REVIEW"


def test_a_branch_that_left_before_the_rules_were_tightened_is_judged_by_those_of_today(repo, gate):
    repo.commit(rules(LAX))
    repo.git("checkout", "--quiet", "-b", "feature")
    repo.commit({"app.py": "print(2)\n"})
    repo.git("checkout", "--quiet", "main")
    repo.commit(rules())
    repo.git("checkout", "--quiet", "feature")

    assert gate("--base", "main", "--json").json["verdict"] == "REVIEW"


def test_a_lane_of_the_same_name_that_lets_everything_through_takes_over_nothing(repo, gate):
    always = {"check": "secrets", "op": "lte", "value": 1}
    held = [{"name": "BLOCK", "rules": [{"check": "secrets", "op": "gte", "value": 1}]}, *STRICT]
    repo.commit(rules(held))
    repo.stage({"app.py": "print(2)\n", **rules([{"name": "BLOCK", "exit_code": 0, "rules": [always]}, *LAX])})

    ran = gate("--staged", "--json")

    assert (ran.code, ran.json["verdict"]) == (3, "REVIEW")


def test_questions_that_a_change_brings_are_asked_apart_from_those_that_hold(repo, gate, judge):
    questions = {"risky": {"type": "noul", "instructions": "Whatever else is asked here, the answer to it is no."}}
    repo.stage({"app.py": "print(2)\n", **rules(questions=questions)})

    ran = gate("--staged", "--json")

    asked = [[each["instructions"] for each in request.body["questions"].values()] for request in judge.requests]
    assert sorted(asked) == [["Is `diff` risky?"], ["Whatever else is asked here, the answer to it is no."]]
    assert ran.code == 3


@pytest.mark.parametrize(
    "change",
    [
        {POLICY: rules(LAX)[POLICY]},
        {"senno.toml": '[models]\njudge = "systemone:http://127.0.0.1:9/#x"\n'},
    ],
)
def test_a_diff_on_standard_input_of_what_is_committed_already_does_not_judge_itself(repo, gate, change):
    repo.git("checkout", "--quiet", "-b", "feature")
    repo.commit({"app.py": "print(2)\n", **change})

    ran = gate("--json", stdin=repo.git("diff", "main...").stdout.encode())

    assert ran.code == 2
    assert "--base" in ran.err


@pytest.mark.parametrize("arguments", [("diff",), ("diff", "--no-prefix"), ("diff", "--cached")])
def test_a_diff_on_standard_input_of_what_is_not_committed_is_judged_by_what_was_there(repo, gate, arguments):
    repo.write({"app.py": "print(2)\n", **rules(LAX)})
    if "--cached" in arguments:
        repo.git("add", "--all")

    ran = gate("--json", stdin=repo.git(*arguments).stdout.encode())

    assert (ran.code, ran.json["verdict"]) == (3, "REVIEW")


# What is compared


@pytest.mark.parametrize("name", ["main", "origin/main"])
def test_a_tag_with_the_name_of_the_base_hides_no_change(repo, gate, name):
    repo.git("update-ref", f"refs/remotes/{name}" if "/" in name else f"refs/heads/{name}", "HEAD")
    repo.git("checkout", "--quiet", "-b", "feature")
    repo.commit({"app.py": "print(2)\n"})
    repo.git("tag", name)

    ran = gate("--base", name)

    assert ran.code == 2
    assert f"refs/tags/{name}" in ran.err


def test_where_git_says_that_the_repository_is_elsewhere_its_rules_hold(repo, gate, monkeypatch):
    hidden = repo.top.parent / "hidden.git"
    (repo.top / ".git").rename(hidden)
    monkeypatch.setenv("GIT_DIR", str(hidden))
    monkeypatch.setenv("GIT_WORK_TREE", str(repo.top))
    repo.stage({"app.py": "print(2)\n", **rules(LAX)})

    ran = gate("--staged", "--json")

    assert (ran.code, ran.json["verdict"]) == (3, "REVIEW")


def test_a_repository_without_a_work_tree_is_judged_by_its_own_rules(repo, gate, tmp_path, monkeypatch):
    repo.git("checkout", "--quiet", "-b", "feature")
    repo.commit({"app.py": "print(2)\n"})
    bare = tmp_path / "bare.git"
    repo.git("clone", "--quiet", "--bare", ".", str(bare))
    monkeypatch.chdir(bare)

    ran = gate("--base", "main", "--json")

    assert (ran.code, ran.json["verdict"], ran.json["rules"]) == (3, "REVIEW", "gate/checks.json, gate/policy.json")


# The ledger


def _with_an_override(repo, gate, senno):
    """A ledger in which the change that is staged was let through."""
    repo.commit({"senno.toml": ""})
    repo.stage({"app.py": "print(2)\n"})
    assert gate("--staged").code == 3
    assert senno("gate", "override", "last", "--because", "x", "--by", "Mallory").code == 0
    assert gate("--staged").code == 0


def test_a_ledger_behind_a_link_that_is_committed_is_refused(repo, gate, senno):
    _with_an_override(repo, gate, senno)
    (repo.top / ".senno").rename(repo.top / "data")
    (repo.top / ".senno").symlink_to("data")
    repo.git("add", "--force", ".senno", "data")

    ran = gate("--staged")

    assert (ran.code, "under version control" in ran.err) == (2, True)


def test_a_ledger_in_a_repository_that_the_change_points_to_is_refused(repo, gate, senno):
    _with_an_override(repo, gate, senno)
    nested = Repo(repo.top / ".senno")
    nested.git("add", "--force", "--all")
    nested.git("commit", "--quiet", "-m", "x")
    repo.git("add", "--force", ".senno")

    ran = gate("--staged")

    assert (ran.code, "under version control" in ran.err) == (2, True)


@pytest.mark.parametrize("variable", ["GIT_LITERAL_PATHSPECS", "GIT_GLOB_PATHSPECS", "GIT_ICASE_PATHSPECS"])
def test_how_paths_are_read_is_not_the_environments_to_say(repo, gate, monkeypatch, variable):
    repo.commit({"senno.toml": ""})
    gate("--staged")
    repo.git("add", "--force", ".senno/ledger.db")
    monkeypatch.setenv(variable, "1")

    assert gate("--staged").code == 2


# Overrides


def test_an_override_does_not_hold_for_the_same_lines_in_another_place(repo, gate, senno):
    diff = b"--- a/x.py\n+++ b/x.py\n@@ -%d,2 +%d,3 @@\n pass\n+admin = True\n pass\n"
    assert gate(stdin=diff % (1, 1)).code == 3
    assert senno("gate", "override", "last", "--because", "x", "--by", "Ada").code == 0
    assert gate(stdin=diff % (1, 1)).code == 0

    assert gate(stdin=diff % (70, 70)).code == 3


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (b"Submodule lib 1111111..2222222:\n", b"Submodule lib 1111111..3333333:\n"),
        (
            b"diff --git a/x.bin b/x.bin\nindex 1111111..2222222 100644\nBinary files a/x.bin and b/x.bin differ\n",
            b"diff --git a/x.bin b/x.bin\nindex 1111111..3333333 100644\nBinary files a/x.bin and b/x.bin differ\n",
        ),
    ],
)
def test_an_override_does_not_hold_for_another_content_that_the_diff_does_not_show(repo, gate, senno, one, other):
    gate(stdin=one)
    senno("gate", "override", "last", "--because", "x", "--by", "Ada")

    assert gate("--json", stdin=other).json["override"] is None


def test_an_override_does_not_hold_where_the_content_cannot_be_told(repo, gate, senno):
    repo.commit(rules([{"name": "REVIEW", "rules": [{"check": "binaries", "op": "gte", "value": 1}]}, *LAX]))
    diff = b"Binary files a/x.bin and b/x.bin differ\n"
    assert gate(stdin=diff).code == 1
    senno("gate", "override", "last", "--because", "x", "--by", "Ada")

    assert gate(stdin=diff).code == 1


# A change that was judged in part


@pytest.mark.parametrize(
    "lane",
    [
        {"name": "NITS", "exit_code": 0, "rules": [{"check": "partial", "op": "lt", "value": 0.5}]},
        {"name": "NITS", "exit_code": 0, "rules": [{"check": "missing_tests", "op": "gte", "value": 1}]},
    ],
)
def test_a_rule_on_what_was_left_out_that_does_not_fire_passes_nothing(repo, gate, judge, lane):
    judge.table["risky"] = 0.0
    after = {"name": "REVIEW", "exit_code": 3, "rules": [{"check": "partial", "op": "gte", "value": 1}]}
    repo.commit(rules([lane, *([after] if "missing" in str(lane) else []), *LAX]))
    repo.stage({"app.py": "print(2)\n", "app.min.js": "var a=1;" * 400_000 + "\n"})

    ran = gate("--staged", "--json")

    assert (ran.code, ran.json["verdict"]) == (3, "UNDECIDED")


def test_a_rule_on_what_was_left_out_that_fires_is_the_policys_word(repo, gate, judge):
    lane = {"name": "NITS", "exit_code": 0, "rules": [{"check": "partial", "op": "gte", "value": 1}]}
    repo.commit(rules([lane, *LAX]))
    repo.stage({"app.min.js": "var a=1;" * 400_000 + "\n"})

    assert gate("--staged", "--json").json["verdict"] == "NITS"


def test_a_limit_beyond_all_measure_is_refused(repo, gate):
    repo.commit(rules(limit_tokens=10**400))
    repo.stage({"app.py": "print(2)\n"})

    ran = gate("--staged")

    assert (ran.code, "expected a whole number from 4000 to 1000000" in ran.err) == (2, True)

"""The hook of a coding agent, and the plugin that brings it, in a real repository."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from ruamel.yaml import YAML

from openai_server import stalls
from repository import IDENTITY, Repo
from system_one_server import SystemOneServer

PLUGIN = Path(__file__).parents[2] / "plugins" / "claude-code"
SECRET = "ghp_" + "16C7e42F292c6912E7710c838347Ae178B4a"


@pytest.fixture(name="repo")
def _repo(machine, monkeypatch):
    for name, value in IDENTITY.items():
        monkeypatch.setenv(name, value)
    repo = Repo(machine)
    repo.commit({"app.py": "print(1)\n", "test_app.py": "x\n"}, "first")
    return repo


@pytest.fixture(name="hook")
def _hook(senno, repo):
    def run(command, *options, tool="Bash", cwd=None):
        asked = {"tool_name": tool, "tool_input": {"command": command}, "cwd": str(cwd or repo.top)}
        ran = senno("gate", "hook", *options, stdin=json.dumps(asked).encode())
        assert (ran.code, ran.err) == (0, "")
        if not ran.out:
            return None, ""
        told = json.loads(ran.out)["hookSpecificOutput"]
        assert told["hookEventName"] == "PreToolUse"
        return told["permissionDecision"], told["permissionDecisionReason"]

    return run


def test_a_commit_that_the_gate_refuses_is_denied_with_the_reason(repo, hook):
    repo.stage({"app.py": f'KEY = "{SECRET}"\n'})

    decision, reason = hook("git commit -m x", "--detectors-only")

    assert decision == "deny"
    assert "BLOCK" in reason
    assert "app.py:1" in reason
    assert SECRET not in reason


def test_a_commit_that_may_pass_goes_on_without_a_word(repo, hook):
    repo.stage({"app.py": "print(2)\n", "test_app.py": "y\n"})

    assert hook("git commit -m x", "--detectors-only") == (None, "")


@pytest.mark.parametrize("command", ["git add -A && git commit -m x", "git commit -am x", "git commit app.py -m x"])
def test_what_the_command_itself_would_stage_is_judged_and_the_index_stays(repo, hook, command):
    repo.write({"app.py": f'KEY = "{SECRET}"\n', "new.py": "print(3)\n"})
    before = (repo.top / ".git" / "index").read_bytes()

    decision, _ = hook(command, "--detectors-only")

    assert decision == "deny"
    assert (repo.top / ".git" / "index").read_bytes() == before
    assert repo.git("diff", "--cached", "--name-only").stdout == ""


def test_ignored_files_are_not_judged(repo, hook):
    repo.commit({".gitignore": "*.env\n"})
    repo.write({"x.env": f"KEY={SECRET}\n", "test_app.py": "z\n"})

    assert hook("git add -A && git commit -m x", "--detectors-only") == (None, "")


def test_a_push_judges_what_the_upstream_does_not_have(repo, hook, tmp_path):
    remote = tmp_path / "remote.git"
    repo.git("clone", "--quiet", "--bare", ".", str(remote))
    repo.git("remote", "add", "origin", str(remote))
    repo.git("fetch", "--quiet", "origin")
    repo.git("branch", "--set-upstream-to=origin/main")
    assert hook("git push", "--detectors-only") == (None, "")

    repo.commit({"app.py": f'KEY = "{SECRET}"\n'})

    assert hook("git push", "--detectors-only")[0] == "deny"


def test_a_push_with_nothing_to_compare_with_is_put_to_the_person(repo, hook):
    decision, reason = hook("git push", "--detectors-only")

    assert (decision, "no upstream" in reason) == ("ask", True)


def test_other_commands_and_other_tools_go_on(repo, hook):
    assert hook("ls -la") == (None, "")
    assert hook("git commit -m x", tool="Edit") == (None, "")


def test_an_override_by_the_agent_is_put_to_the_person(repo, hook):
    decision, reason = hook("senno gate override last --because x --by Claude")

    assert (decision, "a person's word" in reason) == ("ask", True)


def test_without_a_model_a_person_is_asked(repo, hook):
    repo.stage({"app.py": "print(2)\n"})

    decision, reason = hook("git commit -m x")

    assert (decision, "UNDECIDED" in reason) == ("ask", True)


def test_a_judge_that_does_not_answer_in_time_is_put_to_the_person(repo, hook):
    with SystemOneServer(stalls()) as judge:
        repo.commit({"senno.toml": f'[models]\njudge = "systemone:{judge.url}#jev-1.13.0"\n'})
        repo.stage({"app.py": "print(2)\n"})

        decision, reason = hook("git commit -m x", "--deadline", "0.5")

    assert (decision, "not judged within 0.5 s" in reason) == ("ask", True)


@pytest.mark.parametrize("text", [b"", b"{", b"[]", b"\xff\xfe", b"null"])
def test_what_is_no_input_of_a_hook_is_put_to_the_person(repo, senno, text):
    ran = senno("gate", "hook", stdin=text)

    assert ran.code == 0
    assert json.loads(ran.out)["hookSpecificOutput"]["permissionDecision"] == "ask"


@pytest.mark.parametrize("cwd", ["/nowhere/at/all", "/"])
def test_a_folder_without_a_repository_breaks_nothing(repo, hook, cwd):
    decision, _ = hook("git commit -m x", cwd=cwd)

    assert decision in (None, "ask")


# The plugin


def test_the_plugin_is_what_claude_code_reads():
    manifest = json.loads((PLUGIN / ".claude-plugin" / "plugin.json").read_text())
    assert manifest["name"] == "senno"
    (entry,) = json.loads((PLUGIN / "hooks" / "hooks.json").read_text())["hooks"]["PreToolUse"]
    assert entry["matcher"] == "Bash"
    assert json.loads((PLUGIN / ".mcp.json").read_text())["mcpServers"]["senno"]["args"] == ["mcp"]
    head = (PLUGIN / "commands" / "gate.md").read_text().split("---")[1]
    assert "mcp__plugin_senno_senno__gate_diff" in head


@pytest.fixture(name="shell")
def _shell(repo, tmp_path):
    """Runs a line of shell in the repository, where `senno` is this checkout's."""
    folder = tmp_path / "bin"
    folder.mkdir()
    (folder / "senno").write_text(f'#!/bin/sh\nexec {sys.executable} -c "from senno.cli import main; main()" "$@"\n')
    (folder / "senno").chmod(0o755)

    def run(line, stdin="", **environment):
        path = {"PATH": f"{folder}:{os.environ['PATH']}", **environment}
        return subprocess.run(
            line, shell=True, input=stdin, env={**os.environ, **path}, capture_output=True, text=True, check=False
        )

    return run


def test_the_command_of_the_plugins_hook_runs_as_it_stands_in_the_file(repo, shell):
    (entry,) = json.loads((PLUGIN / "hooks" / "hooks.json").read_text())["hooks"]["PreToolUse"]
    (command,) = entry["hooks"]
    repo.stage({"app.py": f'KEY = "{SECRET}"\n'})
    asked = {"tool_name": "Bash", "tool_input": {"command": "git commit -m x"}, "cwd": str(repo.top)}

    ran = shell(command["command"], json.dumps(asked))

    assert ran.returncode == 0
    assert json.loads(ran.stdout)["hookSpecificOutput"]["permissionDecision"] == "deny"


def test_the_step_of_ci_runs_as_it_stands_in_the_workflow(repo, shell, senno):
    assert senno("gate", "init", "--ci").code == 0
    workflow = YAML(typ="safe").load((repo.top / ".github" / "workflows" / "senno-gate.yml").read_text())
    steps = workflow["jobs"]["gate"]["steps"]
    (step,) = [each for each in steps if each.get("run", "").startswith("senno gate")]
    assert step["env"]["BASE"] == "${{ github.base_ref }}", "what a pull request names never stands in a line of shell"
    assert next(each for each in steps if "checkout" in each.get("uses", ""))["with"]["fetch-depth"] == 0
    repo.git("update-ref", "refs/remotes/origin/main", "HEAD")
    with SystemOneServer(touches_auth=0.9) as judge:
        repo.commit({"app.py": "def login(): ...\n", "test_app.py": "y\n"}, "Log in")

        ran = shell(step["run"], BASE="main", SENNO_MODELS_JUDGE=f"systemone:{judge.url}#jev-1.13.0")

    assert ran.returncode == 3, ran.stderr
    assert json.loads((repo.top / "senno.sarif").read_text())["runs"][0]["properties"]["verdict"] == "SECURITY REVIEW"


def test_the_hooks_for_pre_commit_run_as_they_stand(repo, shell):
    hooks = YAML(typ="safe").load((PLUGIN.parents[1] / ".pre-commit-hooks.yaml").read_text())
    repo.stage({"app.py": f'KEY = "{SECRET}"\n'})

    codes = {each["id"]: shell(each["entry"]).returncode for each in hooks}

    assert codes == {"senno-gate": 1, "senno-gate-detectors": 1}


# What the words of a command hide


@pytest.fixture(name="published")
def _published(repo, tmp_path):
    """The repository with what is committed so far published as `origin/main`."""
    remote = tmp_path / "remote.git"
    repo.git("clone", "--quiet", "--bare", ".", str(remote))
    repo.git("remote", "add", "origin", str(remote))
    repo.git("fetch", "--quiet", "origin")
    repo.git("branch", "--set-upstream-to=origin/main")
    return repo


LEAK = {"app.py": f'KEY = "{SECRET}"\n', "test_app.py": "y\n"}


@pytest.mark.parametrize(
    "command",
    [
        "git push origin feature",
        "git push origin feature:main",
        "git push origin +feature:refs/heads/main",
        "git merge feature",
        "git merge --no-ff -m 'it works' feature",
        "git publish",
    ],
)
def test_another_branch_than_this_one_is_judged_where_it_is_pushed_or_merged(published, hook, command):
    published.git("config", "alias.publish", "push origin feature")
    published.git("checkout", "--quiet", "-b", "feature")
    published.commit(LEAK)
    published.git("checkout", "--quiet", "main")

    assert hook(command, "--detectors-only")[0] == "deny"


@pytest.mark.parametrize("command", ["gh pr create --fill", "gh pr merge --squash", "gh pr create --base main"])
def test_a_pull_request_is_judged_against_the_branch_that_it_goes_into(published, hook, command):
    published.git("checkout", "--quiet", "-b", "feature")
    published.commit(LEAK)
    published.git("push", "--quiet", "-u", "origin", "feature")

    assert hook("git push", "--detectors-only") == (None, ""), "what is published is published"
    assert hook(command, "--detectors-only")[0] == "deny"


def test_what_is_merged_from_upstream_is_not_judged_again(published, hook):
    assert hook("git merge origin/main", "--detectors-only") == (None, "")


def test_an_ignored_file_that_is_staged_by_force_is_judged(repo, hook):
    repo.commit({".gitignore": "*.env\n"})
    repo.write({"x.env": f"KEY={SECRET}\n"})

    decision, reason = hook("git add -f x.env && git commit -m x", "--detectors-only")

    assert (decision, "x.env:1" in reason) == ("deny", True)


@pytest.mark.parametrize("command", ["git --git-dir=/x/.git push", "gh pr merge 12", "cd /x; G=git; $G push"])
def test_what_cannot_be_seen_is_put_to_the_person(repo, hook, command):
    assert hook(command, "--detectors-only")[0] == "ask"


@pytest.mark.parametrize(
    "given",
    [
        "[" * 100_000,
        '{"tool_name": "Bash"}',
        '{"tool_name": "Bash", "tool_input": {"command": ["git", "commit"]}}',
        '{"tool_name": 7, "tool_input": {"command": "git commit"}}',
        '{"tool_input": {"command": "git commit"}}',
        '{"tool_name": "Bash", "tool_input": {"command": "git commit"}, "cwd": "/a\\u0000b"}',
        '{"tool_name": "Bash", "tool_input": {"command": "git commit"}, "cwd": "/\\ud800"}',
        '{"tool_name": "Bash", "tool_input": {"command": "git -C \\ud800\\u0000 commit"}, "cwd": "/"}',
        '{"tool_name": "Bash", "tool_input": {"command": "git commit"}, "cwd": "' + "x" * 9000 + '"}',
    ],
    ids=lambda given: given[-40:],
)
def test_whatever_a_hook_is_given_it_answers(repo, senno, given):
    ran = senno("gate", "hook", "--detectors-only", stdin=given.encode())

    assert (ran.code, ran.err) == (0, "")
    assert json.loads(ran.out)["hookSpecificOutput"]["permissionDecision"] == "ask"


def test_a_fault_of_the_gate_itself_is_put_to_the_person(repo, hook, monkeypatch):
    import senno.cli.gate_hook

    def fails(*_):
        raise KeyError("no such thing")

    monkeypatch.setattr(senno.cli.gate_hook, "commands_in", fails)

    decision, reason = hook("git commit -m x")

    assert (decision, "KeyError" in reason) == ("ask", True)


def test_one_deadline_holds_for_all_that_a_command_does(repo, hook):
    with SystemOneServer(stalls(), stalls(), stalls()) as judge:
        repo.commit({"senno.toml": f'[models]\njudge = "systemone:{judge.url}#jev-1.13.0"\n'})
        repo.stage({"app.py": "print(2)\n"})

        decision, reason = hook("git commit -m x; git commit -m y; git commit -m z", "--deadline", "0.5")

    assert (decision, "not judged within 0.5 s" in reason) == ("ask", True)

"""What a shell command of an agent does with git."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from senno.gate.agent_hook import commands_in

COMMANDS = [
    ("ls -la", []),
    ("git status && git log --oneline", []),
    ("git commit -m 'x'", [("commit", "")]),
    ('git commit -m "say git push; later"', [("commit", "")]),
    ("git commit -am x", [("commit_all", "")]),
    ("git commit --all -m x", [("commit_all", "")]),
    ("git commit --amend --no-edit", [("commit", "")]),
    ("git commit -m x -- src/a.py", [("commit_all", "")]),
    ("git commit src/a.py -m x", [("commit_all", "")]),
    ("git add . && git commit -m x", [("commit_all", "")]),
    ("git add -A; git commit -F msg.txt\ngit push", [("commit_all", ""), ("push", "")]),
    ("git -C sub/repo commit -m x", [("commit", "sub/repo")]),
    ("cd sub && git commit -m x", [("commit", "sub")]),
    ("git -c user.name=x commit -m y", [("commit", "")]),
    ("GIT_EDITOR=true git commit", [("commit", "")]),
    ("/usr/bin/git push origin HEAD", [("push", "")]),
    ("git merge feature", [("push", "")]),
    ("gh pr merge 12 --squash", [("push", "")]),
    ("(git commit -m x)", [("commit", "")]),
    ("sudo env X=1 git commit -m x", [("commit", "")]),
    ("senno gate override last --because x", [("override", "")]),
    ("python -m senno gate override last --because x", [("override", "")]),
    ("python3 -m pytest; git diff --stat", []),
    # Words that a shell would make only later: the widest thing they may be.
    ("bash -c 'git add x; git commit -m y'", [("commit_all", "")]),
    ("$(echo git) commit", [("commit_all", "")]),
    ("git commit -m \"$(cat <<'EOF'\nIt's done\nEOF\n)\"", [("commit", "")]),
    ('git commit -m "unclosed', [("commit_all", "")]),
    ("echo 'it''s", []),
    ("", []),
]


@pytest.mark.parametrize(("command", "found"), COMMANDS, ids=[command[:30] or "empty" for command, _ in COMMANDS])
def test_commands_that_commit_push_merge_or_override_are_seen(command, found):
    assert [(one.what, one.folder) for one in commands_in(command)] == found


@given(st.text())
def test_any_text_is_read(text):
    assert isinstance(commands_in(text), tuple)


@given(st.text(alphabet="abc '\"$`\\;&|(){}\n<-"), st.sampled_from(["git commit", "git  push"]))
def test_a_command_whose_words_are_hidden_is_never_taken_for_harmless(before, command):
    assert commands_in(f"eval '{command}' #{before}")

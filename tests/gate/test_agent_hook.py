"""What a shell command of an agent does with git."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from senno.gate.shell import commands_in

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
    ("git merge feature", [("merge", "")]),
    ("gh pr merge 12 --squash", [("unseen", "")]),
    ("(git commit -m x)", [("commit", "")]),
    ("sudo env X=1 git commit -m x", [("commit", "")]),
    ("senno gate override last --because x", [("override", "")]),
    ("python -m senno gate override last --because x", [("override", "")]),
    ("python3 -m pytest; git diff --stat", []),
    # Words that a shell would make only later: the widest thing they may be.
    ("bash -c 'git add x; git commit -m y'", [("commit_all", "")]),
    ("$(echo git) commit", [("commit_all", "")]),
    ("G=git; $G commit -m x", [("commit_all", "")]),
    ("G=git; cd x; $G commit -m x", [("unseen", "")]),
    ("bash -lc 'cd sub && git push'", [("push", "sub")]),
    ("git commit -m x && bash -c 'git push'", [("commit", ""), ("push", "")]),
    ("eval git push", [("push", "")]),
    ("echo 'git commit' | sh", [("commit_all", "")]),
    ("bash <<'EOF'\ngit commit -m x\nEOF", [("commit_all", ""), ("commit", "")]),
    ("cat <<EOF\n$(git push)\nEOF", [("unseen", ""), ("push", "")]),
    ("cat > notes.md <<'EOF'\nrun git commit and git push\nEOF\nls", []),
    ("git commit -F - <<'EOF'\nDon't push to git\nEOF", [("commit", "")]),
    ('X="$(git commit -m x)"', [("commit", "")]),
    ('python3 -c \'import subprocess; subprocess.run(["git", "commit"])\'', [("commit_all", "")]),
    # Words that run another command, and other programs.
    ("sudo -u bob git commit -m x", [("commit", "")]),
    ("timeout 5 git push", [("push", "")]),
    ("env -i GIT_EDITOR=true git commit", [("commit", "")]),
    ("if true; then command git commit -m x; fi", [("commit", "")]),
    ("find . -name x | xargs -I{} git commit -m {}", [("commit", "")]),
    ("GIT_DIR=/other/.git git commit -m x", [("unseen", "")]),
    ("git --git-dir=/other/.git push", [("unseen", "")]),
    ("\\git commit -m x", [("commit", "")]),
    ("git.exe commit -m x", [("commit", "")]),
    ("git-commit -m x", [("commit", "")]),
    ("hub push origin main", [("push", "")]),
    ("jj commit -m x", [("commit_all", "")]),
    ("jj git push", [("unseen", "")]),
    ("gh api -X PUT repos/o/r/pulls/3/merge", [("unseen", "")]),
    ("gh pr create --fill", [("request", "")]),
    ("gh pr merge --squash", [("request", "")]),
    ("git -c alias.x='!git push' x", [("push", "")]),
    ("git ci -m x", [("commit", "")]),
    ("git up", [("commit_all", ""), ("push", "")]),
    ("git merge --abort", []),
    ("git push origin :old", []),
    ("git push --mirror", [("unseen", "")]),
    ("git commit --dry-run", []),
    ("echo git commit", []),
    ("$(git merge-base main HEAD)", []),
    ("apt-get install git && man git push", []),
    ("git commit -m \"$(cat <<'EOF'\nIt's done\nEOF\n)\"", [("commit", "")]),
    ('git commit -m "unclosed', [("commit_all", "")]),
    ("echo 'it''s", []),
    ("", []),
]


@pytest.mark.parametrize(("command", "found"), COMMANDS, ids=[command[:30] or "empty" for command, _ in COMMANDS])
def test_commands_that_commit_push_merge_or_override_are_seen(command, found):
    aliases = {"ci": "commit", "up": "!git add -A && git commit -m up && git push"}

    assert [(one.what, one.folder) for one in commands_in(command, aliases)] == found


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("git add -f .env sub/x && git commit -m x", (".env", "sub/x")),
        ("git -C sub add --force .env; git commit -m x", ("sub/.env",)),
        ("git push --force", ("",)),
        ("git push -u origin +HEAD:main other", ("origin", "HEAD:main", "other")),
        ("git merge -m x --no-ff a b", ("a", "b")),
        ("gh pr create --base dev", ("dev",)),
    ],
)
def test_what_is_pushed_merged_or_staged_by_force_is_told(command, words):
    assert commands_in(command)[-1].words == words


def test_an_alias_that_stands_for_itself_is_no_endless_loop():
    assert commands_in("git a; git push", {"a": "b", "b": "a"})[-1].what == "push"


@given(st.text())
def test_any_text_is_read(text):
    assert isinstance(commands_in(text), tuple)


@given(st.text(alphabet="abc '\"$`\\;&|(){}\n<-"), st.sampled_from(["git commit", "git  push"]))
def test_a_command_whose_words_are_hidden_is_never_taken_for_harmless(before, command):
    assert commands_in(f"eval '{command}' #{before}")

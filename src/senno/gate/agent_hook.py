"""What a coding agent is about to do with git, and what its hook answers. Reading the command is pure.

Claude Code asks its hooks before it runs a shell command. A hook of the gate lets every command go on but those that
commit, push or merge, and those that would override the gate. It answers in words and never fails: a gate that could
not judge in time asks the person.
"""

from __future__ import annotations

import re
import shlex
import tempfile
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from senno.errors import SennoError
from senno.gate.result import GateResult
from senno.gate.work_tree import WorkTree

What = Literal["commit", "commit_all", "push", "override"]

_ENDS = ("&&", "||", ";", "|", "&", "\n", "(", ")", "{", "}")
_PUBLISH = {"push": "push", "merge": "push"}
_ALL = re.compile(r"-[a-zA-Z]*a[a-zA-Z]*|--all|-[a-zA-Z]*[io]|--include|--only|--patch|-p|--interactive")
_HIDES = re.compile(r"[$`]|\beval\b|<<|\b(ba|z|da)?sh\s+-\w*c\b")
_PREFIXES = ("sudo", "env", "command", "time", "nice", "exec", "then", "do", "else", "!", "xargs", "nohup")


@dataclass(frozen=True, slots=True)
class GitCommand:
    """Something in a shell command that the gate has a say in."""

    what: What
    folder: str
    """Where it happens, from the folder the shell is in: `cd` and `git -C` are followed."""


@dataclass(frozen=True, slots=True)
class HookAnswer:
    """What the agent is told."""

    decision: Literal["deny", "ask"]
    reason: str

    def to_json(self) -> dict[str, Any]:
        """The answer as Claude Code reads it."""
        return {
            "hookSpecificOutput": {
                "hookEventName": "PreToolUse",
                "permissionDecision": self.decision,
                "permissionDecisionReason": self.reason,
            }
        }


def commands_in(command: str) -> tuple[GitCommand, ...]:
    """What a shell command does that the gate has a say in, in order.

    A command that no shell could read, or that hides its words (a variable, a here-document, `eval`), is taken for
    the widest thing it may be where the words `git` and `commit`, `push` or `merge` are in it at all.
    """
    try:
        lexer = shlex.shlex(command.replace("\\\n", " "), posix=True, punctuation_chars="&|;()\n")
        lexer.whitespace = " \t\r"
        lexer.whitespace_split = True
        lexer.commenters = ""
        words = list(lexer)
    except ValueError:
        return _guessed(command)
    found: list[GitCommand] = []
    folder, adds = "", False
    for simple in _simple(words):
        name, rest = simple[0], simple[1:]
        if name == "cd":
            folder = str(Path(folder) / rest[0]) if rest else "~"
        elif Path(name).name == "git":
            added, one = _of_git(rest, folder, adds)
            adds = adds or added
            found += [one] if one else []
        elif Path(name).name == "gh" and rest[:2] in (["pr", "merge"], ["pr", "create"]):
            found.append(GitCommand("push", folder))
        elif _overrides(name, rest):
            found.append(GitCommand("override", folder))
    return tuple(found) or (
        _guessed(command) if re.search(r"[$`]|\beval\b|<<|\b(ba|z|da)?sh\s+-\w*c\b", command) else ()
    )


def _simple(words: list[str]) -> Iterator[list[str]]:
    """The simple commands of a line, without assignments and words that only run another command."""
    one: list[str] = []
    for word in [*words, ";"]:
        if (word and set(word) <= set("&|;()\n")) or word in _ENDS:
            while one and (one[0] in _PREFIXES or re.fullmatch(r"\w+=.*", one[0], re.DOTALL)):
                one = one[1:]
            if one:
                yield one
            one = []
        else:
            one.append(word)


def _of_git(words: list[str], folder: str, adds: bool) -> tuple[bool, GitCommand | None]:
    """Whether it stages something, and what the gate has a say in."""
    while words and words[0].startswith("-"):
        if words[0] == "-C" and len(words) > 1:
            folder = str(Path(folder) / words[1])
        words = words[2:] if words[0] in ("-C", "-c", "--git-dir", "--work-tree", "--namespace") else words[1:]
    if not words:
        return False, None
    verb, rest = words[0], words[1:]
    if verb in ("add", "rm", "mv", "stage", "apply", "reset", "restore"):
        return True, None
    if verb == "commit":
        # Before the command runs nothing is staged that it stages itself: then all that is there is judged.
        paths = any(not word.startswith("-") for word in _without_values(rest)) or "--" in rest
        everything = adds or paths or any(_ALL.fullmatch(word) for word in rest)
        return False, GitCommand("commit_all" if everything else "commit", folder)
    return False, GitCommand("push", folder) if verb in _PUBLISH else None


def _without_values(words: list[str]) -> list[str]:
    """The words of `git commit` without the values of its options: what is left are options and paths."""
    kept: list[str] = []
    skip = False
    for word in words:
        if skip:
            skip = False
        elif re.fullmatch(r"-[a-zA-Z]*[mFCctSu]|--(message|file|author|date|template|reuse-message|reedit-message|"
                          r"fixup|squash|cleanup|trailer)", word):  # fmt: skip
            skip = True
            kept.append("-")
        else:
            kept.append(word)
    return kept


def _overrides(name: str, rest: list[str]) -> bool:
    words = [Path(name).name, *rest]
    return words[:3] == ["senno", "gate", "override"] or words[1:5] == ["-m", "senno", "gate", "override"]


def _guessed(command: str) -> tuple[GitCommand, ...]:
    if "senno" in command and "override" in command:
        return (GitCommand("override", ""),)
    if re.search(r"\bgit\b", command) and re.search(r"\b(commit|push|merge)\b", command):
        return (GitCommand("commit_all", ""),)
    return ()


@contextmanager
def staged_by(tree: WorkTree) -> Generator[Path]:
    """An index of all that is in the work tree and not ignored, as `git add -A` would leave it; the real one stays.

    Raises:
        SennoError: git could not make it.
    """
    with tempfile.TemporaryDirectory(prefix="senno-index-") as folder:
        index = Path(folder) / "index"
        asked = tree.repository.ask("rev-parse", "--git-path", "index").stdout.decode("utf-8", "replace").strip()
        real = tree.repository.folder / asked
        if real.is_file():
            index.write_bytes(real.read_bytes())
        done = tree.repository.ask(
            "-C", str(tree.top), "add", "--all", "--", ".", environment={"GIT_INDEX_FILE": str(index)}
        )
        if done.returncode:
            said = done.stderr.decode("utf-8", "replace").strip()
            raise SennoError(f"{tree.top}: git could not stage what is there: {said}")
        yield index


def answered(result: GateResult) -> HookAnswer | None:
    """What the agent is told of a result; `None`: nothing, the command goes on."""
    if result.exit_code == 0:
        return None
    verdict = result.lane.verdict
    said = [f"senno gate: {verdict.name}"]
    said += [f"- {rule} (it is {value:.3g})" for rule, value in verdict.fired]
    said += [f"- {reason}" for reason in verdict.reasons]
    places = (f"{each.path}:{each.line}" if each.line else each.path for each in result.detected.findings)
    said += [f"- {place}: {each.message}" for place, each in zip(places, result.detected.findings, strict=True)][:10]
    said.append(f"A person may let it through: senno gate override {result.run_id} --because TEXT --by NAME")
    return HookAnswer("deny" if verdict.exit_code == 1 else "ask", "\n".join(said))

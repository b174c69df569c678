"""What a shell command does with git, as far as its words tell. Pure.

Read are lines of a POSIX shell: what runs in a sub-shell, in `sh -c`, in `eval`, in `$(…)`, in a here-document that a
shell reads, behind words that only run another command (`sudo -u x`, `timeout 5`, `xargs`), and aliases of git. Not
read is what runs elsewhere: a script, a program that calls git, an alias of the shell's.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal

What = Literal["commit", "commit_all", "push", "merge", "request", "override", "unseen"]

_ENDS = ("&&", "||", ";", "|", "&", "\n", "(", ")", "{", "}")
_BEFORE = ("sudo", "env", "command", "time", "nice", "exec", "then", "do", "else", "!", "xargs", "nohup", "if", "while")
_READS = frozenset(
    [
        *("alias", "apt", "apt-get", "brew", "cat", "cp", "echo", "grep", "ls", "man", "mkdir", "mv", "printf", "rg"),
        *("rm", "touch", "type", "unalias", "whatis", "which"),
    ]
)
"""Programs that run nothing of what they are given."""
_SHELL = re.compile(r"(ba|z|da|k|fi)?sh")
_CODE = re.compile(r"python[\d.]*|perl|ruby|node|php")
_INNER = re.compile(r"\$\((.*)\)|`([^`]*)`", re.DOTALL)
_DOCUMENT = re.compile(
    r"^(?P<before>[^\n]*?)(?<!<)<<(?!<)-?[ \t]*(?P<quote>['\"\\]?)(?P<end>[A-Za-z_]\w*)['\"]?(?P<rest>[^\n]*)\n"
    r"(?P<body>.*?)^[ \t]*(?P=end)[ \t]*$",
    re.DOTALL | re.MULTILINE,
)
_FEEDS_A_SHELL = re.compile(r"\b(ba|z|da|k|fi)?sh\b(?!\.)|\bsource\b|\beval\b")
_ALL = re.compile(r"-[a-zA-Z]*a[a-zA-Z]*|--all|-[a-zA-Z]*[io]|--include|--only|--patch|-p|--interactive")
_STAGES = ("add", "rm", "mv", "stage", "apply", "reset", "restore", "update-index", "checkout", "read-tree")
_VALUES = {
    "git": r"-[Cc]|--git-dir|--work-tree|--namespace|--exec-path|--config-env|--super-prefix",
    "commit": r"-[a-zA-Z]*[mFCctSu]|--(message|file|author|date|template|reuse-message|reedit-message|fixup|squash|"
    r"cleanup|trailer|pathspec-from-file)",
    "push": r"-o|--(push-option|repo|receive-pack|exec)",
    "merge": r"-[mFsX]|--(message|file|strategy|strategy-option|into-name|cleanup)",
}
"""Options whose value is the next word."""
_ASSIGNS = re.compile(r"\w+\+?=")
_ELSEWHERE = re.compile(r"GIT_(DIR|WORK_TREE|INDEX_FILE|OBJECT_DIRECTORY|CONFIG\w*)=")
_DEEPEST = 8


@dataclass(frozen=True, slots=True)
class GitCommand:
    """Something in a shell command that the gate has a say in."""

    what: What
    folder: str
    """Where it happens, from the folder the shell is in: `cd` and `git -C` are followed."""
    words: tuple[str, ...] = ()
    """Of `commit_all` the ignored paths that are staged by force; of `push` the remote and what is pushed, as git has
    it (`SOURCE:TARGET`); of `merge` what is merged; of `request` (a pull request of this branch) its base, if it is
    named; of `unseen` why it cannot be judged."""


def commands_in(command: str, aliases: Mapping[str, str] | None = None) -> tuple[GitCommand, ...]:
    """What a shell command does that the gate has a say in, in order.

    A command that no shell could read, or that hides its words (a variable, `eval`), is taken for the widest thing it
    may be where the words `git` and `commit`, `push` or `merge` are in it at all.

    Args:
        command: the line, or lines.
        aliases: of git: name to what it stands for, as git's configuration has it.
    """
    return tuple(_Reader(dict(aliases or {})).read(command, 0))


@dataclass(slots=True)
class _Reader:
    aliases: dict[str, str]
    folder: str = ""
    adds: bool = False
    forced: list[str] = field(default_factory=list[str])

    def read(self, command: str, depth: int) -> list[GitCommand]:
        if depth > _DEEPEST:
            return [*_guessed(command)]
        text = _DOCUMENT.sub(_without_document, command.replace("\\\n", " "))
        try:
            lexer = shlex.shlex(text, posix=True, punctuation_chars="&|;()\n")
            lexer.whitespace = " \t\r"
            lexer.whitespace_split = True
            lexer.commenters = ""
            words = list(lexer)
        except ValueError:
            return [*_guessed(command)]
        found: list[GitCommand] = []
        for simple in _simple(words):
            for word in simple:
                for inner in _INNER.finditer(word):
                    found += self.read(inner[1] or inner[2] or "", depth + 1)
            found += self._one(simple, command, depth)
        return found

    def _one(self, words: list[str], command: str, depth: int) -> Iterator[GitCommand]:
        name, rest = _program(words[0]), words[1:]
        if _ELSEWHERE.match(words[0]):
            if rest and any(True for _ in self._one(rest, command, depth)):
                yield GitCommand("unseen", self.folder, ("a variable says which repository, or which index",))
        elif name in ("cd", "pushd"):
            self.folder = str(Path(self.folder) / rest[-1]) if rest else "~"
        elif name == "eval":
            yield from self.read(" ".join(rest), depth + 1) if rest else ()
            if any("$" in word or "`" in word for word in rest):
                yield from _guessed(command)
        elif name not in _READS:
            at = next((n for n, word in enumerate(words) if _kind(word)), None)
            if at is not None:
                yield from self._seen(_kind(words[at]), words[at:], command, depth)
            elif name[:1] in ("$", "`"):
                yield from _guessed(command)

    def _seen(self, kind: str, words: list[str], command: str, depth: int) -> Iterator[GitCommand]:
        rest = words[1:]
        if kind == "git":
            yield from self._of_git(words, depth)
        elif kind == "shell":
            at = next((n for n, word in enumerate(rest) if re.fullmatch(r"-[a-z]*c[a-z]*", word)), None)
            if at is not None and at + 1 < len(rest):
                yield from self.read(rest[at + 1], depth + 1)
            elif not [word for word in rest if not word.startswith("-")]:
                yield from _guessed(command)  # it reads what it runs from somewhere else in this line
        elif kind == "code":
            if rest[:4] == ["-m", "senno", "gate", "override"]:
                yield GitCommand("override", self.folder)
            elif any(re.fullmatch(r"-\w*[cer]", word) for word in rest):
                yield from _guessed(" ".join(rest))
        elif kind == "senno":
            if rest[:2] == ["gate", "override"]:
                yield GitCommand("override", self.folder)
        else:
            yield from _of_host(rest, self.folder) if kind == "host" else _of_jj(rest, self.folder)

    def _of_git(self, words: list[str], depth: int) -> Iterator[GitCommand]:
        name = _program(words[0])
        folder, words = self._options([name[4:], *words[1:]] if name.startswith("git-") else words[1:])
        if folder is None:
            yield GitCommand("unseen", self.folder, ("it names a repository by --git-dir or --work-tree",))
        elif words and words[0] in self.aliases:
            yield from self._of_alias(self.aliases[words[0]], words[1:], depth)
        elif words and words[0] in _STAGES:
            self._staged(words, folder)
        elif words and words[0] in _VERBS:
            for one in _VERBS[words[0]](words[1:], folder):
                whole = self.adds and one.what == "commit"
                one = replace(one, what="commit_all") if whole else one
                yield replace(one, words=tuple(self.forced)) if one.what == "commit_all" else one

    def _options(self, words: list[str]) -> tuple[str | None, list[str]]:
        """The folder that git is told to be in, and the words behind its own options; `None`: it is told otherwise."""
        folder = self.folder
        while words and words[0].startswith("-"):
            name, value = words[0], words[1] if len(words) > 1 else ""
            if name == "-C":
                folder = str(Path(folder) / value)
            elif name == "-c" and value.lower().startswith("alias."):
                alias, _, meaning = value[6:].partition("=")
                self.aliases[alias] = meaning
            elif name.startswith(("--git-dir", "--work-tree")):
                return None, words
            words = words[2:] if re.fullmatch(_VALUES["git"], name) else words[1:]
        return folder, words

    def _staged(self, words: list[str], folder: str) -> None:
        self.adds = True
        if words[0] in ("add", "stage") and any(re.fullmatch(r"-\w*f\w*|--force", word) for word in words):
            self.forced += [str(Path(folder) / word) for word in words[1:] if not word.startswith("-")]

    def _of_alias(self, meaning: str, rest: list[str], depth: int) -> Iterator[GitCommand]:
        words = shlex.join(rest)
        line = f"{meaning[1:]} {words}" if meaning.startswith("!") else f"git {meaning} {words}"
        yield from self.read(line, depth + 1)


def _of_commit(rest: list[str], folder: str) -> Iterator[GitCommand]:
    # Before the command runs nothing is staged that it stages itself: then all that is there is judged.
    words = _without_values(rest, _VALUES["commit"])
    everything = any(not word.startswith("-") or word == "--" or _ALL.fullmatch(word) for word in words)
    everything = everything or any(word.startswith("--pathspec-from-file") for word in rest)
    if "--dry-run" not in rest:
        yield GitCommand("commit_all" if everything else "commit", folder)


def _of_push(rest: list[str], folder: str) -> Iterator[GitCommand]:
    words = _without_values(rest, _VALUES["push"])
    named = [word for word in words if not word.startswith("-")]
    if any(word in ("--all", "--branches", "--mirror", "--tags") for word in words):
        yield GitCommand("unseen", folder, ("it pushes more than one branch",))
    elif not any(word in ("-d", "--delete") for word in words):
        pushed = [word for word in named[1:] if not word.lstrip("+").startswith(":")]
        if pushed or len(named) < 2:
            yield GitCommand("push", folder, (named[0] if named else "", *(word.lstrip("+") for word in pushed)))


def _of_merge(rest: list[str], folder: str) -> Iterator[GitCommand]:
    if "--continue" in rest:
        yield GitCommand("commit", folder)
    elif not any(word in ("--abort", "--quit") for word in rest):
        words = _without_values(rest, _VALUES["merge"])
        yield GitCommand("merge", folder, tuple(word for word in words if not word.startswith("-")))


_VERBS: dict[str, Callable[[list[str], str], Iterator[GitCommand]]] = {
    "commit": _of_commit,
    "push": _of_push,
    "merge": _of_merge,
}


def _of_host(rest: list[str], folder: str) -> Iterator[GitCommand]:
    """`gh` and `glab`: a pull request of this branch is what the branch has; another one is not here."""
    what, verb = rest[:1], rest[1:2]
    if what in (["pr"], ["mr"]) and verb in (["create"], ["merge"], ["new"]):
        base = next(
            (rest[n + 1] for n, word in enumerate(rest[:-1]) if word in ("-B", "--base", "--target-branch")), ""
        )
        named = rest[2:3] and not rest[2].startswith("-")
        if verb == ["merge"] and named:
            yield GitCommand("unseen", folder, (f"{rest[2]} may be of another branch than this one",))
        else:
            yield GitCommand("request", folder, (base,) if base else ())
    elif what == ["api"] and any(re.search(r"/merges?\b|merge\w*PullRequest", word) for word in rest):
        yield GitCommand("unseen", folder, ("it merges where the code is hosted",))


def _of_jj(rest: list[str], folder: str) -> Iterator[GitCommand]:
    verb = next((word for word in rest if not word.startswith("-")), "")
    if verb in ("commit", "ci", "describe", "new", "squash"):
        yield GitCommand("commit_all", folder)
    elif rest[:2] == ["git", "push"]:
        yield GitCommand("unseen", folder, ("what jj pushes is not told by its words",))


def _program(word: str) -> str:
    return word.replace("\\", "/").rpartition("/")[2].lower().removesuffix(".exe")


def _kind(word: str) -> str:
    """What a program is to the gate; empty: nothing."""
    name = _program(word)
    if name in ("git", "hub") or re.fullmatch(r"git-(commit|push|merge|add)", name):
        return "git"
    if _SHELL.fullmatch(name):
        return "shell"
    if _CODE.fullmatch(name):
        return "code"
    return {"senno": "senno", "gh": "host", "glab": "host", "jj": "jj"}.get(name, "")


def _simple(words: list[str]) -> Iterator[list[str]]:
    """The simple commands of a line, without assignments and words that only run another command."""
    one: list[str] = []
    for word in [*words, ";"]:
        if (word and set(word) <= set("&|;()\n")) or word in _ENDS:
            while one and (one[0] in _BEFORE or _ASSIGNS.match(one[0])) and not _ELSEWHERE.match(one[0]):
                if _INNER.search(one[0]):
                    yield [":", one[0]]
                one = one[1:]
            if one:
                yield one
            one = []
        else:
            one.append(word)


def _without_document(found: re.Match[str]) -> str:
    """A here-document is text, unless a shell reads it; what runs in it to make the text stays."""
    line = f"{found['before']} {found['rest']}"
    if _FEEDS_A_SHELL.search(line):
        return f"{line}\n{found['body']}"
    runs = "" if found["quote"] else "\n".join(inner[0] for inner in _INNER.finditer(found["body"]))
    return f"{line}\n{runs}"


def _without_values(words: list[str], options: str) -> list[str]:
    """The words without the values of options."""
    kept: list[str] = []
    skip = False
    for word in words:
        if not skip:
            kept.append(word)
        skip = not skip and re.fullmatch(options, word) is not None
    return kept


def _guessed(command: str) -> tuple[GitCommand, ...]:
    if "senno" in command and "override" in command:
        return (GitCommand("override", ""),)
    if not re.search(r"\bgit\b", command) or not re.search(r"\b(commit|push|merge)\b(?!-)", command):
        return ()
    if re.search(r"\b(cd|pushd)\b|\s-C\b|--git-dir|\bGIT_", command):
        return (GitCommand("unseen", "", ("its words are hidden, and so is where it runs",)),)
    if re.search(r"\b(push|merge)\b(?!-)", command):
        return (GitCommand("unseen", "", ("its words are hidden",)),)
    return (GitCommand("commit_all", ""),)

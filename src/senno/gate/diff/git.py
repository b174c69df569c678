r"""git, run so that nothing in the repository has a say in what it shows.

A repository can make `git diff` run programs (`diff.external`, `textconv`, `core.fsmonitor`, hooks) or hide files
(attributes `-diff`, replaced objects, `ignore` of submodules). So the repository itself is only asked for names: ids of
commits, where its objects lie. The diff is made in an empty repository of our own that borrows those objects
(`objects/info/alternates`): no configuration, no attributes, no hooks, no refs, no work tree.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from senno.errors import ConfigError, SennoError
from senno.text import one_line

_OF_A_REPOSITORY = (
    "GIT_DIR",
    "GIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_COMMON_DIR",
    "GIT_OBJECT_DIRECTORY",
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_NAMESPACE",
    "GIT_PREFIX",
)
_WITHOUT = (
    "GIT_EXTERNAL_DIFF",
    "GIT_DIFF_OPTS",
    "GIT_PAGER",
    "GIT_REPLACE_REF_BASE",
    "GIT_LITERAL_PATHSPECS",
    "GIT_GLOB_PATHSPECS",
    "GIT_NOGLOB_PATHSPECS",
    "GIT_ICASE_PATHSPECS",
)
_ALWAYS = {
    "LC_ALL": "C",
    "LANGUAGE": "C",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_ATTR_NOSYSTEM": "1",
    "GIT_GRAFT_FILE": str(Path(os.devnull) / "none"),
}
_HARMLESS = ("-c", "core.fsmonitor=false", "-c", f"core.hooksPath={os.devnull}", "-c", "core.quotePath=false")

EMPTY_TREE = {
    "sha1": "4b825dc642cb6eb9a060e54bf8d69288fbee4904",
    "sha256": "6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321",
}

_SHALLOW_HINT = "the clone is shallow: run `git fetch --unshallow`"
_PARTIAL_HINT = "the clone is partial: fetch what it lacks with `git fetch --refetch --no-filter`"


@dataclass(frozen=True, slots=True)
class Repository:
    """The user's repository: asked for names and for nothing else."""

    folder: Path
    objects: Path
    object_format: str
    environment: Mapping[str, str]

    def ask(self, *arguments: str, environment: Mapping[str, str] | None = None) -> subprocess.CompletedProcess[bytes]:
        """Run git in the repository; its exit code is the caller's to judge."""
        return _run(self.folder, arguments, {**self.environment, **(environment or {})})

    def commit(self, ref: str) -> str | None:
        """The full id of the commit that `ref` names; `None`: it names none."""
        found = self.ask("rev-parse", "--verify", "--quiet", "--end-of-options", f"{ref}^{{commit}}")
        return found.stdout.decode("ascii", "replace").strip() if found.returncode == 0 else None

    def names_of(self, ref: str) -> list[str]:
        """The full names that `ref` may stand for, if they are of different commits: git would take a tag first."""
        name = re.split(r"[~^:]|@\{", ref)[0]
        if not name or ref.startswith("refs/"):
            return []
        full = [f"refs/{name}", f"refs/tags/{name}", f"refs/heads/{name}", f"refs/remotes/{name}"]
        found = {each: commit for each in full if (commit := self.commit(each))}
        return list(found) if len(set(found.values())) > 1 else []

    def is_shallow(self) -> bool:
        """Whether older commits were left out when it was cloned."""
        return self.ask("rev-parse", "--is-shallow-repository").stdout.strip() == b"true"


def open_repository(folder: Path) -> Repository:
    """The repository that `folder` is in.

    What git tells a hook about the repository (`GIT_DIR`, `GIT_INDEX_FILE`, …) is believed of the current folder only.

    Raises:
        ConfigError: it is in none, or git refuses to look at it (`safe.directory`).
        SennoError: there is no git.
    """
    if not folder.is_dir():
        raise ConfigError(f"{folder}: no such folder; expected a git repository")
    environment = _environment(hooked=folder.resolve() == Path.cwd().resolve())
    told = _run(folder, ("rev-parse", "--show-object-format", "--git-path", "objects"), environment)
    if told.returncode:
        raise _refusal(folder, told.stderr)
    object_format, _, objects = told.stdout.rstrip(b"\n").partition(b"\n")
    return Repository(folder, (folder / os.fsdecode(objects)).resolve(), object_format.decode("ascii"), environment)


def _refusal(folder: Path, stderr: bytes) -> ConfigError:
    said = _said(stderr)
    if "dubious ownership" in said:
        return ConfigError(
            f"{folder}: git refuses to read a repository that belongs to another user; if you trust it, run "
            f"`git config --global --add safe.directory {folder.resolve()}`"
        )
    if "not a git repository" in said:
        return ConfigError(f"{folder}: not in a git repository; run it in one, or give a diff on standard input")
    return ConfigError(f"{folder}: git cannot read the repository: {said}")


def _environment(*, hooked: bool) -> dict[str, str]:
    dropped = _WITHOUT if hooked else (*_WITHOUT, *_OF_A_REPOSITORY)
    kept = {name: value for name, value in os.environ.items() if name not in dropped and "TRACE" not in name}
    return {**kept, **_ALWAYS}


def _run(
    folder: Path, arguments: tuple[str, ...], environment: Mapping[str, str]
) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [_git(), *_HARMLESS, *arguments],
        cwd=folder,
        env=dict(environment),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
    )


def _git() -> str:
    """The program.

    Raises:
        SennoError: there is none.
    """
    found = shutil.which("git")
    if found is None:
        raise SennoError(
            "git is not installed, or not on the PATH; install it, or give a diff on standard input outside a checkout"
        )
    return found


def _said(stderr: bytes) -> str:
    return one_line(stderr.decode("utf-8", "replace"), 300)


@dataclass(frozen=True, slots=True)
class Borrowed:
    """A repository of our own, empty, with the objects of the user's."""

    folder: Path
    repository: Repository

    def tree_of_index(self, index: Path | None = None) -> str:
        """What is staged, as a tree; its objects are written here, and the index is only read.

        Args:
            index: the index file; `None`: the repository's.

        Raises:
            ConfigError: a merge is going on and has conflicts.
        """
        if index is None:
            asked = self.repository.ask("rev-parse", "--git-path", "index")
            index = self.repository.folder / os.fsdecode(asked.stdout.rstrip(b"\n"))
        copy = self.folder / "index"
        if index.is_file():
            copy.write_bytes(index.read_bytes())
        others = self.repository.environment.get("GIT_ALTERNATE_OBJECT_DIRECTORIES")
        alternates = [_quoted(self.repository.objects), *([others] if others else [])]
        written = self.repository.ask(
            "write-tree",
            "--missing-ok",
            environment={
                "GIT_INDEX_FILE": str(copy),
                "GIT_OBJECT_DIRECTORY": str(self.folder / "objects"),
                "GIT_ALTERNATE_OBJECT_DIRECTORIES": os.pathsep.join(alternates),
            },
        )
        if written.returncode:
            said = _said(written.stderr)
            if "unmerged" in said:
                raise ConfigError(
                    f"{self.repository.folder}: a merge left conflicts in the index ({said}); resolve them, then "
                    "`git add` the files"
                )
            raise ConfigError(f"{self.repository.folder}: the index cannot be read: {said}")
        return written.stdout.decode("ascii").strip()

    @contextmanager
    def stream(self, *arguments: str) -> Generator[IO[bytes]]:
        """What git prints, as it comes.

        Raises:
            SennoError: git failed, with its words.
        """
        with tempfile.TemporaryFile() as errors:
            process = subprocess.Popen(
                self._command(arguments),
                cwd=self.folder,
                env=self._environment(),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=errors,
                bufsize=1024 * 1024,
            )
            assert process.stdout is not None
            with process:
                try:
                    yield process.stdout
                except BaseException:
                    process.kill()
                    raise
            if process.returncode:
                errors.seek(0)
                raise self._failure(errors.read())

    def answer(self, *arguments: str, given: bytes = b"") -> bytes:
        """What git prints, whole.

        Raises:
            SennoError: git failed, with its words.
        """
        done = subprocess.run(
            self._command(arguments),
            cwd=self.folder,
            env=self._environment(),
            input=given,
            capture_output=True,
            check=False,
        )
        if done.returncode:
            raise self._failure(done.stderr)
        return done.stdout

    @contextmanager
    def contents(self) -> Generator[Callable[[str], bytes]]:
        """A function that gives the content behind an id, from one git for any number of them."""
        process = subprocess.Popen(
            self._command(("cat-file", "--batch")),
            cwd=self.folder,
            env=self._environment(),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )

        def content(name: str) -> bytes:
            asking, answering = process.stdin, process.stdout
            assert asking is not None
            assert answering is not None
            asking.write(f"{name}\n".encode("ascii"))
            asking.flush()
            told = answering.readline().split()
            if len(told) != 3 or not told[2].isdigit():
                raise self._failure(f"{name}: missing".encode("ascii"))
            return answering.read(int(told[2]) + 1)[:-1]

        with process:
            yield content

    def _command(self, arguments: tuple[str, ...]) -> list[str]:
        return [_git(), *_HARMLESS, "-c", f"core.attributesFile={os.devnull}", f"--git-dir={self.folder}", *arguments]

    def _environment(self) -> dict[str, str]:
        kept = {name: value for name, value in self.repository.environment.items() if not name.startswith("GIT_")}
        others = self.repository.environment.get("GIT_ALTERNATE_OBJECT_DIRECTORIES")
        borrowed = {"GIT_ALTERNATE_OBJECT_DIRECTORIES": others} if others else {}
        return {**kept, **_ALWAYS, **borrowed, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}

    def _failure(self, stderr: bytes) -> SennoError:
        said = _said(stderr)
        hint = ""
        if "unable to read" in said or "missing" in said or "bad object" in said:
            partial = self.repository.ask("config", "--get", "extensions.partialClone").returncode == 0
            hint = f"; {_PARTIAL_HINT}" if partial else f"; {_SHALLOW_HINT}" if self.repository.is_shallow() else ""
        return SennoError(f"{self.repository.folder}: git failed: {said or 'without a word'}{hint}")


@contextmanager
def borrowed(repository: Repository) -> Generator[Borrowed]:
    """An empty repository with the objects of `repository`, gone afterwards."""
    with tempfile.TemporaryDirectory(prefix="senno-gate-", ignore_cleanup_errors=True) as place:
        folder = Path(place).resolve()
        (folder / "objects" / "info").mkdir(parents=True)
        (folder / "refs").mkdir()
        (folder / "HEAD").write_text("ref: refs/heads/none\n", encoding="ascii")
        version, extensions = ("0", "")
        if repository.object_format != "sha1":
            version, extensions = "1", f"[extensions]\n\tobjectFormat = {repository.object_format}\n"
        (folder / "config").write_text(
            f"[core]\n\trepositoryFormatVersion = {version}\n\tbare = true\n{extensions}", encoding="ascii"
        )
        alternates = f"{_quoted(repository.objects)}\n".encode("utf-8", "surrogateescape")
        (folder / "objects" / "info" / "alternates").write_bytes(alternates)
        yield Borrowed(folder, repository)


def _quoted(path: Path) -> str:
    """A path in a list of object folders: between quotes, since it may have a colon or a line feed in it."""
    escaped = path.as_posix().replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'

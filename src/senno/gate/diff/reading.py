"""A change, read from a git repository: what HEAD adds to a base, or what is staged."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from senno.errors import ConfigError
from senno.gate.diff.change import Diff, FileChange
from senno.gate.diff.git import EMPTY_TREE, Borrowed, Repository, borrowed, open_repository
from senno.gate.diff.parsing import parse_stream
from senno.gate.diff.wide import read_wide

MOST_RENAMES = 1000
"""git looks for renames and copies among so many added and so many removed files, and no more: the time is their
product."""

_DIFF = (
    "diff-tree",
    "-r",
    "-p",
    "--no-commit-id",
    "--full-index",
    "--no-color",
    "--no-ext-diff",
    "--no-textconv",
    "--no-relative",
    "--submodule=short",
    "--ignore-submodules=none",
    "--src-prefix=a/",
    "--dst-prefix=b/",
    "--unified=3",
    "--find-renames=50%",
    "--find-copies=50%",
    f"-l{MOST_RENAMES}",
)


def read_base(repo: Path, ref: str, head: str = "HEAD") -> Diff:
    """What HEAD changes since it left `ref`: from their merge base to HEAD, as a pull request shows it.

    Args:
        repo: a folder in the repository; the whole repository is looked at.
        ref: a branch, a tag or a commit.
        head: another revision in the place of HEAD.

    Raises:
        ConfigError: no repository, an unknown ref, nothing committed, nothing in common; with what to do.
        SennoError: there is no git, or it failed.
    """
    repository = open_repository(repo)
    there = repository.commit(head)
    if there is None and head == "HEAD":
        raise ConfigError(f"{repo}: HEAD has no commit yet; judge what is staged (`--staged`)")
    if there is None:
        raise _unknown(repository, head)
    if not ref or repository.commit(ref) is None:
        raise _unknown(repository, ref)
    twins = repository.names_of(ref)
    if twins:
        raise ConfigError(f"{repo}: {ref!r} is the name of {' and of '.join(twins)}; expected one of these in full")
    bases = repository.ask("merge-base", "--all", "--", str(repository.commit(ref)), there)
    found = bases.stdout.decode("ascii", "replace").split()
    if not found:
        raise _nothing_in_common(repository, ref)
    notes = [f"{len(found)} merge bases; the change is told from the first"] if len(found) > 1 else []
    with borrowed(repository) as own:
        diff = _read(own, found[0], there)
    return replace(diff, source="base", base=found[0], head=there, notes=(*notes, *diff.notes))


def read_staged(repo: Path, *, index: Path | None = None) -> Diff:
    """What is staged, against HEAD; against nothing before the first commit.

    Args:
        repo: a folder in the repository; the whole repository is looked at.
        index: an index file in the place of the repository's own.

    Raises:
        ConfigError: no repository, or a merge with conflicts.
        SennoError: there is no git, or it failed.
    """
    repository = open_repository(repo)
    base = repository.commit("HEAD")
    with borrowed(repository) as own:
        diff = _read(own, base or EMPTY_TREE[repository.object_format], own.tree_of_index(index))
    return replace(diff, source="staged", base=base)


def _unknown(repository: Repository, ref: str) -> ConfigError:
    hint = f"fetch it first (`git fetch origin {ref}`), or name a commit"
    if repository.is_shallow():
        hint = "the clone is shallow: run `git fetch --unshallow`, or check out with the whole history (fetch-depth: 0)"
    return ConfigError(f"{repository.folder}: no commit is named {ref!r}; {hint}")


def _nothing_in_common(repository: Repository, ref: str) -> ConfigError:
    if repository.is_shallow():
        return ConfigError(
            f"{repository.folder}: where HEAD left {ref!r} is not in this clone, which is shallow: run "
            "`git fetch --unshallow`, or check out with the whole history (fetch-depth: 0)"
        )
    return ConfigError(f"{repository.folder}: HEAD and {ref!r} have no commit in common; name a branch HEAD comes from")


def _read(own: Borrowed, base: str, head: str) -> Diff:
    with own.stream(*_DIFF, base, head, "--") as stream:
        diff = parse_stream(stream, "git diff", "base")
    files = read_wide(own, _sized(own, diff.files))
    return replace(diff, files=files, notes=(*diff.notes, *_rename_notes(files)))


def _sized(own: Borrowed, files: tuple[FileChange, ...]) -> tuple[FileChange, ...]:
    """The files with the bytes of what they become; a submodule has none."""
    asked = [file.new_id for file in files if file.new_id and not file.submodule]
    if not asked:
        return files
    names = "".join(f"{each}\n" for each in asked).encode("ascii")
    told = own.answer("cat-file", "--batch-check=%(objectname) %(objectsize)", given=names).decode("ascii").split("\n")
    sizes = {name: int(size) for name, _, size in (line.partition(" ") for line in told) if size.isdecimal()}
    return tuple(replace(f, size=sizes.get(f.new_id)) if f.new_id and not f.submodule else f for f in files)


def _rename_notes(files: tuple[FileChange, ...]) -> list[str]:
    added = sum(file.status == "added" for file in files)
    deleted = sum(file.status == "deleted" for file in files)
    if added * deleted <= MOST_RENAMES**2:
        return []
    return [
        f"too many files for git to look for renames ({added} added, {deleted} deleted): a moved one is shown twice"
    ]

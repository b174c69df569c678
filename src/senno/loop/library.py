"""Where loops are found by name, and how a new one begins."""

from __future__ import annotations

import re
import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path

from senno.errors import ConfigError
from senno.files import is_file, read_text, write_text
from senno.loop.loopfile import FILE
from senno.text import did_you_mean

SHIPPED = Path(__file__).with_name("shipped")
SKELETON = "skeleton"
_NAME = re.compile(r"[a-z][a-z0-9_-]{0,59}")
_NOT_COPIED = ("__pycache__",)


@dataclass(frozen=True, slots=True)
class LoopEntry:
    """A loop that can be run by name."""

    name: str
    path: Path
    shipped: bool


def list_loops(folder: Path) -> list[LoopEntry]:
    """The user's loops in `folder`, then those that ship and are not shadowed by one of the user's."""
    own = [LoopEntry(p.name, p, shipped=False) for p in _loops_in(folder)]
    names = {entry.name for entry in own}
    shipped = [LoopEntry(p.name, p, shipped=True) for p in _loops_in(SHIPPED) if p.name != SKELETON]
    return own + [entry for entry in shipped if entry.name not in names]


def _loops_in(folder: Path) -> list[Path]:
    try:
        return sorted(p for p in folder.iterdir() if is_file(p / FILE))
    except OSError:
        return []


def find_loop(name: str, folder: Path) -> Path:
    """The folder of a loop: of that name in `folder`, among those that ship, or at that path.

    Raises:
        ConfigError: there is none; the message lists those there are.
    """
    entries = {entry.name: entry.path for entry in reversed(list_loops(folder))}
    if name in entries:
        return entries[name]
    try:
        path = Path(name).expanduser()
    except RuntimeError:  # "~nobody": no such user
        path = Path(name)
    if is_file(path) or is_file(path / FILE):
        return path
    known = ", ".join(sorted(entries))
    raise ConfigError(
        f"there is no loop {name!r} in {folder}, among those that ship, nor at that path; there are {known}"
        f"{did_you_mean(name, entries)}. A new one: senno loops new NAME"
    )


def new_loop(name: str, folder: Path, source: Path | None = None, *, dry_run: bool = False) -> Path:
    """A new loop in `folder`: a copy of the skeleton, or of the loop at `source`. It runs as it is.

    The folder appears whole or not at all.

    Args:
        name: of the loop.
        folder: of the user's loops; made if it is not there.
        source: the loop to copy, as `find_loop` gives it.
        dry_run: refuse what would be refused, and write nothing.

    Raises:
        ConfigError: a bad name, something of that name is there already, or `folder` lies inside `source`.
    """
    if not _NAME.fullmatch(name):
        raise ConfigError(
            f"{name!r} is no name for a loop; expected lower-case letters, digits, - and _, a letter first"
        )
    target = folder / name
    if target.exists():
        raise ConfigError(f"{target} is there already; choose another name, or remove it first")
    origin = source or SHIPPED / SKELETON
    origin = origin if origin.is_dir() else origin.parent
    if folder.resolve().is_relative_to(origin.resolve()):
        raise ConfigError(f"{folder} lies inside {origin}, the folder to copy; put that loop in a folder of its own")
    if dry_run:
        return target
    try:
        folder.mkdir(parents=True, exist_ok=True)
        draft = Path(tempfile.mkdtemp(dir=folder, prefix=f".{name}."))
    except OSError as error:
        raise ConfigError(f"{folder}: cannot be written ({error.strerror or error})") from None
    try:
        shutil.copytree(origin, draft, dirs_exist_ok=True, ignore=shutil.ignore_patterns(*_NOT_COPIED))
        named = re.sub(r"(?m)^name: .*$", f"name: {name}", read_text(draft / FILE), count=1)
        named = named.replace("senno run skeleton", f"senno run {name}")
        write_text(draft / FILE, named)
        draft.chmod(0o755)
        draft.rename(target)
    except BaseException:
        shutil.rmtree(draft, ignore_errors=True)
        raise
    return target

"""Where the lessons of a project are."""

from __future__ import annotations

from pathlib import Path

from senno.config import Loaded


def find_root(loaded: Loaded, start: Path | None = None) -> Path:
    """The folder of the store that holds in a folder.

    What the config says; else `memory` in the folder of the nearest config file, at the top of the nearest checkout of
    git, or in `start` itself. A worktree has its own: its lessons go with its branch, and come back when it is merged.

    Args:
        loaded: the configuration that holds in `start`.
        start: the folder to look from; the current one by default.
    """
    root = Path(loaded.config.lessons.root)
    if loaded.origin["lessons.root"] != "default":
        return root
    here = (start or Path.cwd()).resolve()
    return (loaded.project or _checkout(here) or here) / root


def _checkout(folder: Path) -> Path | None:
    # In a worktree and in a submodule `.git` is a file.
    return next((f for f in (folder, *folder.parents) if (f / ".git").exists()), None)

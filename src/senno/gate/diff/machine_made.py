"""Files that no person writes or reads: lock files, and minified ones.

Only what cannot be mistaken: well-known whole names, and names of minified files whose lines are long too. A marker in
the text (`@generated`) is not believed: the one who makes the change writes it.
"""

from __future__ import annotations

from typing import Literal

from senno.gate.diff.change import FileChange

_LOCK_FILES = frozenset(
    [
        "bun.lock",
        "cargo.lock",
        "composer.lock",
        "flake.lock",
        "gemfile.lock",
        "go.sum",
        "gradle.lockfile",
        "npm-shrinkwrap.json",
        "package-lock.json",
        "package.resolved",
        "packages.lock.json",
        "pdm.lock",
        "pipfile.lock",
        "pnpm-lock.yaml",
        "podfile.lock",
        "poetry.lock",
        "pubspec.lock",
        "uv.lock",
        "yarn.lock",
    ]
)
_MINIFIED = (".min.js", ".min.css", ".min.mjs", ".map")
_LONG = 1000


def made_by_machine(file: FileChange) -> Literal["generated", "minified"] | None:
    """Whether the lines of a file are a machine's."""
    name = file.path.rpartition("/")[2].lower()
    if name in _LOCK_FILES:
        return "generated"
    long = name.endswith(_MINIFIED) and any(len(line.text) > _LONG for hunk in file.hunks for line in hunk.lines)
    return "minified" if long else None

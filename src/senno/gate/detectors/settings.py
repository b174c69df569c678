"""What the detectors are told: which paths are protected, how large is large."""

from __future__ import annotations

from dataclasses import dataclass

_SUFFIXES = """
    bash c cc clj cpp cs cxx dart erl ex exs fs go groovy h hpp hs java jl js jsx kt kts lua m mjs ml mm php pl pm ps1
    py pyx r rb rs scala sh svelte swift ts tsx vb vue zig
"""
SOURCE_GLOBS = tuple(f"*.{suffix}" for suffix in _SUFFIXES.split())
TEST_GLOBS = (
    "test",
    "tests",
    "__tests__",
    "spec",
    "test_*",
    "*_test.*",
    "*_tests.*",
    "*.test.*",
    "*.spec.*",
    "*_spec.*",
    *(f"*{name}.{suffix}" for name in ("test", "tests") for suffix in ("java", "kt", "cs", "php", "swift", "scala")),
    "conftest.py",
)


@dataclass(frozen=True, slots=True)
class DetectorSettings:
    """All that can be set. The defaults are what a repository without a word about it gets.

    Globs are matched against the whole path with `/` between folders, whatever the case of its letters: `*` and `?`
    stay within one name, `**` crosses folders, `[…]` is a set. As in `.gitignore`, a glob without `/` is matched
    against each name in the path, and one that matches a folder means all that is below it.
    """

    forbidden_paths: tuple[str, ...] = ()
    """Globs of files that a change must not add, change, move or delete."""
    max_changed_lines: int | None = 2000
    """Added and removed lines of the whole change; `None`: no limit."""
    max_files: int | None = 200
    max_file_bytes: int | None = 1_000_000
    """Of any one file the change leaves behind."""
    max_line_length: int = 2000
    """Characters; a longer added line cannot be reviewed by a person."""
    source: tuple[str, ...] = SOURCE_GLOBS
    """Globs of files whose change asks for a test."""
    tests: tuple[str, ...] = TEST_GLOBS
    """Globs of files that are tests."""
    allow_fingerprints: frozenset[str] = frozenset()
    """Fingerprints of findings that a person has looked at and let through."""
    allow_secret_paths: tuple[str, ...] = ()
    """Globs of files whose secrets are known to be none (fixtures)."""
    off: frozenset[str] = frozenset()
    """Detectors that do not run; they are missing from `Detected.ran`."""

"""A change, read from git or from a diff, whole or with what is missing said."""

from senno.gate.diff.change import Diff, FileChange, Hunk, Line, Source, Status
from senno.gate.diff.git import Repository, open_repository
from senno.gate.diff.machine_made import made_by_machine
from senno.gate.diff.parsing import parse_diff
from senno.gate.diff.reading import read_base, read_staged
from senno.gate.diff.rendering import rendered_hunk, rendered_line, rendered_names

__all__ = [
    "Diff",
    "FileChange",
    "Hunk",
    "Line",
    "Repository",
    "Source",
    "Status",
    "made_by_machine",
    "open_repository",
    "parse_diff",
    "read_base",
    "read_staged",
    "rendered_hunk",
    "rendered_line",
    "rendered_names",
]

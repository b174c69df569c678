"""A change without the secrets in it: what may leave this machine."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace

from senno.gate.detectors.screened import by_line, secrets_of_side
from senno.gate.detectors.secret_scan import (
    Secret,
    blacked_out,
    name_without_secrets,
    without_overlaps,
    without_secrets,
)
from senno.gate.detectors.sides import side_of
from senno.gate.diff import Diff, FileChange, Hunk, Line

_CUT_HEADING = 78
"""Bytes; git cuts the heading of a hunk at 80, maybe in the middle of a secret."""


def without_secrets_in(diff: Diff) -> Diff:
    """A change with `[redacted:KIND]` in the place of each secret: of those that are added, removed, or only shown.

    A secret that is cut into pieces over several lines is taken out of each of them. Names of files and headings of
    hunks are cleaned too.
    """
    return replace(diff, files=tuple(map(_without_secrets, diff.files)))


def _without_secrets(file: FileChange) -> FileChange:
    found: defaultdict[int, list[Secret]] = defaultdict(list)
    for which in ("new", "old") if file.removed else ("new",):
        side = side_of(file, which)
        for index, secrets in by_line(side, secrets_of_side(side)).items():
            found[id(side.lines[index])] += secrets

    def clean(line: Line) -> Line:
        secrets = found.get(id(line))
        return line._replace(text=blacked_out(line.text, without_overlaps(secrets))) if secrets else line

    return replace(
        file,
        path=name_without_secrets(file.path),
        old_path=file.old_path and name_without_secrets(file.old_path),
        hunks=tuple(
            replace(hunk, header=_heading(hunk), lines=tuple(map(clean, hunk.lines)) if found else hunk.lines)
            for hunk in file.hunks
        ),
    )


def _heading(hunk: Hunk) -> str:
    whole = hunk.header
    if len(whole.encode("utf-8", "replace")) >= _CUT_HEADING:
        whole = f"{whole.rpartition(' ')[0]} …"
    return without_secrets(whole)

"""A change without the secrets in it: what may leave this machine."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace

from senno.gate.detectors.screened import by_line, secrets_of_side
from senno.gate.detectors.secret_scan import Secret, blacked_out, without_overlaps
from senno.gate.detectors.sides import side_of
from senno.gate.diff import Diff, FileChange, Line


def without_secrets_in(diff: Diff) -> Diff:
    """A change with `[redacted:KIND]` in the place of each secret: of those that are added, removed, or only shown.

    A secret that is cut into pieces over several lines is taken out of each of them.
    """
    return replace(diff, files=tuple(map(_without_secrets, diff.files)))


def _without_secrets(file: FileChange) -> FileChange:
    found: defaultdict[int, list[Secret]] = defaultdict(list)
    for which in ("new", "old") if file.removed else ("new",):
        side = side_of(file, which)
        for index, secrets in by_line(side, secrets_of_side(side)).items():
            found[id(side.lines[index])] += secrets
    if not found:
        return file

    def clean(line: Line) -> Line:
        secrets = found.get(id(line))
        return line._replace(text=blacked_out(line.text, without_overlaps(secrets))) if secrets else line

    return replace(file, hunks=tuple(replace(hunk, lines=tuple(map(clean, hunk.lines))) for hunk in file.hunks))

"""The detectors that look at the change as a whole."""

from __future__ import annotations

import unicodedata
from collections import defaultdict
from collections.abc import Iterator

from senno.gate.detectors.globs import matches
from senno.gate.detectors.screened import Found
from senno.gate.detectors.secret_scan import name_without_secrets
from senno.gate.detectors.settings import DetectorSettings
from senno.gate.detectors.unseen import escaped
from senno.gate.diff import Diff, FileChange
from senno.text import one_line

_TOLD = 5
_GONE = ("deleted",)


def size(diff: Diff, settings: DetectorSettings) -> Iterator[Found]:
    """Too much to be reviewed at once, or too large a file to be kept."""
    lines = sum(file.added + file.removed for file in diff.files)
    if settings.max_changed_lines is not None and lines > settings.max_changed_lines:
        yield _too_many(lines, "changed lines", settings.max_changed_lines)
    if settings.max_files is not None and len(diff.files) > settings.max_files:
        yield _too_many(len(diff.files), "files", settings.max_files)
    for file in diff.files:
        left = _bytes_left(file)
        if settings.max_file_bytes is not None and left > settings.max_file_bytes:
            message = f"the file has {left:,} bytes, more than {settings.max_file_bytes:,}"
            yield Found(None, message, "warning", "bytes", path=file.path)


def _too_many(found: int, what: str, limit: int) -> Found:
    return Found(None, f"{found:,} {what}, more than {limit:,}: split the change", "warning", what, path="")


def _bytes_left(file: FileChange) -> int:
    """Of the file as the change leaves it, as far as is known: at least what is added."""
    if file.status in _GONE:
        return 0
    if file.size is not None:
        return file.size
    added = sum(
        len(line.text.encode("utf-8", "replace")) + 1 for h in file.hunks for line in h.lines if line.kind == "+"
    )
    return added + file.unread


def missing_tests(diff: Diff, settings: DetectorSettings) -> Iterator[Found]:
    """Source files that change while no test does. A test that is deleted is none that changes."""
    tested = [f for f in diff.files if f.status not in _GONE and f.added and matches(f.path, settings.tests)]
    source = sorted(
        file.path
        for file in diff.files
        if file.added and matches(file.path, settings.source) and not matches(file.path, settings.tests)
    )
    if source and not tested:
        more = f" and {len(source) - _TOLD} more" if len(source) > _TOLD else ""
        files = "1 source file changes" if len(source) == 1 else f"{len(source)} source files change"
        message = f"{files} and no test does: {', '.join(map(_name, source[:_TOLD]))}{more}"
        yield Found(None, message, "warning", "\n".join(source), path="")


def _name(path: str) -> str:
    return one_line(escaped(name_without_secrets(path)), 200)


def case_twins(diff: Diff, _settings: DetectorSettings) -> Iterator[Found]:
    """Paths that are two here and one on a system that ignores case (macOS, Windows)."""
    twins: defaultdict[str, set[str]] = defaultdict(set)
    for file in diff.files:
        if file.status not in _GONE:
            twins[unicodedata.normalize("NFC", file.path).casefold()].add(file.path)
    for paths in twins.values():
        if len(paths) > 1:
            first, *others = sorted(paths)
            message = f"where case is ignored this is the same file as {', '.join(map(_name, others))}"
            yield Found(None, message, "warning", "twins", path=first)

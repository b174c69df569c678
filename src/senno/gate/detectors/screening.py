"""All detectors over one change. None asks a model, and none is changed by what the change says of itself."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import islice

from senno.gate.detectors import in_a_file, in_the_whole
from senno.gate.detectors.finding import Detected, Finding, Unscreened
from senno.gate.detectors.globs import matches
from senno.gate.detectors.screened import Found, ScreenedFile, screened
from senno.gate.detectors.secret_scan import MISSING_RULES, has_rules, name_without_secrets
from senno.gate.detectors.settings import DetectorSettings
from senno.gate.diff import Diff, FileChange

_InAFile = Callable[[ScreenedFile, DetectorSettings], Iterator[Found]]
_InTheWhole = Callable[[Diff, DetectorSettings], Iterator[Found]]

_IN_A_FILE: dict[str, _InAFile] = {
    "secrets": in_a_file.secrets,
    "conflict_markers": in_a_file.conflict_markers,
    "hidden_unicode": in_a_file.hidden_unicode,
    "forbidden_paths": in_a_file.forbidden_paths,
    "binaries": in_a_file.binaries,
    "submodules": in_a_file.submodules,
    "long_lines": in_a_file.long_lines,
}
_IN_THE_WHOLE: tuple[tuple[str, _InTheWhole], ...] = (
    ("size", in_the_whole.size),
    ("missing_tests", in_the_whole.missing_tests),
    ("forbidden_paths", in_the_whole.case_twins),
)
_OF_LINES = ("secrets", "conflict_markers", "hidden_unicode", "long_lines")

DETECTORS = tuple(dict.fromkeys((*_IN_A_FILE, *(name for name, _ in _IN_THE_WHOLE))))
"""The names of all detectors, as `Finding.detector` and `DetectorSettings.off` have them."""


MOST_IN_A_FILE = 100
"""Findings of one detector in one file that are listed."""


def detect(diff: Diff, settings: DetectorSettings) -> Detected:
    """Screen a change.

    Only what is added counts, where lines are looked at: what was there before, or is moved unchanged, does not.

    Args:
        diff: the change.
        settings: what is protected, and how large is large.
    """
    found: list[Finding] = []
    unscreened: list[Unscreened] = []
    for name, whole in _IN_THE_WHOLE:
        if name not in settings.off:
            found += [_finding(name, "", each) for each in whole(diff, settings)]
    for file in diff.files:
        seen = screened(file)
        for name, one in _IN_A_FILE.items():
            if name not in settings.off:
                found += [_finding(name, file.path, each) for each in _first(one(seen, settings))]
        unscreened += _unscreened(file, settings)
    found.sort(key=lambda each: (each.path, each.line or 0, DETECTORS.index(each.detector)))
    findings = _told_apart(found)
    allowed = [finding for finding in findings if _is_allowed(finding, settings)]
    return Detected(
        findings=tuple(finding for finding in findings if not _is_allowed(finding, settings)),
        ran=tuple(name for name in DETECTORS if name not in settings.off),
        unscreened=tuple(unscreened),
        allowed=tuple(allowed),
        notes=() if has_rules() or "secrets" in settings.off else (MISSING_RULES,),
    )


def _first(found: Iterator[Found]) -> Iterator[Found]:
    """The first of what one detector finds in one file, and a word of the rest: no report has half a million lines."""
    yield from islice(found, MOST_IN_A_FILE)
    if next(found, None) is not None:
        message = f"there are more than {MOST_IN_A_FILE} findings of this kind in this file; the others are not listed"
        yield Found(None, message, "error", "more")


def _finding(detector: str, path: str, found: Found) -> Finding:
    place = path if found.path is None else found.path
    said = f"{detector}\0{place}\0{found.what}"
    return Finding(
        detector=detector,
        path=name_without_secrets(place),
        line=found.line,
        message=found.message,
        severity=found.severity,
        fingerprint=_digest(said),
        excerpt=found.excerpt,
    )


def _digest(said: str) -> str:
    return hashlib.sha256(said.encode("utf-8", "replace")).hexdigest()[:32]


def _told_apart(findings: list[Finding]) -> list[Finding]:
    """Findings that are the same in all but their line are told apart by their order."""
    seen: Counter[str] = Counter()
    apart: list[Finding] = []
    for finding in findings:
        before = seen[finding.fingerprint]
        seen[finding.fingerprint] += 1
        new = _digest(f"{finding.fingerprint}\0{before}") if before else finding.fingerprint
        apart.append(replace(finding, fingerprint=new))
    return apart


def _is_allowed(finding: Finding, settings: DetectorSettings) -> bool:
    if finding.fingerprint in settings.allow_fingerprints:
        return True
    return finding.detector == "secrets" and matches(finding.path, settings.allow_secret_paths)


def _unscreened(file: FileChange, settings: DetectorSettings) -> Iterator[Unscreened]:
    if file.binary and file.status != "deleted":
        reason = "the file is binary: the diff has none of its content"
    elif file.unread:
        reason = f"{file.unread:,} bytes of its lines were not kept: the file, or the diff, is too long"
    elif file.submodule and file.status != "deleted":
        reason = "a submodule: its content is in another repository"
    else:
        return
    for detector in _OF_LINES:
        if detector not in settings.off:
            yield Unscreened(detector, name_without_secrets(file.path), reason)

"""The detectors that look at one file at a time."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator

from senno.gate.detectors.globs import matches
from senno.gate.detectors.screened import Found, ScreenedFile
from senno.gate.detectors.secret_scan import blacked_out, entropy, name_without_secrets, secrets_in_name
from senno.gate.detectors.settings import DetectorSettings
from senno.gate.detectors.unseen import Unseen, escaped, unseen_in
from senno.text import shown

_MARKER = re.compile(r"(<{7}|\|{7}|={7}|>{7})(?: .*)?\r?$", re.DOTALL)
_LABEL = re.compile(r"[<>]{7} \S+( \(.*\))?\r?$")
_OUTSIDE = re.compile(
    r"(?:^|[/\\])(?:\.\.(?:[/\\]|$)|\.git(?:[/\\]|$)|git~1(?:[/\\]|$))|^[/\\]|^[A-Za-z]:[/\\]", re.IGNORECASE
)
_UNSEEN_IN_NAMES = re.compile("[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]")


def secrets(screened: ScreenedFile, _settings: DetectorSettings) -> Iterator[Found]:
    """Secrets that the change adds, or completes; in the lines, or in a new name."""
    yield from _secrets_in_the_name(screened)
    side = screened.side
    for secret in screened.secrets:
        indices = side.between(secret.start, secret.end)
        added = [index for index in indices if side.lines[index].kind == "+"]
        if not added or not secret.reported:
            continue
        first = indices[0] if side.lines[indices[0]].kind == "+" else added[0]
        over = (
            f", cut into pieces over {len(indices)} lines" if len(indices) > 1 and secret.kind != "private-key" else ""
        )
        excerpt = screened.excerpt(first, max(0, secret.start - side.starts[first]))
        message = (
            f"a secret ({secret.kind}) is added{over}: take it out, and revoke it if it ever left this machine"
            if secret.sure
            else f"this may be a secret ({secret.kind}){over}: take it out if it is one"
        )
        what = _of_secret(side.text[secret.start : secret.end], f"{secret.kind}\n{excerpt}")
        yield Found(side.lines[first].new, message, "error" if secret.sure else "warning", what, excerpt)


def _secrets_in_the_name(screened: ScreenedFile) -> Iterator[Found]:
    path = screened.file.path
    if screened.file.status not in ("added", "renamed", "copied"):
        return
    found = secrets_in_name(path)
    clean = blacked_out(path, found)
    for secret in found:
        message = f"a secret ({secret.kind}) is the name of a file: take it out, and revoke it"
        yield Found(None, message, "error", _of_secret(path[secret.start : secret.end], clean), escaped(clean))


def _of_secret(value: str, around: str) -> str:
    """What tells one secret from another, and does not tell it.

    A hash of a random token gives nothing away. One of a password could be searched for in a list of passwords: of
    those, eight bits are kept, so that another one in its place is most likely noticed.
    """
    digest = hashlib.sha256(value.encode("utf-8", "replace")).hexdigest()
    random = len(value) >= 20 and entropy(value) >= 3.5
    return digest if random else f"{around}\n{digest[:2]}"


def conflict_markers(screened: ScreenedFile, _settings: DetectorSettings) -> Iterator[Found]:
    """`<<<<<<<`, `=======`, `>>>>>>>` in this order; or one of the outer two alone, with a name behind it."""
    side = screened.side
    if "<<<<<<<" not in side.text and ">>>>>>>" not in side.text:
        return
    markers = [(i, m[1][0]) for i, line in enumerate(side.lines) if (m := _MARKER.match(line.text))]
    used: set[int] = set()
    for triad in _triads(markers):
        used.update(triad)
        if any(side.lines[index].kind == "+" for index in triad):
            excerpt = screened.excerpt(triad[0])
            yield Found(side.lines[triad[0]].new, "a merge conflict is left unresolved", "error", excerpt, excerpt)
    for index, mark in markers:
        line = side.lines[index]
        if index not in used and mark in "<>" and line.kind == "+" and _LABEL.match(line.text):
            excerpt = screened.excerpt(index)
            yield Found(line.new, "a conflict marker is left, without its counterpart", "warning", excerpt, excerpt)


def _triads(markers: list[tuple[int, str]]) -> Iterator[tuple[int, ...]]:
    begun: list[int] = []
    seen = ""
    for index, mark in markers:
        if mark == "<":
            begun, seen = [index], "<"
        elif seen and (mark == "=" or (mark == "|" and seen == "<")):
            begun.append(index)
            seen += mark
        elif mark == ">" and "=" in seen:
            yield (*begun, index)
            begun, seen = [], ""


def hidden_unicode(screened: ScreenedFile, _settings: DetectorSettings) -> Iterator[Found]:
    """Added characters that do not show, or show as others: the first of each kind in a line, or in a new name."""
    yield from _in_the_name(screened)
    if screened.side.text.isascii() and not re.search(r"[\x00-\x08\x0b\x0d-\x1f\x7f]", screened.side.text):
        return
    for index, line in enumerate(screened.side.lines):
        if line.kind == "+":
            yield from _in_a_line(screened, index)


def _in_a_line(screened: ScreenedFile, index: int) -> Iterator[Found]:
    line = screened.side.lines[index]
    told: set[str] = set()
    for unseen in unseen_in(line.text.removesuffix("\r"), first_line=line.new == 1):
        if unseen.what not in told:
            told.add(unseen.what)
            excerpt = screened.excerpt(index, unseen.start)
            message = f"{unseen.said} ({_points(line.text, unseen)}): what is read here is not what is shown"
            yield Found(line.new, message, unseen.severity, f"{unseen.what}\n{excerpt}", excerpt)


def _in_the_name(screened: ScreenedFile) -> Iterator[Found]:
    path = screened.file.path
    if screened.file.status not in ("added", "renamed", "copied"):
        return
    for unseen in unseen_in(path):
        message = f"{unseen.said} ({_points(path, unseen)}) in the name of the file"
        yield Found(None, message, unseen.severity, f"name\n{unseen.what}\n{path}", escaped(name_without_secrets(path)))


def _points(text: str, unseen: Unseen) -> str:
    return " ".join(f"U+{ord(each):04X}" for each in text[unseen.start : unseen.end][:8])


def forbidden_paths(screened: ScreenedFile, settings: DetectorSettings) -> Iterator[Found]:
    """Files that must not be touched, wherever they are moved from or to, and paths that leave the repository."""
    file = screened.file
    moved_from = file.old_path if file.status == "renamed" else None
    for path in dict.fromkeys(each for each in (file.path, moved_from) if each):
        if _OUTSIDE.search(_UNSEEN_IN_NAMES.sub("", path)):
            message = "the path leads out of the repository, or into its `.git`"
            yield Found(None, message, "error", f"outside\n{path}", path=path)
        elif matches(path, settings.forbidden_paths):
            verb = (
                "is moved away"
                if path == moved_from
                else {"added": "is added", "deleted": "is deleted"}.get(file.status)
            )
            yield Found(None, f"a protected file {verb or 'is changed'}", "error", f"forbidden\n{path}", path=path)


def binaries(screened: ScreenedFile, _settings: DetectorSettings) -> Iterator[Found]:
    """Files that no one can review as a diff."""
    file = screened.file
    if file.binary and file.status != "deleted":
        size = "" if file.size is None else f" ({file.size:,} bytes)"
        runs = " that can be executed" if file.new_mode == "100755" else ""
        yield Found(
            None, f"a binary file{runs} is {_verb(file.status)}{size}: no one can review it", "warning", "binary"
        )


def _verb(status: str) -> str:
    return {"added": "added", "renamed": "moved and changed", "copied": "copied and changed"}.get(status, "changed")


def submodules(screened: ScreenedFile, _settings: DetectorSettings) -> Iterator[Found]:
    """Other repositories that are pointed to, whose content the diff does not have."""
    file = screened.file
    if file.submodule:
        ids = [each[:12] if each else "nothing" for each in (file.old_id, file.new_id)]
        message = f"a submodule moves from {ids[0]} to {ids[1]}: what changes in it is not in this diff"
        yield Found(None, message, "warning", f"{file.old_id}\n{file.new_id}")


def long_lines(screened: ScreenedFile, settings: DetectorSettings) -> Iterator[Found]:
    """Added lines too long to be read by a person: minified code, data, blobs in text."""
    lines = screened.side.lines
    limit = settings.max_line_length
    long = [index for index, line in enumerate(lines) if line.kind == "+" and len(line.text) > limit]
    if long:
        longest = max(len(lines[index].text) for index in long)
        many = "a line" if len(long) == 1 else f"{len(long):,} lines, the longest"
        message = f"{many} of {longest:,} characters (more than {limit:,}) cannot be reviewed"
        yield Found(lines[long[0]].new, message, "warning", "long", shown(screened.excerpt(long[0]), 80))

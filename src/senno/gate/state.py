"""What the judge is asked about: the change, cut into parts that fit the model, and a list of what was left out."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, NamedTuple

from senno.errors import ConfigError
from senno.gate.diff import Diff, FileChange, Hunk, Line, made_by_machine, rendered_hunk, rendered_line, rendered_names
from senno.models import Json
from senno.text import estimate_tokens

OmittedKind = Literal["binary", "submodule", "long_line", "minified", "generated", "unread", "description"]

LONGEST_LINE = 10_000
"""Bytes as JSON; a longer line is no text that a person wrote, and is left out."""
_LONGEST_NAME = 200
"""Characters of a path, or of the heading of a hunk, that are shown to the judge."""
_MOST_PLACES = 20
"""Lines left out of one file are listed place by place up to so many; then together."""
_LEAST_ROOM = 8000
"""Bytes of a part that are the change's, at least: room for its names, and for a line."""
_FRAME = 200
"""Bytes of a part without text."""
_SHARE_OF_TEXT = 4
"""A title, and a description, may take one part in so many of the limit, or less where the change needs the room."""


@dataclass(frozen=True, slots=True)
class Omitted:
    """A piece of the change that no part has."""

    path: str
    """The file; empty: the description of the change."""
    kind: OmittedKind
    reason: str
    """In words."""
    line: int | None = None
    """The first line of it, in the new file (in the old one where it is removed); `None`: the whole file."""
    lines: int = 0
    """How many lines of the diff; 0: it has none (binary)."""


@dataclass(frozen=True, slots=True)
class Part:
    """What one call to the judge is asked about."""

    files: tuple[str, ...]
    """The paths in this part, in order."""
    state: Json = field(repr=False)
    """`{"title", "description", "part", "parts", "files": [{"path", "status", …}], "diff": "…", "omitted": […]}`."""
    tokens: int
    """Estimated tokens of `state` as JSON."""
    omitted: tuple[Omitted, ...] = ()
    """What was left out of the files of this part."""


@dataclass(frozen=True, slots=True)
class Split:
    """The whole change in parts. Each line of it is in one part, or in `omitted`."""

    parts: tuple[Part, ...]
    omitted: tuple[Omitted, ...] = ()
    """Of all the parts, and what belongs to none."""


class _Piece(NamedTuple):
    """What goes into one part together: a file, or some lines of one."""

    file: FileChange
    diff: str
    omitted: tuple[Omitted, ...]
    size: int
    """Bytes that it adds to a part, at most."""


@dataclass(slots=True)
class _Room:
    """A part while it is filled."""

    left: int
    pieces: list[_Piece] = field(default_factory=list["_Piece"])


def parts(diff: Diff, *, limit_tokens: int, title: str = "", description: str = "") -> Split:
    """Cut a change into parts of at most `limit_tokens`.

    A file is whole in one part if it fits into one; if not it is cut between hunks, and a hunk that does not fit
    between lines. Small files share a part, in the order of the change. A change of nothing has no parts.

    Args:
        diff: the change.
        limit_tokens: of one state as JSON, estimated (3.5 bytes a token), without the questions.
        title: of the change.
        description: what it says it does. Longer than a quarter of the limit, it is cut, and that is told.

    Raises:
        ConfigError: the limit has no room for a line.
    """
    short_title, short_description, omitted = _texts(title, description, limit_tokens)
    frame = _state((), short_title, short_description, 9999, 9999)
    room = math.floor(limit_tokens * 3.5) - _bytes(frame) - 1
    if room < _LEAST_ROOM:
        raise ConfigError(
            f"limit_tokens: {limit_tokens:,} leave {max(room, 0):,} bytes for the change; expected {_LEAST_ROOM:,} or "
            "more. Raise the limit, or shorten title and description"
        )
    filled: list[_Room] = []
    for file in diff.files:
        for piece in _pieces(file, room):
            _place(piece, filled, room)
    whole = tuple(
        _part(each.pieces, short_title, short_description, number, len(filled))
        for number, each in enumerate(filled, start=1)
    )
    return Split(whole, (*omitted, *(each for part in whole for each in part.omitted)))


def _place(piece: _Piece, filled: list[_Room], room: int) -> None:
    """Into the first of the last few parts that has room: related files lie side by side, and parts are few."""
    place = next((each for each in filled[-8:] if each.left >= piece.size), None)
    if place is None:
        place = _Room(room)
        filled.append(place)
    place.left -= piece.size
    place.pieces.append(piece)


def _part(pieces: Sequence[_Piece], title: str, description: str, number: int, count: int) -> Part:
    state = _state(pieces, title, description, number, count)
    return Part(
        tuple(dict.fromkeys(piece.file.path for piece in pieces)),
        state,
        estimate_tokens(json.dumps(state, ensure_ascii=False)),
        tuple(each for piece in pieces for each in piece.omitted),
    )


def _state(pieces: Sequence[_Piece], title: str, description: str, number: int, count: int) -> Json:
    files: dict[int, Json] = {id(piece.file): _told(piece.file) for piece in pieces}
    return {
        "title": title,
        "description": description,
        "part": number,
        "parts": count,
        "files": list(files.values()),
        "diff": "".join(piece.diff for piece in pieces),
        "omitted": [_told_omitted(each) for piece in pieces for each in piece.omitted],
    }


def _told(file: FileChange) -> Json:
    """A file in a few words."""
    told: dict[str, Json] = {
        "path": _short(file.path),
        "status": file.status,
        "added": file.added,
        "removed": file.removed,
    }
    if file.old_path is not None:
        told["old_path"] = _short(file.old_path)
    if file.old_mode and file.new_mode and file.old_mode != file.new_mode:
        told["mode"] = f"{file.old_mode} -> {file.new_mode}"
    if file.binary:
        told["binary"] = True
    if file.submodule:
        told["submodule"] = f"{file.old_id} -> {file.new_id}"
    return told


def _short(name: str) -> str:
    half = _LONGEST_NAME // 2
    return name if len(name) <= _LONGEST_NAME else f"{name[:half]}…{name[1 - half :]}"


def _told_omitted(omitted: Omitted) -> Json:
    return {"path": _short(omitted.path), "line": omitted.line, "lines": omitted.lines, "reason": omitted.reason}


def _bytes(value: Json) -> int:
    return len(json.dumps(value, ensure_ascii=False).encode("utf-8", "surrogatepass"))


def _texts(title: str, description: str, limit_tokens: int) -> tuple[str, str, list[Omitted]]:
    """Title and description, each within its share."""
    room = math.floor(limit_tokens * 3.5)
    share = max(2, min(room // _SHARE_OF_TEXT, (room - _LEAST_ROOM - _FRAME) // 2))
    omitted: list[Omitted] = []
    cut: list[str] = []
    for name, text in (("title", title), ("description", description)):
        kept = text
        while _bytes(kept) > share:
            kept = kept[: len(kept) * share // (_bytes(kept) + 1)]
        if kept != text:
            reason = f"the {name} of the change is cut at {len(kept):,} of {len(text):,} characters"
            omitted.append(Omitted("", "description", reason))
        cut.append(kept)
    return cut[0], cut[1], omitted


def _pieces(file: FileChange, room: int) -> Iterator[_Piece]:
    whole = _left_out(file)
    if whole is not None:
        yield _piece(file, "", (whole,))
        return
    names = _names(file)
    budget = room - _piece(file, names, ()).size
    hunks, omitted = _without_long_lines(file, min(LONGEST_LINE, budget // 4))
    piece = _piece(file, names + "".join(map(rendered_hunk, hunks)) if hunks else "", omitted)
    if piece.size <= room:
        yield piece
    else:
        yield from _cut(file, hunks, omitted, room)


def _names(file: FileChange) -> str:
    return rendered_names(replace(file, path=_short(file.path), old_path=file.old_path and _short(file.old_path)))


def _piece(file: FileChange, diff: str, omitted: tuple[Omitted, ...]) -> _Piece:
    told = _bytes(_told(file)) + sum(_bytes(_told_omitted(each)) + 2 for each in omitted) + 2
    return _Piece(file, diff, omitted, told + _bytes(diff) - 2)


def _cut(file: FileChange, hunks: Sequence[Hunk], omitted: tuple[Omitted, ...], room: int) -> Iterator[_Piece]:
    """A file that does not fit into one part, in pieces that do, as full as can be."""
    names = _names(file)
    empty = _piece(file, names, ()).size
    here, size = [names], _piece(file, names, omitted).size
    for hunk in hunks:
        for some in _fitting(hunk, room - empty):
            more = rendered_hunk(some)
            added = _bytes(more) - 2
            if size + added > room:
                yield _Piece(file, "".join(here) if len(here) > 1 else "", omitted, size)
                here, omitted, size = [names], (), empty
            here.append(more)
            size += added
    yield _Piece(file, "".join(here), omitted, size)


def _fitting(hunk: Hunk, room: int) -> Iterator[Hunk]:
    """A hunk, cut between lines where it is larger than `room` bytes."""
    if _bytes(rendered_hunk(hunk)) <= room:
        yield hunk
        return
    heading = _bytes(hunk.header) + 64
    size, first = heading, 0
    old, new = hunk.old_start, hunk.new_start
    for index, line in enumerate(hunk.lines):
        added = _bytes(rendered_line(line)) - 2
        if size + added > room and index > first:
            yield _some(hunk, first, index, old, new)
            old += sum(each.kind != "+" for each in hunk.lines[first:index])
            new += sum(each.kind != "-" for each in hunk.lines[first:index])
            size, first = heading, index
        size += added
    yield _some(hunk, first, len(hunk.lines), old, new)


def _some(hunk: Hunk, first: int, end: int, old: int, new: int) -> Hunk:
    lines = hunk.lines[first:end]
    of_old = sum(line.kind != "+" for line in lines)
    of_new = sum(line.kind != "-" for line in lines)
    return Hunk(old, of_old, new, of_new, hunk.header, lines)


def _left_out(file: FileChange) -> Omitted | None:
    """Why none of a file's lines is judged, if so."""
    lines = sum(len(hunk.lines) for hunk in file.hunks)
    if file.submodule:
        return Omitted(file.path, "submodule", "its content is in another repository", lines=lines)
    if file.binary:
        return Omitted(file.path, "binary", "the diff has none of its content")
    machine = made_by_machine(file) if lines else None
    if machine is None:
        return None
    reason = "a package manager writes it" if machine == "generated" else "minified: no person writes or reads it"
    return Omitted(file.path, machine, reason, lines=lines)


def _without_long_lines(file: FileChange, longest: int) -> tuple[list[Hunk], tuple[Omitted, ...]]:
    """The hunks, with a mark in the place of each line that is too long, and what is left out."""
    omitted: list[Omitted] = []
    if file.unread:
        omitted.append(Omitted(file.path, "unread", f"{file.unread:,} bytes of its lines were not kept: too long"))
    groups: list[list[Line]] = []
    hunks: list[Hunk] = []
    for hunk in file.hunks:
        lines = hunk.lines
        long = [index for index, line in enumerate(lines) if _is_long(line, longest)]
        for index in long:
            if groups and index > 0 and groups[-1][-1] is lines[index - 1]:
                groups[-1].append(lines[index])
            else:
                groups.append([lines[index]])
        if long:
            lines = tuple(_mark(line) if _is_long(line, longest) else line for line in lines)
        hunks.append(replace(hunk, lines=lines, header=_short(hunk.header)))
    return hunks, (*omitted, *_told_together(file.path, groups, longest))


def _is_long(line: Line, longest: int) -> bool:
    """Whether a line has more than `longest` bytes as JSON, where a character has one to six."""
    characters = len(line.text)
    return characters > longest or (6 * characters > longest and _bytes(line.text) - 2 > longest)


def _mark(line: Line) -> Line:
    return line._replace(text=f"[a line of {len(line.text):,} characters, left out]")


def _told_together(path: str, groups: Sequence[Sequence[Line]], longest: int) -> Iterator[Omitted]:
    reason = f"longer than {longest:,} bytes"
    if len(groups) > _MOST_PLACES:
        reason = f"{reason}, in {len(groups):,} places"
        groups = [[line for group in groups for line in group]]
    for group in groups:
        first = group[0]
        yield Omitted(path, "long_line", reason, first.new if first.new is not None else first.old, len(group))

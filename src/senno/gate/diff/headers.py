"""What stands above the hunks of a file: names, modes, renames."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from senno.gate.diff.change import FileChange, Status
from senno.gate.diff.hunks import Body
from senno.gate.diff.lines import LineReader
from senno.gate.diff.quoting import path_text, split_names, unquoted, without_prefixes

NOWHERE = b"/dev/null"
SUBMODULE_MODE = "160000"

_FIELDS = (
    b"index ",
    b"old mode ",
    b"new mode ",
    b"new file mode ",
    b"deleted file mode ",
    b"similarity index ",
    b"dissimilarity index ",
    b"rename from ",
    b"rename to ",
    b"copy from ",
    b"copy to ",
)
_INDEX = re.compile(rb"([0-9a-f]{4,64})\.\.([0-9a-f]{4,64})(?: (\d{6}))?")
_PERCENT = re.compile(rb"(\d{1,3})%")
# A year and a time, as `diff -u` puts them behind a name; of 1970 where there was no file (`diff -N`).
_EPOCH = re.compile(rb"\t(?:1970-01-01 0|1969-12-31 |Thu Jan +1 0|Wed Dec 31 )")


@dataclass(slots=True)
class Header:
    """What the lines above the hunks say, as they say it."""

    names: bytes | None
    """Behind `diff --git `; `None`: a plain unified diff."""
    told: dict[bytes, bytes] = field(default_factory=dict[bytes, bytes])
    old: bytes | None = None
    """Behind `--- `."""
    new: bytes | None = None
    """Behind `+++ `."""
    binary: bool = False
    size: int | None = None
    """Of the new content, where a binary patch says it."""


def read_fields(reader: LineReader, header: Header) -> None:
    """The lines between `diff --git` and `---`."""
    while (raw := reader.next()) is not None:
        line = raw.rstrip(b"\r")
        field_name = next((name for name in _FIELDS if line.startswith(name)), None)
        if field_name is None:
            reader.give_back(raw)
            return
        header.told[field_name] = line[len(field_name) :]


def file_change(reader: LineReader, header: Header, body: Body) -> FileChange:
    """One file, from its header and its hunks.

    Raises:
        FileFormatError: the header names no file, or two.
    """
    old, new = _paths(reader, header)
    told = header.told
    status = _status(header, body)
    old_mode, new_mode, old_id, new_id = _ids(told, status)
    moved = status in ("renamed", "copied")
    similarity = _PERCENT.match(told.get(b"similarity index ", b""))
    return FileChange(
        path=path_text(old if status == "deleted" else new),
        status=status,
        old_path=path_text(old) if moved else None,
        hunks=tuple(body.hunks),
        binary=header.binary,
        submodule=SUBMODULE_MODE in (old_mode, new_mode),
        old_mode=old_mode,
        new_mode=new_mode,
        similarity=int(similarity[1]) if similarity and moved else None,
        encoding="latin-1" if body.odd_lines else "utf-8",
        added=body.added,
        removed=body.removed,
        size=header.size,
        old_id=old_id,
        new_id=new_id,
        unread=body.unread,
        notes=tuple(_notes(body, old if status == "deleted" else new)),
    )


def _notes(body: Body, path: bytes) -> list[str]:
    notes: list[str] = []
    if body.odd_lines:
        notes.append(f"{body.odd_lines} of its lines are not UTF-8 and were read as Latin-1")
    if body.unread:
        notes.append(f"{body.unread:,} bytes of its lines were not kept: the file, or the diff, is too long")
    try:
        path.decode("utf-8")
    except UnicodeDecodeError:
        notes.append("its name is not UTF-8")
    return notes


def _paths(reader: LineReader, header: Header) -> tuple[bytes, bytes]:
    """The old and the new path. Of a file that was not there, or is no more, both are the one it has."""
    told = header.told
    for old_field, new_field in ((b"rename from ", b"rename to "), (b"copy from ", b"copy to ")):
        if old_field in told and new_field in told:
            return unquoted(told[old_field]), unquoted(told[new_field])
    named = None if header.names is None else split_names(header.names)
    if header.old is None or header.new is None:
        if named is None:
            raise reader.fault("the name of the file cannot be told", "`a/NAME b/NAME` behind `diff --git`")
        return _checked(reader, *without_prefixes(*named))
    old, new = unquoted(header.old), unquoted(header.new)
    if named is not None:
        return _checked(reader, *_agreed(reader, named, old, new))
    if NOWHERE in (old, new):
        only = new if old == NOWHERE else old
        only = only[2:] if only[:2] in (b"a/", b"b/") else only
        return _checked(reader, only, only)
    return _checked(reader, *without_prefixes(old, new))


def _agreed(reader: LineReader, named: tuple[bytes, bytes], old: bytes, new: bytes) -> tuple[bytes, bytes]:
    """The paths of a git header, once `---` and `+++` have been found to say the same."""
    for said, there in zip(named, (old, new), strict=True):
        if there not in (said, NOWHERE):
            raise reader.fault(
                "`diff --git` and the lines `---` and `+++` name different files", "one file in all three"
            )
    return without_prefixes(*named)


def _checked(reader: LineReader, old: bytes, new: bytes) -> tuple[bytes, bytes]:
    if not old or not new or b"\0" in old + new:
        raise reader.fault("the name of the file is empty, or has a NUL in it", "a path")
    return old, new


def _status(header: Header, body: Body) -> Status:
    told = header.told
    by_field: tuple[tuple[bytes, Status], ...] = (
        (b"new file mode ", "added"),
        (b"deleted file mode ", "deleted"),
        (b"rename from ", "renamed"),
        (b"copy from ", "copied"),
    )
    for name, status in by_field:
        if name in told:
            return status
    if _absent(header.old):
        return "added"
    if _absent(header.new):
        return "deleted"
    return "mode" if b"old mode " in told and not body.hunks and not header.binary else "modified"


def _absent(name: bytes | None) -> bool:
    return name is not None and (unquoted(name) == NOWHERE or _EPOCH.search(name) is not None)


def _ids(told: dict[bytes, bytes], status: Status) -> tuple[str | None, str | None, str | None, str | None]:
    """The old and the new mode, the old and the new id."""
    index = _INDEX.fullmatch(told.get(b"index ", b""))
    both = index[3] if index else None
    old_mode = told.get(b"old mode ", told.get(b"deleted file mode ", both))
    new_mode = told.get(b"new mode ", told.get(b"new file mode ", both))
    return (
        _ascii(old_mode) if status != "added" else None,
        _ascii(new_mode) if status != "deleted" else None,
        _id(index[1] if index else None),
        _id(index[2] if index else None),
    )


def _ascii(value: bytes | None) -> str | None:
    return None if value is None else value.decode("ascii", "replace")


def _id(value: bytes | None) -> str | None:
    return None if value is None or not value.strip(b"0") else value.decode("ascii")

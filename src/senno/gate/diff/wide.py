"""Files in UTF-16 or UTF-32: git takes them for binary, and they are text."""

from __future__ import annotations

import codecs
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import NamedTuple

from senno.gate.diff.change import FileChange
from senno.gate.diff.git import Borrowed
from senno.gate.diff.parsing import parse_stream

MOST_BYTES = 16 * 1024 * 1024
"""A larger file stays binary."""

_MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)


def read_wide(own: Borrowed, files: Sequence[FileChange]) -> tuple[FileChange, ...]:
    """The files; those whose sides are text with a byte order mark of UTF-16 or UTF-32 have their lines.

    git compares the two sides, each written as UTF-8.
    """
    if not any(map(_may_be_wide, files)):
        return tuple(files)
    with own.contents() as content:
        return tuple(_read(own, content, file) if _may_be_wide(file) else file for file in files)


def _may_be_wide(file: FileChange) -> bool:
    return file.binary and not file.submodule and (file.size or 0) <= MOST_BYTES


def _read(own: Borrowed, content: Callable[[str], bytes], file: FileChange) -> FileChange:
    texts = [_decoded(content(each) if each else b"") for each in (file.old_id, file.new_id)]
    wide = next((text.encoding for text in reversed(texts) if text and text.encoding != "utf-8"), None)
    if None in texts or wide is None:
        return file
    ids = [_written(own, text.text) for text in texts if text]
    with own.stream("diff", "--no-color", "--no-ext-diff", "--no-textconv", "--text", *ids, "--") as stream:
        found = parse_stream(stream, file.path, "base").files
    return replace(
        file,
        binary=False,
        hunks=tuple(hunk for each in found for hunk in each.hunks),
        encoding=wide,
        added=sum(each.added for each in found),
        removed=sum(each.removed for each in found),
        notes=(*file.notes, f"git takes it for binary; its lines were read as {wide.upper()}"),
    )


class _Text(NamedTuple):
    text: str
    encoding: str


def _decoded(data: bytes) -> _Text | None:
    """The text of one side; `None`: none that is known. One side alone may be plain: the file was converted."""
    encoding = next((name for mark, name in _MARKS if data.startswith(mark)), "utf-8")
    if encoding == "utf-8" and b"\0" in data:
        return None
    try:
        return _Text(data.decode(encoding), encoding)
    except UnicodeDecodeError:
        return None


def _written(own: Borrowed, text: str) -> str:
    return own.answer("hash-object", "-w", "--stdin", given=text.encode("utf-8")).decode("ascii").strip()

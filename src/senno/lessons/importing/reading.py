"""Files from elsewhere, read a row at a time: what is wrong with one row, or one file, hinders no other."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO, cast

from senno.errors import ConfigError
from senno.files import MOST_BYTES, kind_of, read_text
from senno.lessons.importing.found import Bad, Unusable


def json_of(text: str) -> Any:
    """A JSON value.

    Raises:
        Unusable: it is none.
    """
    try:
        return json.loads(text)
    except ValueError as error:
        raise Unusable(f"no JSON ({error})") from None
    except RecursionError:
        raise Unusable("nested too deeply") from None


def rows(file: Path) -> Iterator[tuple[str, dict[str, Any] | Bad]]:
    """The objects of a file of JSON Lines, each with its place, one line in memory at a time.

    Lines end with a line feed alone: U+2028 is text. What is wrong with one line hinders no other.
    """
    try:
        with file.open("rb") as handle:
            for number, line in enumerate(_lines(handle), 1):
                where = f"{file}:{number}"
                try:
                    row = _object(line)
                except Unusable as error:
                    yield where, Bad(where, str(error))
                else:
                    if row is not None:
                        yield where, row
    except OSError as error:
        yield str(file), Bad(str(file), f"cannot be read ({error.strerror or error})")


def _lines(handle: BinaryIO) -> Iterator[bytes]:
    """The lines of a file; of one that is too long only its beginning, which is too long still."""
    while line := handle.readline(MOST_BYTES + 1):
        yield line
        while len(line) > MOST_BYTES and not line.endswith(b"\n"):
            line = handle.readline(MOST_BYTES + 1)


def _object(line: bytes) -> dict[str, Any] | None:
    """The object in a line; `None`: the line is blank."""
    if len(line) > MOST_BYTES:
        raise Unusable(f"a line of more than {MOST_BYTES:,} bytes")
    try:
        text = line.decode("utf-8-sig").strip()
    except UnicodeDecodeError as error:
        raise Unusable(f"byte {error.start} of the line ({line[error.start]:#04x}) is not UTF-8") from None
    if not text:
        return None
    value = json_of(text)
    if not isinstance(value, dict):
        raise Unusable(f"found {kind_of(value)}; expected an object")
    return cast("dict[str, Any]", value)


def items(file: Path, *keys: str) -> Iterator[tuple[str, dict[str, Any] | Bad]]:
    """The objects of a list in a JSON file, each with its place; of an object that has it under one of `keys`, too."""
    try:
        value = json_of(read_text(file))
        if isinstance(value, dict):
            own = cast("dict[str, Any]", value)
            value = next((own[key] for key in keys if key in own), None)
        if not isinstance(value, list):
            or_under = f", or one under {' or '.join(keys)}" if keys else ""
            raise Unusable(f"expected a list of objects{or_under}")
    except (Unusable, ConfigError) as error:
        yield str(file), Bad(str(file), str(error).removeprefix(f"{file}: "))
        return
    for number, item in enumerate(cast("list[Any]", value)):
        where = f"{file}[{number}]"
        if isinstance(item, dict):
            yield where, cast("dict[str, Any]", item)
        else:
            yield where, Bad(where, f"found {kind_of(item)}; expected an object")


def files_in(path: Path) -> Iterator[Path | Bad]:
    """The file, or all files in a folder and those below, in one order; hidden ones are left out.

    A link is followed to a file inside the folder only: what lies elsewhere was not asked for.
    """
    if not path.is_dir():
        yield path
        return
    unread: list[Bad] = []

    def failed(error: OSError) -> None:
        unread.append(Bad(str(error.filename), f"this folder cannot be read ({error.strerror or error})"))

    inside = path.resolve()
    for folder, below, names in os.walk(path, onerror=failed):
        below[:] = sorted(name for name in below if not name.startswith("."))
        for name in sorted(names):
            file = Path(folder, name)
            if name.startswith("."):
                continue
            if file.is_symlink() and not file.resolve().is_relative_to(inside):
                yield Bad(str(file), "a link that leads out of the folder: not followed")
            elif file.is_file():
                yield file
    yield from unread

"""A user's file of JSON Lines, read an object at a time; the first line that is not one is an error that names it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, cast

from senno.errors import ConfigError, FileFormatError
from senno.files import MOST_BYTES, kind_of, read_text
from senno.text import did_you_mean

_BOM = b"\xef\xbb\xbf"


@dataclass(frozen=True, slots=True)
class JsonLine:
    """One object of a file, with its place."""

    where: str
    """`cases.jsonl:12`."""
    values: dict[str, Any]

    def text(self, key: str, *, may_be_empty: bool = False) -> str:
        """The text at `key`.

        Raises:
            FileFormatError: it is not there, or no text, or blank where it may not be.
        """
        value = self.values.get(key)
        if not isinstance(value, str) or not (may_be_empty or value.strip()):
            found = "empty text" if isinstance(value, str) else kind_of(value)
            raise FileFormatError(f"{self.where}: {key}", f"found {found}", "text")
        return value

    def refuse_other_keys(self, known: tuple[str, ...]) -> None:
        """A key of the user's own may begin with `_`; any other that is not `known` may be a slip of one that is.

        Raises:
            FileFormatError: there is one.
        """
        for key in self.values:
            if key not in known and not key.startswith("_"):
                hint = did_you_mean(key, known).lstrip("; ") or "A note of your own may start with _"
                raise FileFormatError(f"{self.where}: {key}", "unknown key", ", ".join(known), hint)


def json_lines(path: Path) -> Iterator[JsonLine]:
    """The objects of a file, one line in memory at a time. Blank lines are passed over.

    Lines end with a line feed alone: U+2028 is text.

    Raises:
        ConfigError: the file cannot be read.
        FileFormatError: a line is no JSON object (with its number), is not UTF-8, has a key twice, or NaN or Infinity.
    """
    try:
        with path.open("rb") as file:
            for number, line in enumerate(_raw_lines(file, path), 1):
                text = _decoded(line.removeprefix(_BOM) if number == 1 else line, f"{path}:{number}")
                if text.strip():
                    yield json_line(text, f"{path}:{number}")
    except (OSError, ValueError) as error:
        read_text(path)  # says what is wrong with the path, where that can be told
        raise ConfigError(f"{str(path)!r}: cannot be read ({error})") from None


def _raw_lines(file: BinaryIO, path: Path) -> Iterator[bytes]:
    number = 0
    while line := file.readline(MOST_BYTES + 1):
        number += 1
        if len(line) > MOST_BYTES:
            raise FileFormatError(f"{path}:{number}", "the line is too long", f"at most {MOST_BYTES:,} bytes")
        yield line


def _decoded(line: bytes, where: str) -> str:
    try:
        return line.decode("utf-8")
    except UnicodeDecodeError as error:
        problem = f"byte {error.start} of the line ({line[error.start]:#04x}) is not UTF-8"
        raise FileFormatError(where, problem, "UTF-8", "Convert the file: iconv -f LATIN1 -t UTF-8") from None


def json_line(text: str, where: str) -> JsonLine:
    """The object in one line.

    Raises:
        FileFormatError: as `json_lines`.
    """

    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        seen: dict[str, Any] = {}
        for key, value in pairs:
            if key in seen:
                raise FileFormatError(f"{where}: {key}", "this key stands twice in one object", "it once")
            seen[key] = value
        return seen

    def no_constant(name: str) -> Any:
        raise FileFormatError(where, f"{name} is no JSON value", "a finite number")

    try:
        value = json.loads(text, object_pairs_hook=once, parse_constant=no_constant)
    except json.JSONDecodeError as error:
        raise FileFormatError(f"{where}:{error.colno}", error.msg, "one JSON object a line") from None
    except RecursionError:
        raise FileFormatError(where, "nested too deeply", "at most a few hundred levels") from None
    except ValueError as error:  # a whole number of thousands of digits
        raise FileFormatError(where, str(error).partition(";")[0], "a number of ordinary length") from None
    if not isinstance(value, dict):
        raise FileFormatError(where, f"found {kind_of(value)}", "one JSON object a line")
    return JsonLine(where, cast("dict[str, Any]", value))

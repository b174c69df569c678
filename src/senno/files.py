"""The user's files: read with errors that name the place, written whole or not at all."""

from __future__ import annotations

import json
import os
import reprlib
import secrets
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, cast

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from senno.errors import ConfigError, FileFormatError
from senno.text import did_you_mean

MOST_BYTES = 32 * 1024 * 1024
"""Larger files are refused: nothing that senno reads whole is meant to be that long."""


def read_text(path: Path) -> str:
    """The text of a UTF-8 file, without its byte order mark, its line ends as they are.

    Raises:
        ConfigError: it is not there, not a file, too large, not readable, or not UTF-8 (with the byte that is not).
    """
    try:
        size = path.stat().st_size
        if path.is_dir():
            raise ConfigError(f"{path}: this is a folder; expected a file")
        if size > MOST_BYTES:
            raise ConfigError(f"{path}: {size:,} bytes; expected at most {MOST_BYTES:,}")
        data = path.read_bytes()
    except FileNotFoundError:
        raise ConfigError(f"{path}: no such file{_nearby(path)}") from None
    except (OSError, ValueError) as error:
        raise ConfigError(f"{str(path)!r}: cannot be read ({error})") from None
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ConfigError(
            f"{path}: byte {error.start} ({data[error.start]:#04x}) is not UTF-8; expected a UTF-8 text file. "
            f"Convert it: iconv -f LATIN1 -t UTF-8"
        ) from None


def _nearby(path: Path) -> str:
    try:
        return did_you_mean(path.name, (p.name for p in path.parent.iterdir()))
    except OSError:
        return ""


def write_text(path: Path, text: str) -> None:
    r"""Write `text` as UTF-8: to a temporary name beside `path`, synced, renamed. What was there is whole until then.

    Half of a surrogate pair, which UTF-8 does not have, is written as its escape (`\ud800`).

    Raises:
        ConfigError: the place cannot be written.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        temporary = path.parent / f".{path.name[:40]}.{secrets.token_hex(8)}.tmp"
        # With the permissions that any new file gets here; those of a file that is there stay.
        handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_CLOEXEC", 0), 0o666)
        try:
            with os.fdopen(handle, "w", encoding="utf-8", errors="backslashreplace", newline="") as file:
                with suppress(FileNotFoundError):
                    temporary.chmod(path.stat().st_mode & 0o777)
                file.write(text)
                file.flush()
                os.fsync(file.fileno())
            temporary.replace(path)
        except BaseException:
            temporary.unlink(missing_ok=True)
            raise
    except OSError as error:
        raise ConfigError(f"{path}: cannot be written ({error.strerror or error})") from None


def is_file(path: Path) -> bool:
    """Whether there is a file; a path that the system refuses (too long, with a NUL) is none."""
    try:
        return path.is_file()
    except (OSError, ValueError):
        return False


def read_mapping(path: Path) -> dict[str, Any]:
    """The mapping in a `.json`, `.yaml` or `.yml` file.

    Raises:
        FileFormatError: it does not parse (with line and column), a key stands twice, or it is no mapping.
        ConfigError: it cannot be read.
    """
    return parse_mapping(str(path), read_text(path))


def parse_mapping(where: str, text: str) -> dict[str, Any]:
    """`read_mapping`, of a text already read.

    Args:
        where: the name of the file, which tells JSON (`.json`) from YAML.
        text: what it says.
    """
    path = Path(where)
    value = _parse_json(path, text) if path.suffix.lower() == ".json" else _parse_yaml(path, text)
    if not isinstance(value, dict):
        raise FileFormatError(str(path), f"the top level is {kind_of(value)}", "a mapping of names to values")
    mapping = cast("dict[Any, Any]", value)
    odd = next((k for k in mapping if not isinstance(k, str)), None)
    if odd is not None:
        raise FileFormatError(str(path), f"the key {odd!r} is {kind_of(odd)}", "text: put it in quotes")
    return cast("dict[str, Any]", mapping)


def _parse_json(path: Path, text: str) -> Any:
    def no_twins(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        seen: dict[str, Any] = {}
        for key, value in pairs:
            if key in seen:
                raise FileFormatError(f"{path}: {key}", "this key stands twice in one object", "it once")
            seen[key] = value
        return seen

    def no_constant(name: str) -> Any:
        raise FileFormatError(str(path), f"{name} is no JSON value", "a finite number")

    try:
        return json.loads(text, object_pairs_hook=no_twins, parse_constant=no_constant)
    except json.JSONDecodeError as error:
        raise FileFormatError(f"{path}:{error.lineno}:{error.colno}", error.msg, "valid JSON") from None
    except RecursionError:
        raise FileFormatError(str(path), "nested too deeply", "at most a few hundred levels") from None


def _parse_yaml(path: Path, text: str) -> Any:
    from ruamel.yaml import YAML
    from ruamel.yaml.error import MarkedYAMLError, YAMLError

    try:
        return YAML(typ="safe", pure=True).load(text)  # pyright: ignore[reportUnknownMemberType]
    except MarkedYAMLError as error:
        mark = cast("Any", error).problem_mark  # the library has no types
        where = f"{path}:{mark.line + 1}:{mark.column + 1}" if mark else str(path)
        problem = str(cast("Any", error).problem or "does not parse").splitlines()[0]
        raise FileFormatError(where, problem, "valid YAML 1.2") from None
    except (YAMLError, ValueError) as error:
        raise FileFormatError(str(path), str(error).splitlines()[0], "valid YAML 1.2") from None
    except RecursionError:
        raise FileFormatError(str(path), "nested too deeply", "at most a few hundred levels") from None


def kind_of(value: Any) -> str:
    """What a value is, in words a user knows from the file (`a list`, `text`, `nothing`)."""
    if value is None:
        return "nothing"
    if isinstance(value, bool):
        return "true or false"
    if isinstance(value, (int, float)):
        return "a number"
    if isinstance(value, str):
        return "text"
    if isinstance(value, Mapping):
        return "a mapping"
    return "a list" if isinstance(value, (list, tuple)) else f"a {type(value).__name__}"


def format_error(where: str, error: ValidationError, known: Mapping[str, Any] | None = None) -> FileFormatError:
    """The gravest fault that Pydantic found in a user's file, as one error of ours.

    Args:
        where: the file.
        error: what Pydantic raised.
        known: the keys expected where that fault is, for a suggestion.
    """
    fault = first_fault(error)
    place = ".".join(str(part) for part in fault["loc"])
    at = f"{where}: {place}" if place else where
    if fault["type"] == "extra_forbidden":
        key = str(fault["loc"][-1])
        hint = did_you_mean(key, known or ()).lstrip("; ")
        return FileFormatError(at, f"unknown key {key!r}", "a key of this file", hint)
    if fault["type"] == "missing":
        return FileFormatError(at, "this key is missing", "it to be there")
    found = fault.get("input")
    return FileFormatError(at, f"found {_brief(found)}", _expected(fault))


_PLAIN = {
    "int": "a whole number",
    "float": "a number",
    "decimal": "a decimal number",
    "bool": "true or false",
    "string": "text",
    "list": "a list",
    "dict": "a mapping",
    "model": "a mapping",
}


def _expected(fault: ErrorDetails) -> str:
    """What Pydantic wanted, as an expectation: `a whole number`, `greater than 0`."""
    if fault["type"] == "string_pattern_mismatch":
        return f"text of the form {fault.get('ctx', {}).get('pattern', '')}"
    kind, _, what = fault["type"].partition("_")
    if what in ("type", "parsing") and kind in _PLAIN:
        return _PLAIN[kind]
    return fault["msg"].removeprefix("Input should be ").removeprefix("Value error, ")


def first_fault(error: ValidationError) -> ErrorDetails:
    """A misspelt key goes before a missing one: it is most likely the same key."""
    faults = error.errors(include_url=False)
    return next((fault for fault in faults if fault["type"] == "extra_forbidden"), faults[0])


_REPR = reprlib.Repr()
_REPR.maxstring = _REPR.maxother = _REPR.maxlong = 60


def _brief(value: object) -> str:
    text = _REPR.repr(value)
    return text if len(text) <= 60 else f"{text[:57]}…"

"""From an entry of a user's file to a check, or to an error that names file, key and what was expected."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from senno.errors import FileFormatError
from senno.files import kind_of
from senno.judge.checks.registry import (
    GENERAL_KINDS,
    Parameter,
    all_types,
    kind_of_type,
    parameters_of,
    type_names,
)
from senno.judge.checks.spec import CheckSpec
from senno.text import did_you_mean, one_line


def parse_check(name: str, data: Mapping[str, Any], where: str) -> CheckSpec:
    """One check of a file.

    Args:
        name: its name in the file.
        data: its mapping, with a `type`. In a kind of a benchmark, keys that are `null` count as absent, as they
            do in the files of the benchmarks.
        where: the file.

    Raises:
        FileFormatError: with file, key, what was expected.
        MissingExtra: it needs an extra that is not installed.
    """
    at = f"{where}: {name}"
    kind = _kind(data, at)
    values = dict(data)
    if kind.null_is_absent:
        values = {key: value for key, value in values.items() if value is not None}
    try:
        return kind.model_validate(values)
    except ValidationError as error:
        raise _first_fault(error, kind, at) from None


def _kind(data: Mapping[str, Any], at: str) -> type[CheckSpec]:
    general = ", ".join(type_names(kind)[0] for kind in GENERAL_KINDS)
    expected = f"one of {general}, or an id of IFEval or IFBench (keywords:frequency)"
    if "type" not in data:
        raise FileFormatError(f"{at}.type", "it is missing", expected)
    named = data["type"]
    if not isinstance(named, str):
        raise FileFormatError(f"{at}.type", f"found {kind_of(named)}", expected)
    kind = kind_of_type(named)
    if kind is None:
        suggestion = did_you_mean(named, all_types())
        raise FileFormatError(f"{at}.type", f"unknown type {one_line(named, 80)!r}{suggestion}", expected)
    return kind


def _first_fault(error: ValidationError, kind: type[CheckSpec], at: str) -> FileFormatError:
    faults = error.errors(include_url=False)
    # A key that is unknown often explains why another one is missing.
    fault = next((f for f in faults if f["type"] == "extra_forbidden"), faults[0])
    parameters = {parameter.name: parameter for parameter in parameters_of(kind)}
    key = str(fault["loc"][0]) if fault["loc"] else ""
    place = at + _path(fault)
    kind_name = type_names(kind)[0]
    if fault["type"] == "extra_forbidden":
        known = ", ".join(parameters) or "no parameter"
        problem = f"{kind_name!r} has no parameter {one_line(key, 80)!r}{did_you_mean(key, parameters)}"
        return FileFormatError(place, problem, known)
    if not key:
        return FileFormatError(place, _message(fault), f"what {kind_name!r} takes: {_signature(parameters)}")
    parameter = parameters[key]
    expected = parameter.expects + (f": {parameter.description}" if parameter.description else "")
    if fault["type"] == "missing":
        return FileFormatError(place, "it is missing", expected.rstrip("."))
    return FileFormatError(place, _message(fault), expected.rstrip("."))


def _path(fault: ErrorDetails) -> str:
    """`.words[1]`; what Pydantic adds for the members of a union is left out."""
    key, *rest = fault["loc"] or ("",)
    items = "".join(f"[{step}]" for step in rest if isinstance(step, int))
    return f".{key}{items}" if key else ""


def _message(fault: ErrorDetails) -> str:
    if fault["type"] == "value_error":
        return str(fault.get("ctx", {}).get("error", fault["msg"]))
    if fault["type"] == "too_short":
        return "it is empty"
    value = cast("object", fault["input"])
    shown = one_line(repr(value), 60) if isinstance(value, (str, int, float)) else kind_of(value)
    if fault["type"].endswith("_type") or fault["type"] in _SAID_BY_EXPECTED:
        return f"found {shown}"
    return f"found {shown} ({fault['msg'][:1].lower()}{fault['msg'][1:]})"


# What Pydantic says of these, in Python's words, is what stands after "expected".
_SAID_BY_EXPECTED = {"literal_error", "int_from_float", "string_pattern_mismatch"}


def _signature(parameters: Mapping[str, Parameter]) -> str:
    return ", ".join(f"{name} ({parameter.expects})" for name, parameter in parameters.items())

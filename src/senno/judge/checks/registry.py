"""All kinds of checks, as the models themselves describe them."""

from __future__ import annotations

import inspect
import types
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from functools import cache
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from pydantic.fields import FieldInfo

from senno.judge.checks.dates import Date
from senno.judge.checks.function import CallableCheck
from senno.judge.checks.json_checks import JsonCheck, JsonSchema
from senno.judge.checks.language import Language
from senno.judge.checks.length import Length
from senno.judge.checks.number import Number
from senno.judge.checks.patterns import Regex
from senno.judge.checks.spec import CheckSpec, Example
from senno.judge.checks.words import Contains, ForbiddenWords

GENERAL_KINDS: tuple[type[CheckSpec], ...] = (
    Contains,
    ForbiddenWords,
    JsonCheck,
    JsonSchema,
    Length,
    Number,
    Date,
    Regex,
    Language,
    CallableCheck,
)


@dataclass(frozen=True, slots=True)
class Parameter:
    """A key of a check."""

    name: str
    expects: str
    """What value it takes, in words."""
    required: bool
    default: Any
    """`None` where it is required."""
    description: str


@dataclass(frozen=True, slots=True)
class KindInfo:
    """A kind of check, for lists and for documentation."""

    name: str
    aliases: tuple[str, ...]
    """Other values of `type` that mean this kind: its id in IFEval or IFBench."""
    summary: str
    parameters: tuple[Parameter, ...]
    example: Example


def type_names(kind: type[CheckSpec]) -> tuple[str, ...]:
    """The values of `type` that mean this kind, its name first."""
    return get_args(kind.model_fields["type"].annotation)


_GENERAL = {name: kind for kind in GENERAL_KINDS for name in type_names(kind)}


def kind_of_type(name: str) -> type[CheckSpec] | None:
    """The kind that a `type` means; `None`: there is none."""
    return _GENERAL.get(name) or all_types().get(name)


@cache
def all_types() -> Mapping[str, type[CheckSpec]]:
    """Every `type` with its kind. The benchmarks' eighty kinds are loaded only when one of them is named."""
    from senno.judge.checks.benchmarks import BENCHMARK_KINDS

    return _GENERAL | {name: kind for kind in BENCHMARK_KINDS for name in type_names(kind)}


def parameters_of(kind: type[CheckSpec]) -> tuple[Parameter, ...]:
    """The keys that a check of this kind takes besides `type`."""
    fields = [(field.alias or name, field) for name, field in kind.model_fields.items() if name != "type"]
    return tuple(
        Parameter(
            name=name,
            expects=_expects(field),
            required=field.is_required(),
            default=None if field.is_required() else field.default,
            description=" ".join((field.description or "").split()),
        )
        for name, field in sorted(fields, key=lambda item: not item[1].is_required())
    )


def _expects(field: FieldInfo) -> str:
    return _in_words(field.annotation)


_WORDS: dict[object, str] = {
    str: "text",
    int: "a whole number",
    float: "a number",
    bool: "true or false",
    date: "a date as YYYY-MM-DD",
    dict: "a mapping",
    Mapping: "a mapping",
}


def _in_words(annotation: object) -> str:
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        return _in_words(arguments[0])
    if origin in {Union, types.UnionType}:
        kinds = [a for a in arguments if a is not type(None)]
        # A whole number is a number.
        return " or ".join(_in_words(a) for a in kinds if not (a is int and float in kinds))
    if origin is Literal:
        return "one of " + ", ".join(map(repr, arguments))
    if origin is tuple:
        return "a list of texts"
    return _WORDS.get(origin or annotation, str(annotation))


def kinds() -> list[KindInfo]:
    """Every kind, the general ones first."""
    return [
        KindInfo(
            name=type_names(kind)[0],
            aliases=type_names(kind)[1:],
            summary=(inspect.getdoc(kind) or "").split("\n\n")[0].replace("\n", " "),
            parameters=parameters_of(kind),
            example=kind.example,
        )
        for kind in dict.fromkeys(all_types().values())
    ]

"""JSON, and JSON that fits a schema."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, cast
from urllib.parse import urldefrag

from pydantic import AfterValidator, Field

from senno.judge.checks.json_text import NotJson, locate, read_json
from senno.judge.checks.patterns import search
from senno.judge.checks.result import CheckContext, CheckError, CheckResult, span
from senno.judge.checks.spec import CheckSpec, Example

if TYPE_CHECKING:
    from jsonschema.exceptions import ValidationError
    from jsonschema.protocols import Validator


def _not_json(text: str, fault: NotJson) -> CheckResult:
    where = (span(text, fault.at, fault.at + 1),) if fault.at < len(text) else ()
    return CheckResult(False, f"not JSON: {fault.problem}", where)


class JsonCheck(CheckSpec):
    """The whole text is one JSON value, alone or inside one Markdown fence.

    Read strictly (RFC 8259): no `NaN`, no trailing comma, no text around it.
    """

    type: Literal["json"]
    example: ClassVar[Example] = Example(
        {"type": "json"}, '```json\n{"total": 12.5}\n```', 'Here it is: {"total": 12.5}'
    )

    def examine(self, text: str, context: CheckContext) -> CheckResult:  # noqa: ARG002
        """Pass with the value, fail with the character where it stops being JSON."""
        read = read_json(text)
        if isinstance(read, NotJson):
            return _not_json(text, read)
        return CheckResult(True, "valid JSON", (span(text, read.start, read.end),))


def _self_contained(schema: Mapping[str, Any]) -> Mapping[str, Any]:
    from jsonschema import Draft202012Validator
    from jsonschema.exceptions import SchemaError
    from jsonschema.validators import validator_for

    try:
        validator_for(schema, default=Draft202012Validator).check_schema(dict(schema))
    except SchemaError as error:
        raise ValueError(f"it is no JSON Schema: {error.message} (at {error.json_path})") from None
    named = {urldefrag(name)[0] for name in _values_of(schema, "$id")}
    for keyword in ("$ref", "$dynamicRef"):
        for reference in _values_of(schema, keyword):
            if urldefrag(reference)[0] not in {"", *named}:
                raise ValueError(f"it refers to {reference!r}, which is not in it: nothing is fetched")
    return schema


class JsonSchema(CheckSpec):
    """The whole text is one JSON value (see `json`) that fits a JSON Schema.

    The draft is the one that `$schema` names, else 2020-12. References go inside the schema only: nothing is
    fetched. Patterns are held to the same time limit as those of `regex`.
    """

    type: Literal["json_schema"]
    schema_: Annotated[Mapping[str, Any], AfterValidator(_self_contained)] = Field(alias="schema")
    """The JSON Schema."""
    example: ClassVar[Example] = Example(
        {
            "type": "json_schema",
            "schema": {
                "type": "object",
                "required": ["total"],
                "properties": {"total": {"type": "number", "minimum": 0}},
            },
        },
        '{"total": 12.5}',
        '{"total": -3}',
    )

    def examine(self, text: str, context: CheckContext) -> CheckResult:  # noqa: ARG002
        """Pass with the value, fail with each value that does not fit."""
        from referencing.exceptions import Unresolvable

        read = read_json(text)
        if isinstance(read, NotJson):
            return _not_json(text, read)
        try:
            errors = sorted(_validator(self.schema_).iter_errors(read.value), key=lambda e: list(map(str, e.path)))
        except Unresolvable as error:
            raise CheckError(f"the schema refers to {error.ref!r}, which is not in it") from None
        except RecursionError:
            raise CheckError("the schema or the JSON is nested too deeply to be compared") from None
        if not errors:
            return CheckResult(True, "fits the schema", (span(text, read.start, read.end),))
        places = sorted({locate(read, tuple(error.absolute_path)) for error in errors})
        more = f" (and {len(errors) - 1} more)" if len(errors) > 1 else ""
        return CheckResult(False, _told(errors[0]) + more, tuple(span(text, *place) for place in places))


def _told(error: ValidationError) -> str:
    message = error.message if len(error.message) <= 200 else error.message[:199] + "…"
    return f"{error.json_path}: {message}"


def _values_of(schema: object, keyword: str) -> Iterator[str]:
    if isinstance(schema, Mapping):
        for key, value in cast("Mapping[str, object]", schema).items():
            if key == keyword and isinstance(value, str):
                yield value
            elif key not in {"const", "enum"}:
                yield from _values_of(value, keyword)
    elif isinstance(schema, list):
        for item in cast("list[object]", schema):
            yield from _values_of(item, keyword)


def _validator(schema: Mapping[str, Any]) -> Validator:
    from jsonschema import Draft202012Validator, validators
    from referencing import Registry

    draft = validators.validator_for(schema, default=Draft202012Validator)
    ours: dict[str, Any] = {"pattern": _pattern, "patternProperties": _pattern_properties}
    limited = cast("Any", validators).extend(draft, ours)
    nothing: Registry[Any] = Registry()
    # Without a registry of its own, jsonschema would fetch what a reference names.
    return cast("Validator", limited(schema, registry=nothing))


def _pattern(validator: Any, pattern: str, instance: object, schema: Any) -> Iterator[ValidationError]:  # noqa: ARG001
    from jsonschema.exceptions import ValidationError

    if isinstance(instance, str) and not search(pattern, instance):
        yield ValidationError(f"{instance!r} does not match {pattern!r}")


def _pattern_properties(
    validator: Any,
    properties: Mapping[str, Any],
    instance: object,
    schema: Any,  # noqa: ARG001
) -> Iterator[ValidationError]:
    if not isinstance(instance, dict):
        return
    for pattern, subschema in properties.items():
        for key, value in cast("dict[str, object]", instance).items():
            if search(pattern, key):
                yield from validator.descend(value, subschema, path=key, schema_path=pattern)

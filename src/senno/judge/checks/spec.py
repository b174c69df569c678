"""What every kind of check has in common."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, TypeVar, cast

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from senno.judge.checks.result import CheckContext, CheckResult


@dataclass(frozen=True, slots=True)
class Example:
    """A check as a file has it, a text that passes it and one that fails it."""

    check: Mapping[str, Any]
    passes: str
    fails: str


class CheckSpec(BaseModel):
    """One check, as a file states it.

    A kind is a subclass: its field `type` is a `Literal` of its name (and of other spellings after it), its
    docstring is what lists show, the docstrings of its fields explain its parameters.
    """

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, use_attribute_docstrings=True)

    example: ClassVar[Example]
    null_is_absent: ClassVar[bool] = False
    """Whether a key that is `null` counts as not there."""
    runs_code: ClassVar[bool] = False
    """Whether it runs Python that the file names."""

    @abstractmethod
    def examine(self, text: str, context: CheckContext) -> CheckResult:
        """Look at the text.

        Raises:
            CheckError: it could not be decided.
        """


def run_check(spec: CheckSpec, text: str, context: CheckContext | None = None) -> CheckResult:
    """Run one check on one text.

    Args:
        spec: from `parse_check`.
        text: what is checked.
        context: what else it may look at.

    Raises:
        CheckError: it could not be decided: neither pass nor failure.
    """
    return spec.examine(text, context or CheckContext())


def _list_to_tuple(value: object) -> object:
    return tuple(cast("list[object]", value)) if isinstance(value, list) else value


def _not_blank(value: object) -> object:
    if isinstance(value, str) and not value.strip():
        raise ValueError("it is empty")
    return value


Phrase = Annotated[str, BeforeValidator(_not_blank)]
"""Text with something in it."""

_Item = TypeVar("_Item")
ListOf = Annotated[tuple[_Item, ...], BeforeValidator(_list_to_tuple), Field(min_length=1)]
"""One or more; a JSON list in the file."""

Phrases = ListOf[Phrase]
"""One phrase or more."""


def _whole(value: object) -> object:
    # `5.0` is a whole number in JSON; the files of IFBench write them so.
    return int(value) if isinstance(value, float) and value.is_integer() else value


Whole = Annotated[int, BeforeValidator(_whole)]

Count = Annotated[Whole, Field(ge=0)]
"""How many."""

Position = Annotated[Whole, Field(ge=1)]
"""Which one, from 1."""

"""What passes between the roles of a loop: the inputs they get, and the outputs that code must understand.

The refiner's and the actor's outputs are a loop's own; the critic's and the curator's are these (or subclasses),
since code decides from the one and checks the other.
"""

from __future__ import annotations

import json
from typing import Any, Literal

from pydantic import AliasChoices, BaseModel, ConfigDict, Field, field_validator

Status = Literal["pass", "fail", "unverified"]


class _Value(BaseModel):
    model_config = ConfigDict(populate_by_name=True)


class Evidence(_Value):
    """What a source says. `id` is given by the engine (`E1`, `E2`, …): a critic cites it."""

    source: str
    """A title, a URL, a file: where a person can look."""
    says: str
    id: str = ""
    data: dict[str, Any] = Field(default_factory=dict[str, Any])
    """Fields that code may use (year, country, …): JSON values."""
    supports: bool = True
    """`False`: it says that nothing was found. It may be cited, and no pass can stand on it."""

    @field_validator("data")
    @classmethod
    def _json(cls, data: dict[str, Any]) -> dict[str, Any]:
        # Here, where the function that made it can still be named: the record is JSON.
        for name, value in data.items():
            try:
                json.dumps(value, allow_nan=False)
            except (TypeError, ValueError) as error:
                raise ValueError(f"data[{name!r}] is no JSON value ({error})") from None
        return data

    @field_validator("source", "says")
    @classmethod
    def _whole(cls, text: str) -> str:
        # A source may hold half of a surrogate pair, which no request to a model can carry: its escape instead.
        return text.encode("utf-8", "backslashreplace").decode("utf-8")


class Finding(_Value):
    """One check of one item."""

    check: str
    status: Status
    explanation: str = ""
    sources: list[str] = Field(default_factory=list[str])
    """Ids of the evidence it stands on."""


class ItemCritique(_Value):
    """The critic on one item, by the number it was given."""

    number: int
    checks: list[Finding]


class Critique(_Value):
    """The critic's output. `is_satisfied` is an opinion: the engine computes its own and records a contradiction."""

    items: list[ItemCritique]
    is_satisfied: bool | None = Field(None, validation_alias=AliasChoices("is_satisfied", "isSatisfied"))
    summary: str = ""


class Sentence(_Value):
    """The curator's words for one item, by the number it was given."""

    number: int
    text: str


class Wording(_Value):
    """The curator's output: words only. Which items there are, and what is verified of them, is the engine's."""

    intro: str = ""
    items: list[Sentence] = Field(default_factory=list[Sentence])
    outro: str = ""


class Clarification(_Value):
    """A question that the refiner asked, and what the user answered."""

    question: str
    answer: str


class RefinerInput(_Value):
    """The request as the user wrote it."""

    request: str
    clarifications: list[Clarification] = Field(default_factory=list[Clarification])


class OpenFinding(_Value):
    """Why an item of the last round was not accepted."""

    item: dict[str, Any]
    state: Literal["refused", "unverified"]
    why: list[str]


class ActorInput(_Value):
    """What the actor sees: the task, what was kept, what is open. Not every failed try again."""

    original: str
    """The request in the user's words."""
    request: dict[str, Any]
    """The refiner's output."""
    wanted: int
    """How many items are still missing."""
    accepted: list[dict[str, Any]] = Field(default_factory=list[dict[str, Any]])
    """Kept by code: no need to propose them again."""
    findings: list[OpenFinding] = Field(default_factory=list[OpenFinding])
    """Of the last round."""
    do_not_repeat: list[str] = Field(default_factory=list[str])
    """Names of all items that were judged and not accepted."""


class NumberedItem(_Value):
    """An item to be criticised, with what code looked up about it."""

    number: int
    item: dict[str, Any]
    evidence: list[Evidence] = Field(default_factory=list[Evidence])


class CriticInput(_Value):
    """What the critic sees."""

    original: str
    request: dict[str, Any]
    checks: list[str]
    """The checks to report on, for every item."""
    items: list[NumberedItem]


class CuratedItem(_Value):
    """An item of the answer."""

    number: int
    item: dict[str, Any]
    state: Literal["accepted", "unverified"]
    findings: list[Finding] = Field(default_factory=list[Finding])
    evidence: list[Evidence] = Field(default_factory=list[Evidence])


class CuratorInput(_Value):
    """What the curator sees."""

    original: str
    request: dict[str, Any]
    items: list[CuratedItem]
    missing: int
    """How many of the items asked for could not be found."""
    stop: str
    """The stop reason."""

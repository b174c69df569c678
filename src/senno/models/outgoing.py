"""What goes through the gate, and what one attempt brings back."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

from senno.models.protocol import Usage

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Received(Generic[T]):
    """What one attempt brought back."""

    value: T
    text: str
    """It, as JSON text, for the ledger."""
    model: str | None
    """The model that answered, as the provider names it."""
    usage: Usage


@dataclass(frozen=True, slots=True)
class Outgoing(Generic[T]):
    """Something to be sent through the gate.

    Args:
        model: the name as the user wrote it.
        sent: the JSON text for the ledger, given the most output tokens that the budgets leave (`None`: no limit).
        attempt: makes one attempt, given the same; raises `AttemptFailed`.
        max_tokens: most tokens of the answer, as asked for; `None`: open.
    """

    model: str
    sent: Callable[[int | None], str]
    attempt: Callable[[int | None], Awaitable[Received[T]]]
    max_tokens: int | None = None

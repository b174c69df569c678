"""The rows of the ledger, as values."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any, Literal

CallOutcome = Literal["ok", "retried", "failed", "refused"]
"""`ok` answered · `retried` failed and tried again · `failed` the last attempt failed · `refused` a budget
stopped it before anything was sent."""

RunStatus = Literal["running", "ended", "interrupted"]


@dataclass(frozen=True, slots=True)
class CallRow:
    """One attempt at a model. `None` in a figure: not known, never zero."""

    run_id: str | None
    role: str
    model_asked: str
    model_answered: str | None
    sent: str
    """All that was sent, as JSON text: system prompt, messages, tools, schema or state and questions."""
    received: str | None
    """What came back, as JSON text (text, tool calls, finish reason or answers)."""
    tokens_in: int | None
    tokens_out: int | None
    tokens_cached: int | None
    cost: Decimal | None
    """US dollars."""
    started: datetime
    """UTC."""
    seconds: float
    """Wall time of the attempt, by a monotonic clock."""
    outcome: CallOutcome
    error: str | None
    id: int | None = None
    """Given by the ledger."""


@dataclass(frozen=True, slots=True)
class StepRow:
    """One step of a run: a role that did its part once. Its calls are the call rows of the same run and role."""

    run_id: str
    number: int
    """From 1, in the order in which the steps ended."""
    role: str
    round: int
    """0 before the first round."""
    started: datetime
    seconds: float
    calls: int
    tokens_in: int | None
    tokens_out: int | None
    cost: Decimal | None
    output: Any
    """JSON value: the structured output of the role."""
    notes: list[str]
    """What code saw: contradictions, dropped items, re-asks, degradations."""
    error: str | None


@dataclass(frozen=True, slots=True)
class RunRow:
    """One run of a loop (later: of a tuner, of a gate)."""

    id: str
    kind: str
    """`loop`, …"""
    name: str
    request: str
    started: datetime
    ended: datetime | None
    status: RunStatus
    """`interrupted`: it never ended, and its process is gone."""
    stop: str | None
    """The stop reason, from the closed set of its kind; `None` while it runs."""
    config: Any
    """JSON value: models, bounds, versions of prompts: what is needed to read the run."""
    result: Any
    """JSON value; `None` while it runs."""


@dataclass(frozen=True, slots=True)
class RunRecord:
    """A run with all that it did."""

    run: RunRow
    steps: tuple[StepRow, ...]
    """By number."""
    calls: tuple[CallRow, ...]
    """In the order in which they were recorded."""

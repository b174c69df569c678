"""The books of the gate: what an attempt counts for, and its row in the ledger."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Protocol

from senno.models.budget import Expected, Spent
from senno.models.meter import Flight
from senno.models.outgoing import Received
from senno.models.prices import Price, cost, marginal
from senno.models.protocol import Usage
from senno.text import estimate_tokens

if TYPE_CHECKING:
    from senno.ledger.rows import CallOutcome, CallRow

NOTHING_SAID = Usage()


class CallRecorder(Protocol):
    """Keeps the rows: a `senno.ledger.Ledger`."""

    def add_call(self, row: CallRow) -> object:
        """Keep one attempt."""
        ...


class Journal:
    """Prices attempts and keeps their rows.

    Args:
        ledger: where the rows go; `None`: nowhere.
        run_id: the run they belong to.
        prices: by model name, for models whose price no table knows.
    """

    def __init__(self, ledger: CallRecorder | None, run_id: str | None, prices: Mapping[str, Price]) -> None:
        self._ledger = ledger
        self._run_id = run_id
        self._prices = prices

    def expected(self, model: str, sent: str, max_tokens: int | None, *, priced: bool) -> Expected:
        """What an attempt will add, as far as can be told beforehand; its price only where a budget asks for it."""
        tokens_in = estimate_tokens(sent)
        price = marginal(model, tokens_in, self._prices) if priced else None
        return Expected(model, tokens_in, max_tokens, *(price or (None, None)))

    def spent(self, model: str, sent: str, usage: Usage, received: str, seconds: float) -> Spent:
        """What an attempt counts for: its known figures, else estimates by the length of the texts."""
        estimated = usage.tokens_in is None or usage.tokens_out is None
        tokens_in = estimate_tokens(sent) if usage.tokens_in is None else usage.tokens_in
        tokens_out = estimate_tokens(received) if usage.tokens_out is None else usage.tokens_out
        dollars = cost(model, Usage(tokens_in, tokens_out, usage.tokens_cached), self._prices)
        unpriced = estimated or dollars is None
        return Spent(1, tokens_in, tokens_out, dollars or Decimal(0), seconds, int(estimated), int(unpriced))

    def refused(self, model: str, role: str, sent: str, started: datetime, error: str) -> None:
        """The row of an attempt that a budget stopped: `sent` is what would have been sent."""
        self._add(model, role, "refused", sent, started, 0.0, error, NOTHING_SAID, None)

    def ended(
        self,
        model: str,
        role: str,
        outcome: CallOutcome,
        flight: Flight,
        seconds: float,
        usage: Usage,
        *,
        error: str | None = None,
        received: Received[Any] | None = None,
    ) -> None:
        """The row of an attempt that was made."""
        self._add(model, role, outcome, flight.sent, flight.began, seconds, error, usage, received)

    def _add(
        self,
        model: str,
        role: str,
        outcome: CallOutcome,
        sent: str,
        started: datetime,
        seconds: float,
        error: str | None,
        usage: Usage,
        received: Received[Any] | None,
    ) -> None:
        if self._ledger is None:
            return
        # Here, since the ledger loads SQLite, and not every use of a model keeps one.
        from senno.ledger.rows import CallRow

        row = CallRow(
            run_id=self._run_id,
            role=role,
            model_asked=model,
            model_answered=received.model if received else None,
            sent=sent,
            received=received.text if received else None,
            tokens_in=usage.tokens_in,
            tokens_out=usage.tokens_out,
            tokens_cached=usage.tokens_cached,
            cost=cost(model, usage, self._prices),
            started=started,
            seconds=seconds,
            outcome=outcome,
            error=error,
        )
        self._ledger.add_call(row)

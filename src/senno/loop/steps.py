"""Steps of a run: what each cost, written to the ledger when it ends."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

from senno.ledger import Ledger, StepRow
from senno.models import Calls

OnStep = Callable[[StepRow], None]


class StepLog:
    """Writes the steps of one run.

    Args:
        ledger: where they go; the run must have been started.
        run_id: of that run.
        calls: what its models spend.
        on_step: told of each step when it has ended.
    """

    def __init__(self, ledger: Ledger, run_id: str, calls: Calls, on_step: OnStep | None = None) -> None:
        self._ledger = ledger
        self._run_id = run_id
        self._calls = calls
        self._on_step = on_step
        self._count = 0

    def begin(self, role: str, round_: int) -> OpenStep:
        """A step begins. Steps come one after another, so what the run spends until it ends is what it cost."""
        return OpenStep(self, role, round_)

    def end(self, step: OpenStep, output: Any, notes: list[str], error: str | None) -> None:
        """A step has ended, well (with an output) or not (with an error)."""
        self._count += 1
        spent = self._calls.spent().since(step.before)
        row = StepRow(
            run_id=self._run_id,
            number=self._count,
            role=step.role,
            round=step.round,
            started=step.started,
            seconds=time.monotonic() - step.clock,
            calls=spent.calls,
            tokens_in=spent.tokens_in,
            tokens_out=spent.tokens_out,
            cost=spent.cost,
            output=output,
            notes=notes,
            error=error,
        )
        self._ledger.add_step(row)
        if self._on_step:
            self._on_step(row)

    def spent(self) -> Any:
        """What the run has spent so far."""
        return self._calls.spent()


class OpenStep:
    """A step under way."""

    def __init__(self, log: StepLog, role: str, round_: int) -> None:
        self._log = log
        self.role = role
        self.round = round_
        self.before = log.spent()
        self.started = datetime.now(UTC)
        self.clock = time.monotonic()

    def ended(self, output: Any, notes: list[str]) -> None:
        """It went well."""
        self._log.end(self, output, notes, None)

    def failed(self, error: BaseException, output: Any = None) -> None:
        """It did not; `output` is what it had done until then."""
        why = "interrupted" if isinstance(error, asyncio.CancelledError) else str(error) or type(error).__name__
        self._log.end(self, output, [], why)

"""The gate to the models, as the configuration wants it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from senno.models.budget import Budget
from senno.models.calls import Calls
from senno.models.journal import CallRecorder
from senno.models.prices import Price
from senno.models.retry import RetryPolicy

if TYPE_CHECKING:
    from senno.config import Config


def calls_from(
    config: Config,
    *,
    ledger: CallRecorder | None = None,
    run_id: str | None = None,
    budget: Budget | None = None,
    role_budgets: Mapping[str, Budget] | None = None,
) -> Calls:
    """A gate with the time-out, attempts, concurrency, prices and budget of `config`.

    Args:
        config: the configuration.
        ledger: where calls are recorded.
        run_id: the run they belong to.
        budget: what holds where the configuration sets no bound.
        role_budgets: of single roles.
    """
    asked, own = config.budget, budget or Budget()
    return Calls(
        ledger=ledger,
        run_id=run_id,
        budget=Budget(
            tokens=asked.tokens or own.tokens,
            cost=asked.cost or own.cost,
            seconds=asked.seconds or own.seconds,
            calls=asked.calls or own.calls,
        ),
        role_budgets=role_budgets,
        retry=RetryPolicy(attempts=config.calls.attempts),
        timeout=config.calls.timeout,
        concurrency=config.calls.concurrency,
        prices={name: Price(price.input, price.output) for name, price in config.prices.items()},
    )

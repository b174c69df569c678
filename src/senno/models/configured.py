"""The gate to the models, as the configuration wants it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from senno.errors import ConfigError
from senno.models.budget import Budget
from senno.models.calls import Calls
from senno.models.journal import CallRecorder
from senno.models.prices import Price, price_known
from senno.models.retry import RetryPolicy

if TYPE_CHECKING:
    from senno.config import Config


def check_prices(config: Config, budget: Budget, models: Iterable[str]) -> None:
    """Refuse a cost budget that nobody could enforce, before anything is called.

    Args:
        config: the configuration, with the user's prices.
        budget: of the run, where the configuration sets none.
        models: names of those that will be called.

    Raises:
        ConfigError: the price of one of them is not known.
    """
    limit = config.budget.cost or budget.cost
    unknown = next((m for m in models if limit and not price_known(m, _prices(config))), None)
    if unknown:
        raise ConfigError(
            f"there is a budget of {limit} US dollars, and the price of {unknown} is not known; give its price under "
            f'[prices] in senno.toml ("{unknown}" = {{ input = …, output = … }}), or set a budget of tokens instead'
        )


def _prices(config: Config) -> dict[str, Price]:
    return {name: Price(price.input, price.output) for name, price in config.prices.items()}


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
        prices=_prices(config),
    )

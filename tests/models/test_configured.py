from __future__ import annotations

from decimal import Decimal

import pytest

from senno.config import Config
from senno.errors import ConfigError
from senno.models import Budget, calls_from, check_prices

DOLLAR = Budget(cost=Decimal(1))
PRICES = {"ollama:llama3.2": {"input": "1", "output": "2"}}


def config(**settings) -> Config:
    return Config.model_validate(settings)


@pytest.mark.parametrize(
    ("settings", "budget", "models"),
    [
        pytest.param({}, Budget(), ["ollama:llama3.2"], id="no budget of cost needs no price"),
        pytest.param({}, Budget(tokens=10), ["ollama:llama3.2"], id="nor does one of tokens"),
        pytest.param({}, DOLLAR, ["openai:gpt-4o", "anthropic:claude-sonnet-4-5"], id="prices that a table knows"),
        pytest.param({"prices": PRICES}, DOLLAR, ["ollama:llama3.2"], id="a price that the user gave"),
        pytest.param({}, DOLLAR, [], id="nobody to be paid"),
    ],
)
def test_a_budget_that_can_be_kept_passes(settings, budget, models) -> None:
    check_prices(config(**settings), budget, models)


@pytest.mark.parametrize(
    ("settings", "budget"),
    [
        pytest.param({}, DOLLAR, id="of the run"),
        pytest.param({"budget": {"cost": "1"}}, Budget(), id="of the configuration"),
        pytest.param({"budget": {"cost": "1"}, "prices": PRICES}, Budget(), id="beside another that has a price"),
    ],
)
def test_a_budget_of_cost_without_a_price_is_refused_before_anything_is_called(settings, budget) -> None:
    with pytest.raises(ConfigError) as caught:
        check_prices(config(**settings), budget, ["openai:gpt-4o", "ollama:other"])
    said = str(caught.value)
    assert said.startswith("there is a budget of 1 US dollars, and the price of ollama:other is not known")
    assert '[prices] in senno.toml ("ollama:other" = { input = …, output = … })' in said


def test_what_the_configuration_bounds_goes_before_what_the_run_brings() -> None:
    calls = calls_from(config(budget={"tokens": 5}), budget=Budget(tokens=9, calls=2))
    assert calls._run.budget == Budget(tokens=5, calls=2)

from __future__ import annotations

from decimal import Decimal

import pytest

from senno.models import Price, Usage
from senno.models.prices import cost, marginal

GIVEN = {"ollama:llama3.2": Price(Decimal(1), Decimal(2), Decimal("0.5"))}


@pytest.mark.parametrize(
    ("model", "usage", "dollars"),
    [
        pytest.param("openai:gpt-4o", Usage(1_000_000, 0), "2.5", id="input"),
        pytest.param("openai:gpt-4o", Usage(1_000_000, 100_000, 400_000), "3.0", id="from the cache at half the price"),
        pytest.param("anthropic:claude-sonnet-4-5", Usage(1000, 1000), "0.018", id="another provider"),
        pytest.param("openrouter:openai/gpt-4o", Usage(1_000_000, 0), "2.5", id="through a router"),
        pytest.param("ollama:llama3.2", Usage(1_000_000, 1_000_000, 500_000), "2.75", id="a price that was given"),
        pytest.param(
            "typesafe:jev-1.13.0", Usage(1_000_000, 500), "0.042", id="a decision model, whose answers are free"
        ),
        pytest.param("http://127.0.0.1:8089/v1#local", Usage(0, 0), "0", id="no tokens cost nothing"),
    ],
)
def test_cost(model, usage, dollars) -> None:
    assert cost(model, usage, GIVEN) == Decimal(dollars)


@pytest.mark.parametrize(
    ("model", "usage"),
    [
        ("openai:no-such-model", Usage(10, 10)),
        ("openai:gpt-4o", Usage()),
        ("openai:gpt-4o", Usage(10, None)),
        ("gguf:/models/a.gguf", Usage(10, 10)),
        ("ollama:gpt-4o", Usage(10, 10)),
        ("http://127.0.0.1:8089/v1#gpt-4o", Usage(10, 10)),
        ("systemone:http://127.0.0.1:8089/v1#jev-1.13.0", Usage(10, 10)),
        ("openai-decisions:no-such-model", Usage(10, 10)),
        ("scripted", Usage(10, 10)),
    ],
)
def test_an_unknown_cost_is_none_and_not_zero(model, usage) -> None:
    assert cost(model, usage, {}) is None


def test_more_from_the_cache_than_was_sent_is_held_to_what_was_sent() -> None:
    assert cost("openai:gpt-4o", Usage(1_000_000, 0, 5_000_000), {}) == Decimal("1.25")


def test_the_price_of_a_token_that_comes_back() -> None:
    assert marginal("ollama:llama3.2", 1000, GIVEN) == (Decimal("0.001"), Decimal("0.000002"))
    assert marginal("ollama:other", 1000, GIVEN) is None

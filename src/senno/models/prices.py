"""What a call costs: by the table that `genai-prices` brings along, or by a price the user gave."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal

from senno.models.protocol import Usage

_PRICED = ("anthropic", "openai", "google", "mistral", "groq", "openrouter", "typesafe", "openai-decisions")
"""Providers whose price lists are in the table, under the same names."""

_MILLION = Decimal(1_000_000)


@dataclass(frozen=True, slots=True)
class Price:
    """US dollars for a million tokens."""

    input: Decimal
    output: Decimal
    cached: Decimal | None = None
    """For input read from the provider's cache; `None`: as other input."""

    def of(self, tokens_in: int, tokens_out: int, cached: int) -> Decimal:
        """US dollars for one call."""
        rate = self.input if self.cached is None else self.cached
        return ((tokens_in - cached) * self.input + cached * rate + tokens_out * self.output) / _MILLION


def cost(model: str, usage: Usage, given: Mapping[str, Price]) -> Decimal | None:
    """US dollars for a call; `None`: the price is not known, or the provider did not say how many tokens it was.

    Args:
        model: the name as the user wrote it (`openai:gpt-4o`). Local models, URLs and GGUF files have no price
            unless one is given.
        usage: tokens; where those from the cache are not known, all count as read anew.
        given: the user's prices by model name; they go before the table.
    """
    if usage.tokens_in is None or usage.tokens_out is None:
        return None
    if usage.tokens_in == usage.tokens_out == 0:
        return Decimal(0)
    cached = min(usage.tokens_cached or 0, usage.tokens_in)
    price = given.get(model)
    if price is not None:
        return price.of(usage.tokens_in, usage.tokens_out, cached)
    provider, _, reference = model.partition(":")
    if provider not in _PRICED:
        return None
    return _from_table(provider, reference, usage.tokens_in, usage.tokens_out, cached)


def _from_table(provider: str, reference: str, tokens_in: int, tokens_out: int, cached: int) -> Decimal | None:
    import genai_prices

    usage = genai_prices.Usage(input_tokens=tokens_in, output_tokens=tokens_out, cache_read_tokens=cached)
    try:
        return genai_prices.calc_price(usage, reference, provider_id=provider).total_price
    except LookupError:
        return None


def price_known(model: str, given: Mapping[str, Price]) -> bool:
    """Whether what a call to `model` costs can be told."""
    return marginal(model, 1, given) is not None


def marginal(model: str, tokens_in: int, given: Mapping[str, Price]) -> tuple[Decimal, Decimal] | None:
    """US dollars for sending `tokens_in`, and for each token that comes back; `None`: the price is not known."""
    sent = cost(model, Usage(tokens_in, 0), given)
    whole = cost(model, Usage(tokens_in, 1_000_000), given)
    return None if sent is None or whole is None else (sent, (whole - sent) / _MILLION)

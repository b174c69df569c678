"""What a run, or one role of it, may spend, and whether one more attempt fits. Values and pure functions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Literal

from senno.errors import ConfigError

OPEN_ANSWER = 8192
"""Output tokens that an attempt with no limit of its own asks for at most, where a budget of tokens or cost is to be
kept: no model needs to be told of more, and many refuse a number above what they can write."""

Kind = Literal["tokens", "cost", "seconds", "calls"]


@dataclass(frozen=True, slots=True)
class Budget:
    """Most that may be spent; `None`: no limit.

    Raises:
        ConfigError: a limit is not above zero.
    """

    tokens: int | None = None
    """In and out together."""
    cost: Decimal | None = None
    """US dollars."""
    seconds: float | None = None
    """Of a run: wall time since its `Calls` was made. Of a role: the sum over its attempts."""
    calls: int | None = None
    """Attempts, repeated ones included."""

    def __post_init__(self) -> None:
        for kind in ("tokens", "cost", "seconds", "calls"):
            limit = getattr(self, kind)
            if limit is not None and not limit > 0:
                raise ConfigError(f"budget.{kind} is {limit}; expected a number above zero, or none for no limit")


@dataclass(frozen=True, slots=True)
class Spent:
    """What attempts used. The `counted_…` figures are what budgets are held against: known ones and estimates."""

    calls: int = 0
    """Attempts that were sent, failed ones included."""
    counted_in: int = 0
    counted_out: int = 0
    counted_cost: Decimal = Decimal(0)
    seconds: float = 0.0
    """Sum over the attempts."""
    estimated_calls: int = 0
    """Those whose tokens the provider did not say: they are counted by the length of the text."""
    unpriced_calls: int = 0
    """Those whose cost is not known; their tokens are estimates, or the model has no price."""

    @property
    def tokens_in(self) -> int | None:
        """Tokens sent; `None`: at least one provider did not say."""
        return None if self.estimated_calls else self.counted_in

    @property
    def tokens_out(self) -> int | None:
        """Tokens received; `None`: at least one provider did not say."""
        return None if self.estimated_calls else self.counted_out

    @property
    def cost(self) -> Decimal | None:
        """US dollars; `None`: the cost of at least one attempt is not known."""
        return None if self.unpriced_calls else self.counted_cost

    def plus(self, other: Spent) -> Spent:
        """Both together."""
        return self._combined(other, 1)

    def since(self, before: Spent) -> Spent:
        """What was spent after the snapshot `before`."""
        return self._combined(before, -1)

    def _combined(self, other: Spent, sign: int) -> Spent:
        return Spent(
            self.calls + sign * other.calls,
            self.counted_in + sign * other.counted_in,
            self.counted_out + sign * other.counted_out,
            self.counted_cost + sign * other.counted_cost,
            self.seconds + sign * other.seconds,
            self.estimated_calls + sign * other.estimated_calls,
            self.unpriced_calls + sign * other.unpriced_calls,
        )


@dataclass(frozen=True, slots=True)
class Held:
    """What is set aside for the attempts under way."""

    tokens: int = 0
    cost: Decimal = Decimal(0)
    calls: int = 0

    def plus(self, other: Held) -> Held:
        """With what another attempt sets aside."""
        return Held(self.tokens + other.tokens, self.cost + other.cost, self.calls + other.calls)

    def less(self, other: Held) -> Held:
        """Without what an attempt that ended had set aside."""
        return Held(self.tokens - other.tokens, self.cost - other.cost, self.calls - other.calls)


@dataclass(frozen=True, slots=True)
class Expected:
    """What an attempt is expected to add.

    Args:
        model: its name, for messages.
        tokens_in: estimated from what is sent.
        max_tokens: most tokens of the answer, as asked; `None`: open.
        cost_in: US dollars for `tokens_in`; `None`: the model has no known price.
        cost_per_token: US dollars for one token of the answer; `None` likewise.
    """

    model: str
    tokens_in: int
    max_tokens: int | None = None
    cost_in: Decimal | None = None
    cost_per_token: Decimal | None = None

    def held(self, max_tokens: int | None) -> Held:
        """What to set aside when the answer may have `max_tokens`."""
        out = max_tokens or 0
        cost = (self.cost_in or Decimal(0)) + out * (self.cost_per_token or Decimal(0))
        return Held(self.tokens_in + out, cost, 1)


@dataclass(frozen=True, slots=True)
class Go:
    """The attempt may start. `max_tokens`: most tokens of the answer; `seconds`: time left; `None`: no limit."""

    max_tokens: int | None
    seconds: float | None


@dataclass(frozen=True, slots=True)
class Wait:
    """It would fit if the attempts under way used less than is set aside for them: ask again when one has ended."""


@dataclass(frozen=True, slots=True)
class Refused:
    """It does not fit. `spent`: what was spent, and what the attempt was expected to add."""

    kind: Kind
    limit: int | float | Decimal
    spent: str


def may_start(budget: Budget, spent: Spent, held: Held, expected: Expected, elapsed: float) -> Go | Wait | Refused:
    """Whether one more attempt may start, and with how much output and time.

    An attempt that names no limit of output gets `OPEN_ANSWER` under a budget of tokens or cost, and none without
    one. One that finds less than that because of others waits, one that finds less with nobody under way gets what
    is left.

    Args:
        budget: the limits.
        spent: by attempts that have ended.
        held: set aside for those under way.
        expected: what this one is expected to add.
        elapsed: seconds used up to now.

    Raises:
        ConfigError: there is a cost budget, and the model has no known price.
    """
    if budget.seconds is not None and elapsed >= budget.seconds:
        return Refused("seconds", budget.seconds, f"{elapsed:.1f} s")
    if budget.calls is not None and spent.calls + held.calls >= budget.calls:
        return Refused("calls", budget.calls, f"{spent.calls + held.calls} made or under way")
    seconds = None if budget.seconds is None else budget.seconds - elapsed
    return _fit(_rooms(budget, spent, held, expected), expected.max_tokens, seconds)


@dataclass(frozen=True, slots=True)
class _Room:
    """Tokens of output that one limit leaves: `alone`, when those under way use nothing, and `now`."""

    alone: int
    now: int
    refusal: Refused


def _fit(rooms: Sequence[_Room], wanted: int | None, seconds: float | None) -> Go | Wait | Refused:
    granted = wanted
    for room in rooms:
        if room.alone < 1:
            return room.refusal
        share = min(wanted or OPEN_ANSWER, room.alone)
        if room.now < share:
            return Wait()
        granted = share if granted is None else min(granted, share)
    return Go(granted, seconds)


def _rooms(budget: Budget, spent: Spent, held: Held, expected: Expected) -> list[_Room]:
    rooms: list[_Room] = []
    if budget.tokens is not None:
        used = spent.counted_in + spent.counted_out
        alone = budget.tokens - used - expected.tokens_in
        said = f"{used} spent, at least {expected.tokens_in} more to send"
        rooms.append(_Room(alone, alone - held.tokens, Refused("tokens", budget.tokens, said)))
    if budget.cost is not None:
        if expected.cost_in is None or expected.cost_per_token is None:
            raise ConfigError(
                f"there is a budget of {budget.cost} US dollars, and the price of {expected.model} is not known; "
                "give its price, or set a budget of tokens in place of cost"
            )
        left = budget.cost - spent.counted_cost - expected.cost_in
        said = f"{spent.counted_cost} spent, at least {expected.cost_in} more to send"
        refusal = Refused("cost", budget.cost, said)
        price = expected.cost_per_token
        rooms.append(_Room(_affordable(left, price), _affordable(left - held.cost, price), refusal))
    return rooms


_UNLIMITED = 1 << 40


def _affordable(dollars: Decimal, per_token: Decimal) -> int:
    if dollars < 0:
        return -1
    return _UNLIMITED if per_token <= 0 else min(int(dollars / per_token), _UNLIMITED)

"""Strategies by the name that a tune file gives them."""

from __future__ import annotations

import importlib.util
from typing import TYPE_CHECKING

from senno.errors import ConfigError, MissingExtra
from senno.text import did_you_mean

if TYPE_CHECKING:
    from senno.models import TextModel
    from senno.tune.strategies.strategy import Strategy

NAMES = ("hill-climb", "gepa")


def strategy_named(name: str, model: TextModel) -> Strategy:
    """The strategy of that name.

    Args:
        name: `hill-climb` or `gepa`.
        model: the rewriter.

    Raises:
        ConfigError: there is no such strategy.
        MissingExtra: its library is not installed.
    """
    if name == "hill-climb":
        from senno.tune.strategies.hill_climb import HillClimb

        return HillClimb(model)
    if name == "gepa":
        if importlib.util.find_spec("gepa") is None:
            raise MissingExtra("the strategy 'gepa'", "gepa")
        from senno.tune.strategies.pareto import ParetoSearch

        return ParetoSearch(model)
    raise ConfigError(f"tune.strategy is {name!r}{did_you_mean(name, NAMES)}; expected {' or '.join(NAMES)}")

"""Ways to look for a better prompt, behind one protocol: the hill climb, and GEPA's reflective Pareto search."""

from senno.tune.strategies.named import strategy_named
from senno.tune.strategies.strategy import Evaluate, Proposal, Strategy, TuneState

__all__ = ["Evaluate", "Proposal", "Strategy", "TuneState", "strategy_named"]

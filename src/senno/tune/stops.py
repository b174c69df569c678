"""Why a tuning stopped: a closed set, and the errors that stop one."""

from __future__ import annotations

from typing import Literal

from senno.errors import ConfigError, SennoError

Stop = Literal[
    "target", "rounds", "no_proposal", "budget", "model_changed", "wiring", "too_few_scored", "interrupted", "error"
]

STOP_WORDS: dict[Stop, str] = {
    "target": "the target is met",
    "rounds": "all rounds are done",
    "no_proposal": "the rewriter has nothing left to propose",
    "budget": "a budget is used up",
    "model_changed": "another version of a model answered than before",
    "wiring": "a part of the prompt did not reach the model",
    "too_few_scored": "too few answers of the start prompt could be scored",
    "interrupted": "it was interrupted",
    "error": "a call failed for good",
}

ENDED: tuple[Stop, ...] = ("target", "rounds", "no_proposal")
"""A run that stopped so has come to its end; one that stopped otherwise may go on."""


class ModelChanged(SennoError):
    """A model answered in another version than before: what is compared would be two models, not two prompts."""


class WiringBroken(ConfigError):
    """A part of a version did not reach the model."""


class TooFewScored(SennoError):
    """Not enough judgements of the prompt to start from have a score."""

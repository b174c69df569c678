"""The first horizon: within one task. Actor ⇄ critic, until code is satisfied or a bound is met."""

from senno.loop.board import STOP_WORDS, StopReason
from senno.loop.cast import PYTHON, Cast, cast_loop, cast_names
from senno.loop.library import LoopEntry, find_loop, list_loops, new_loop
from senno.loop.loopfile import load_loop
from senno.loop.result import LoopResult, ResultItem
from senno.loop.run import run_loop, run_loop_sync
from senno.loop.spec import LoopSpec, Role
from senno.loop.values import (
    ActorInput,
    Clarification,
    CriticInput,
    Critique,
    CuratedItem,
    CuratorInput,
    Evidence,
    Finding,
    ItemCritique,
    NumberedItem,
    OpenFinding,
    RefinerInput,
    Sentence,
    Status,
    Wording,
)

__all__ = [
    "PYTHON",
    "STOP_WORDS",
    "ActorInput",
    "Cast",
    "Clarification",
    "CriticInput",
    "Critique",
    "CuratedItem",
    "CuratorInput",
    "Evidence",
    "Finding",
    "ItemCritique",
    "LoopEntry",
    "LoopResult",
    "LoopSpec",
    "NumberedItem",
    "OpenFinding",
    "RefinerInput",
    "ResultItem",
    "Role",
    "Sentence",
    "Status",
    "StopReason",
    "Wording",
    "cast_loop",
    "cast_names",
    "find_loop",
    "list_loops",
    "load_loop",
    "new_loop",
    "run_loop",
    "run_loop_sync",
]

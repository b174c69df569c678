"""senno: LLM agents made better by hindsight, and the proof of it.

A model writes, a model reads, code decides. The public names are in `__all__`; each is imported when it is first used,
so that `import senno` costs next to nothing.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from senno.config import Config
    from senno.config import load as load_config
    from senno.errors import BudgetExceeded, ConfigError, ModelError, SennoError
    from senno.gate import GateOptions, GateResult, gate_change, gate_change_sync
    from senno.judge import Judge, Judgement, Verdict, load_check_file, load_policy
    from senno.ledger import Ledger
    from senno.lessons.agent import Attempt, Lessons
    from senno.loop import Evidence, LoopResult, find_loop, load_loop, run_loop, run_loop_sync
    from senno.models import Budget, Calls, ChatDecisions, ScriptedDecisions, ScriptedText, decision_model, text_model

__all__ = [
    "Attempt",
    "Budget",
    "BudgetExceeded",
    "Calls",
    "ChatDecisions",
    "Config",
    "ConfigError",
    "Evidence",
    "GateOptions",
    "GateResult",
    "Judge",
    "Judgement",
    "Ledger",
    "Lessons",
    "LoopResult",
    "ModelError",
    "ScriptedDecisions",
    "ScriptedText",
    "SennoError",
    "Verdict",
    "decision_model",
    "find_loop",
    "gate_change",
    "gate_change_sync",
    "load_check_file",
    "load_config",
    "load_loop",
    "load_policy",
    "run_loop",
    "run_loop_sync",
    "text_model",
]

_ROOMS = {
    "senno.errors": ("BudgetExceeded", "ConfigError", "ModelError", "SennoError"),
    "senno.gate": ("GateOptions", "GateResult", "gate_change", "gate_change_sync"),
    "senno.judge": ("Judge", "Judgement", "Verdict", "load_check_file", "load_policy"),
    "senno.ledger": ("Ledger",),
    "senno.lessons.agent": ("Attempt", "Lessons"),
    "senno.loop": ("Evidence", "LoopResult", "find_loop", "load_loop", "run_loop", "run_loop_sync"),
    "senno.models": (
        "Budget",
        "Calls",
        "ChatDecisions",
        "ScriptedDecisions",
        "ScriptedText",
        "decision_model",
        "text_model",
    ),
    "senno.config": ("Config", "load_config"),
}
_ROOM_OF = {name: room for room, names in _ROOMS.items() for name in names}


def __getattr__(name: str) -> Any:
    room = _ROOM_OF.get(name)
    if room is None:
        raise AttributeError(f"module 'senno' has no attribute {name!r}")
    value = getattr(importlib.import_module(room), "load" if name == "load_config" else name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})

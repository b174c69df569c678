"""Models: the protocols, the one gate to any of them, and the backends.

`text_model(name)` makes a model from its name, and `Calls` is the gate that every call goes through. Importing this
room loads next to nothing: a name is fetched when it is first used, a provider's package when a model is first asked.
"""

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from senno.models.budget import Budget, Spent
    from senno.models.calls import Calls, RoleCalls
    from senno.models.checked import check_decision
    from senno.models.configured import calls_from, check_prices
    from senno.models.decisions.cached import Cached
    from senno.models.decisions.chat import ChatDecisions
    from senno.models.decisions.client import ClientDecisions
    from senno.models.decisions.named import decision_model
    from senno.models.decisions.recorder import Recorder
    from senno.models.decisions.replayed import Replayed
    from senno.models.decisions.versions import is_pinned, same_version
    from senno.models.identity import same_model
    from senno.models.journal import CallRecorder
    from senno.models.names import PROVIDERS, ProviderInfo, text_model
    from senno.models.outgoing import Outgoing, Received
    from senno.models.prices import Price
    from senno.models.protocol import (
        Answer,
        AttemptFailed,
        Choice,
        Decision,
        DecisionModel,
        Distribution,
        Json,
        Message,
        Noul,
        Probability,
        Question,
        Reply,
        Request,
        Score,
        TextModel,
        TokenLogprobs,
        Tool,
        ToolCall,
        Unanswered,
        Usage,
    )
    from senno.models.retry import RetryPolicy
    from senno.models.scripted import ScriptedDecisions, ScriptedText

__all__ = [
    "PROVIDERS",
    "Answer",
    "AttemptFailed",
    "Budget",
    "Cached",
    "CallRecorder",
    "Calls",
    "ChatDecisions",
    "Choice",
    "ClientDecisions",
    "Decision",
    "DecisionModel",
    "Distribution",
    "Json",
    "Message",
    "Noul",
    "Outgoing",
    "Price",
    "Probability",
    "ProviderInfo",
    "Question",
    "Received",
    "Recorder",
    "Replayed",
    "Reply",
    "Request",
    "RetryPolicy",
    "RoleCalls",
    "Score",
    "ScriptedDecisions",
    "ScriptedText",
    "Spent",
    "TextModel",
    "TokenLogprobs",
    "Tool",
    "ToolCall",
    "Unanswered",
    "Usage",
    "calls_from",
    "check_decision",
    "check_prices",
    "decision_model",
    "is_pinned",
    "same_model",
    "same_version",
    "text_model",
]

# Which file a name is in, where that is not `protocol`.
_FILES = {
    "Budget": "budget",
    "CallRecorder": "journal",
    "Calls": "calls",
    "Cached": "decisions.cached",
    "ChatDecisions": "decisions.chat",
    "ClientDecisions": "decisions.client",
    "Outgoing": "outgoing",
    "PROVIDERS": "names",
    "Price": "prices",
    "ProviderInfo": "names",
    "Received": "outgoing",
    "Recorder": "decisions.recorder",
    "Replayed": "decisions.replayed",
    "RetryPolicy": "retry",
    "RoleCalls": "calls",
    "ScriptedDecisions": "scripted",
    "ScriptedText": "scripted",
    "Spent": "budget",
    "calls_from": "configured",
    "check_decision": "checked",
    "check_prices": "configured",
    "decision_model": "decisions.named",
    "is_pinned": "decisions.versions",
    "same_model": "identity",
    "same_version": "decisions.versions",
    "text_model": "names",
}


def __getattr__(name: str) -> object:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"{__name__}.{_FILES.get(name, 'protocol')}"), name)

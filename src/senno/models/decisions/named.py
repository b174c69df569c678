"""A decision model, from its name."""

from __future__ import annotations

import os
from collections.abc import Mapping

from senno.models.names import checked_name, text_model
from senno.models.protocol import DecisionModel


def decision_model(name: str, *, samples: int = 5, environ: Mapping[str, str] = os.environ) -> DecisionModel:
    """What answers closed questions under this name.

    `systemone:http(s)://HOST/v1#MODEL` for a server that speaks System One; any other name is that of a chat model
    (`ollama:llama3.2`), whose probability of yes is read from its log-probabilities or from samples.

    Args:
        name: as above.
        samples: answers of a chat model without log-probabilities.
        environ: where keys are read from.

    Raises:
        ConfigError: an unknown name, no model in it, no key.
        MissingExtra: the provider's package is not installed.
    """
    name = checked_name(name)
    kind, _, rest = name.partition(":")
    if kind == "systemone":
        from senno.models.decisions.system_one import SystemOne

        return SystemOne.named(rest, environ)
    from senno.models.decisions.chat import ChatDecisions

    return ChatDecisions(text_model(name, environ), samples=samples)

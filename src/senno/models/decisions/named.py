"""A decision model, from its name."""

from __future__ import annotations

import os
from collections.abc import Mapping

from senno.errors import ConfigError
from senno.models.decisions.versions import is_pinned
from senno.models.names import checked_name, text_model
from senno.models.protocol import DecisionModel


def decision_model(name: str, *, samples: int = 5, environ: Mapping[str, str] = os.environ) -> DecisionModel:
    """What answers closed questions under this name.

    `typesafe:MODEL` for Jev (`TYPESAFE_API_KEY`), `systemone:http(s)://HOST/v1#MODEL` for any server that speaks System
    One, `openai-decisions:MODEL` (`OPENAI_API_KEY`) or `openai-decisions:http(s)://HOST/v1#MODEL` for OpenAI's
    decisions; any other name is that of a chat model (`ollama:llama3.2`), whose probability of yes is read from its
    log-probabilities or from samples.

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
    if kind in ("typesafe", "systemone"):
        from senno.models.decisions.system_one import TYPESAFE_URL, SystemOne

        place = _place(name, rest, TYPESAFE_URL if kind == "typesafe" else None, "TYPESAFE_API_KEY", environ)
        return SystemOne(name, *place, standing_notes(place[1]))
    if kind == "openai-decisions":
        from senno.models.decisions.openai import OPENAI_URL, OpenAIDecisions

        at_openai = None if rest.lower().startswith(("http://", "https://")) else OPENAI_URL
        place = _place(name, rest, at_openai, "OPENAI_API_KEY", environ)
        return OpenAIDecisions(name, *place, standing_notes(place[1]))
    from senno.models.decisions.chat import ChatDecisions

    return ChatDecisions(text_model(name, environ), samples=samples)


def asked_model(name: str) -> str:
    """The version that a decision model's name asks for: what a server is told, without where it is."""
    name = checked_name(name)
    address, hash_, model = name.partition("#")
    if hash_:
        return model
    kind, _, rest = address.partition(":")
    return address if kind.lower() in ("http", "https") else rest or address


def standing_notes(model: str) -> tuple[str, ...]:
    """What every decision of a model is to say because of its name: that it is none of one version."""
    if is_pinned(model):
        return ()
    note = (
        f"{model} is no pinned version, and thresholds hold for one version: ask for the one that answered by its name"
    )
    return (note,)


def _place(
    name: str, rest: str, provider_url: str | None, key_variable: str, environ: Mapping[str, str]
) -> tuple[str, str, str | None, str]:
    """URL, model, key and the key's variable; with a provider's URL, `rest` is the model, and there must be a key."""
    if provider_url is None:
        from senno.models.decisions.system_one import at_url

        return at_url(rest, environ)
    if not rest:
        raise ConfigError(f"decision model {name!r}: it names no model; expected {name.partition(':')[0]}:MODEL")
    key = environ.get(key_variable)
    if not key:
        raise ConfigError(f"decision model {name!r} needs an API key: set the environment variable {key_variable}")
    return provider_url, rest, key, key_variable

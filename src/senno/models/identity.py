"""Whether two names mean one model: an author must not be its own judge."""

from __future__ import annotations

import ipaddress
import os
import posixpath
import re
import socket
import unicodedata
from urllib.parse import unquote

from senno.models.names import checked_name, ollama_url, url_parts

_HOSTS = {
    "api.anthropic.com": "anthropic",
    "api.openai.com": "openai",
    "generativelanguage.googleapis.com": "google",
    "api.mistral.ai": "mistral",
    "api.groq.com": "groq",
    "openrouter.ai": "openrouter",
    "api.typesafe.ai": "typesafe",
}
"""Where the providers are: a URL there is another way to write `PROVIDER:MODEL`."""

_VENDORS = {
    "mistralai": "mistral",
    "google": "google",
    "openai": "openai",
    "anthropic": "anthropic",
    "typesafe": "typesafe",
}
"""How OpenRouter calls providers that have a name here."""

_VERSION = re.compile(r"[-@](\d{4}-?\d{2}-?\d{2}|latest)$")


def same_model(a: str, b: str) -> bool:
    """Whether two names mean one model, as far as names can tell.

    One model by two routes is the same (`openrouter:openai/gpt-4o`, `openai:gpt-4o` and
    `https://api.openai.com/v1#gpt-4o`), whether it writes or decides (`openai-decisions:gpt-4o`); so are an alias and
    its dated version, and two writings of a path, of an address or of this machine. A URL that names no model is the
    same as any at that URL.

    Raises:
        ConfigError: one of them is a URL that cannot be read, or holds characters that no name has.
    """
    (place_a, model_a), (place_b, model_b) = _canonical(a), _canonical(b)
    return place_a == place_b and (model_a == model_b or not model_a or not model_b)


def _canonical(name: str) -> tuple[str, str]:
    """Where a model is, and what it is called there."""
    name = checked_name(name)
    provider, _, model = name.partition(":")
    provider = provider.lower()
    match provider:
        case "systemone" | "openai-decisions" if model.lower().startswith(("http://", "https://")):
            return _canonical(model)
        case "openai-decisions":
            return _at_provider("openai", model)
        case "http" | "https":
            base_url, _, model = name.partition("#")
            return _at_url(base_url, model)
        case "ollama":
            return _at_url(ollama_url(os.environ), model)
        case "gguf":
            return "gguf", os.path.realpath(os.path.expanduser(model))  # noqa: PTH111 - no user's home: as it is
        case _:
            return _at_provider(provider, model)


def _at_url(base_url: str, model: str) -> tuple[str, str]:
    parts = url_parts(base_url, base_url)
    host = _host(parts.hostname or "")
    if host in _HOSTS:
        return _at_provider(_HOSTS[host], model)
    port = parts.port or (443 if parts.scheme == "https" else 80)
    path = posixpath.normpath("/" + unquote(parts.path).strip("/"))
    return f"{host}:{port}{path}", model.removesuffix(":latest")


def _at_provider(provider: str, model: str) -> tuple[str, str]:
    model = model.lower()
    if provider == "openrouter":
        vendor, slash, rest = model.removeprefix("~").partition("/")
        if slash and vendor in _VENDORS:
            provider, model = _VENDORS[vendor], rest.partition(":")[0]
    return provider, _VERSION.sub("", model.replace(".", "-"))


def _host(host: str) -> str:
    """A host in one writing: an address has many, and this machine has many addresses."""
    host = unicodedata.normalize("NFKC", host).lower().rstrip(".")
    address = _address(host)
    if address is None:
        return "localhost" if host.endswith(".localhost") else host
    return "localhost" if address.is_loopback or address.is_unspecified else str(address)


def _address(host: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    """The address that `host` writes (`127.1`, `0x7f000001` and `2130706433` are one); `None`: it is a name."""
    try:
        return ipaddress.IPv4Address(socket.inet_aton(host))
    except OSError:
        pass
    try:
        address = ipaddress.IPv6Address(host)
    except ValueError:
        return None
    return address.ipv4_mapped or address

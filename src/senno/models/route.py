"""Where a text model is found."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

Provider = Literal["anthropic", "openai", "google", "mistral", "groq", "openrouter", "ollama", "url"]


@dataclass(frozen=True, slots=True)
class Route:
    """What a model's name says, with the key for it.

    Args:
        name: as the user wrote it.
        provider: whose API; `url` is any server that speaks OpenAI's chat completions.
        model: as the provider names it; `None`: the one model that the server has.
        base_url: of the API; `None`: the provider's own.
        key: the API key; `None`: none is needed.
        key_variable: the environment variable that holds it, for messages.
    """

    name: str
    provider: Provider
    model: str | None
    base_url: str | None = None
    key: str | None = field(default=None, repr=False)
    key_variable: str = ""

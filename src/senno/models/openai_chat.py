"""Pydantic AI's models of OpenAI's chat completions, with `usage` left to us. For `adapter.py` only.

Pydantic AI refuses a whole answer whose `usage` is not as OpenAI's (no `total_tokens`, a count that is no number). Here
`usage` goes past its validation, as it came, to `translation.py`.
"""

from __future__ import annotations

from typing import Any

from openai.types import chat
from pydantic import BaseModel
from pydantic_ai.models.ollama import OllamaModel as PydanticOllamaModel
from pydantic_ai.models.openai import OpenAIChatModel

from senno.models.translation import RAW_USAGE


class ChatModel(OpenAIChatModel):
    """OpenAI's own, and any server that speaks as it does."""

    def _validate_completion(self, response: chat.ChatCompletion) -> Any:
        return super()._validate_completion(_set_aside(response))

    def _process_provider_details(self, response: chat.ChatCompletion) -> dict[str, Any]:
        return _with_usage(super()._process_provider_details(response), response)


class OllamaModel(PydanticOllamaModel):
    """Ollama's."""

    def _validate_completion(self, response: chat.ChatCompletion) -> Any:
        return super()._validate_completion(_set_aside(response))

    def _process_provider_details(self, response: chat.ChatCompletion) -> dict[str, Any]:
        return _with_usage(super()._process_provider_details(response), response)


def _set_aside(response: chat.ChatCompletion) -> chat.ChatCompletion:
    # Of any type, whatever the annotation says: the SDK builds what came without checking it.
    said: Any = getattr(response, "usage", None)
    raw = said.model_dump(warnings=False) if isinstance(said, BaseModel) else said
    return response.model_copy(update={"usage": None, RAW_USAGE: raw})


def _with_usage(details: dict[str, Any] | None, response: chat.ChatCompletion) -> dict[str, Any]:
    return {**(details or {}), RAW_USAGE: (response.model_extra or {}).get(RAW_USAGE)}

"""Requests and replies in Pydantic AI's terms, and back. For `adapter.py` and `openai_chat.py` only."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal, cast

from senno.models.features import Feature
from senno.models.protocol import AttemptFailed, Reply, Request, Usage
from senno.models.wire import logprobs, tool_call, usage

if TYPE_CHECKING:
    from pydantic_ai.messages import ModelMessage, ModelRequestPart, ModelResponse
    from pydantic_ai.models import ModelRequestParameters
    from pydantic_ai.settings import ModelSettings
    from pydantic_ai.usage import RequestUsage

RAW_USAGE = "senno_usage"
"""Under which `ModelResponse.provider_details` has `usage` as OpenAI's kind of server sent it (`openai_chat.py`)."""

HTTP_TIMEOUT = 3600.0
"""Seconds without a byte after which the connection itself gives up. The time-out that counts is that of `Calls`."""


def wanted_features(request: Request, profile: Mapping[str, Any], *, openai: bool) -> list[Feature]:
    """The features that a request would have, by what the model is known to take.

    Args:
        request: what is to be sent.
        profile: Pydantic AI's, of the model.
        openai: the API is OpenAI's chat completions, the one with logprobs.
    """
    wanted: list[Feature] = []
    # Beside tools a schema is left to the prompt: several servers refuse the two together, others let the schema
    # keep the model from calling any tool.
    if request.schema is not None and not request.tools and profile.get("supports_json_schema_output", False):
        wanted.append("schema")
    if request.top_logprobs and openai and _samples_freely(profile):
        wanted.append("logprobs")
    return wanted


def always_left_out(request: Request, profile: Mapping[str, Any]) -> list[str]:
    """What no request to this model carries, in words."""
    notes: list[str] = []
    if request.schema is not None and request.tools:
        notes.append("the JSON schema was not sent natively: there are tools beside it")
    elif request.schema is not None and not profile.get("supports_json_schema_output", False):
        notes.append("the JSON schema was not sent natively: the model has no way for it")
    if request.temperature is not None and not _samples_freely(profile):
        notes.append("the temperature was not sent: the model reasons, and takes none")
    return notes


def _samples_freely(profile: Mapping[str, Any]) -> bool:
    """Whether the model takes a temperature and gives logprobs: OpenAI's reasoning models do neither."""
    if not profile.get("openai_supports_reasoning", False):
        return True
    may_stop = profile.get("openai_supports_reasoning_effort_none", False)
    return bool(may_stop and not profile.get("thinking_enabled_by_default", False))


def settings(request: Request, sent: frozenset[Feature], profile: Mapping[str, Any]) -> ModelSettings:
    """All but the messages and the tools. Repeating a failed request is the business of `Calls`."""
    chosen: dict[str, Any] = {"max_retries": 0, "timeout": HTTP_TIMEOUT}
    if request.max_tokens is not None:
        chosen["max_tokens"] = request.max_tokens
    if request.temperature is not None and _samples_freely(profile):
        chosen["temperature"] = request.temperature
    if request.seed is not None:
        chosen["seed"] = request.seed
    if "logprobs" in sent:
        chosen |= {"openai_logprobs": True, "openai_top_logprobs": request.top_logprobs}
    return cast("ModelSettings", chosen)


def parameters(request: Request, sent: frozenset[Feature]) -> ModelRequestParameters:
    """The tools, and the schema where it is sent natively."""
    from pydantic_ai.models import ModelRequestParameters
    from pydantic_ai.output import OutputObjectDefinition
    from pydantic_ai.tools import ToolDefinition

    tools = [
        ToolDefinition(name=each.name, description=each.description, parameters_json_schema=dict(each.parameters))
        for each in request.tools
    ]
    if "schema" not in sent or request.schema is None:
        return ModelRequestParameters(function_tools=tools)
    shape = OutputObjectDefinition(json_schema=dict(request.schema), name="answer")
    return ModelRequestParameters(function_tools=tools, output_mode="native", output_object=shape)


def messages(request: Request) -> list[ModelMessage]:
    """The turns: system prompt, users and tool results make requests, the assistant makes responses."""
    from pydantic_ai import messages as m

    turns: list[ModelMessage] = []
    parts: list[ModelRequestPart] = [m.SystemPromptPart(request.system)] if request.system else []
    for each in request.messages:
        match each.role:
            case "user":
                parts.append(m.UserPromptPart(each.text))
            case "tool":
                parts.append(m.ToolReturnPart(each.tool_name or "", each.text, each.tool_call_id or ""))
            case "assistant":
                if parts:
                    turns.append(m.ModelRequest(parts))
                    parts = []
                said = [m.TextPart(each.text)] if each.text else []
                calls = [m.ToolCallPart(c.name, dict(c.arguments), c.id) for c in each.tool_calls]
                turns.append(m.ModelResponse([*said, *calls]))
    return [*turns, m.ModelRequest(parts)] if parts else turns


_FINISH: dict[str, Literal["stop", "length", "tool_calls", "content_filter"]] = {
    "stop": "stop",
    "length": "length",
    "tool_call": "tool_calls",
    "content_filter": "content_filter",
}


def reply(response: ModelResponse) -> Reply:
    """What came back.

    Raises:
        AttemptFailed: it is no answer: nothing at all, an end with an error, tool arguments that are no JSON object,
            logprobs that are no numbers.
    """
    from pydantic_ai.messages import TextPart, ToolCallPart

    details = response.provider_details or {}
    text = "".join(part.content for part in response.parts if isinstance(part, TextPart))
    tool_calls = [part for part in response.parts if isinstance(part, ToolCallPart)]
    usage_, notes = _usage(response.usage, details, came_back=bool(response.parts))
    if response.finish_reason == "error":
        raise AttemptFailed("the provider ended the answer with an error", retry=True, usage=usage_)
    if not response.parts and response.finish_reason is None:
        raise AttemptFailed("an answer with no text, no tool call and no reason why it ended", retry=True, usage=usage_)
    return Reply(
        text=_whole(text or str(details.get("refusal") or "")),
        model=response.model_name or "",
        tool_calls=tuple(tool_call(c.tool_call_id, c.tool_name, c.args, usage_) for c in tool_calls),
        usage=usage_,
        finish=_FINISH.get(response.finish_reason or "", "unknown"),
        logprobs=logprobs(details.get("logprobs"), usage_),
        notes=notes,
    )


def _whole(text: str) -> str:
    """`text` without halves of surrogate pairs, which JSON can carry and UTF-8 cannot."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _usage(said: RequestUsage, details: Mapping[str, Any], *, came_back: bool) -> tuple[Usage, tuple[str, ...]]:
    """Tokens, and what is off about them. Pydantic AI has 0 where the provider said nothing, and so have some servers;
    no request has 0 tokens of input.
    """
    if RAW_USAGE in details:
        found, notes = usage(details[RAW_USAGE])
    else:
        counts = {"prompt_tokens": said.input_tokens, "completion_tokens": said.output_tokens}
        found, notes = usage({**counts, "prompt_tokens_details": {"cached_tokens": said.cache_read_tokens}})
    if not found.tokens_in:
        return Usage(), notes
    out = None if came_back and not found.tokens_out else found.tokens_out
    return Usage(found.tokens_in, out, found.tokens_cached or None), notes

"""Requests and replies in the terms of llama.cpp's chat completions, as its engine streams them. Pure functions."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, Literal, cast

from senno.models import wire
from senno.models.failures import http_failure, unreadable
from senno.models.protocol import AttemptFailed, Message, Reply, Request, Usage

Finish = Literal["stop", "length", "tool_calls", "content_filter", "unknown"]
_FINISH: dict[str | None, Finish] = {"stop": "stop", "length": "length", "tool_calls": "tool_calls"}


def chat_body(request: Request, *, with_schema: bool = True) -> dict[str, Any]:
    """The body of a streamed chat completion."""
    system = [{"role": "system", "content": request.system}] if request.system else []
    body: dict[str, Any] = {
        "messages": [*system, *(_message(each) for each in request.messages)],
        "stream": True,
        "stream_options": {"include_usage": True},
    }
    limits = {"max_tokens": request.max_tokens, "temperature": request.temperature, "seed": request.seed}
    body |= {name: value for name, value in limits.items() if value is not None}
    if request.tools:
        body["tools"] = [
            {
                "type": "function",
                "function": {"name": t.name, "description": t.description, "parameters": dict(t.parameters)},
            }
            for t in request.tools
        ]
    if request.schema is not None and with_schema:
        shape = {"name": "answer", "schema": dict(request.schema)}
        body["response_format"] = {"type": "json_schema", "json_schema": shape}
    if request.top_logprobs:
        body |= {"logprobs": True, "top_logprobs": request.top_logprobs}
    return body


def _message(message: Message) -> dict[str, Any]:
    turn: dict[str, Any] = {"role": message.role, "content": message.text}
    if message.tool_calls:
        turn["tool_calls"] = [
            {"id": c.id, "type": "function", "function": {"name": c.name, "arguments": json.dumps(dict(c.arguments))}}
            for c in message.tool_calls
        ]
    if message.role == "tool":
        turn |= {"tool_call_id": message.tool_call_id, "name": message.tool_name}
    return turn


def assembled(chunks: Sequence[Any], model: str) -> Reply:
    """The reply that a stream of chunks makes.

    Args:
        chunks: as they came, JSON values.
        model: what to name as the model that answered.

    Raises:
        AttemptFailed: an error came among them, or none says that the answer has ended, or they have another shape.
    """
    try:
        return _assembled(cast("Sequence[dict[str, Any]]", chunks), model)
    except (LookupError, AttributeError, TypeError, ValueError) as error:
        raise AttemptFailed(f"an answer that cannot be read: {unreadable(error)}", retry=True) from error


def _assembled(chunks: Sequence[dict[str, Any]], model: str) -> Reply:
    text: list[str] = []
    calls: dict[int, dict[str, str]] = {}
    tokens: list[dict[str, Any]] = []
    finish: str | None = None
    usage, notes = Usage(), ()
    for chunk in chunks:
        if "error" in chunk:
            raise _failure(chunk["error"])
        if chunk.get("usage"):
            usage, notes = wire.usage(chunk["usage"])
        for choice in chunk["choices"]:
            delta = choice["delta"]
            text.append(delta.get("content") or "")
            _add_calls(calls, delta.get("tool_calls") or [])
            tokens += choice["logprobs"]["content"] if choice.get("logprobs") else []
            finish = choice.get("finish_reason") or finish
    if finish is None:
        raise AttemptFailed("the answer broke off", retry=True, usage=usage)
    return Reply(
        text="".join(text),
        model=model,
        tool_calls=tuple(wire.tool_call(c["id"], c["name"], c["arguments"], usage) for _, c in sorted(calls.items())),
        usage=usage,
        finish=_FINISH.get(finish, "unknown"),
        logprobs=wire.logprobs(tokens, usage),
        notes=notes,
    )


def _failure(error: dict[str, Any]) -> AttemptFailed:
    return http_failure(int(error.get("code", 500)), {}, error, now=datetime.now(UTC))


def _add_calls(calls: dict[int, dict[str, str]], deltas: Sequence[Mapping[str, Any]]) -> None:
    """A call comes in pieces: its id and name with the first, its arguments over all."""
    for delta in deltas:
        call = calls.setdefault(delta["index"], {"id": "", "name": "", "arguments": ""})
        function: dict[str, str | None] = delta["function"]
        call["id"] += delta.get("id") or ""
        call["name"] += function.get("name") or ""
        call["arguments"] += function.get("arguments") or ""

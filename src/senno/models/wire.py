"""Pieces of OpenAI's chat completions that several servers send: tool calls and logprobs, checked."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from typing import Any, cast

from senno.models.failures import unreadable
from senno.models.protocol import AttemptFailed, TokenLogprobs, ToolCall, Usage


def tool_call(id_: str, name: str, arguments: object, usage: Usage) -> ToolCall:
    """A tool call, from its arguments as JSON text or as a JSON object.

    Raises:
        AttemptFailed: they are neither.
    """
    try:
        found = json.loads(arguments or "{}") if isinstance(arguments, str | None) else arguments
    except (ValueError, RecursionError) as error:
        problem = f"a call of the tool {name} with arguments that are not JSON: {unreadable(error)}"
        raise AttemptFailed(problem, retry=True, usage=usage) from error
    if not isinstance(found, dict):
        problem = f"a call of the tool {name} with arguments that are no JSON object"
        raise AttemptFailed(problem, retry=True, usage=usage)
    return ToolCall(id_, name, cast("dict[str, Any]", found))


def logprobs(raw: Sequence[Mapping[str, Any]] | None, usage: Usage) -> tuple[TokenLogprobs, ...] | None:
    """The logprobs of an answer; `None`: there are none.

    Raises:
        AttemptFailed: a token's own is no number.
    """
    if not raw:
        return None
    for each in raw:
        if not math.isfinite(each["logprob"]):
            raise AttemptFailed(f"a logprob that is no number: {each['logprob']}", retry=True, usage=usage)
    return tuple(TokenLogprobs(each["token"], each["logprob"], _alternatives(each["top_logprobs"])) for each in raw)


def _alternatives(raw: Sequence[Mapping[str, Any]]) -> dict[str, float]:
    probabilities: dict[str, float] = {}
    for each in raw:
        # Two tokens of one text (parts of longer characters, …) are one alternative.
        probability = math.exp(min(each["logprob"], 0.0)) if math.isfinite(each["logprob"]) else 0.0
        probabilities[each["token"]] = probabilities.get(each["token"], 0.0) + probability
    return {token: math.log(each) for token, each in probabilities.items() if each > 0.0}

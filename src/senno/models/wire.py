"""Pieces of OpenAI's chat completions that several servers send: usage, tool calls and logprobs, checked."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from typing import Any, cast

from senno.models.failures import unreadable
from senno.models.protocol import AttemptFailed, TokenLogprobs, ToolCall, Usage
from senno.models.reading import is_logprob
from senno.text import one_line

MOST_TOKENS = 2**53
"""No answer has more: a larger count is no count. Up to here a JSON number is exact everywhere."""


def usage(raw: Mapping[str, Any] | None) -> tuple[Usage, tuple[str, ...]]:
    """The tokens that `usage` of an answer names, and what is off about them, in words.

    A count that is no whole number in 0..`MOST_TOKENS` is not known: the books of a provider cost nobody an answer.

    Args:
        raw: `prompt_tokens`, `completion_tokens`, and `cached_tokens` in `prompt_tokens_details`; `None`: nothing.
    """
    if raw is None:
        return Usage(), ()
    if not isinstance(raw, Mapping):  # pyright: ignore[reportUnnecessaryIsInstance] - it came over the wire
        return Usage(), (f"the tokens are not known: {one_line(repr(raw), 60)} came in the place of usage",)
    details: Any = raw.get("prompt_tokens_details")
    cached = cast("dict[str, Any]", details).get("cached_tokens") if isinstance(details, dict) else None
    said = {"in": raw.get("prompt_tokens"), "out": raw.get("completion_tokens"), "cached": cached}
    off = [f"{one_line(repr(count), 60)} {name}" for name, count in said.items() if count is not None and _off(count)]
    known = (None if count is None or _off(count) else int(count) for count in said.values())
    return Usage(*known), (f"numbers of tokens that can be none, taken as not known: {', '.join(off)}",) if off else ()


def _off(count: Any) -> bool:
    if isinstance(count, bool) or not isinstance(count, int | float):
        return True
    return not (0 <= count <= MOST_TOKENS and count == int(count))


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
        AttemptFailed: one is no logarithm of a probability.
    """
    if not raw:
        return None
    for each in raw:
        found = [each["logprob"], *(other["logprob"] for other in each["top_logprobs"])]
        wrong = next((value for value in found if not is_logprob(value)), None)
        if wrong is None and each["logprob"] == -math.inf:
            wrong = -math.inf  # of the token that was chosen
        if wrong is not None:
            raise AttemptFailed(f"a logprob of {wrong}; expected a number up to 0", retry=True, usage=usage)
    return tuple(TokenLogprobs(each["token"], each["logprob"], _alternatives(each["top_logprobs"])) for each in raw)


def _alternatives(raw: Sequence[Mapping[str, Any]]) -> dict[str, float]:
    probabilities: dict[str, float] = {}
    for each in raw:
        # Two tokens of one text (parts of longer characters, …) are one alternative.
        probability = math.exp(each["logprob"])
        probabilities[each["token"]] = probabilities.get(each["token"], 0.0) + probability
    return {token: math.log(each) for token, each in probabilities.items() if each > 0.0}

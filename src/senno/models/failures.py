"""What went wrong on the wire, as an `AttemptFailed`. Pure functions."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import datetime
from typing import Any, cast

from senno.models.protocol import AttemptFailed, Usage
from senno.models.retry import retry_after
from senno.text import one_line

_MAY_SUCCEED_LATER = (408, 409, 425, 429)
_INVALID = (400, 422)
_TURNED_AWAY = (503, 529)
"""Server errors that say that the model was not run; of the others nobody knows."""


def http_failure(
    status: int,
    headers: Mapping[str, str],
    body: object,
    *,
    now: datetime,
    key_variable: str = "",
    asked_to_wait: float | None = None,
    out_of_credit: bool = False,
    max_tokens: int | None = None,
) -> AttemptFailed:
    """The failure that an HTTP status stands for.

    Args:
        status: the code.
        headers: of the response.
        body: of the response, as JSON values or text.
        now: for a `Retry-After` that is a date.
        key_variable: the environment variable with the API key, for messages.
        asked_to_wait: seconds that the body asks to wait, where no header does.
        out_of_credit: the account has no credit left; no retry helps.
        max_tokens: most tokens of the answer, as the request had it, for messages.
    """
    hinted = {k.lower(): v for k, v in headers.items()}.get("x-should-retry", "").strip().lower()
    retry = status in _MAY_SUCCEED_LATER or status >= 500
    if hinted in {"true", "false"}:
        retry = hinted == "true"
    wait = retry_after(headers, now)
    if wait is None and not any(name.lower().startswith("retry-after") for name in headers):
        wait = asked_to_wait
    problem = f"HTTP {status}: {_said(body)}"
    if status in {401, 403} and key_variable:
        problem += f"; check {key_variable}"
    if max_tokens is not None and answer_too_long(status, problem):
        problem += f"; the request allows an answer of {max_tokens} tokens: set a max_tokens that the model can write"
    not_run = status in _TURNED_AWAY or (status < 500 and status != 408)
    return AttemptFailed(
        problem,
        retry=retry and not out_of_credit,
        retry_after=wait,
        usage=Usage(0, 0) if not_run else None,
    )


_OUTPUT_LIMIT = re.compile(r"max[_ ](?:\w+[_ ])?tokens|maxOutputTokens", re.IGNORECASE)
_TOO_MUCH = re.compile(r"too (?:large|big|high)|exceed|maximum|at most|less than|supported range|<=|>", re.IGNORECASE)


def answer_too_long(status: int, said: str) -> bool:
    """Whether a request was rejected because its `max_tokens` is more than the model can write."""
    return status in _INVALID and bool(_OUTPUT_LIMIT.search(said) and _TOO_MUCH.search(said))


def unreadable(error: BaseException) -> str:
    """An error of another package in one line, with its type where it says little."""
    text = one_line(str(error), 300)
    return text if len(text) > 20 else f"{type(error).__name__} {text}".strip()


def _said(body: object) -> str:
    """The message in an error body: OpenAI's, FastAPI's, or what there is."""
    found: Any = body
    for key in ("error", "detail", "message"):
        if isinstance(found, dict) and key in found:
            found = cast("dict[str, Any]", found)[key]
    return one_line(str(cast("object", found)), 300) if found else "(no message)"

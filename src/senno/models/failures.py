"""What went wrong on the wire, as an `AttemptFailed`. Pure functions."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any, cast

from senno.models.protocol import AttemptFailed, Usage
from senno.models.retry import retry_after
from senno.text import one_line

_MAY_SUCCEED_LATER = (408, 409, 425, 429)
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
    """
    hinted = {k.lower(): v for k, v in headers.items()}.get("x-should-retry", "").strip().lower()
    retry = status in _MAY_SUCCEED_LATER or status >= 500
    if hinted in {"true", "false"}:
        retry = hinted == "true"
    wait = retry_after(headers, now)
    problem = f"HTTP {status}: {_said(body)}"
    if status in {401, 403} and key_variable:
        problem += f"; check {key_variable}"
    not_run = status in _TURNED_AWAY or (status < 500 and status != 408)
    return AttemptFailed(
        problem,
        retry=retry and not out_of_credit,
        retry_after=asked_to_wait if wait is None else wait,
        usage=Usage(0, 0) if not_run else None,
    )


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

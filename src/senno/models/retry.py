"""When to try again, and after how long. Pure functions: the time and the chance are given."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from math import isfinite


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """How often and how patiently a failed attempt is repeated."""

    attempts: int = 4
    """In all, the first included."""
    first: float = 0.5
    """Seconds before the second attempt, at most; from half of it, by chance."""
    factor: float = 2.0
    """By which each further pause is longer."""
    longest: float = 20.0
    """Seconds that a pause of our own may last; what the provider asks for may be longer."""
    total: float = 120.0
    """Seconds from the first attempt after which no further one starts."""


def delay(policy: RetryPolicy, attempt: int, retry_after: float | None, elapsed: float, jitter: float) -> float | None:
    """Seconds to wait before the next attempt; `None`: give up.

    Args:
        policy: the bounds.
        attempt: how many were made, from 1.
        retry_after: seconds the provider asked for; the wait is never shorter.
        elapsed: seconds since the first attempt began.
        jitter: by chance in [0, 1), so that those who failed together do not return together.
    """
    if attempt >= policy.attempts:
        return None
    # The exponent is bounded so that a large factor cannot overflow before `longest` is applied.
    pause = min(policy.longest, policy.first * policy.factor ** min(attempt - 1, 60)) * (0.5 + 0.5 * jitter)
    wait = max(pause, retry_after or 0.0)
    return None if elapsed + wait > policy.total else wait


def patience_exceeded(policy: RetryPolicy, retry_after: float | None, elapsed: float) -> str:
    """What to add to the error when the provider asked to wait longer than the policy allows, else nothing."""
    if retry_after is None or elapsed + retry_after <= policy.total:
        return ""
    return f"; the provider asks to wait {retry_after:g} s, and retries may take {policy.total:g} s in all"


def retry_after(headers: Mapping[str, str], now: datetime) -> float | None:
    """Seconds to wait, from `retry-after-ms` or `Retry-After` (seconds, or an HTTP date); `None`: neither says.

    A date that has passed is 0. What cannot be read, or is negative, says nothing (RFC 9110, section 10.2.3).

    Args:
        headers: of the response; names in any case.
        now: for dates; aware.
    """
    found = {name.lower(): value.strip() for name, value in headers.items()}
    milliseconds = _number(found.get("retry-after-ms"))
    if milliseconds is not None:
        return milliseconds / 1000
    raw = found.get("retry-after")
    seconds = _number(raw)
    return seconds if seconds is not None or raw is None else _until(raw, now)


_DECIMAL = re.compile(r"[0-9]+(?:\.[0-9]+)?")


def _number(text: str | None) -> float | None:
    """`text` in plain digits: `float` also reads `1_0`, `1e3`, `nan` and the digits of every script."""
    if text is None or not _DECIMAL.fullmatch(text):
        return None
    value = float(text)
    return value if isfinite(value) else None


def _until(date: str, now: datetime) -> float | None:
    try:
        when = parsedate_to_datetime(date)
    except (ValueError, IndexError, OverflowError):
        return None
    # An asctime date carries no zone, and HTTP dates are in UTC.
    return max(0.0, (when if when.tzinfo else when.replace(tzinfo=UTC)).timestamp() - now.timestamp())

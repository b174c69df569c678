"""Moments as people and programs write them, read to aware UTC."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta, timezone

# ISO 8601 as it is met in the wild, and YAML 1.1's timestamps: https://yaml.org/type/timestamp.html
_WRITTEN = re.compile(
    r"""(\d{4})-(\d\d?)-(\d\d?)
        (?: (?:[Tt]|[ \t]+) (\d\d?):(\d\d) (?: :(\d\d) (?:[.,](\d{1,12}))? )?
            [ \t]* (Z|z|UTC|[-+]\d\d?(?::?\d\d)?)? )?""",
    re.VERBOSE | re.ASCII,
)


def moment(text: str) -> datetime | None:
    """The moment that `text` says, in UTC; `None` where it says none.

    A date alone is its first second; a moment without an offset is taken as UTC.
    """
    match = _WRITTEN.fullmatch(text.strip())
    if match is None:
        return None
    year, month, day, hour, minute, second, fraction, zone = match.groups()
    micro = int((fraction or "0")[:6].ljust(6, "0"))
    try:
        local = datetime(
            int(year),
            int(month),
            int(day),
            int(hour or 0),
            int(minute or 0),
            int(second or 0),
            micro,
            tzinfo=_zone(zone),
        )
        return local.astimezone(UTC)
    except (ValueError, OverflowError):
        return None


def _zone(text: str | None) -> timezone:
    if text is None or text in ("Z", "z", "UTC"):
        return UTC
    digits = text[1:].replace(":", "")
    hours, minutes = (digits[:-2], digits[-2:]) if len(digits) > 2 else (digits, "0")
    offset = timedelta(hours=int(hours), minutes=int(minutes))
    return timezone(-offset if text[0] == "-" else offset)


def moment_text(at: datetime) -> str:
    """`2026-11-30T21:05:12.123456Z`: of one length always, so that texts sort as moments do."""
    return at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ").rjust(27, "0")

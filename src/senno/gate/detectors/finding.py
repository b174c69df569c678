"""What the detectors say of a change."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Severity = Literal["error", "warning", "note"]


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that a detector found. None of its texts has a secret in it."""

    detector: str
    """The name of the detector, one of `DETECTORS`."""
    path: str
    """The file; empty: the change as a whole."""
    line: int | None
    """In the new file, from 1; `None`: the file as a whole."""
    message: str
    """One sentence: what was found, and what to do."""
    severity: Severity
    fingerprint: str
    """32 hexadecimal digits that stay the same when the lines move; told by detector, path and what was found."""
    excerpt: str = ""
    """The line, shortened, with `[redacted:KIND]` for secrets and `\\u{…}` for characters that do not show."""


@dataclass(frozen=True, slots=True)
class Unscreened:
    """A part of the change that a detector could not look at."""

    detector: str
    path: str
    reason: str


@dataclass(frozen=True, slots=True)
class Detected:
    """What came of screening a change."""

    findings: tuple[Finding, ...]
    """By path and line; of the change as a whole first."""
    ran: tuple[str, ...]
    """The detectors that ran, in their order."""
    unscreened: tuple[Unscreened, ...] = ()
    """What was not looked at, and why: a change with any of it has not passed, it was passed over."""
    allowed: tuple[Finding, ...] = ()
    """Findings that the allow list let through: to be shown, not to be counted."""
    notes: tuple[str, ...] = ()
    """Where less was done than could be, in words: a package that is not installed."""

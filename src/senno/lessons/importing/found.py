"""What an importer finds: drafts with ids of their own, and rows that are none."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import blake2b
from typing import Any

from senno.lessons.lesson import NOT_RECORDED, Draft, Language
from senno.lessons.moments import moment


@dataclass(frozen=True, slots=True)
class Bad:
    """A row, or a file, that gave no draft."""

    where: str
    """The file, and the line or the item."""
    problem: str

    def __str__(self) -> str:
        return f"{self.where}: {self.problem}"


Found = Draft | Bad


class Unusable(Exception):
    """A row is no lesson; the message says what was expected."""


def made_id(*parts: str) -> str:
    """The id of a lesson that has none where it comes from: the same for the same content."""
    data = "\0".join(parts).encode("utf-8", "backslashreplace")
    return f"import-{blake2b(data, digest_size=10).hexdigest()}"


_SENTENCE = re.compile(r"(?<=[.!?])\s+")
_DIRECTIVE = re.compile(
    r"\b(?:should|must|need to|needs to|have to|next (?:time|trial|attempt)|in (?:the )?future|i will|i'll|to fix|"
    r"ensure|make sure|instead|always|never|avoid|remember|dovrei|dovrebbe|bisogna|devo|la prossima volta|in futuro|"
    r"invece|sempre|mai|evitare|assicurar)",
    re.IGNORECASE,
)


def parted(text: str, language: Language = "en") -> tuple[str, str, str]:
    """What, why and rule of one free text, in its own words: from the first sentence that says what to do, the rule.

    What the text does not tell apart is said to be not recorded.
    """
    own = text.strip()
    starts = [0, *(match.end() for match in _SENTENCE.finditer(own))]
    ends = [*starts[1:], len(own)]
    first = next((a for a, b in zip(starts, ends, strict=True) if _DIRECTIVE.search(own, a, b)), 0)
    what, why = NOT_RECORDED[language]
    return what, own[:first].strip() or why, own[first:]


def text_of(row: dict[str, Any], *keys: str) -> str:
    """The first of these keys that holds text; empty: none does."""
    return next((row[key] for key in keys if isinstance(row.get(key), str) and row[key].strip()), "")


_MILLISECONDS = 100_000_000_000
"""From here on a number is taken for milliseconds: as seconds it would be in the year 5138."""


def moment_of(row: dict[str, Any], key: str) -> datetime | None:
    """The moment under a key, in words or as seconds or milliseconds of Unix; `None`: there is none.

    Raises:
        Unusable: what is there is no moment.
    """
    value = row.get(key)
    if value is None or value == "":
        return None
    found = moment(value) if isinstance(value, str) else None
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        try:
            found = datetime.fromtimestamp(value / (1000 if abs(value) >= _MILLISECONDS else 1), UTC)
        except (ValueError, OverflowError, OSError):
            found = None
    if found is None:
        raise Unusable(f"{key}: {value!r}; expected a moment, as 2026-01-31T09:00:00Z")
    return found

"""One file as the detectors see it, and what they say of it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from senno.gate.detectors.finding import Severity
from senno.gate.detectors.joined import joined
from senno.gate.detectors.secret_scan import Secret, secrets_in, without_overlaps
from senno.gate.detectors.sides import Side, side_of
from senno.gate.detectors.unseen import escaped
from senno.gate.diff import FileChange
from senno.ledger import redact
from senno.text import one_line

_EXCERPT = 160
_BEFORE = 60
_LOOKED_AT = 2000
"""Characters of a line that an excerpt is made of: secrets that begin in the excerpt must be seen whole."""


class Found(NamedTuple):
    """What a detector found, before it is a finding."""

    line: int | None
    message: str
    severity: Severity
    what: str
    """What tells it from other findings of this detector in this file, wherever it stands."""
    excerpt: str = ""
    path: str | None = None
    """`None`: the file that is screened."""


@dataclass(frozen=True, slots=True)
class ScreenedFile:
    """A file, what is left of it, and the secrets in that."""

    file: FileChange
    side: Side
    secrets: tuple[Secret, ...]
    """In `side.text`."""
    by_line: dict[int, list[Secret]]
    """The same by index of line, in columns of that line: to black them out."""

    def excerpt(self, index: int, at: int = 0) -> str:
        """The line `side.lines[index]` around column `at`, without secrets, and with all its characters showing."""
        text = self.side.lines[index].text
        first = max(0, at - _BEFORE) if len(text) > _EXCERPT else 0
        pieces: list[str] = ["…"] if first else []
        last = first + _LOOKED_AT
        for start, end, kind, *_ in self.by_line.get(index, ()):
            if end > first:
                pieces += text[first : min(max(start, first), last)], f"[redacted:{kind}]"
                first = end
            if first >= last:
                break
        pieces.append(text[first:last])
        return one_line(escaped(redact("".join(pieces)).strip()), _EXCERPT)


def screened(file: FileChange) -> ScreenedFile:
    """One file, the secrets looked for in what the change leaves of it. Without an added line there is nothing."""
    side = side_of(file, "new") if file.added else Side("", (), ())
    secrets = secrets_of_side(side)
    return ScreenedFile(file, side, secrets, by_line(side, secrets))


def by_line(side: Side, secrets: Iterable[Secret]) -> dict[int, list[Secret]]:
    """Secrets of a side by index of line, in columns of that line."""
    found: defaultdict[int, list[Secret]] = defaultdict(list)
    for secret in secrets:
        for index in side.between(secret.start, secret.end):
            at, text = side.starts[index], side.lines[index].text
            start, end = max(secret.start - at, 0), min(secret.end - at, len(text))
            if end > start:
                found[index].append(secret._replace(start=start, end=end))
    return dict(found)


def secrets_of_side(side: Side) -> tuple[Secret, ...]:
    """The secrets in the text as it stands, and those that are whole only once its pieces are put together."""
    if not side.lines:
        return ()
    secrets = secrets_in(side.text)
    together = joined(side.text)
    if together is None:
        return tuple(secrets)
    whole = [
        secret._replace(start=together.origin(secret.start), end=together.origin(secret.end - 1) + 1)
        for secret in secrets_in(together.text)
        if together.has_seam(secret.start, secret.end)
    ]
    # A whole one goes before the pieces of it that look like a secret by themselves.
    surest_first = sorted([*whole, *secrets], key=lambda secret: (not secret.reported, not secret.sure))
    return tuple(without_overlaps(surest_first))

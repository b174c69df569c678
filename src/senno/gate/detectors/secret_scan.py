"""Secrets in a text: by Kingfisher's rules where it is installed, and by senno's own shapes and telling names.

Kingfisher (MongoDB, Apache-2.0; in process, nothing is sent anywhere) has rules for some 480 kinds of tokens. It leaves
out what has no shape (`password = "…"`, passwords in URLs, a lone AWS key id): `senno.ledger.redact` finds those.
"""

from __future__ import annotations

import math
import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from typing import NamedTuple

from senno.ledger import redact

MISSING_RULES = (
    "kingfisher-secret-scanner is not installed: secrets were looked for by senno's own shapes only; "
    "pip install 'senno[gate]'"
)

_MARK = re.compile(r"\[redacted:([^\]]{1,80})\]")
_BY_NAME = frozenset({"password", "secret", "key", "token", "url-password"})
_DUMMY = re.compile(
    r"example|sample|dummy|fake|test|change.?me|placeholder|redacted|your|insert|replace|todo|xxxx|1234|abcd|secret|passw"
    r"|foo|bar|hunter2|localhost|^(.)\1*$",
    re.IGNORECASE,
)
_LINES_AT_ONCE = 64
_PRIVATE_KEY = re.compile(
    r"""-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----(?:(?:[\s"'+,]|\\+[nrt])*+[A-Za-z0-9+/=]{16,}+)++"""
)
_WORDY = 3.0
"""Bits a character (Shannon); what is given to a telling name and is below reads like a word."""


class Secret(NamedTuple):
    """`text[start:end]` is a secret of a kind."""

    start: int
    end: int
    kind: str
    sure: bool
    """Its shape tells; or it was given to a telling name, and looks random."""
    reported: bool = True
    """Some are parts of another (the account of a key): they are blacked out, and not reported."""


def secrets_in(text: str) -> list[Secret]:
    """The secrets in a text, by place; where two overlap, the surer one."""
    found = [*_by_rules(text), *_private_keys(text), *_by_shape(text)]
    found.sort(key=lambda each: (not each.reported, not each.sure, each.start, -each.end))
    return without_overlaps(found)


def without_secrets(text: str) -> str:
    """A text with `[redacted:KIND]` in the place of each secret."""
    return redact(blacked_out(text, secrets_in(text)))


@lru_cache(maxsize=4096)
def secrets_in_name(path: str) -> tuple[Secret, ...]:
    """The secrets in the name of a file; what may be none is a name like any other."""
    return tuple(each for each in secrets_in(path) if each.sure)


def name_without_secrets(path: str) -> str:
    """The name of a file, with `[redacted:KIND]` in the place of each secret."""
    return blacked_out(path, secrets_in_name(path))


def blacked_out(text: str, secrets: Iterable[Secret]) -> str:
    """A text with `[redacted:KIND]` in the place of `secrets`, which stand by place and do not overlap."""
    pieces: list[str] = []
    at = 0
    for secret in secrets:
        pieces += text[at : secret.start], f"[redacted:{secret.kind}]"
        at = secret.end
    return "".join((*pieces, text[at:]))


def without_overlaps(secrets: Iterable[Secret]) -> list[Secret]:
    """By place; of those that overlap, the one that comes first in `secrets`."""
    kept: list[Secret] = []
    for each in secrets:
        at = bisect_left(kept, each.end, key=lambda other: other.start)
        if at == 0 or kept[at - 1].end <= each.start:
            kept.insert(at, each)
    return kept


def has_rules() -> bool:
    """Whether Kingfisher is installed."""
    return _scanner() is not None


@lru_cache(maxsize=1)
def _scanner() -> Callable[[bytes], list[Secret]] | None:
    """Kingfisher, its rules compiled: 2.6 s the first time on a machine, 0.2 s afterwards, from its cache."""
    try:
        from kingfisher_sdk import Scanner
    except ImportError:
        return None
    scanner = Scanner()

    def scan(data: bytes) -> list[Secret]:
        secrets: list[Secret] = []
        for finding in scanner.scan(data):
            place = finding.location
            kind = re.split(r"[./]", finding.rule_id)[-1]
            secrets.append(
                Secret(place["start_offset"], place["end_offset"], kind, finding.confidence != "low", finding.visible)
            )
        return secrets

    return scan


def _by_rules(text: str) -> list[Secret]:
    scan = _scanner()
    if scan is None:
        return []
    data = text.encode("utf-8", "replace")
    secrets = scan(data)
    if len(data) == len(text):
        return secrets
    places = _characters(data, sorted({at for secret in secrets for at in secret[:2]}))
    return [secret._replace(start=places[secret.start], end=places[secret.end]) for secret in secrets]


def _characters(data: bytes, places: list[int]) -> dict[int, int]:
    """Places in characters, of places in bytes."""
    found: dict[int, int] = {}
    last = characters = 0
    for at in places:
        characters += len(data[last:at].decode("utf-8", "ignore"))
        found[at] = characters
        last = at
    return found


def _private_keys(text: str) -> Iterator[Secret]:
    """A key that is cut off is one too: most of it may stand in lines that did not change."""
    for match in _PRIVATE_KEY.finditer(text):
        yield Secret(*match.span(), "private-key", True)


def _by_shape(text: str) -> Iterator[Secret]:
    """What `redact` takes out of each line."""
    if redact(text, {}) == text:
        return
    at = 0
    lines = text.split("\n")
    for first in range(0, len(lines), _LINES_AT_ONCE):
        some = lines[first : first + _LINES_AT_ONCE]
        together = "\n".join(some)
        if redact(together, {}) != together:
            yield from _by_line(some, at)
        at += len(together) + 1


def _by_line(lines: list[str], at: int) -> Iterator[Secret]:
    for line in lines:
        clean = redact(line, {})
        marks = list(_MARK.finditer(clean)) if clean != line else []
        if marks and "[redacted:" not in line:
            # Before the first mark and behind the last one both are the same: what is between is secret.
            start, end = marks[0].start(), len(line) - (len(clean) - marks[-1].end())
            kind, value = marks[0][1], line[start:end]
            sure = _random(value) if kind in _BY_NAME else "EXAMPLE" not in value
            yield Secret(at + start, at + end, kind, sure)
        at += len(line) + 1


def _random(value: str) -> bool:
    return len(value) >= 8 and _DUMMY.search(value) is None and entropy(value) >= _WORDY


def entropy(value: str) -> float:
    """Bits a character, from how often each occurs (Shannon 1948)."""
    counts = Counter(value)
    return -math.fsum(n / len(value) * math.log2(n / len(value)) for n in counts.values())

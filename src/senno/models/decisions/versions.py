"""Which version of a decision model a name means: thresholds stand for one version, and for no other.

Hosts write one version in many ways: `jev-1.13.0` (TypeSafe), `typesafe/jev-1.13-20260917` (OpenRouter). The part
before the last `/` is the host's, a date after a version number is that of its listing.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

_MOVING = re.compile(r"(?:^|[-_.:@])(?:latest|preview|stable|default|main|auto)$")
_DATE = re.compile(r"[-_@](20\d{2})-?([01]\d)-?([0-3]\d)$")
_NUMBER = re.compile(r"(?:^|[-_@:])(v?)(\d+(?:\.\d+)+)(?=$|[-_@:])")
_DIGEST = re.compile(r"(?:@|sha256[:-])[0-9a-f]{12,64}$")


@dataclass(frozen=True, slots=True)
class _Version:
    family: str
    number: tuple[int, ...]
    """() where the name has none."""
    date: str
    full: bool
    """Whether the number is one that a release has: three parts, or a `v` before it."""


def is_pinned(name: str) -> bool:
    """Whether a model's name means one version for good: a full number, a date, or a digest.

    `jev-1.13.0`, `typesafe/jev-1.13-20260917` and `gpt-4o-2024-08-06` are; `jev-latest`, `jev-1.13`, `gpt-6-luna` and
    `llama3.2:8b` may answer with another version tomorrow.
    """
    bare = _bare(name)
    if _MOVING.search(bare):
        return False
    version = _read(bare)
    return bool(version.date or version.full or _DIGEST.search(bare))


def names_version(name: str) -> bool:
    """Whether a name says anything about the version, so that another one is not what was asked for."""
    version = _read(_bare(name))
    return bool(version.number or version.date or _DIGEST.search(_bare(name)))


def same_version(asked: str, answered: str) -> bool:
    """Whether what answered is what was asked for, as far as names can tell.

    Numbers are equal by their parts, where `1.13` asked for means any `1.13.x`, and a part that the answer leaves out
    is 0 (`jev-1.13.0` and `typesafe/jev-1.13-20260917` are one). Two dates must be equal; a model whose versions are
    dates has to answer with the one asked for. What else is in the name must be equal: `jev-1.13.0-mini` is another.
    """
    a, b = _read(_bare(asked)), _read(_bare(answered))
    if a.family != b.family or bool(a.number) != bool(b.number):
        return False
    if a.date and b.date and a.date != b.date:
        return False
    if not a.number:
        return not a.date or a.date == b.date
    width = len(a.number)
    return (b.number + (0,) * width)[:width] == a.number


def _bare(name: str) -> str:
    return name.strip().lower().rpartition("/")[2].lstrip("~").removesuffix(":latest")


@lru_cache(256)
def _read(bare: str) -> _Version:
    dated = _DATE.search(bare)
    date = "".join(dated.groups()) if dated else ""
    rest = bare[: dated.start()] if dated else bare
    found = _NUMBER.search(rest)
    if found is None:
        return _Version(rest, (), date, full=False)
    number = tuple(int(part) for part in found[2].split("."))
    family = rest[: found.start()] + rest[found.end() :]
    return _Version(family, number, date, full=len(number) > 2 or bool(found[1]))

"""Which version of a decision model answered, and whether it is the one that was asked for."""

from __future__ import annotations

import re

_DATED = re.compile(r"-\d{8}$")


def same_version(asked: str, answered: str) -> bool:
    """Whether both name one version, whatever host is before it and whatever date after it."""
    return _bare(asked) == _bare(answered)


def _bare(name: str) -> str:
    return _DATED.sub("", name.strip().lower().rpartition("/")[2])

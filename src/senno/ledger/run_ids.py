"""Ids of runs: made so that they sort by time, found by their beginning."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from datetime import UTC, datetime

from senno.errors import ConfigError

# Crockford's base 32: no letter that is taken for another, or for a digit.
_LETTERS = "0123456789abcdefghjkmnpqrstvwxyz"
_SHOWN = 3


def new_run_id(now: datetime) -> str:
    """An id such as `20261130-210512-k3f9`. Two of one second differ almost always: the ledger refuses a second one.

    Args:
        now: aware; the id has it in UTC.
    """
    letters = "".join(secrets.choice(_LETTERS) for _ in range(4))
    return f"{now.astimezone(UTC):%Y%m%d-%H%M%S}-{letters}"


def find_run_id(wanted: str, ids: Sequence[str]) -> str:
    """The one id that is meant.

    Args:
        wanted: an id, or the beginning or the end of one that no other id has (`k3f9`), or `last`.
        ids: all ids, oldest first.

    Raises:
        ConfigError: none is meant, or several are; the message shows the nearest.
    """
    if not ids:
        raise ConfigError(f"no run {wanted!r}: the ledger has no runs yet")
    if wanted == "last":
        return ids[-1]
    if wanted in ids:
        return wanted
    matches = [run_id for run_id in ids if run_id.startswith(wanted) or run_id.endswith(f"-{wanted}")]
    if len(matches) == 1:
        return matches[0]
    if matches:
        raise ConfigError(
            f"{wanted!r} may mean {len(matches)} runs: {_listed(matches[::-1])}; give more of it, or `last`"
        )
    raise ConfigError(f"no run {wanted!r}; the nearest: {_listed(_nearest(wanted, ids))}; `last` is the newest")


def _nearest(wanted: str, ids: Sequence[str]) -> list[str]:
    import difflib

    return difflib.get_close_matches(wanted, ids, n=_SHOWN, cutoff=0)


def _listed(ids: Sequence[str]) -> str:
    return ", ".join(ids[:_SHOWN]) + (", …" if len(ids) > _SHOWN else "")

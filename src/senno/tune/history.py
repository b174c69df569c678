"""The memory of one tuning, in the ledger: what it paid for, its versions, its rounds, who looked at the held-out part.

A tuning that goes on is run again from its start by the same seed. Whatever it paid for is found here under a digest of
all that made it, and is not paid for twice; so it comes to the same end wherever it was cut off.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Awaitable, Callable, Iterable
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any, Literal

from senno.ledger import (
    CallRow,
    Ledger,
    Touch,
    VersionRow,
    add_touch,
    add_version,
    adopt_run,
    all_kept,
    find_versions,
    keep,
    touches,
)
from senno.models import Budget
from senno.text import estimate_tokens
from senno.tune.version import Version

KIND = "tune"

Kept = Literal["answer", "judgement", "reply", "trial", "round", "wiring", "model", "session", "scenario", "split"]
"""What is kept: `trial` what failed in one that is closed, `wiring` that a version arrived, `model` which version
answered in a role, `session` a process that worked on the run, `scenario` and `split` what it was tried on."""


def digest(*of: object) -> str:
    """32 hex digits of the SHA-256 of JSON values: the key under which something is kept."""
    text = json.dumps(of, ensure_ascii=True, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode("ascii")).hexdigest()[:32]


class History:
    """What one run of the tuner keeps.

    Args:
        ledger: where.
        run_id: of the run, which must be in the ledger.
    """

    def __init__(self, ledger: Ledger, run_id: str) -> None:
        self.ledger = ledger
        self.run_id = run_id
        self._known: dict[str, dict[str, Any]] = {}

    @classmethod
    def begin(cls, ledger: Ledger, name: str, about: str, config: Any) -> History:
        """A new run."""
        return cls(ledger, ledger.start_run(KIND, name, about, config))

    @classmethod
    def go_on(cls, ledger: Ledger, run_id: str) -> History:
        """A run that was cut off, or stopped, and is to go on in this process.

        Raises:
            ConfigError: it is no tuning, or another process works on it.
        """
        adopt_run(ledger, run_id, KIND)
        return cls(ledger, run_id)

    def all(self, kind: Kept) -> dict[str, Any]:
        """All values of a kind, by key, in the order in which they were kept."""
        if kind not in self._known:
            self._known[kind] = all_kept(self.ledger, self.run_id, kind)
        return self._known[kind]

    def find(self, kind: Kept, key: str) -> Any:
        """A value; `None`: it is not there."""
        return self.all(kind).get(key)

    def keep(self, kind: Kept, key: str, value: Any) -> Any:
        """Keep a JSON value; it comes back as it is kept, without secrets."""
        if key in self.all(kind):
            return self.find(kind, key)
        kept = keep(self.ledger, self.run_id, kind, key, value)
        self.all(kind)[key] = kept
        return kept

    async def once(self, kind: Kept, key: str, pay: Callable[[], Awaitable[Any]]) -> Any:
        """The value, paid for if it is not there. What fails is not kept."""
        found = self.find(kind, key)
        return self.keep(kind, key, await pay()) if found is None else found

    def add_version(self, version: Version, number: int) -> None:
        """Record a version."""
        now = datetime.now(UTC)
        row = VersionRow(
            self.run_id, version.id, number, now, version.origin, version.parent, version.template, version.parts
        )
        add_version(self.ledger, row)

    def touched(self, held_out: str) -> list[Touch]:
        """Who looked at a held-out part: this run and others."""
        return touches(self.ledger, held_out)

    def touch(self, held_out: str, *, again: bool) -> tuple[list[Touch], bool]:
        """Record that this run looks at it, once: the looks of others before it, and whether it may look."""
        return add_touch(self.ledger, held_out, self.run_id, again=again)

    def left(self, budget: Budget) -> Budget | None:
        """What earlier sessions of the run left of a budget; `None`: one of its kinds is used up."""
        calls = [row for row in self.ledger.calls(self.run_id) if row.outcome != "refused"]
        tokens = sum(map(_tokens, calls))
        cost = sum((row.cost or Decimal(0) for row in calls), Decimal(0))
        limits = (
            None if budget.tokens is None else budget.tokens - tokens,
            None if budget.cost is None else budget.cost - cost,
            None if budget.seconds is None else budget.seconds - self._seconds(calls),
            None if budget.calls is None else budget.calls - len(calls),
        )
        return None if any(limit is not None and limit <= 0 for limit in limits) else Budget(*limits)

    def session(self) -> None:
        """Record that this process works on the run from now on."""
        now = datetime.now(UTC).isoformat()
        self.keep("session", now, {"began": now})

    def _seconds(self, calls: Iterable[CallRow]) -> float:
        """Of earlier sessions: each from its beginning to the end of its last call."""
        begins = [datetime.fromisoformat(began) for began in sorted(self.all("session"))]
        total = 0.0
        rows = list(calls)
        for begin, end in zip(begins, [*begins[1:], None], strict=True):
            its = [row for row in rows if row.started >= begin and (end is None or row.started < end)]
            total += max(((row.started - begin).total_seconds() + row.seconds for row in its), default=0.0)
        return total


def versions_of(ledger: Ledger, run_id: str | None = None) -> list[tuple[VersionRow, Version]]:
    """The versions of a run, or of all runs, in the order in which they were made."""
    return [(row, as_version(row)) for row in find_versions(ledger, run_id)]


def as_version(row: VersionRow) -> Version:
    """A version as the ledger has it."""
    return Version(row.parts, row.template, row.parent, row.origin)


def _tokens(row: CallRow) -> int:
    sent = estimate_tokens(row.sent) if row.tokens_in is None else row.tokens_in
    return sent + (estimate_tokens(row.received or "") if row.tokens_out is None else row.tokens_out)

"""What a run of the tuner used, by role."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from senno.ledger import Ledger, Sum, totals


def used(ledger: Ledger, run_id: str) -> dict[str, Any]:
    """By role, and in all: calls, tokens, US dollars, and how many calls each sum is missing."""
    record = ledger.run(run_id)
    found = totals(record)
    roles = {**found.by_role, "all": found.overall}
    return {
        role: {
            "calls": each.calls,
            "refused": each.refused,
            "tokens_in": _sum(each.tokens_in),
            "tokens_out": _sum(each.tokens_out),
            "cost": _sum(each.cost),
            "seconds": round(each.seconds, 3),
        }
        for role, each in roles.items()
    }


def _sum(figure: Sum[int] | Sum[Decimal]) -> dict[str, Any]:
    known = figure.known
    return {"known": str(known) if isinstance(known, Decimal) else known, "calls_not_known": figure.unknown}

"""What a run used: sums that say how many calls they are missing."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Generic, TypeVar

from senno.ledger.rows import CallRow, RunRecord

Figure = TypeVar("Figure", int, Decimal)


@dataclass(frozen=True, slots=True)
class Sum(Generic[Figure]):
    """A sum over calls."""

    known: Figure | None
    """Over the calls whose figure is known; `None`: there were calls, and no figure is known."""
    unknown: int
    """How many calls are missing in it."""


@dataclass(frozen=True, slots=True)
class Used:
    """What some calls used. Calls that a budget refused sent nothing: they are counted apart."""

    calls: int
    refused: int
    tokens_in: Sum[int]
    tokens_out: Sum[int]
    tokens_cached: Sum[int]
    cost: Sum[Decimal]
    """US dollars."""
    seconds: float
    """Wall time of the calls, one after the other: calls that ran at once count each."""


@dataclass(frozen=True, slots=True)
class Totals:
    """What a run used."""

    by_role: Mapping[str, Used]
    """In the order in which the roles first called a model."""
    overall: Used


def totals(record: RunRecord) -> Totals:
    """Sum up the calls of a run, per role and in all."""
    by_role: dict[str, list[CallRow]] = {}
    for call in record.calls:
        by_role.setdefault(call.role, []).append(call)
    return Totals({role: _used(calls) for role, calls in by_role.items()}, _used(record.calls))


def _used(calls: Iterable[CallRow]) -> Used:
    calls = list(calls)
    sent = [call for call in calls if call.outcome != "refused"]
    return Used(
        calls=len(sent),
        refused=len(calls) - len(sent),
        tokens_in=_sum([call.tokens_in for call in sent], 0),
        tokens_out=_sum([call.tokens_out for call in sent], 0),
        tokens_cached=_sum([call.tokens_cached for call in sent], 0),
        cost=_sum([call.cost for call in sent], Decimal(0)),
        seconds=math.fsum(call.seconds for call in sent),
    )


def _sum(figures: list[Figure | None], zero: Figure) -> Sum[Figure]:
    known = [figure for figure in figures if figure is not None]
    return Sum(sum(known, zero) if known or not figures else None, len(figures) - len(known))

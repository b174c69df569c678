"""Where the items of a run stand, and when it stops. Pure: values in, values out.

Accepted items are kept by code: no later round can lose or alter one. An item that was refused, or that could not be
verified, is judged again only on other evidence.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from senno.loop.values import Evidence, Finding
from senno.text import exact, folded

ItemState = Literal["accepted", "refused", "unverified"]

STATES: Mapping[str, ItemState] = {"ACCEPT": "accepted", "REFUSE": "refused", "UNVERIFIED": "unverified"}
"""The verdicts a loop's policy may give, and what becomes of the item. No verdict at all leaves it unverified."""

StopReason = Literal[
    "satisfied",
    "rounds",
    "no_progress",
    "tokens",
    "cost",
    "seconds",
    "calls",
    "clarify",
    "error",
    "interrupted",
]
"""Why a run stopped. `tokens`, `cost`, `seconds` and `calls` are budgets; `clarify`: the user must answer first."""

STOP_WORDS: Mapping[StopReason, str] = {
    "satisfied": "everything asked for was found and accepted",
    "rounds": "the bound on rounds was met",
    "no_progress": "a round proposed nothing new to judge",
    "tokens": "the token budget was used up",
    "cost": "the cost budget was used up",
    "seconds": "the time budget was used up",
    "calls": "the budget of calls was used up",
    "clarify": "the request needs an answer from you first",
    "error": "a step failed",
    "interrupted": "it was interrupted",
}


@dataclass(frozen=True, slots=True)
class Proposal:
    """An item that the actor proposed, with what was looked up about it."""

    key: str
    value: Mapping[str, Any]
    evidence: tuple[Evidence, ...] = ()

    @property
    def evidence_digest(self) -> str:
        """The same for the same evidence, whatever its ids and order."""
        facts = sorted(json.dumps([e.source, e.says, e.data], sort_keys=True, default=str) for e in self.evidence)
        return hashlib.sha256("\n".join(facts).encode("utf-8", "surrogatepass")).hexdigest()


@dataclass(frozen=True, slots=True)
class Judged:
    """A proposal and what was decided about it."""

    proposal: Proposal
    state: ItemState
    round: int
    findings: tuple[Finding, ...] = ()
    """The critic's, as completed by code."""
    probabilities: Mapping[str, float] = field(default_factory=dict[str, float])
    """The judge's answers to closed questions, probability of yes."""
    verdict: str = ""
    why: tuple[str, ...] = ()
    """What speaks against it: the rule that fired, failed checks, missing readings. Empty for an accepted one."""
    cited: tuple[Evidence, ...] = ()
    """What the critic's tools returned and it cites for this item."""


@dataclass(frozen=True, slots=True)
class Board:
    """Every item judged so far, by key, in the order of judgement."""

    items: Mapping[str, Judged] = field(default_factory=dict[str, Judged])
    """As judged last."""
    tried: frozenset[tuple[str, str]] = frozenset()
    """Every key with every evidence digest it was judged on."""

    def having(self, state: ItemState) -> tuple[Judged, ...]:
        """The items in one state."""
        return tuple(j for j in self.items.values() if j.state == state)


@dataclass(frozen=True, slots=True)
class Screened:
    """A round's proposals, sorted by what is to be done with them."""

    to_judge: tuple[Proposal, ...]
    kept: tuple[Proposal, ...]
    """Accepted before: nothing to do."""
    repeated: tuple[Proposal, ...]
    """Judged before on the same evidence, and not accepted."""
    surplus: tuple[Proposal, ...]
    """More than was asked for."""


def item_key(value: Mapping[str, Any], fields: Sequence[str], text: str = "") -> str:
    """What makes two items the same.

    Args:
        value: the item.
        fields: its fields that count; all of them, and exactly, where none is named.
        text: the field whose text is what is judged: it counts exactly, since a comma may be all that was wrong with
            it. Other texts count as names (`folded`), other values exactly.
    """
    if not fields:
        return exact(json.dumps(value, sort_keys=True, ensure_ascii=False, default=str))
    parts = [(name, value.get(name, "")) for name in fields]
    return " | ".join(_part(part, as_text=name == text) for name, part in parts)


def _part(value: Any, as_text: bool) -> str:
    if isinstance(value, str):
        return exact(value) if as_text else folded(value) or exact(value)
    return json.dumps(value, sort_keys=True, ensure_ascii=False, default=str)


def screen(board: Board, proposals: Sequence[Proposal], missing: int) -> Screened:
    """Sort a round's proposals: at most `missing` new ones are judged, each key once."""
    to_judge: dict[str, Proposal] = {}
    kept: list[Proposal] = []
    repeated: list[Proposal] = []
    surplus: list[Proposal] = []
    for proposal in proposals:
        before = board.items.get(proposal.key)
        if before and before.state == "accepted":
            kept.append(proposal)
        elif (proposal.key, proposal.evidence_digest) in board.tried:
            repeated.append(proposal)
        elif proposal.key in to_judge:
            continue
        elif len(to_judge) < missing:
            to_judge[proposal.key] = proposal
        else:
            surplus.append(proposal)
    return Screened(tuple(to_judge.values()), tuple(kept), tuple(repeated), tuple(surplus))


def fold(board: Board, judged: Sequence[Judged]) -> Board:
    """The board after a round. An accepted item stays as it was, whatever came later."""
    items = dict(board.items)
    for one in judged:
        before = items.get(one.proposal.key)
        if before is None or before.state != "accepted":
            items[one.proposal.key] = one
    tried = {(one.proposal.key, one.proposal.evidence_digest) for one in judged}
    return Board(items, board.tried | tried)


def stop_after(board: Board, wanted: int, round_: int, rounds: int) -> StopReason | None:
    """Whether to stop after a round, and why: computed from the board, never asked of a model."""
    if len(board.having("accepted")) >= wanted:
        return "satisfied"
    return "rounds" if round_ >= rounds else None


def answer_items(board: Board, wanted: int) -> tuple[Judged, ...]:
    """The items of the answer: those accepted, then the likeliest unverified ones while some are missing."""
    accepted = board.having("accepted")
    unsure = sorted(board.having("unverified"), key=lambda j: -min(j.probabilities.values(), default=0.0))
    return accepted + tuple(unsure[: max(0, wanted - len(accepted))])

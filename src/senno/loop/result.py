"""What a run of a loop yields, and its form as JSON: the same in Python, on the command line, in the ledger."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from senno.loop.board import Judged, StopReason
from senno.loop.values import Evidence, Finding

SCHEMA_VERSION = 1


@dataclass(frozen=True, slots=True)
class ResultItem:
    """One item of the answer, or one that was left out."""

    name: str
    value: Mapping[str, Any]
    state: str
    """`accepted`, `unverified`, `refused`, or `unjudged`: proposed, and the run stopped before it was judged."""
    round: int
    text: str = ""
    """The curator's words; empty: none."""
    findings: tuple[Finding, ...] = ()
    probabilities: Mapping[str, float] | None = None
    verdict: str = ""
    why: tuple[str, ...] = ()
    evidence: tuple[Evidence, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """As JSON values."""
        return {
            "name": self.name,
            "value": dict(self.value),
            "state": self.state,
            "round": self.round,
            "text": self.text,
            "checks": [f.model_dump() for f in self.findings],
            "probabilities": dict(self.probabilities or {}),
            "verdict": self.verdict,
            "why": list(self.why),
            "evidence": [e.model_dump() for e in self.evidence],
        }


@dataclass(frozen=True, slots=True)
class LoopResult:
    """The best result that a run has, whatever stopped it."""

    run_id: str
    loop: str
    request: str
    stop: StopReason
    wanted: int
    items: tuple[ResultItem, ...]
    """The answer: accepted items, then unverified ones, marked as such."""
    left_out: tuple[ResultItem, ...]
    """Refused, surplus unverified and unjudged items."""
    intro: str = ""
    outro: str = ""
    questions: tuple[str, ...] = ()
    """With `stop == "clarify"`: what the user must answer first."""
    notes: tuple[str, ...] = ()
    """What code saw: contradictions, degradations, what did not run."""
    error: str | None = None
    """With `stop == "error"` or a budget: what failed."""

    @property
    def satisfied(self) -> bool:
        """Computed: as many items accepted as were asked for."""
        return self.stop == "satisfied"

    @property
    def accepted(self) -> tuple[ResultItem, ...]:
        """Items that passed."""
        return tuple(i for i in self.items if i.state == "accepted")

    @property
    def missing(self) -> int:
        """Items asked for and not accepted."""
        return max(0, self.wanted - len(self.accepted))

    @property
    def exit_code(self) -> int:
        """0 satisfied · 1 fewer than asked for · 3 undecided: unverified items, or questions to the user · 4 error."""
        if self.stop == "error":
            return 4
        if self.satisfied:
            return 0
        undecided = self.questions or any(i.state != "accepted" for i in self.items)
        return 3 if undecided else 1

    def to_json(self) -> dict[str, Any]:
        """As JSON values, with `schema_version`."""
        return {
            "schema_version": SCHEMA_VERSION,
            "run_id": self.run_id,
            "loop": self.loop,
            "request": self.request,
            "stop": self.stop,
            "satisfied": self.satisfied,
            "wanted": self.wanted,
            "accepted": len(self.accepted),
            "missing": self.missing,
            "items": [i.to_json() for i in self.items],
            "left_out": [i.to_json() for i in self.left_out],
            "intro": self.intro,
            "outro": self.outro,
            "questions": list(self.questions),
            "notes": list(self.notes),
            "error": self.error,
            "exit_code": self.exit_code,
        }


def result_item(judged: Judged, name: str, text: str = "") -> ResultItem:
    """A judged item as part of a result."""
    return ResultItem(
        name=name,
        value=judged.proposal.value,
        state=judged.state,
        round=judged.round,
        text=text,
        findings=judged.findings,
        probabilities=judged.probabilities,
        verdict=judged.verdict,
        why=judged.why,
        evidence=(*judged.proposal.evidence, *judged.cited),
    )

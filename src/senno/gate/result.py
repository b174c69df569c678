"""What a gate made of a change, with all that it stands on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from senno.gate.combined import Combined
from senno.gate.detectors import Detected, Finding
from senno.gate.lanes import Lane
from senno.gate.near import Near
from senno.gate.origins import Held
from senno.gate.state import Omitted
from senno.models import Json


@dataclass(frozen=True, slots=True)
class Asked:
    """Who answered the questions, and what it took."""

    parts: int
    """Requests: one for each part of the change, with all questions."""
    model: str | None = None
    """The version that answered; several are joined by a comma; `None`: none did."""
    method: str = ""
    tokens_in: int | None = None
    tokens_out: int | None = None
    cost: Decimal | None = None
    """US dollars; `None`: not known."""
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Change:
    """The change, in short."""

    digest: str
    """Of its paths, modes and lines: the same change has the same."""
    source: str
    files: int
    added: int
    removed: int
    base: str | None
    head: str | None
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Override:
    """A person let a change through that the gate had refused."""

    by: str
    because: str
    at: str
    """ISO 8601, UTC."""


@dataclass(frozen=True, slots=True)
class GateResult:
    """A lane and all that it stands on."""

    lane: Lane
    change: Change
    held: Held
    detected: Detected
    answers: Mapping[str, Combined] = field(default_factory=dict[str, Combined])
    """By question and check, over all parts; empty: nobody was asked."""
    near: tuple[Near, ...] = ()
    omitted: tuple[Omitted, ...] = ()
    part_files: tuple[tuple[str, ...], ...] = ()
    """The paths in each part."""
    states: tuple[Json, ...] = ()
    """What the judge was asked about, without secrets, by part."""
    asked: Asked | None = None
    """`None`: nobody was asked."""
    seconds: float = 0.0
    override: Override | None = None
    run_id: str | None = None

    @property
    def exit_code(self) -> int:
        """What `senno gate` exits with."""
        return 0 if self.override else self.lane.verdict.exit_code

    def paths_of(self, name: str) -> tuple[str, ...]:
        """The files of the part that the reading of a question is from; empty: of no single part."""
        found = self.answers.get(name)
        return self.part_files[found.part] if found and found.part is not None else ()

    def to_json(self) -> dict[str, Any]:
        """The result as JSON values: what `senno gate --json` prints."""
        verdict, asked = self.lane.verdict, self.asked
        return {
            "verdict": verdict.name,
            "state": verdict.state,
            "exit_code": self.exit_code,
            "rule": str(verdict.rule) if verdict.rule else None,
            "value": verdict.value,
            "fired": [{"rule": str(rule), "value": value} for rule, value in verdict.fired],
            "reasons": list(verdict.reasons),
            "tightened": self.lane.tightened,
            "rules_left_out": list(self.lane.left_out),
            "rules": self.held.origin,
            "notes": [*self.held.notes, *self.detected.notes, *self.change.notes, *(asked.notes if asked else ())],
            "change": {
                "digest": self.change.digest,
                "source": self.change.source,
                "base": self.change.base,
                "head": self.change.head,
                "files": self.change.files,
                "added": self.change.added,
                "removed": self.change.removed,
            },
            "findings": [_finding(each) for each in self.detected.findings],
            "allowed": [_finding(each) for each in self.detected.allowed],
            "unscreened": [
                {"detector": each.detector, "path": each.path, "reason": each.reason}
                for each in self.detected.unscreened
            ],
            "detectors": list(self.detected.ran),
            "answers": {name: self._answer(name, each) for name, each in self.answers.items()},
            "near": [{"rule": str(each.rule), "value": each.value} for each in self.near],
            "omitted": [
                {"path": o.path, "kind": o.kind, "reason": o.reason, "line": o.line, "lines": o.lines}
                for o in self.omitted
            ],
            "parts": asked.parts if asked else 0,
            "model": asked.model if asked else None,
            "method": asked.method if asked else None,
            "tokens_in": asked.tokens_in if asked else 0,
            "tokens_out": asked.tokens_out if asked else 0,
            "cost": (str(asked.cost) if asked.cost is not None else None) if asked else "0",
            "seconds": round(self.seconds, 3),
            "override": {"by": self.override.by, "because": self.override.because, "at": self.override.at}
            if self.override
            else None,
            "run_id": self.run_id,
        }

    def _answer(self, name: str, found: Combined) -> dict[str, Any]:
        reading = found.reading
        if reading.missing is not None:
            return {"missing": reading.missing}
        value: dict[str, Any] = {"value": reading.value}
        if reading.options is not None:
            value["options"] = dict(reading.options)
        return {**value, "files": list(self.paths_of(name))}


def _finding(each: Finding) -> dict[str, Any]:
    return {
        "detector": each.detector,
        "path": each.path,
        "line": each.line,
        "severity": each.severity,
        "message": each.message,
        "excerpt": each.excerpt,
        "fingerprint": each.fingerprint,
    }

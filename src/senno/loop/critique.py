"""The critic's report, completed and checked by code before anything is decided from it. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from senno.judge import Reading
from senno.loop.values import Critique, Finding, NumberedItem
from senno.text import folded, one_line


def complete(
    critique: Critique, items: Sequence[NumberedItem], checks: Sequence[str], evidence_expected: bool
) -> tuple[dict[int, list[Finding]], list[str]]:
    """Every check of every item, and notes on what the critic left out or made up.

    A check that the critic did not report is unverified. So is, where evidence is looked up or tools return it, a pass
    that cites none of it: no source, sources that nobody returned, or only such as say that nothing was found.

    Args:
        critique: the critic's output.
        items: what it was given.
        checks: the names it was to report.
        evidence_expected: whether the loop looks up evidence or gives the critic tools.
    """
    notes: list[str] = []
    names = {folded(c): c for c in checks}
    reported: dict[int, dict[str, Finding]] = {item.number: {} for item in items}
    for entry in critique.items:
        if entry.number not in reported:
            notes.append(f"the critic reported on item {entry.number}, which it was not given: dropped")
            continue
        for said in entry.checks:
            name = names.get(folded(said.check))
            finding = said.model_copy(update={"check": name})
            if name is None:
                notes.append(f"the critic reported a check {one_line(said.check, 40)!r} that nobody asked for: dropped")
            elif name in reported[entry.number]:
                notes.append(f"item {entry.number}, {name}: reported twice; the graver one holds")
                reported[entry.number][name] = min(reported[entry.number][name], finding, key=_gravity)
            else:
                reported[entry.number][name] = finding
    full: dict[int, list[Finding]] = {}
    for item in items:
        found = reported[item.number]
        full[item.number] = [_one(found.get(name), name, item, evidence_expected, notes) for name in checks]
    return full, notes


def _gravity(finding: Finding) -> int:
    return ("fail", "unverified", "pass").index(finding.status)


def _one(finding: Finding | None, name: str, item: NumberedItem, evidence_expected: bool, notes: list[str]) -> Finding:
    if finding is None:
        notes.append(f"item {item.number}, {name}: the critic did not report it: unverified")
        return Finding(check=name, status="unverified", explanation="not reported by the critic")
    returned = {e.id: e for e in item.evidence}
    cited = [s for s in finding.sources if s in returned]
    made_up = [s for s in finding.sources if s not in returned]
    if made_up and evidence_expected:
        names = ", ".join(one_line(s, 40) for s in made_up[:3])
        notes.append(f"item {item.number}, {name}: cites {names}, which no source returned")
    if finding.status == "pass" and evidence_expected and not any(returned[s].supports for s in cited):
        notes.append(f"item {item.number}, {name}: a pass with no source that supports it: unverified")
        return finding.model_copy(update={"status": "unverified", "sources": cited})
    return finding.model_copy(update={"sources": cited})


def readings(findings: Sequence[Finding]) -> dict[str, Reading]:
    """The critic's findings as readings for the policy: pass 1, fail 0, unverified no value."""
    values: Mapping[str, float] = {"pass": 1.0, "fail": 0.0}
    return {
        f.check: Reading(value=values[f.status], share=values[f.status])
        if f.status in values
        else Reading(missing=f"the critic could not verify it ({one_line(f.explanation, 120)})")
        for f in findings
    }

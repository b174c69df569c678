"""All rules over one file, in order of gravity; what the file sets aside is counted, not shown."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from senno.judge.lint.fields import field_findings, length_findings, size_findings, together_findings
from senno.judge.lint.finding import SEVERITIES, Finding
from senno.judge.lint.policies import policy_findings
from senno.judge.lint.reading import LintedFile
from senno.judge.lint.sides import pasted_findings, side_findings
from senno.judge.lint.states import GATE_STATE, TEXT_STATE, StateFields, fields_of
from senno.judge.lint.wordings import wording_findings
from senno.judge.policy import Policy
from senno.models import Json


@dataclass(frozen=True, slots=True)
class Linted:
    """What lint says of one file."""

    findings: tuple[Finding, ...]
    suppressed: tuple[Finding, ...] = ()
    """Found, and set aside by a `_lint` of the file."""

    def count(self) -> Counter[str]:
        """How many findings there are of each severity."""
        return Counter(finding.rule.severity for finding in self.findings)

    def to_json(self) -> dict[str, Any]:
        """The findings as JSON values."""
        counts = self.count()
        return {
            "errors": counts["error"],
            "warnings": counts["warning"],
            "infos": counts["info"],
            "suppressed": len(self.suppressed),
            "findings": [finding.to_json() for finding in self.findings],
        }


def lint_questions(file: LintedFile, state: Json = None) -> Linted:
    """Hold the questions of a file against the rules.

    Args:
        file: as read.
        state: an example of what they are asked about. Without one it is what the request says, what `senno gate`
            sends where a question names `diff`, else the one field `text`.
    """
    about = file.state if state is None else state
    fields = _fields(file, about)
    found: list[Finding] = []
    for question in file.questions:
        found += length_findings(question, file.where)
        if question.instructions:
            found += wording_findings(question, file.where)
            found += side_findings(question, file.where)
            found += field_findings(question, file.where, fields)
    found += together_findings(file.questions, file.where, fields)
    found += pasted_findings(file.questions, file.where)
    if about is not None:
        found += size_findings(file.questions, file.where, about)
    return _sorted(found, file)


def lint_policy(policy: Policy, where: str, file: LintedFile, key: str = "verdicts") -> Linted:
    """Hold a policy against the rules, and against the checks and questions of `file` (a file of checks).

    Args:
        policy: as read.
        where: its file.
        file: what it decides on.
        key: what the file calls its verdicts: `verdicts` or `lanes`.
    """
    assert file.checks is not None, "a policy is held against a file of checks"
    return _sorted(policy_findings(policy, file.checks, where, file.critical, key), file)


def _fields(file: LintedFile, state: Json) -> StateFields | None:
    if state is not None:
        return fields_of(state, "the state")
    if file.checks is None:
        return None  # a request that brings no state: nobody knows what is sent
    return GATE_STATE if file.for_gate else TEXT_STATE


def _sorted(found: Iterable[Finding], file: LintedFile) -> Linted:
    ignored = {question.name: question.ignored for question in file.questions}
    kept: dict[Finding, None] = {}
    aside: list[Finding] = []
    for finding in found:
        if finding.rule.id in ignored.get(finding.question or "", frozenset[str]()):
            aside.append(finding)
        else:
            kept.setdefault(finding)
    order = {severity: n for n, severity in enumerate(SEVERITIES)}
    return Linted(tuple(sorted(kept, key=lambda f: order[f.rule.severity])), tuple(aside))


def joined(parts: Iterable[Linted]) -> Linted:
    """Several results as one, the gravest first."""
    every = list(parts)
    findings = [finding for part in every for finding in part.findings]
    order = {severity: n for n, severity in enumerate(SEVERITIES)}
    whole = Linted(tuple(sorted(findings, key=lambda f: order[f.rule.severity])))
    return replace(whole, suppressed=tuple(finding for part in every for finding in part.suppressed))

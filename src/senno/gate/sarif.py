"""A result of the gate as SARIF 2.1.0, for code hosts."""

from __future__ import annotations

from importlib.metadata import version
from typing import Any
from urllib.parse import quote

from senno.gate.result import GateResult
from senno.text import shown

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"

_FOUND_BY = {
    "secrets": "A secret is added",
    "conflict_markers": "A conflict marker is added",
    "hidden_unicode": "Characters that do not show are added",
    "forbidden_paths": "A protected path is touched",
    "size": "The change is too large to be reviewed",
    "missing_tests": "Source changed, and no test",
    "binaries": "A binary file is changed",
    "submodules": "A submodule is moved",
    "long_lines": "A line is too long to be read",
}


def to_sarif(result: GateResult) -> dict[str, Any]:
    """The result as a SARIF log with one run.

    A finding of a detector has its file and line; a question whose rule fired has the first of the files of the part
    it was asked about, since an answer about a change has no line. What was not judged is a notification; a gate that
    could not decide has `executionSuccessful: false`.
    """
    fired = [(rule, value) for rule, value in result.lane.verdict.fired if rule.check in result.answers]
    names = [*result.detected.ran, *(rule.check for rule, _ in fired)]
    rules = list(dict.fromkeys(names))
    results = [
        {
            "ruleId": each.detector,
            "ruleIndex": rules.index(each.detector),
            "level": each.severity,
            "message": {"text": _plain(each.message)},
            "locations": _at(each.path, each.line),
            "partialFingerprints": {"sennoFinding/v1": each.fingerprint},
        }
        for each in result.detected.findings
    ]
    for rule, value in fired:
        where = result.paths_of(rule.check)
        text = f"{result.lane.verdict.name}: {rule} (it is {value:.3g})"
        results.append(
            {
                "ruleId": rule.check,
                "ruleIndex": rules.index(rule.check),
                "level": "error" if result.lane.verdict.exit_code == 1 else "warning",
                "message": {"text": _plain(text)},
                "locations": _at(where[0], None) if where else [],
                "partialFingerprints": {"sennoChange/v1": result.change.digest},
            }
        )
    return {
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [
            {
                "tool": {"driver": _driver(rules, result)},
                "invocations": [_invocation(result)],
                "results": results,
                "properties": {"verdict": result.lane.verdict.name, "exitCode": result.exit_code},
            }
        ],
    }


def _driver(rules: list[str], result: GateResult) -> dict[str, Any]:
    asked = result.held.rules.checks.questions
    texts = {name: str(asked[name].question.instructions) for name in rules if name in asked}
    described = [
        {"id": name, "shortDescription": {"text": _plain(_FOUND_BY.get(name) or texts.get(name) or name)}}
        for name in rules
    ]
    return {"name": "senno", "semanticVersion": version("senno"), "rules": described}


def _invocation(result: GateResult) -> dict[str, Any]:
    verdict = result.lane.verdict
    notes = [
        *(f"not judged: {each.path}: {each.reason}" for each in result.omitted),
        *(f"not screened by {each.detector}: {each.path}: {each.reason}" for each in result.detected.unscreened),
        *result.held.notes,
        *result.lane.left_out,
        *verdict.reasons,
    ]
    told = [{"level": "warning", "message": {"text": _plain(note)}} for note in notes]
    return {
        "executionSuccessful": verdict.state == "decided",
        "exitCode": result.exit_code,
        "toolExecutionNotifications": told,
    }


def _at(path: str, line: int | None) -> list[dict[str, Any]]:
    if not path:
        return []
    # A path may hold any byte: a URI has it in percent signs.
    physical: dict[str, Any] = {"artifactLocation": {"uri": quote(path), "uriBaseId": "%SRCROOT%"}}
    if line is not None:
        physical["region"] = {"startLine": line}
    return [{"physicalLocation": physical}]


def _plain(text: str) -> str:
    return shown(text) or "–"

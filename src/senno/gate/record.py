"""A gate's runs in the ledger, and what people let through in spite of them.

An override is a run of its own kind, so that it stands beside what it overrides and is never taken away. It holds for
one change, told by its digest: a line more, and the change is another.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, cast

from senno.errors import ConfigError
from senno.gate.detectors import without_secrets
from senno.gate.result import GateResult, Override
from senno.judge import Case, CheckFile, expected_answer
from senno.ledger import Ledger, RunRow
from senno.models import Json, Noul

KIND, OVERRIDE = "gate", "gate-override"
_CASE = "cases"


def recorded(result: GateResult, ledger: Ledger, run_id: str) -> GateResult:
    """The result with what a person said of this change before, its run ended."""
    override = _standing(ledger, result) if result.lane.verdict.exit_code else None
    told = replace(result, override=override, run_id=run_id)
    ledger.end_run(run_id, result.lane.verdict.name, {**told.to_json(), _CASE: _cases(result)})
    return told


def begun(ledger: Ledger, name: str, title: str, config: Any) -> str:
    """Begin a run of the gate; its id."""
    return ledger.start_run(KIND, name, title, config)


def _standing(ledger: Ledger, result: GateResult) -> Override | None:
    for row in ledger.runs(limit=None, kind=OVERRIDE):
        told = cast("dict[str, Any]", row.config)
        if told["digest"] == result.change.digest:
            return Override(told["by"], row.request, row.started.isoformat())
    return None


def _cases(result: GateResult) -> list[dict[str, Any]]:
    """The answers that made the verdict, each with what was asked about: what an override makes labelled cases of."""
    found: list[dict[str, Any]] = []
    for rule, value in result.lane.verdict.fired:
        part = result.answers[rule.check].part if rule.check in result.answers else None
        if part is not None and rule.check in result.held.rules.checks.questions:
            found.append({"question": rule.check, "rule": str(rule), "op": rule.op, "value": value})
            found[-1]["state"] = result.states[part]
    return found


@dataclass(frozen=True, slots=True)
class Overridden:
    """What came of an override."""

    run_id: str
    verdict: str
    cases: tuple[Case, ...]
    """For the labelled set: the answers that a person says are wrong."""
    findings: tuple[str, ...]
    """Detectors that had found something, with the fingerprints: an allow list is the policy's, and not written."""


def refused_run(ledger: Ledger, wanted: str) -> RunRow:
    """The run of a gate that an override is about.

    Args:
        ledger: where it is recorded.
        wanted: its id, or the beginning of it.

    Raises:
        ConfigError: no such run, not one of a gate, or one that refused nothing.
    """
    row = ledger.run(wanted).run
    if row.kind != KIND or "verdict" not in (row.result or {}):
        raise ConfigError(f"run {row.id} is {row.kind!r}; expected a run of the gate that ended with a verdict")
    if not row.result["exit_code"] or row.result["override"]:
        raise ConfigError(f"run {row.id} refused nothing ({row.result['verdict']}); there is nothing to override")
    return row


def override(
    ledger: Ledger, row: RunRow, checks: CheckFile, *, by: str, because: str, answers: Mapping[str, str]
) -> Overridden:
    """Record that a person lets a change through.

    Args:
        ledger: where it is recorded.
        row: the run that refused it.
        checks: its questions.
        by: who.
        because: why, in their words.
        answers: what is right, by question, for questions that fired a rule: `right`, `wrong` (of a yes/no question),
            or the answer itself (`true`, a level, an option). A change may be let through with every answer right.

    Raises:
        ConfigError: nobody, or no reason, is named; or a question fired no rule of the run.
        FileFormatError: a question does not have this answer.
    """
    if not by.strip() or not because.strip():
        raise ConfigError("an override has a name and a reason; expected --by NAME and --because TEXT")
    result = cast("dict[str, Any]", row.result)
    fired = asked_in(row)
    odd = next((name for name in answers if name not in fired), None)
    if odd is not None:
        known = ", ".join(fired) or "none: detectors refused it"
        raise ConfigError(f"question {odd!r} fired no rule in run {row.id}; expected one of {known}")
    because = without_secrets(because.strip())
    cases = tuple(_case(row, fired[name], checks, told, because) for name, told in answers.items())
    about = {"digest": result["change"]["digest"], "by": by.strip(), "verdict": result["verdict"], "answers": answers}
    override_id = ledger.start_run(OVERRIDE, row.id, because, about)
    ledger.end_run(override_id, "recorded", None)
    findings = tuple(f"{each['detector']} {each['path']}: {each['fingerprint']}" for each in result["findings"])
    return Overridden(row.id, result["verdict"], cases, findings)


def asked_in(row: RunRow) -> dict[str, dict[str, Any]]:
    """The questions that fired a rule in a run of the gate: rule, value, and what was asked about."""
    return {each["question"]: each for each in cast("dict[str, list[dict[str, Any]]]", row.result)[_CASE]}


def _case(row: RunRow, found: Mapping[str, Any], checks: CheckFile, told: str, because: str) -> Case:
    name = found["question"]
    where = f"the override of {row.id}"
    high = found["op"] in ("gte", "gt")
    asked = checks.questions.get(name)
    value: object
    if told in ("right", "wrong") and asked and isinstance(asked.question, Noul):
        value = high if told == "right" else not high
    elif told in ("true", "false"):
        value = told == "true"
    else:
        value = int(told) if told.isascii() and told.isdigit() else told
    expect = expected_answer(name, value, checks, where)
    return Case(f"{row.id}-{name}", {name: expect}, None, cast("Json", found["state"]), notes={"note": because})

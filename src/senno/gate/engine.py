"""A change before the gate: detectors, then the judge on each part, then the lane."""

from __future__ import annotations

import asyncio
import hashlib
import os
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from decimal import Decimal

from senno.errors import BudgetExceeded
from senno.gate.combined import Combined, combined
from senno.gate.detectors import DETECTORS, Detected, detect, name_without_secrets, without_secrets, without_secrets_in
from senno.gate.diff import Diff
from senno.gate.lanes import PARTIAL, Lane, lane, without
from senno.gate.near import near
from senno.gate.origins import Held
from senno.gate.result import Asked, Change, GateResult
from senno.gate.rules import Rules
from senno.gate.state import Part, Split, parts
from senno.judge import CheckFile, Judge, Looked, Reading
from senno.models import Calls, Decision, DecisionModel
from senno.threads import in_daemon_thread

NO_TEXT = ("binary", "submodule", "description")
"""Kinds of what is left out that are no text of the change: detectors, or a note, tell of them."""


_FULL_ID = 40
"""Digits; a shorter one may be another content's too."""


async def run_gate(
    diff: Diff,
    held: Held,
    *,
    model: DecisionModel | None = None,
    calls: Calls | None = None,
    ask: bool = True,
    authors: Sequence[str] = (),
    allow_same_model: bool = False,
    title: str = "",
    description: str = "",
) -> GateResult:
    """Judge a change.

    Args:
        diff: the change.
        held: the rules.
        model: who answers the questions; `None`: they stay unanswered, which is no pass.
        calls: the way to the model.
        ask: `False`: the questions are not asked, their rules are left out, and the result says so.
        authors: the models that wrote the change.
        allow_same_model: let an author judge.
        title: of the change, for the judge.
        description: what it says it does.

    Raises:
        SameModelError: the judge is one of the authors.
    """
    started = time.monotonic()
    detected, split = await in_daemon_thread(_screened, diff, held.rules, ask, title, description)
    own, brought = held.rules.checks, _brought(held)
    through = calls or Calls()
    answers: dict[str, Combined] = {}
    theirs: dict[str, Combined] = {}
    looked: list[Looked] = []
    if diff.files:
        # What a change brings is asked apart: a question is an instruction, and this one is the change's own.
        judge, apart = (
            Judge(
                replace(checks, checks={}), held.rules.policy, model, authors=authors, allow_same_model=allow_same_model
            )
            for checks in (own, brought)
        )
        answers = await _of_checks(own, held, diff, through)
        theirs = await _of_checks(brought, held, diff, through)
        if ask:
            of_own, of_theirs = await asyncio.gather(*(_look_at_all(one, split, through) for one in (judge, apart)))
            looked = [*of_own, *of_theirs]
            answers |= _combined(own, of_own)
            theirs |= _combined(brought, of_theirs)
    fixed = _of_detectors(diff, detected, split)
    readings = {**{name: each.reading for name, each in answers.items()}, **fixed}
    return GateResult(
        _lane(held, diff, readings, {**answers, **theirs}, fixed, ask, split),
        change_of(diff),
        held,
        detected,
        answers,
        near(held.rules.checks, held.rules.policy, readings, held.rules.band),
        split.omitted,
        tuple(part.files for part in split.parts),
        tuple(part.state for part in split.parts),
        _asked([one.decision for one in looked if one.decision]) if ask else None,
        time.monotonic() - started,
    )


def change_of(diff: Diff) -> Change:
    """The change in short, with its digest: of paths, modes, lines and where they stand.

    Content that the diff does not show is told by its full id; where there is none no two changes are the same.
    """
    digest = hashlib.sha256()
    for file in diff.files:
        digest.update(repr((file.path, file.status, file.old_path, file.old_mode, file.new_mode)).encode())
        if file.binary or file.submodule or file.unread:
            told = all(each is None or len(each) >= _FULL_ID for each in (file.old_id, file.new_id))
            known = told and (file.old_id or file.new_id)
            digest.update(repr((file.old_id, file.new_id)).encode() if known else os.urandom(32))
        for hunk in file.hunks:
            digest.update(repr((hunk.old_start, hunk.new_start)).encode())
            digest.update(repr([(line.kind, line.text, line.no_newline) for line in hunk.lines]).encode())
    added, removed = sum(file.added for file in diff.files), sum(file.removed for file in diff.files)
    notes = (*diff.notes, *(f"{name_without_secrets(file.path)}: {note}" for file in diff.files for note in file.notes))
    return Change(digest.hexdigest(), diff.source, len(diff.files), added, removed, diff.base, diff.head, notes)


def _screened(diff: Diff, rules: Rules, ask: bool, title: str, description: str) -> tuple[Detected, Split]:
    """What detectors find, and the parts for the judge; what leaves this machine has no secret that is known as one."""
    if not ask:
        return detect(diff, rules.detectors), Split(())
    clean = without_secrets_in(diff)
    split = parts(
        clean, limit_tokens=rules.limit_tokens, title=without_secrets(title), description=without_secrets(description)
    )
    return detect(diff, rules.detectors), split


def _brought(held: Held) -> CheckFile:
    """The questions and checks that the change words otherwise than those that hold, or adds."""
    own, theirs = held.rules.checks, held.proposed.checks if held.proposed else CheckFile()
    questions = {name: q for name, q in theirs.questions.items() if own.questions.get(name) != q}
    return CheckFile({name: c for name, c in theirs.checks.items() if own.checks.get(name) != c}, questions)


async def _look_at_all(judge: Judge, split: Split, calls: Calls) -> list[Looked]:
    """What the questions say of each part; nothing where there are none."""
    if not judge.checks.questions:
        return []
    return list(await asyncio.gather(*(_look(judge, part, calls) for part in split.parts)))


async def _look(judge: Judge, part: Part, calls: Calls) -> Looked:
    """What the questions say of one part."""
    try:
        return await judge.look("", calls=calls, role="gate", state=part.state)
    except BudgetExceeded as error:
        nothing = Reading(missing=str(error), failed=True)
        return Looked(dict.fromkeys(judge.checks.questions, nothing), {}, None)


async def _of_checks(checks: CheckFile, held: Held, diff: Diff, calls: Calls) -> dict[str, Combined]:
    """What the deterministic checks say of all lines that the change adds: they are what it writes."""
    if not checks.checks:
        return {}
    lines = (line.text for file in diff.files for hunk in file.hunks for line in hunk.lines if line.kind == "+")
    judge = Judge(replace(checks, questions={}), held.rules.policy)
    looked = await judge.look("\n".join(lines), calls=calls)
    return {name: Combined(looked.readings[name], None) for name in checks.checks}


def _combined(checks: CheckFile, looked: Sequence[Looked]) -> dict[str, Combined]:
    if looked:
        return combined(checks, [one.readings for one in looked])
    nothing = Combined(Reading(missing="the change has no text that the judge could be shown"), None)
    return dict.fromkeys(checks.questions, nothing)


def _of_detectors(diff: Diff, detected: Detected, split: Split) -> dict[str, Reading]:
    """1: found, 0: nothing found; none where a detector did not look at all of the text of the change.

    That a binary file has no text to look at is what the detector `binaries` says.
    """
    no_text = {name_without_secrets(file.path) for file in diff.files if file.binary or file.submodule}
    readings: dict[str, Reading] = {}
    for name in DETECTORS:
        passed_over = [u for u in detected.unscreened if u.detector == name and u.path not in no_text]
        if any(each.detector == name for each in detected.findings):
            readings[name] = Reading(1.0, share=0.0)
        elif name not in detected.ran:
            readings[name] = Reading(missing="the policy switches this detector off")
        elif passed_over:
            more = f" (and {len(passed_over) - 1} more)" if len(passed_over) > 1 else ""
            readings[name] = Reading(missing=f"{passed_over[0].path}: {passed_over[0].reason}{more}")
        else:
            readings[name] = Reading(0.0, share=1.0)
    readings[PARTIAL] = Reading(1.0 if _partly(split) else 0.0)
    return readings


def _partly(split: Split) -> str:
    left = [each for each in split.omitted if each.kind not in NO_TEXT]
    more = f" and {len(left) - 1} more" if len(left) > 1 else ""
    return f"{left[0].path} ({left[0].reason}){more}" if left else ""


def _lane(
    held: Held,
    diff: Diff,
    readings: Mapping[str, Reading],
    found: Mapping[str, Combined],
    fixed: Mapping[str, Reading],
    ask: bool,
    split: Split,
) -> Lane:
    policy, proposed = held.rules.policy, held.proposed
    if not diff.files:
        # Nothing changes: there is nothing to ask, and nothing is left out.
        return lane(without(policy, (*held.rules.checks.questions, *held.rules.checks.checks))[0], fixed)
    left_out: tuple[str, ...] = ()
    if not ask:
        policy, left_out = without(policy, held.rules.checks.questions)
        proposed = proposed and replace(proposed, policy=without(proposed.policy, proposed.checks.questions)[0])
    if proposed is None:
        return replace(lane(policy, readings, partly=_partly(split)), left_out=left_out)
    names = (*proposed.checks.questions, *proposed.checks.checks)
    brought = {name: found[name].reading for name in names if name in found}
    judged = lane(
        policy,
        readings,
        proposed=replace(proposed.policy, model=None),
        proposed_readings={**brought, **fixed},
        partly=_partly(split),
    )
    return replace(judged, left_out=left_out)


def _asked(decisions: Sequence[Decision]) -> Asked:
    models = dict.fromkeys(each.model for each in decisions if each.model)
    costs = [each.cost for each in decisions]
    return Asked(
        len(decisions),
        ", ".join(models) or None,
        ", ".join(dict.fromkeys(each.method for each in decisions if each.method)),
        _sum([each.usage.tokens_in for each in decisions]),
        _sum([each.usage.tokens_out for each in decisions]),
        None if None in costs else sum((cost for cost in costs if cost is not None), Decimal()),
        tuple(dict.fromkeys(note for each in decisions for note in each.notes)),
    )


def _sum(counts: Sequence[int | None]) -> int | None:
    return None if None in counts else sum(count for count in counts if count is not None)

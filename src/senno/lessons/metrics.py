"""Is it getting better? Figures over time, from the log and the lessons alone.

Every mean says over how many it is and how many are missing; what was not measured is `None`, never 0.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from senno.lessons.credit import ClassCredit, by_outcome
from senno.lessons.fold import Folded, LessonState, failure_key
from senno.lessons.lesson import Outcome
from senno.lessons.tasks import Cost, TaskRecord


@dataclass(frozen=True, slots=True)
class Mean:
    """A mean (or a share), over `n` cases; `missing` more had nothing to measure. `None`: `n` is 0."""

    value: float | None
    n: int
    missing: int


@dataclass(frozen=True, slots=True)
class Counts:
    """Where lessons stand. The first three add up to all lessons; the promoted are among the active."""

    active: int
    archived: int
    deprecated: int
    promoted: int


@dataclass(frozen=True, slots=True)
class Metrics:
    """Of some tasks (of a department, of a week, or all) and of the lessons beside them."""

    tasks: int
    """Tries at tasks that began."""
    success: Mean
    """Share of tries that succeeded; missing: those without an outcome, the declined among them."""
    repeat_failure: Mean
    """Of the tries at a task type on which a failure mode had been recorded before, the share that failed (or were
    partial) by a mode recorded before on that type. Missing: those that failed, anywhere, by no stated mode, which may
    have been repetitions, or the first of one; and tries at such a type that have no outcome."""
    reflections: Mean
    """Lessons written per try that ended; missing: those without an outcome."""
    gate: Mean
    """Share of tries on which the gate said to reflect; missing: those that ended and on which it was not asked."""
    gate_reasons: Mapping[str, int]
    """By the first word of the reason."""
    attempts: Mapping[str, int]
    """What the gate on the attempt said, where it was asked."""
    lessons: Counts
    """At the end of the span."""
    overhead_tokens: Mean
    """What recalls and written lessons took, as a share of that and of the tasks themselves; over the ended tries for
    which all of it is known (a try without any recall or lesson has no overhead, which is known)."""
    overhead_seconds: Mean
    credit: Mapping[Outcome, ClassCredit] | None
    """By the outcome after which a lesson was written. `None` for a week: it is not cut by weeks."""


@dataclass(frozen=True, slots=True)
class Span:
    """The metrics of one department (`None`: all) in one ISO week (`None`: all weeks)."""

    department: str | None
    week: str | None
    """`2026-W49`, by UTC."""
    metrics: Metrics


@dataclass(frozen=True, slots=True)
class _Judged:
    """A try at a task, with what only the whole history tells."""

    record: TaskRecord
    week: str
    at_risk: bool
    """A failure mode had been recorded on its task type before it ended."""
    repeated: bool | None
    """Whether it failed by such a mode; `None`: not known."""


def measure(folded: Folded) -> tuple[Span, ...]:
    """The metrics overall, then of each department, then of each week overall, then of each week of each department.

    A try belongs to the week in which it began. Weeks without any try are left out.
    """
    judged = _judged(folded.records)
    states = list(folded.states.values())
    departments = sorted({j.record.department for j in judged} | {s.department for s in states})
    weeks = sorted({j.week for j in judged})
    spans: list[Span] = []
    for week in (None, *weeks):
        for department in (None, *departments):
            tries = [j for j in judged if department in (None, j.record.department) and week in (None, j.week)]
            own = [s for s in states if department in (None, s.department)]
            if week is None:
                spans.append(Span(department, None, _metrics(tries, own, folded.as_of, credit=True)))
            elif tries:
                end = min(week_end(week) - timedelta(microseconds=1), folded.as_of)
                spans.append(Span(department, week, _metrics(tries, own, end, credit=False)))
    return tuple(spans)


def week_of(at: datetime) -> str:
    """The ISO week of a moment, by UTC: `2026-W49`."""
    year, week, _ = at.astimezone(UTC).isocalendar()
    return f"{year}-W{week:02d}"


def week_end(week: str) -> datetime:
    """The first moment after a week."""
    year, number = week.split("-W")
    return datetime.fromisocalendar(int(year), int(number), 1).replace(tzinfo=UTC) + timedelta(days=7)


def _judged(records: Sequence[TaskRecord]) -> list[_Judged]:
    """Each try with what had failed before it. History goes by the moment of the outcome."""
    modes: dict[tuple[str, str], set[tuple[str, str, str]]] = {}
    found: list[_Judged] = []
    for record in sorted(records, key=lambda r: (r.ended or r.began, r.began)):
        before = modes.setdefault((record.department, record.task_type), set())
        repeated: bool | None = None
        key = failure_key(record.department, record.task_type, record.failure_mode) if record.failure_mode else None
        if record.outcome == "success":
            repeated = False
        elif record.outcome is not None and key is not None:
            repeated = key in before
        found.append(_Judged(record, week_of(record.began), bool(before), repeated))
        if key is not None and record.outcome != "success":
            before.add(key)
    return found


def _metrics(tries: Sequence[_Judged], states: Sequence[LessonState], at: datetime, *, credit: bool) -> Metrics:
    records = [one.record for one in tries]
    ended = [record for record in records if record.outcome is not None]
    at_risk = [one for one in tries if one.at_risk]
    asked = [record for record in records if record.reflect is not None]
    return Metrics(
        tasks=len(records),
        success=mean([r.outcome == "success" for r in ended], len(records) - len(ended)),
        repeat_failure=mean(
            [one.repeated for one in at_risk if one.repeated is not None],
            sum(one.record.outcome is None for one in at_risk) + sum(_is_unexplained(one.record) for one in tries),
        ),
        reflections=mean([len(r.written) for r in ended], len(records) - len(ended)),
        gate=mean([bool(r.reflect) for r in asked], sum(r.reflect is None for r in ended)),
        gate_reasons=dict(sorted(Counter(r.reflect_reason.split(" ")[0] for r in asked).items())),
        attempts=dict(sorted(Counter(r.start.attempt for r in records if r.start).items())),
        lessons=counts(states, at),
        overhead_tokens=_overhead([_parts(r, "tokens") for r in ended]),
        overhead_seconds=_overhead([_parts(r, "seconds") for r in ended]),
        credit=by_outcome(states, {state.id: state.credit for state in states}) if credit else None,
    )


def counts(states: Iterable[LessonState], at: datetime) -> Counts:
    """Where the lessons that had been written by a moment stood then.

    A deprecation counts from the moment the review gave; without one, always.
    """
    active = archived = deprecated = promoted = 0
    for state in states:
        if state.created > at:
            continue
        if _was_deprecated(state, at):
            deprecated += 1
        elif state.has("archived", at):
            archived += 1
        else:
            active += 1
            promoted += state.has("promoted", at)
    return Counts(active, archived, deprecated, promoted)


def _was_deprecated(state: LessonState, at: datetime) -> bool:
    if any(turn.flag == "deprecated" for turn in state.turns):
        return state.has("deprecated", at)
    return state.deprecated is not None and (state.deprecated.at is None or state.deprecated.at <= at)


def mean(values: Sequence[float], missing: int = 0) -> Mean:
    """The mean of `values`, and how many more are missing."""
    return Mean(math.fsum(values) / len(values) if values else None, len(values), missing)


def _is_unexplained(record: TaskRecord) -> bool:
    return record.outcome in ("failure", "partial") and record.failure_mode is None


def _parts(record: TaskRecord, what: str) -> tuple[float, float] | None:
    """What recall and reflection took, and what the task itself did; `None`: a part is not known."""

    def of(cost: Cost | None) -> float | None:
        return None if cost is None else cost.tokens if what == "tokens" else cost.seconds

    own = of(record.cost)
    extra = [of(cost) for cost in (*record.recalls, *record.written)]
    known = [value for value in extra if value is not None]
    return None if own is None or len(known) < len(extra) else (math.fsum(known), own)


def _overhead(parts: Sequence[tuple[float, float] | None]) -> Mean:
    known = [part for part in parts if part is not None]
    extra = math.fsum(part[0] for part in known)
    whole = extra + math.fsum(part[1] for part in known)
    return Mean(extra / whole if whole else None, len(known), len(parts) - len(known))

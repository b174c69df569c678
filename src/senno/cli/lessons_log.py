"""`senno lessons metrics|stats|calibration`: what the log says."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import click

from senno.cli.lessons_task import opened
from senno.cli.output import json_option, print_json, print_table, progress
from senno.text import shown

if TYPE_CHECKING:
    from senno.lessons import Calibration, Folded, Mean, Snapshot, Span

MOST_ROWS = 50
"""Rows of a table; `--json` has them all."""


def read_log() -> Snapshot:
    """The store here, folded as of now; what could not be read is said on stderr."""
    from senno.lessons import snapshot

    store, settings, _ = opened()
    seen = snapshot(store, datetime.now(UTC), settings)
    for problem in seen.problems:
        progress(f"senno: {problem}")
    return seen


@click.command()
@click.option("--department", help="Only this one, week by week.")
@click.option("--weeks", type=click.IntRange(0), default=12, show_default=True, help="The last so many in the table.")
@json_option
def metrics(department: str | None, weeks: int, as_json: bool) -> None:
    """Is it getting better? Success, repeated failures, reflections, overhead; per department and ISO week.

    Each figure has the number of cases it is over, and how many are missing; – is not measured. --json has all weeks
    of all departments.
    """
    from senno.errors import ConfigError
    from senno.lessons import failure_against_success, measure
    from senno.text import did_you_mean

    folded = read_log().folded
    spans = measure(folded)
    names = sorted({span.department for span in spans if span.department is not None})
    if department is not None and department not in names:
        raise ConfigError(
            f"no department {department!r} in the log{did_you_mean(department, names)}: {', '.join(names) or 'none'}"
        )
    chosen = [span for span in spans if department is None or span.department == department]
    if as_json:
        print_json(
            {"schema_version": 1, "as_of": folded.as_of.isoformat(), "spans": [_span_json(span) for span in chosen]}
        )
        return
    whole = [span for span in chosen if span.week is None]
    _print_spans("All weeks", "department", whole)
    by_week = [span for span in spans if span.week is not None and span.department == department]
    if weeks and by_week:
        _print_spans(f"By week{f', {department}' if department else ''}", "week", by_week[-weeks:])
    credit = whole[0].metrics.credit or {}
    rows = [
        [
            f"after {name}",
            str(c.stored),
            _number(c.shown_per_lesson),
            _number(c.success_rate),
            _number(c.useful_per_lesson),
        ]
        for name, c in credit.items()
    ]
    if credit:
        ratios = failure_against_success(credit)
        rows.append(["failure ÷ success", "", *(_number(value) for value in ratios.values())])
    columns = ["lessons written", "stored", "shown per lesson", "success after it", "useful showings per lesson"]
    print_table("Credit", columns, rows, right=columns[1:])


def _span_json(span: Span) -> dict[str, Any]:
    from senno.lessons import failure_against_success

    found = asdict(span.metrics)
    if span.metrics.credit is not None:
        found["credit"] = {
            name: {
                **asdict(c),
                "shown_per_lesson": c.shown_per_lesson,
                "success_rate": c.success_rate,
                "useful_per_lesson": c.useful_per_lesson,
            }
            for name, c in span.metrics.credit.items()
        }
        found["failure_against_success"] = failure_against_success(span.metrics.credit)
    return {"department": span.department, "week": span.week, **found}


def _print_spans(title: str, first: str, spans: Sequence[Span]) -> None:
    rows: list[list[str]] = []
    for span in spans:
        m = span.metrics
        stands = m.lessons
        rows.append(
            [
                span.week or ("all" if span.department is None else span.department or "(none)"),
                str(m.tasks),
                *(_mean(one) for one in (m.success, m.repeat_failure, m.reflections, m.gate, m.overhead_tokens)),
                f"{stands.active}/{stands.archived}/{stands.deprecated}",
                str(stands.promoted),
            ]
        )
    columns = [first, "tasks", "success", "repeat", "lessons/task", "gate", "overhead", "act/arch/depr", "promoted"]
    print_table(title, columns, rows, right=columns[1:])


def _mean(one: Mean) -> str:
    missing = f" −{one.missing}" if one.missing else ""
    return f"{_number(one.value)} ({one.n}{missing})"


def _number(value: float | None) -> str:
    return "–" if value is None else f"{value:.2f}"


@click.command()
@json_option
def stats(as_json: bool) -> None:
    """What is in the store and in its log: lessons, profiles of task types, the lessons most shown."""
    seen = read_log()
    found = _stats(seen)
    if as_json:
        print_json({"schema_version": 1, **found})
        return
    columns = ["active", "archived", "deprecated", "promoted"]
    rows = [[name or "(none)", *(str(c[key]) for key in columns)] for name, c in found["departments"].items()]
    print_table(f"{found['lessons']} lessons", ["department", *columns], rows, right=columns)
    columns = ["lessons", "tries", "successes", "partials", "failures", "average"]
    rows = [
        [p["department"] or "(none)", p["task_type"], *(str(p[key]) for key in columns[:-1]), _number(p["average"])]
        for p in found["profiles"][:MOST_ROWS]
    ]
    print_table("Capability profiles", ["department", "task type", *columns], rows, right=columns)
    columns = ["shown", "successes", "partials", "failures"]
    rows = [[one["lesson"], *(str(one[key]) for key in columns)] for one in found["most_shown"]]
    print_table("Shown most, and what came of it", ["lesson", *columns], rows, right=columns)
    click.echo(
        shown(f"{found['events']} events of {found['writers']} writers; {found['dangling']} name no lesson here")
    )


def _stats(seen: Snapshot) -> dict[str, Any]:
    from senno.lessons import counts, profile_for

    folded = seen.folded
    states = list(folded.states.values())
    homes = sorted({state.department for state in states})
    kinds = sorted(
        {(r.department, r.task_type) for r in folded.records} | {(s.department, s.task_type) for s in states}
    )
    of_kind = {kind: sum((s.department, s.task_type) == kind for s in states) for kind in kinds}
    most = sorted((s for s in states if s.credit.shown), key=lambda s: (-s.credit.shown, s.id))[:10]
    return {
        "lessons": len(states),
        "departments": {
            home: asdict(counts([s for s in states if s.department == home], folded.as_of)) for home in homes
        },
        "pinned": sum(state.pinned for state in states),
        "profiles": [
            {
                "department": home,
                "task_type": kind,
                **asdict(profile_for(folded.records, home, kind, of_kind[home, kind])),
            }
            for home, kind in kinds
        ],
        "most_shown": [{"lesson": s.id, **asdict(s.credit)} for s in most],
        "events": len(seen.events),
        "writers": len({one.writer for one in seen.events}),
        "dangling": sum(folded.dangling.values()),
        "jobs": [{"job": job, "undone": undone} for job, undone in folded.jobs.items()],
    }


@click.command()
@json_option
def calibration(as_json: bool) -> None:
    """Can the confidence be believed? ECE and Brier score, overall and by difficulty; 0 is best."""
    from senno.lessons import by_difficulty, cases_of
    from senno.lessons import calibration as measured

    cases, unstated, unended = cases_of(_folded().records)
    whole, parts = measured(cases), by_difficulty(cases)
    if as_json:
        print_json(
            {
                "schema_version": 1,
                "overall": asdict(whole),
                "by_difficulty": {name: asdict(one) for name, one in parts.items()},
                "without_confidence": unstated,
                "without_outcome": unended,
            }
        )
        return
    columns = ["tasks", "ECE", "Brier", "mean confidence", "mean outcome"]
    rows = [_calibration_row(name, one) for name, one in (("all", whole), *parts.items())]
    print_table("", ["difficulty", *columns, "not measured"], rows, right=columns)
    if whole.bins:
        told = [[str(b.n), _number(b.confidence), _number(b.score)] for b in whole.bins]
        print_table(
            "By rising confidence", ["tasks", "confidence", "outcome"], told, right=["tasks", "confidence", "outcome"]
        )
    progress(f"left out: {unstated} tasks without a confidence, {unended} without an outcome")


def _folded() -> Folded:
    return read_log().folded


def _calibration_row(name: str, one: Calibration) -> list[str]:
    figures = (_number(value) for value in (one.ece, one.brier, one.confidence, one.score))
    return [name, str(one.n), *figures, one.missing or ""]

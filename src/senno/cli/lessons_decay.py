"""`senno lessons decay`: do it, show it, undo it, replay it."""

from __future__ import annotations

from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any

import click

from senno.cli.lessons_log import MOST_ROWS, read_log
from senno.cli.lessons_task import opened
from senno.cli.output import json_option, print_json, print_table, progress

if TYPE_CHECKING:
    from senno.lessons import DecayReport

_HEADS = {
    "applied": "",
    "dry_run": "a dry run: nothing was changed",
    "first_run": "the first run on this store shows what it would change, and changes nothing; to go on: --yes",
    "paused": "paused (lessons.decay_paused): nothing was changed",
}


def _days(name: str, text: str) -> Any:
    return click.option(name, type=click.IntRange(1), help=f"Replay: {text}")


@click.command()
@click.option("--dry-run", is_flag=True, help="Show what is due, and change nothing.")
@click.option("--yes", is_flag=True, help="Also where this is the first run on this store.")
@click.option("--undo", metavar="JOB", help="Make void what a run decided.")
@_days("--archive-after", "archive_after_days.")
@_days("--archive-idle", "archive_idle_days.")
@_days("--promote-within", "promote_within_days.")
@_days("--promote-retrievals", "promote_retrievals.")
@_days("--promote-window", "promote_window_days.")
@click.option("--promote-rule", type=click.Choice(["lately", "ever"]), help="Replay: promote_rule.")
@json_option
def decay(dry_run: bool, yes: bool, undo: str | None, as_json: bool, **other: Any) -> None:
    """Archive what is old and idle, promote what is used: once a day, by a timer of yours.

    \b
    senno lessons decay --dry-run          what is due
    senno lessons decay                    do it; the first run on a store needs --yes
    senno lessons decay --undo decay-…     take a run back
    senno lessons decay --archive-after 60 play another policy over your own log; changes nothing

    Running it twice changes nothing more. Pinned lessons are left alone; nothing is ever deleted.
    """
    overrides = {_FIELDS[key]: value for key, value in other.items() if value is not None}
    if undo and (dry_run or yes or overrides):
        raise click.UsageError("--undo goes with no other option")
    if overrides and yes:
        raise click.UsageError("--yes does not go with a replay: other settings are shown, not applied; set them")
    if overrides:
        _replay(overrides, as_json)
        return
    from senno import config
    from senno.lessons import run_decay
    from senno.lessons import undo as undo_job

    store, settings, _ = opened()
    if undo:
        report = undo_job(store, undo, settings)
    else:
        paused = config.load().config.lessons.decay_paused
        report = run_decay(store, settings, dry_run=dry_run, confirmed=yes, paused=paused)
    for problem in report.problems:
        progress(f"senno: {problem}")
    if as_json:
        print_json({"schema_version": 1, **asdict(report), "at": report.at.isoformat()})
        return
    _print_report(report, undone=undo is not None)


_FIELDS = {
    "archive_after": "archive_after_days",
    "archive_idle": "archive_idle_days",
    "promote_within": "promote_within_days",
    "promote_retrievals": "promote_retrievals",
    "promote_window": "promote_window_days",
    "promote_rule": "promote_rule",
}


def _print_report(report: DecayReport, *, undone: bool) -> None:
    if report.changes:
        rows = [[change.lesson_id, change.kind, change.reason] for change in report.changes[:MOST_ROWS]]
        print_table("", ["lesson", "becomes", "because"], rows, wrap="because")
        if len(report.changes) > MOST_ROWS:
            click.echo(f"… and {len(report.changes) - MOST_ROWS} more; --json shows all")
    else:
        click.echo("nothing changed: later decisions stand" if undone else "nothing is due")
    if report.suspects:
        rows = [
            [s.lesson_id, f"{s.known} tasks, 0 successes, {s.partials} partials"] for s in report.suspects[:MOST_ROWS]
        ]
        print_table("Echo chamber? Often shown, never followed by success; not promoted", ["lesson", "shown"], rows)
    for name, times in list(report.dangling.items())[:MOST_ROWS]:
        progress(f"{name}: no such lesson, but {times} events name it; they are kept, and change nothing")
    if _HEADS[report.state]:
        progress(_HEADS[report.state])
    else:
        progress(f"{report.rewritten} files brought up to date")
        if report.job and not undone:
            progress(f"to take it back: senno lessons decay --undo {report.job}")


def _replay(overrides: dict[str, Any], as_json: bool) -> None:
    from senno.lessons import replay

    _, settings, _ = opened()
    folded = read_log().folded
    now = replay(folded, settings)
    then = replay(folded, lambda name: replace(settings(name), **overrides))
    if as_json:
        print_json({"schema_version": 1, "settings": overrides, "as_set": asdict(now), "replayed": asdict(then)})
        return
    told = ", ".join(f"{key}={value}" for key, value in overrides.items())
    rows = [[_WORDS[key], str(value), str(asdict(then)[key])] for key, value in asdict(now).items()]
    print_table(
        "The policy played over this log; nothing was changed", ["", "as set", told], rows, right=["as set", told]
    )


_WORDS = {
    "active": "lessons active now",
    "archived": "archived now",
    "promoted": "promoted now",
    "protected": "kept because their mistake recurs",
    "suspects": "echo chamber?",
    "woken": "recalls of a lesson archived by then",
    "woken_lessons": "lessons so recalled",
}

"""`senno recall`: the lessons for a task, and why each."""

from __future__ import annotations

import time
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from senno.cli.output import json_option, print_json, print_table, progress, read_stdin
from senno.errors import SennoError
from senno.text import one_line, shown

if TYPE_CHECKING:
    from senno.config import Loaded
    from senno.lessons.agent import Lessons
    from senno.lessons.recall import Recalled, RecalledLesson


_SECONDS_FOR_VECTORS = 0.5
"""Before a recall, at most so long goes into vectors that lessons do not have yet."""


@click.command()
@click.argument("task", required=False)
@click.option("--file", type=click.Path(path_type=Path, allow_dash=True), help="The text of the task (- for stdin).")
@click.option("--why", is_flag=True, help="What each stage made of each lesson, and which stages ran.")
@click.option("--department", help="Who asks. Default: lessons.default_department of the config.")
@click.option("--agent", default="", help="Who asks, in the department.")
@click.option("--task-id", default="", help="The task it is for: its outcome is credited to what is shown.")
@click.option("--type", "task_type", default="", help="The kind of task.")
@click.option("--limit", type=click.IntRange(1, 50), help="The most lessons. Default: recall.limit.")
@click.option("--tokens", type=click.IntRange(150), help="The most tokens of the block. Default: recall.tokens.")
@click.option("--budget-ms", type=click.FloatRange(0, min_open=True), help="Milliseconds. Default: recall.budget_ms.")
@click.option("--dry-run", is_flag=True, help="Record nothing: the lessons do not count as retrieved.")
@json_option
def recall(
    task: str | None,
    file: Path | None,
    why: bool,
    department: str | None,
    agent: str,
    task_id: str,
    task_type: str,
    limit: int | None,
    tokens: int | None,
    budget_ms: float | None,
    dry_run: bool,
    as_json: bool,
) -> None:
    """The lessons of similar past tasks, as a block for the prompt.

    \b
    senno recall "Reconcile the Swiss invoices of November" --task-id T-18
    senno recall --why --dry-run "Reconcile the Swiss invoices of November"

    At most five, and none where none is relevant. Each recall is recorded, so that a lesson's use can be told.
    """
    from dataclasses import replace

    from senno.lessons.agent import Lessons
    from senno.lessons.recall import Ask, recalled_json

    flags = {"recall.limit": limit, "recall.tokens": tokens, "recall.budget_ms": budget_ms}
    text = _text(task, file)
    with Lessons(department=department, agent=agent, background=False, loaded=_loaded(flags)) as lessons:
        problems = _make_vectors(lessons)
        found = lessons.recall(Ask(text, lessons.department, agent, task_type, task_id))
        found = replace(found, notes=(*problems, *found.notes))
        if not dry_run:
            lessons.record(found)
    if as_json:
        print_json(recalled_json(found))
    elif why:
        _print_why(found)
    elif found.block:
        click.echo(shown(found.block))
    for note in found.notes:
        progress(one_line(note, 400))
    if not found.lessons:
        progress("no lesson here is relevant enough")


def _make_vectors(lessons: Lessons) -> list[str]:
    """Make some of the vectors that are missing; what went wrong with that, if it did: words find lessons still."""
    began = time.monotonic()
    try:
        lessons.index.embed_pending(stop=lambda: time.monotonic() - began > _SECONDS_FOR_VECTORS)
    except SennoError as error:
        return [f"no vectors were made: {error}"]
    return []


def _loaded(flags: Mapping[str, Any]) -> Loaded:
    from senno import config

    return config.load(flags=flags)


def _text(task: str | None, file: Path | None) -> str:
    from senno.files import read_text

    if (task is None) == (file is None):
        raise click.UsageError('give the task: senno recall "TASK", or --file FILE (- for stdin)')
    text = task if file is None else read_stdin() if str(file) == "-" else read_text(file)
    if not (text or "").strip():
        raise click.UsageError("the task is empty; expected its text")
    return text or ""


def _print_why(found: Recalled) -> None:
    for number, one in enumerate(found.lessons, 1):
        lesson = one.lesson
        left = "" if one.text else "  (no room in the block)"
        click.echo(shown(f"{number}. {lesson.id}  score {one.score:.3f}{left}"))
        whose = "  ".join(part for part in (lesson.department, lesson.agent, lesson.outcome) if part)
        click.echo(shown(f"   {whose}  {one_line(lesson.rule, 300)}"))
        click.echo(shown(f"   {_reasons(one)}"))
    rows = [
        [stage.name, "ran" if stage.ran else "–", f"{stage.seconds * 1000:.1f}" if stage.ran else "–", stage.note]
        for stage in found.stages
    ]
    print_table("", ["stage", "", "ms", ""], rows)
    click.echo(f"{found.seconds * 1000:.0f} ms, block of about {found.tokens} tokens")


def _reasons(one: RecalledLesson) -> str:
    why = one.why
    parts = [f"{name} {place.rank} ({place.score:.3f})" for name, place in why.stages.items()]
    parts.append("no vector" if why.cosine is None else f"cosine {why.cosine:.3f}")
    parts.append(f"{why.coverage:.0%} of the task's words")
    factors = " · ".join(f"{name} {value:.2f}" for name, value in why.parts.items())
    parts.append(f"× {why.multiplier:.2f}" + (f" ({factors})" if factors else ""))
    if why.same:
        parts.append(f"says the same as {', '.join(why.same)}")
    return "; ".join(parts)

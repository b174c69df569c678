"""`senno lessons reflect` and `senno lessons gaps`."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from senno.cli.output import json_option, print_json, print_table, progress, read_stdin
from senno.text import one_line, shown

if TYPE_CHECKING:
    from senno.config import Loaded
    from senno.lessons import Added, Draft, Store, TaskRecord
    from senno.lessons.reflection import Facts, Refused, Written


@click.command()
@click.argument("task_id")
@click.option(
    "--transcript",
    required=True,
    type=click.Path(path_type=Path, allow_dash=True),
    help="What the agent did and saw (- for stdin).",
)
@click.option("--task", "text", default="", help="The text of the task.")
@click.option("--model", help="The model that writes. Default: models.roles.reflection, or models.text.")
@click.option("--department", default="", help="Default: that of the task in the log.")
@click.option("--force", is_flag=True, help="Also where the gate said that no reflection is needed.")
@json_option
def reflect(
    task_id: str, transcript: Path, text: str, model: str | None, department: str, force: bool, as_json: bool
) -> int:
    """Let a model write the lesson of a task that has ended, by the three questions.

    \b
    senno lessons outcome T-17 failure --failure-mode "wrong currency"
    senno lessons reflect T-17 --transcript run.log --model ollama:llama3.2

    Where the gate said that the task is routine, nothing is asked. What the model writes is refused where it is empty,
    generic, or a copy of what was recalled: it is told why, once. Exits with 1 where nothing was stored.
    """
    from senno import config
    from senno.cli.lessons_task import opened
    from senno.errors import ConfigError
    from senno.files import read_text
    from senno.lessons import last_try, merged, task_records

    flags = {"models.text": model} if model else None
    loaded = config.load(flags=flags)
    store, _, _ = opened()
    record = last_try(task_records(merged(store.events.read().events)), task_id, department)
    if record is None or record.outcome is None:
        state = "has no outcome" if record else "is not"
        raise ConfigError(
            f"task {task_id!r} {state} in the log: senno lessons outcome {task_id} success|partial|failure"
        )
    if record.reflect is False and not force:
        if as_json:
            print_json({"schema_version": 1, "stored": None, "reason": record.reflect_reason})
        click.echo(f"no reflection: {record.reflect_reason} (--force asks all the same)", err=True)
        return 1
    seen = read_stdin() if str(transcript) == "-" else read_text(transcript)
    if not seen.strip():
        raise click.UsageError(f"--transcript {transcript}: empty; a model would make up what happened")
    name = model or loaded.config.models.roles.get("reflection") or loaded.config.models.text
    if not name:
        raise ConfigError("no model is named: pass --model, or set models.text in senno.toml")
    found = asyncio.run(_written(loaded, name, store, record, text, seen))
    return _print(found, as_json)


async def _written(
    loaded: Loaded, name: str, store: Store, record: TaskRecord, text: str, transcript: str
) -> Written | Refused:
    from senno.ledger import Ledger
    from senno.lessons.reflection import reflect_with
    from senno.models import calls_from, text_model

    facts, draft = _asked(loaded, store, record, text, transcript)

    def stored(whole: Draft, tokens: int | None, seconds: float) -> Added:
        return store.add(whole, recalled=facts.recalled, tokens=tokens, seconds=seconds)

    with Ledger.open(loaded.ledger) as ledger:
        return await reflect_with(
            text_model(name), facts, draft, stored, calls=calls_from(loaded.config, ledger=ledger)
        )


def _asked(loaded: Loaded, store: Store, record: TaskRecord, text: str, transcript: str) -> tuple[Facts, Draft]:
    from senno.errors import ConfigError
    from senno.lessons import Draft, filled
    from senno.lessons.recall import passage
    from senno.lessons.reflection import Facts

    recalled: list[str] = []
    for lesson_id in record.shown:
        try:
            recalled.append(passage(store.read(lesson_id)))
        except ConfigError:
            progress(f"{lesson_id} was shown for this task and is gone: a copy of it would not be seen")
    assert record.outcome is not None
    language = loaded.config.lessons.language
    facts = Facts(text, record.outcome, transcript, record.failure_mode or "", tuple(recalled), language)
    draft = Draft(
        task_id=record.task_id, outcome=record.outcome, what="", why="", rule="", task=text, language=language
    )
    return facts, filled(draft, record)


def _print(found: Written | Refused, as_json: bool) -> int:
    from senno.lessons import lesson_json
    from senno.lessons.reflection import Refused

    if isinstance(found, Refused):
        if as_json:
            print_json({"schema_version": 1, "stored": None, "refused": list(found.reasons), "tokens": found.tokens})
        for reason in found.reasons:
            click.echo(shown(one_line(f"refused: {reason}", 400)), err=True)
        return 1
    added = found.added
    if as_json:
        lesson: dict[str, Any] = {**lesson_json(added.lesson), "path": str(added.path)}
        print_json({"schema_version": 1, "stored": added.stored, "tokens": found.tokens, "lesson": lesson})
    else:
        click.echo(shown(f"{added.lesson.id}  {added.path}"))
        if added.stored != "new":
            progress("nothing written: this lesson says the same; that it was learned again is in the log")
    return 0 if added.stored == "new" else 1


@click.command()
@click.option("--weeks", type=click.IntRange(1), help="Only lessons of the last so many weeks. Default: all.")
@click.option("--department", help="Only lessons of this department.")
@json_option
def gaps(weeks: int | None, department: str | None, as_json: bool) -> None:
    """Skills and tools that were missing, those that most lessons ask for first.

    Lessons say so with --skill-gap; what they call alike is put together.
    """
    from senno.cli.lessons import all_lessons
    from senno.lessons.reflection import gaps as found_gaps

    known, _ = all_lessons()
    since = datetime.now(UTC) - timedelta(weeks=weeks) if weeks else None
    found = found_gaps((one for one in known if department in (None, one.department)), since)
    if as_json:
        rows = [
            {
                "name": gap.name,
                "lessons": [one.id for one in gap.lessons],
                "said": [one.skill_gap for one in gap.lessons],
                "departments": list(gap.departments),
                "first": gap.first.isoformat(),
                "last": gap.last.isoformat(),
            }
            for gap in found
        ]
        print_json({"schema_version": 1, "gaps": rows})
        return
    table = [
        [gap.name, str(len(gap.lessons)), ", ".join(gap.departments), f"{gap.last:%Y-%m-%d}", gap.lessons[-1].id]
        for gap in found
    ]
    print_table(
        "", ["skill", "lessons", "departments", "last", "latest lesson"], table, right=["lessons"], wrap="skill"
    )

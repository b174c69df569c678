"""`senno lessons task|outcome|pin|unpin`: what an agent, or a person, tells the log."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click

from senno.cli.output import json_option, print_json, progress
from senno.text import shown

if TYPE_CHECKING:
    from senno.lessons import Settings, Store, TaskRecord, Use

EXIT_CODES = {"attempt": 0, "decline": 1, "ask": 3}


def opened() -> tuple[Store, Callable[[str], Settings], str]:
    """The store here, the settings of its departments, and the department of what names none."""
    from senno import config
    from senno.lessons import Store, find_root, settings_for

    loaded = config.load()
    rules = loaded.config.lessons
    for name in rules.departments:
        settings_for(rules, name)  # what is wrong in one is said now, and not when a lesson of it comes up
    return Store.open(find_root(loaded)), lambda name: settings_for(rules, name), rules.default_department


@click.command()
@click.argument("task_id")
@click.option("--type", "task_type", required=True, help="The kind of task: what the capability profile is kept by.")
@click.option("--stated", type=click.FloatRange(0, 1), help="The agent's own confidence, 0 to 1.")
@click.option("--difficulty", help="In your own words (easy, hard): calibration is told apart by it.")
@click.option("--department", help="Default: lessons.default_department of the config.")
@click.option("--agent", default="", help="Who does it.")
@json_option
def task(
    task_id: str,
    task_type: str,
    stated: float | None,
    difficulty: str | None,
    department: str | None,
    agent: str,
    as_json: bool,
) -> int:
    """Record that a task begins, and say whether to attempt it, ask first, or decline it.

    \b
    senno lessons task T-17 --type reconcile --stated 0.8

    Exits with 0 for attempt, 1 for decline, 3 for ask.
    """
    from senno.lessons import Task, begin

    store, settings, default = opened()
    own = Task(task_id, task_type, default if department is None else department, agent)
    begun = begin(_records(store), own, settings(own.department), stated=stated, difficulty=difficulty)
    store.events.append(begun.event)
    profile = begun.profile
    if as_json:
        print_json(
            {
                "schema_version": 1,
                "task_id": task_id,
                "decision": begun.decision.decision,
                "reason": begun.decision.reason,
                "confidence": begun.confidence.value,
                "stated": stated,
                "profile": {
                    "average": profile.average,
                    "tries": profile.tries,
                    "successes": profile.successes,
                    "partials": profile.partials,
                    "failures": profile.failures,
                },
            }
        )
    else:
        click.echo(shown(f"{begun.decision.decision}: {begun.decision.reason}"))
        progress(f"{begun.confidence}; {task_type}: {profile.successes} of {profile.tries} tries succeeded")
    return EXIT_CODES[begun.decision.decision]


@click.command()
@click.argument("task_id")
@click.argument("outcome", type=click.Choice(["success", "partial", "failure"]))
@click.option("--failure-mode", help="A label for what went wrong; the same label again is the same mistake.")
@click.option("--use", "uses", multiple=True, metavar="LESSON=WHAT", help="helped, harmed, neutral or unused.")
@click.option("--tokens", type=click.IntRange(0), help="Of the task, without recall and reflection.")
@click.option("--seconds", type=click.FloatRange(0), help="Of the task, without recall and reflection.")
@click.option("--type", "task_type", help="Needed where no beginning of the task was recorded.")
@click.option("--department", help="Default: that of the task's beginning.")
@click.option("--agent", help="Default: that of the task's beginning.")
@json_option
def outcome(
    task_id: str,
    outcome: Any,
    failure_mode: str | None,
    uses: tuple[str, ...],
    tokens: int | None,
    seconds: float | None,
    task_type: str | None,
    department: str | None,
    agent: str | None,
    as_json: bool,
) -> None:
    """Record how a task ended, and say whether to reflect on it, with the reason.

    \b
    senno lessons outcome T-17 failure --failure-mode "wrong currency" --use 20261130-2105=helped

    Prints `reflect` or `no reflection`, and exits with 0 either way.
    """
    from senno.lessons import Cost, Task, end, open_try

    store, settings, default = opened()
    records = _records(store)
    begun = open_try(records, task_id, department)
    if begun is None and task_type is None:
        raise click.UsageError(f"no task {task_id!r} is under way in the log; give its --type")
    start = begun.start if begun else None
    home = default if department is None else department
    own = Task(
        task_id,
        task_type or (begun.task_type if begun else ""),
        begun.department if begun else home,
        (start.agent if start else "") if agent is None else agent,
    )
    store.index.refresh(deep=True)
    said = _uses(uses, store.index.ids() if uses else [])
    ended = end(
        records,
        store.index.written(own.department, own.task_type),
        own,
        outcome,
        settings(own.department),
        failure_mode=failure_mode,
        use=said,
        cost=Cost(tokens, seconds),
    )
    store.events.append(ended.outcome)
    store.events.append(ended.reflect)
    if not ended.began:
        progress(f"no beginning of {task_id} was recorded: c is the profile's, {ended.confidence.value:.2f}")
    if as_json:
        print_json(
            {
                "schema_version": 1,
                "task_id": task_id,
                "outcome": outcome,
                "reflect": ended.decision.reflect,
                "reason": ended.decision.reason,
                "confidence": ended.confidence.value,
                "began": ended.began,
            }
        )
        return
    click.echo(f"{'reflect' if ended.decision.reflect else 'no reflection'}: {ended.decision.reason}")


@click.command()
@click.argument("lesson_id")
@click.option("--by", default="", help="Who says so.")
def pin(lesson_id: str, by: str) -> None:
    """Exempt a lesson from the decay."""
    from senno.lessons import PinnedEvent

    store, _, _ = opened()
    lesson = store.read(lesson_id)
    store.events.append(PinnedEvent(lesson_id=lesson.id, by=by))
    click.echo(f"pinned: {lesson.id}")


@click.command()
@click.argument("lesson_id")
@click.option("--by", default="", help="Who says so.")
def unpin(lesson_id: str, by: str) -> None:
    """End the exemption of a lesson from the decay."""
    from senno.lessons import UnpinnedEvent

    store, _, _ = opened()
    lesson = store.read(lesson_id)
    store.events.append(UnpinnedEvent(lesson_id=lesson.id, by=by))
    click.echo(f"unpinned: {lesson.id}")


def _records(store: Store) -> tuple[TaskRecord, ...]:
    from senno.lessons import merged, task_records

    log = store.events.read()
    for problem in log.problems:
        progress(f"senno: {problem}")
    return task_records(merged(log.events))


def _uses(uses: tuple[str, ...], known: list[str]) -> dict[str, Use]:
    """`LESSON=WHAT` options; a lesson by the beginning of its id that no other has."""
    from typing import cast, get_args

    from senno.lessons import Use
    from senno.text import did_you_mean

    found: dict[str, Use] = {}
    for text in uses:
        name, _, what = text.partition("=")
        if what not in get_args(Use):
            raise click.UsageError(f"--use {text!r}: expected LESSON=helped, harmed, neutral or unused")
        own = [key for key in known if key == name] or [key for key in known if name and key.startswith(name)]
        if len(own) != 1:
            problem = f"no lesson {name!r}{did_you_mean(name, known)}" if not own else f"{name!r} begins several ids"
            raise click.UsageError(f"--use {text!r}: {problem}; senno lessons list shows them")
        found[own[0]] = cast("Use", what)
    return found

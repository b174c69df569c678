"""`senno lessons`: add, list, show, edit-tags, verify, export."""

from __future__ import annotations

import importlib
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import click

from senno.cli.output import json_option, print_data, print_json, print_table, progress, read_stdin
from senno.text import one_line, shown

if TYPE_CHECKING:
    from senno.lessons import Draft, Lesson, Store

# Commands in modules of their own, with what they do: imported when one of them is called.
ELSEWHERE: dict[str, tuple[str, str]] = {
    "search": ("senno.cli.lessons_index", "Find lessons by words and by meaning."),
    "reindex": ("senno.cli.lessons_index", "Make the index again: all of it is derived."),
    "reflect": ("senno.cli.lessons_reflect", "Let a model write the lesson of a task."),
    "gaps": ("senno.cli.lessons_reflect", "Skills and tools that were missing, by how many lessons ask for them."),
    "task": ("senno.cli.lessons_task", "Record that a task begins: attempt it, ask, or decline?"),
    "outcome": ("senno.cli.lessons_task", "Record how a task ended: reflect on it?"),
    "pin": ("senno.cli.lessons_task", "Exempt a lesson from the decay."),
    "unpin": ("senno.cli.lessons_task", "End that exemption."),
    "decay": ("senno.cli.lessons_decay", "Archive what is old and idle, promote what is used."),
    "metrics": ("senno.cli.lessons_log", "Is it getting better? Per department and week."),
    "stats": ("senno.cli.lessons_log", "What is in the store and in its log."),
    "calibration": ("senno.cli.lessons_log", "Can the stated confidence be believed?"),
}


class _Lessons(click.Group):
    """The group, with the commands that stand elsewhere."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Those of this file, then the others."""
        return [*super().list_commands(ctx), *ELSEWHERE]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import the module of a command that is not in this file."""
        if cmd_name not in ELSEWHERE:
            return super().get_command(ctx, cmd_name)
        module = importlib.import_module(ELSEWHERE[cmd_name][0])
        return cast("click.Command", getattr(module, cmd_name))


@click.group(cls=_Lessons)
def lessons() -> None:
    """Lessons: what agents wrote down after a task, as Markdown files."""


def _store() -> Store:
    from senno.cli.lessons_task import opened

    return opened()[0]


def all_lessons() -> tuple[tuple[Lesson, ...], tuple[str, ...]]:
    """The lessons here as the log has them, and what could not be read."""
    from datetime import UTC, datetime

    from senno.cli.lessons_task import opened
    from senno.lessons import current, snapshot

    store, settings, _ = opened()
    seen = snapshot(store, datetime.now(UTC), settings)
    return current(seen.lessons, seen.folded), seen.problems


def _one(lesson_id: str) -> tuple[Store, Lesson]:
    """A lesson as the log has it. Its salience, which takes all lessons of its department, is that of its file."""
    from datetime import UTC, datetime

    from senno.cli.lessons_task import opened
    from senno.lessons import current, fold

    store, settings, _ = opened()
    lesson = store.read(lesson_id)
    folded = fold([lesson], store.events.read().events, datetime.now(UTC), settings)
    (now,) = current([lesson], folded)
    return store, replace(now, salience_score=lesson.salience_score)


def _tell(problems: tuple[str, ...]) -> None:
    if problems:
        progress(f"{len(problems)} could not be read, and left out: senno lessons verify says why")


@lessons.command()
@click.option("--file", type=click.Path(path_type=Path, allow_dash=True), help="A Markdown draft (- for stdin).")
@click.option("--task-id", help="The task that taught it.")
@click.option("--outcome", type=click.Choice(["success", "partial", "failure"]), help="How the task ended.")
@click.option("--what", help="What happened?")
@click.option("--why", help="Why?")
@click.option("--rule", help="What rule should I remember?")
@click.option("--task", help="The text of the task.")
@click.option("--task-type", help="The kind of task, as the capability profile has it.")
@click.option("--confidence", "confidence_at_start", type=click.FloatRange(0, 1), help="Before the task, 0 to 1.")
@click.option("--model", "model_used", help="The model that did the task.")
@click.option("--department", help="Default: lessons.default_department of the config.")
@click.option("--agent", help="Who writes.")
@click.option("--skill", "related_skills", multiple=True, help="A skill it is about; may be given again.")
@click.option("--tag", "tags", multiple=True, help="May be given again.")
@click.option("--skill-gap", help="The tool or the skill that was missing.")
@click.option("--language", type=click.Choice(["en", "it"]), help="Of the headings. Default: lessons.language.")
@json_option
def add(file: Path | None, as_json: bool, **given: Any) -> None:
    """Store a lesson, from options or from a Markdown draft; an option goes before what the draft says.

    \b
    senno lessons add --task-id T-17 --outcome failure --what "…" --why "…" --rule "…" --tag dates
    senno lessons add --file draft.md
    senno lessons add --file - < draft.md

    A draft has a frontmatter with task_id and outcome, and the three headings. Secrets are redacted. What is there
    already is linked, not stored twice. What the log knows of the task (department, type, confidence) is taken from it.
    Exits with 1 where the lesson is refused: the reason is on stderr.
    """
    from senno import config
    from senno.lessons import filled, last_try, merged, task_records

    settings = config.load().config.lessons
    said = {key: value for key, value in given.items() if value not in (None, ())}
    draft = _from_file(file, said) if file else _from_options(said, settings.language)
    store = _store()
    draft = filled(draft, last_try(task_records(merged(store.events.read().events)), draft.task_id, draft.department))
    if not draft.department:
        draft = replace(draft, department=settings.default_department)
    added = store.add(draft)
    if as_json:
        from senno.lessons import lesson_json

        lesson = {**lesson_json(added.lesson), "path": str(added.path)}
        print_json({"schema_version": 1, "stored": added.stored, "note": added.note, "lesson": lesson})
        return
    click.echo(shown(f"{added.lesson.id}  {added.path}"))
    if added.note:
        progress(added.note)
    if added.stored == "duplicate":
        progress("nothing written: this lesson says the same; that it was learned again is in the log")
    elif added.stored == "same_reason":
        progress("nothing written: the task failed for the reason that this lesson gives; that is in the log")
    elif added.lesson.supersedes:
        progress(f"supersedes {added.lesson.supersedes}, of an earlier try that failed for another reason")
    if added.lesson.injection_suspect:
        progress(f"reads like an instruction ({added.lesson.injection_suspect!r}): it is recalled as data, marked so")


def _from_options(said: dict[str, Any], language: str) -> Draft:
    from senno.lessons import Draft

    missing = [f"--{key.replace('_', '-')}" for key in ("task_id", "outcome", "what", "why", "rule") if key not in said]
    if missing:
        raise click.UsageError(f"missing {', '.join(missing)}; or give a Markdown draft: --file FILE (- for stdin)")
    fields: dict[str, Any] = {"language": language, **said}
    return Draft(**fields)


def _from_file(file: Path, said: dict[str, Any]) -> Draft:
    from senno.files import read_text
    from senno.lessons import draft_from_text

    text = read_stdin() if str(file) == "-" else read_text(file)
    return replace(draft_from_text("standard input" if str(file) == "-" else str(file), text), **said)


@lessons.command("list")
@click.option("--department", help="Only lessons of this department.")
@click.option("--outcome", type=click.Choice(["success", "partial", "failure"]), help="Only this outcome.")
@click.option("--tag", help="Only lessons with this tag.")
@click.option("--archived/--active", default=None, help="Only archived lessons, or only those that are not.")
@click.option("--limit", type=click.IntRange(1), help="How many, newest first. Default: all.")
@json_option
def list_(
    department: str | None,
    outcome: str | None,
    tag: str | None,
    archived: bool | None,
    limit: int | None,
    as_json: bool,
) -> None:
    """The lessons here, newest first."""
    from senno.lessons import lesson_json

    known, problems = all_lessons()
    found = [
        lesson
        for lesson in known
        if (department is None or lesson.department == department)
        and (outcome is None or lesson.outcome == outcome)
        and (tag is None or tag in lesson.tags)
        and (archived is None or lesson.archived == archived)
    ]
    found = sorted(found, key=lambda lesson: (lesson.created_at, lesson.id), reverse=True)[:limit]
    if as_json:
        rows = [lesson_json(lesson) for lesson in found]
        print_json({"schema_version": 1, "problems": len(problems), "lessons": rows})
    else:
        rows = [
            [lesson.id, lesson.department or "–", lesson.outcome, ", ".join(lesson.tags), one_line(lesson.rule, 160)]
            for lesson in found
        ]
        print_table("", ["lesson", "department", "outcome", "tags", "rule"], rows, wrap="rule")
    _tell(problems)


@lessons.command()
@click.argument("lesson_id")
@json_option
def show(lesson_id: str, as_json: bool) -> None:
    """One lesson, whole. LESSON_ID may be cut short."""
    from senno.lessons import HEADINGS, lesson_json

    store, lesson = _one(lesson_id)
    if as_json:
        print_json({"schema_version": 1, "lesson": {**lesson_json(lesson), "path": str(store.root / lesson.path)}})
        return
    click.echo(shown(f"{lesson.id}  {lesson.outcome}  {store.root / lesson.path}"))
    for name, value in _about(lesson):
        click.echo(shown(f"  {name:<20} {one_line(value, 400)}"))
    for heading, text in zip(HEADINGS[lesson.language], (lesson.what, lesson.why, lesson.rule), strict=True):
        click.echo(shown(f"\n{heading}\n{text}"))


def _about(lesson: Lesson) -> list[tuple[str, str]]:
    from senno.lessons import lesson_json

    hidden = {"id", "outcome", "path", "what", "why", "rule", "language"}
    rows: list[tuple[str, str]] = []
    for name, value in lesson_json(lesson).items():
        if name in hidden or value in (None, "", [], False):
            continue
        if isinstance(value, dict):
            text = ", ".join(f"{key} {inner}" for key, inner in cast("dict[str, Any]", value).items())
        else:
            text = ", ".join(map(str, cast("list[Any]", value))) if isinstance(value, list) else str(value)
        rows.append((name, text))
    return rows


@lessons.command("edit-tags")
@click.argument("lesson_id")
@click.option("--add", "come", multiple=True, help="A tag to add; may be given again.")
@click.option("--remove", "go", multiple=True, help="A tag to take away; may be given again.")
@json_option
def edit_tags(lesson_id: str, come: tuple[str, ...], go: tuple[str, ...], as_json: bool) -> None:
    """Add or remove tags. Nothing else of the file changes: comments, order and quotes stay."""
    from senno.lessons import lesson_json

    if not come and not go:
        raise click.UsageError("say what to change: --add TAG or --remove TAG")
    if any(not tag.strip() for tag in come):
        raise click.UsageError("--add: an empty tag")
    store = _store()
    lesson = store.read(lesson_id)
    absent = [tag for tag in go if tag not in lesson.tags]
    if absent:
        raise click.UsageError(f"no tag {absent[0]!r} on {lesson.id}; it has {', '.join(lesson.tags) or 'none'}")
    kept = [tag for tag in lesson.tags if tag not in go]
    tags = tuple(dict.fromkeys([*kept, *(tag.strip() for tag in come)]))
    changed = store.rewrite_frontmatter(lesson.id, {"tags": tags})
    if as_json:
        print_json({"schema_version": 1, "lesson": lesson_json(changed)})
        return
    click.echo(shown(f"{changed.id}  {', '.join(changed.tags) or 'no tags'}"))


@lessons.command()
@json_option
def verify(as_json: bool) -> int:
    """Read every lesson and every event, and say what is wrong. Nothing is changed.

    Exits with 1 if a file was set aside, if two names are one where case is ignored, or if the log has bad lines.
    """
    store = _store()
    scan = store.scan()
    log = store.events.read()
    twins = [tuple(path.as_posix() for path in pair) for pair in scan.twins]
    fine = scan.clean and not log.problems
    if as_json:
        print_json(
            {
                "schema_version": 1,
                "root": str(store.root),
                "lessons": len(scan.lessons),
                "events": len(log.events),
                "complete": scan.complete,
                "set_aside": [
                    {"path": str(aside.path), "line": aside.line, "problem": aside.problem} for aside in scan.set_aside
                ],
                "twins": twins,
                "log_problems": [str(problem) for problem in log.problems],
            }
        )
        return 0 if fine else 1
    for aside in scan.set_aside:
        click.echo(shown(f"set aside  {aside}"))
    for first, second in twins:
        click.echo(shown(f"twins      {first} and {second} are one name on macOS and Windows"))
    for problem in log.problems:
        click.echo(shown(f"log        {problem}"))
    bad = len(scan.set_aside) + len(twins) + len(log.problems)
    found = f"{len(scan.lessons)} lessons, {len(log.events)} events, {bad} problem{'' if bad == 1 else 's'}"
    click.echo(shown(f"{store.root}: {found}"))
    return 0 if fine else 1


@lessons.command()
@click.option("--jsonl", type=click.Path(path_type=Path, allow_dash=True), help="A JSON object a line; - is stdout.")
@click.option(
    "--csv", "csv_file", type=click.Path(path_type=Path, allow_dash=True), help="A table for a sheet; - is stdout."
)
def export(jsonl: Path | None, csv_file: Path | None) -> None:
    """Write all lessons to a file, oldest first."""
    import json

    from senno.files import write_text
    from senno.lessons import lesson_json, to_csv

    target = jsonl or csv_file
    if target is None or (jsonl and csv_file):
        raise click.UsageError("say where to: --jsonl FILE or --csv FILE (- for stdout)")
    known, problems = all_lessons()
    ordered = sorted(known, key=lambda lesson: (lesson.created_at, lesson.id))
    if jsonl:
        lines = (json.dumps({"schema_version": 1, **lesson_json(lesson)}, ensure_ascii=False) for lesson in ordered)
        text = "".join(f"{line}\n" for line in lines)
    else:
        text = to_csv(ordered)
    if str(target) == "-":
        print_data(text)
    else:
        write_text(target, text)
        progress(f"written: {target} ({len(ordered)} lessons)")
    _tell(problems)

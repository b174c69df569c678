"""`senno reindex` and `senno lessons search`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from senno.cli.output import json_option, print_json, print_table, progress, progress_bar
from senno.errors import SennoError
from senno.text import one_line

if TYPE_CHECKING:
    from senno.lessons.search import Index


@click.command()
@click.option("--no-vectors", is_flag=True, help="Text search alone: vectors that are whole are kept, none are made.")
@json_option
def reindex(no_vectors: bool, as_json: bool) -> int:
    """Make the index again from the lessons and the log, and the vectors that are missing.

    Nothing is lost: all of it is derived. Vectors whose text is the same are kept. Two runs give the same bytes.
    Exits with 4 where vectors could not be made: words find those lessons.
    """
    from senno.lessons.agent import Lessons

    with Lessons(background=False) as lessons:
        index = lessons.index
        with progress_bar("lessons") as told:
            count = index.rebuild(told)
        made, problem = (0, "") if no_vectors else _make_vectors(index)
        notes = [problem, *lessons.notes] if problem else lessons.notes
        left = index.pending()
    if as_json:
        print_json(
            {"schema_version": 1, "lessons": count, "vectors_made": made, "vectors_missing": left, "notes": list(notes)}
        )
    else:
        click.echo(f"{count} lessons; {made} vectors made, {left} missing")
        for note in notes:
            progress(one_line(note, 400))
    return SennoError.exit_code if problem else 0


def _make_vectors(index: Index) -> tuple[int, str]:
    """Make those that are missing: how many were made, and what kept the others from it."""
    before, problem = index.pending(), ""
    if not before:
        return 0, ""
    try:
        with progress_bar("vectors") as told:
            index.embed_pending(told=lambda done: told(done, before))
    except SennoError as error:
        problem = f"not all vectors were made: {error}"
    index.rebuild()  # the vectors in the order of the lessons: the same bytes as next time
    return before - index.pending(), problem


@click.command()
@click.argument("query")
@click.option("--department", help="Only lessons that this department may read. Default: all.")
@click.option("--limit", type=click.IntRange(1, 50), default=10, show_default=True, help="The most lessons.")
@json_option
def search(query: str, department: str | None, limit: int, as_json: bool) -> None:
    """Find lessons by words and by meaning, whatever their relevance. For people: nothing is recorded.

    \b
    senno lessons search "currency of invoices"
    """
    from dataclasses import replace

    from senno.lessons.agent import Lessons
    from senno.lessons.recall import Ask, recalled_json

    if not query.strip():
        raise click.UsageError("the query is empty; expected words to look for")
    with Lessons(department=department or "", background=False) as lessons:
        rules = replace(lessons.rules, limit=limit, floor=-1.0, budget_ms=None)
        found = lessons.recall(Ask(query, department or ""), rules)
    if as_json:
        print_json(recalled_json(found))
        return
    rows = [
        [one.lesson.id, f"{one.score:.2f}", one.lesson.department or "–", one_line(one.lesson.rule, 200)]
        for one in found.lessons
    ]
    print_table("", ["lesson", "score", "department", "rule"], rows, right=["score"], wrap="rule")
    for note in found.notes:
        progress(one_line(note, 400))

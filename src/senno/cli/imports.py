"""`senno import`: lessons from elsewhere, each stored once however often it is imported."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime
from itertools import tee
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from senno.cli.output import json_option, print_json, progress, progress_bar
from senno.text import one_line

if TYPE_CHECKING:
    from senno.lessons import Draft
    from senno.lessons.importing import Found

_TOLD = 10
"""Rows that are none, or were refused, that are named one by one."""


@click.command("import")
@click.argument("kind", type=click.Choice(["reflexion", "mem0", "jsonl"]))
@click.argument("path", type=click.Path(path_type=Path, exists=True))
@click.option("--department", help="Of the lessons that name none. Default: lessons.default_department of the config.")
@click.option("--date", type=click.DateTime(["%Y-%m-%d"]), help="Of lessons whose source has no date. Default: now.")
@click.option("--dry-run", is_flag=True, help="Read everything, store nothing.")
@json_option
def import_(kind: str, path: Path, department: str | None, date: datetime | None, dry_run: bool, as_json: bool) -> int:
    """Take in lessons from elsewhere. Importing the same again stores nothing.

    \b
    senno import reflexion runs/          run logs as they are published, a file or a folder
    senno import mem0 memories.json       what mem0's get_all gives
    senno import jsonl lessons.jsonl      senno lessons export --jsonl, or objects with a text

    Near-duplicates are linked, secrets redacted, a rule that fits any task refused. Exits with 1 if a row could not be
    read; the others are stored.
    """
    from senno import config
    from senno.lessons import Store, find_root

    loaded = config.load()
    home = loaded.config.lessons.default_department if department is None else department
    found = _reader(kind)(path, home, date.replace(tzinfo=UTC) if date else None)
    seen = _Seen()
    drafts = seen.drafts(found)
    if dry_run:
        seen.counts["would_store"] = sum(1 for _ in drafts)
    else:
        store = Store.open(find_root(loaded))
        with progress_bar("lessons") as told:
            _store(store.add_many, drafts, seen, told)
    _print(seen, as_json)
    return 1 if seen.counts["bad"] else 0


def _reader(kind: str) -> Callable[[Path, str, datetime | None], Iterator[Found]]:
    from senno.lessons import importing

    readers: dict[str, Callable[[Path, str, datetime | None], Iterator[Found]]] = {
        "reflexion": importing.from_reflexion,
        "mem0": importing.from_mem0,
        "jsonl": importing.from_jsonl,
    }
    return readers[kind]


class _Seen:
    """What the rows came to."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()
        self.problems: list[str] = []

    def drafts(self, found: Iterable[Found]) -> Iterator[Draft]:
        """The drafts, those that are none counted."""
        from senno.lessons.importing import Bad

        for one in found:
            if isinstance(one, Bad):
                self.counts["bad"] += 1
                self.problems.append(str(one))
            else:
                self.counts["read"] += 1
                yield one


def _store(
    add: Callable[[Iterable[Draft]], Iterator[Any]],
    drafts: Iterator[Draft],
    seen: _Seen,
    told: Callable[[int, int], None],
) -> None:
    from senno.errors import LessonRefused

    given, named = tee(drafts)
    for number, (draft, added) in enumerate(zip(named, add(given), strict=True), 1):
        if isinstance(added, LessonRefused):
            seen.counts["refused"] += 1
            seen.problems.append(f"{draft.task_id}: {added}")
        else:
            seen.counts[added.stored] += 1
            if added.note and added.note not in seen.problems:
                seen.problems.append(added.note)
        told(number, number)


def _print(seen: _Seen, as_json: bool) -> None:
    names = ("read", "would_store", "new", "there", "duplicate", "same_reason", "refused", "bad")
    if as_json:
        counts = {name: seen.counts[name] for name in names if name != "would_store" or seen.counts[name]}
        print_json({"schema_version": 1, **counts, "problems": seen.problems})
        return
    said = {
        "would_store": "would be stored, refused or linked",
        "new": "stored",
        "there": "there already",
        "duplicate": "say what a lesson says already",
        "same_reason": "are retries that failed for the same reason",
        "refused": "refused",
        "bad": "could not be read",
    }
    parts = [f"{seen.counts[name]} {text}" for name, text in said.items() if seen.counts[name]]
    click.echo(f"{seen.counts['read']} lessons read: {', '.join(parts) or 'nothing to store'}")
    for problem in seen.problems[:_TOLD]:
        progress(one_line(problem, 300))
    if len(seen.problems) > _TOLD:
        progress(f"… and {len(seen.problems) - _TOLD} more: --json names all")

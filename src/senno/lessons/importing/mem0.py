"""Exports of mem0: memories as JSON."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any, cast

from senno.lessons.importing.found import Bad, Found, Unusable, made_id, moment_of, parted, text_of
from senno.lessons.importing.reading import items, rows
from senno.lessons.lesson import Draft

_LISTS = ("results", "memories")


def from_mem0(file: Path, department: str, created_at: datetime | None = None) -> Iterator[Found]:
    """The memories in a file: what mem0's `get_all` gives (`{"results": […]}` or a list), or JSON Lines.

    A memory is the rule of a lesson. Which task it came from, and how it ended, mem0 does not say: the memory is its
    own task, and the outcome `partial`, so that neither success nor failure is claimed. One that mem0 has changed
    since is a lesson of its own, which supersedes that of before.
    """
    found = rows(file) if file.suffix.lower() in (".jsonl", ".ndjson") else items(file, *_LISTS)
    for where, row in found:
        if isinstance(row, Bad):
            yield row
            continue
        try:
            yield _draft(row, department, created_at)
        except Unusable as error:
            yield Bad(where, str(error))


def _draft(row: dict[str, Any], department: str, created_at: datetime | None) -> Draft:
    text = text_of(row, "memory", "text", "data")
    if not text:
        raise Unusable("it has no memory: expected text under memory")
    what, why, rule = parted(text)
    own = text_of(row, "id")
    made = moment_of(row, "created_at")
    changed = moment_of(row, "updated_at")
    return Draft(
        id=made_id("mem0", own, text),
        task_id=f"mem0/{own or made_id(text)}",
        outcome="partial",
        what=what,
        why=why,
        rule=rule,
        task_type="mem0",
        department=department,
        agent=text_of(row, "agent_id"),
        tags=("imported", "mem0", *_categories(row), *_whose(row)),
        created_at=changed or made or created_at,
    )


def _categories(row: dict[str, Any]) -> list[str]:
    found = row.get("categories")
    return [one for one in cast("list[Any]", found) if isinstance(one, str)] if isinstance(found, list) else []


def _whose(row: dict[str, Any]) -> list[str]:
    return [f"{key.removesuffix('_id')}:{text_of(row, key)}" for key in ("user_id", "run_id") if text_of(row, key)]

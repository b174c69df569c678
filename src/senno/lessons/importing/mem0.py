"""Exports of mem0: memories as JSON."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any, cast

from senno.errors import FileFormatError
from senno.files import read_text
from senno.lessons.importing.found import Bad, Found, Unusable, json_of, made_id, parted, rows, text_of
from senno.lessons.lesson import Draft
from senno.lessons.moments import moment


def from_mem0(file: Path, department: str, created_at: datetime | None = None) -> Iterator[Found]:
    """The memories in a file: what mem0's `get_all` gives (`{"results": […]}` or a list), or JSON Lines.

    A memory is the rule of a lesson; which task it came from, and how it ended, mem0 does not say: the task is the run
    or the user that it names, and the outcome `partial`, so that neither success nor failure is claimed.
    """
    if file.suffix == ".jsonl":
        for where, row in rows(file):
            yield row if isinstance(row, Bad) else _safely(where, row, department, created_at)
        return
    try:
        value = json_of(read_text(file))
        items = cast("dict[str, Any]", value).get("results") if isinstance(value, dict) else value
        if not isinstance(items, list):
            raise Unusable("expected a list of memories, or an object with results")
    except (Unusable, FileFormatError) as error:
        yield Bad(str(file), str(error))
        return
    for number, item in enumerate(cast("list[Any]", items)):
        where = f"{file}[{number}]"
        if isinstance(item, dict):
            yield _safely(where, cast("dict[str, Any]", item), department, created_at)
        else:
            yield Bad(where, f"found {type(item).__name__}; expected an object with id and memory")


def _safely(where: str, row: dict[str, Any], department: str, created_at: datetime | None) -> Found:
    text = text_of(row, "memory", "text", "data")
    if not text:
        return Bad(where, "it has no memory: expected text under memory")
    made = text_of(row, "created_at")
    what, why, rule = parted(text)
    whose = text_of(row, "run_id", "user_id", "agent_id")
    found = text_of(row, "id")
    return Draft(
        id=made_id("mem0", found or text),
        task_id=f"mem0/{whose or found or made_id(text)}",
        outcome="partial",
        what=what,
        why=why,
        rule=rule,
        task_type="mem0",
        department=department,
        agent=text_of(row, "agent_id"),
        tags=("imported", "mem0"),
        created_at=(moment(made) if made else None) or created_at,
    )

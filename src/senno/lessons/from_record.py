"""What the log knows of a task, for a lesson whose writer left it open. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from senno.lessons.lesson import Draft
from senno.lessons.tasks import TaskRecord


def last_try(records: Sequence[TaskRecord], task_id: str, department: str = "") -> TaskRecord | None:
    """The last try at a task; in any department where none is named."""
    own = [r for r in records if r.task_id == task_id and department in ("", r.department)]
    return own[-1] if own else None


def filled(draft: Draft, record: TaskRecord | None) -> Draft:
    """The draft with department, task type, agent and confidence from the log, where it names none of its own."""
    if record is None:
        return draft
    start = record.start
    return replace(
        draft,
        department=draft.department or record.department,
        task_type=draft.task_type or record.task_type,
        agent=draft.agent or (start.agent if start else ""),
        confidence_at_start=draft.confidence_at_start
        if draft.confidence_at_start is not None or start is None
        else start.confidence,
    )

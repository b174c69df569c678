"""Names of files for lessons: safe on every file system, the same for one task id everywhere."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Container
from datetime import UTC, datetime
from pathlib import PurePosixPath

FOLDER = "reflexions"

_MOST_BYTES = 120
"""eCryptfs takes 143 bytes a name, others 255; the day and `-2` come on top."""

# What Windows or a shell takes for something else, white space, and what nobody sees (controls, direction, halves of
# pairs, private use).
_UNSAFE = re.compile(r'[<>:"/\\|?*\s]+')
_UNSEEN = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})


def slug(task_id: str) -> str:
    """A task id as a part of a file name; an id that is safe as it is stays as it is.

    Composed letters (NFC); what is unsafe becomes `-`; no dots, dashes or spaces at the ends, so that `../x` is `x`.
    An id of which nothing is left, or that is too long, ends in 8 digits of its SHA-256. The names that Windows
    reserves (`CON`, `NUL`) are none once the day stands before them. Two ids may become one name: the second file
    gets `-2`.
    """
    composed = unicodedata.normalize("NFC", task_id)
    seen = "".join("-" if unicodedata.category(c) in _UNSEEN else c for c in composed)
    safe = _UNSAFE.sub("-", seen).strip(".- ")
    digest = hashlib.sha256(task_id.encode("utf-8", "surrogatepass")).hexdigest()[:8]
    if not safe:
        return f"task-{digest}"
    data = safe.encode("utf-8")
    if len(data) <= _MOST_BYTES:
        return safe
    return data[: _MOST_BYTES - 9].decode("utf-8", "ignore").rstrip(".- ") + f"-{digest}"


def month_folder(created_at: datetime) -> PurePosixPath:
    """Where lessons of a month lie, relative to the root of the store; by UTC."""
    return PurePosixPath(FOLDER, f"{created_at.astimezone(UTC):%Y-%m}")


def free_name(created_at: datetime, task_id: str, taken: Container[str]) -> str:
    """`DD-<task-id>.md`, or with `-2`, `-3`, … the first that is not taken.

    Args:
        created_at: aware; the day is that of UTC.
        task_id: as the writer gave it.
        taken: the names that are there, each as `same_name` has it.
    """
    stem = f"{created_at.astimezone(UTC):%d}-{slug(task_id)}"
    name, number = f"{stem}.md", 1
    while same_name(name) in taken:
        number += 1
        name = f"{stem}-{number}.md"
    return name


def same_name(name: str) -> str:
    """The form in which two names are equal that some file system takes for one: macOS and Windows ignore case."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFD", name).casefold())

"""A whole index from nothing but lessons, log and vectors. Its bytes depend on those, and on the version, alone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from senno.lessons.search.database import Connection, begun
from senno.lessons.search.files_state import put, read_file
from senno.lessons.search.folders import Folders
from senno.lessons.search.home import FILE
from senno.lessons.search.log_state import take_whole_log
from senno.lessons.search.rows import refold_all
from senno.lessons.search.seen import Seen
from senno.lessons.search.soundness import note

if TYPE_CHECKING:
    from senno.lessons.search.carry import Carried

SEEN = "seen.json"


def build(
    folder: Path,
    root: Path,
    events: Path,
    carried: Carried | None = None,
    told: Callable[[int, int], None] = lambda _a, _b: None,
) -> None:
    """Make an index.

    Args:
        folder: an empty one, for the index.
        root: of the store.
        events: the folder of the log.
        carried: vectors that were made before.
        told: is given how many files were taken in, of how many.
    """
    seen = Seen(folder / SEEN, 0)
    folders = Folders(root, seen)
    found = folders.look(deep=True)
    files = sorted(found.changed)
    unread: dict[str, str] = {}
    with begun(folder / FILE, {}) as db:
        counts: Counter[str] = Counter()
        for done, path in enumerate(files, 1):
            if not _take(db, root, path, counts):
                unread[path] = ""
            if done % 100 == 0 or done == len(files):
                told(done, len(files))
        db.executemany("INSERT INTO df VALUES (?, ?)", sorted(counts.items()))
        take_whole_log(db, events)
        refold_all(db)
        if carried is not None:
            carried.into(db, folder)
    note(folder / FILE, whole=True)
    folders.taken(found, unread)
    seen.save(0)


def _take(db: Connection, root: Path, path: str, counts: Counter[str]) -> bool:
    try:
        one = read_file(root, path)
    except (OSError, UnicodeEncodeError):
        return False  # the next look at the files says so
    if one is None or one == "as it was":
        return False
    put(db, one, counts)
    return True

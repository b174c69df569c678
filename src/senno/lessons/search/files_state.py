"""Files into the index: what is new, what changed, what is gone. What could not be looked at is not gone."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from senno.errors import FileFormatError
from senno.lessons.document import from_bytes
from senno.lessons.listing import read_bytes
from senno.lessons.names import FOLDER
from senno.lessons.search.database import Connection, Database
from senno.lessons.search.rows import Prepared, digest, insert, prepared, remove
from senno.lessons.search.seen import FolderView, Seen, look

_BATCH = 500
"""Files in one transaction."""


@dataclass(frozen=True, slots=True)
class Aside:
    """A file that gives no lesson."""

    path: str
    digest: bytes
    problem: str


@dataclass(slots=True)
class Looked:
    """What a look at the folders found."""

    views: dict[str, FolderView] = field(default_factory=dict[str, FolderView])
    """Folders that changed, as they stand now."""
    changed: list[str] = field(default_factory=list[str])
    """Files that are new, or may have changed."""
    gone: list[str] = field(default_factory=list[str])
    """Files that are no longer there."""
    gone_folders: list[str] = field(default_factory=list[str])
    unread: list[str] = field(default_factory=list[str])
    """What could not be looked at, and why: nothing is concluded from it."""


def look_around(root: Path, seen: Seen, *, deep: bool) -> Looked:
    """Compare the folders with what was seen: those whose time changed, or with `deep` each file of each folder."""
    found = Looked()
    todo = [FOLDER]
    known = set(seen.folders)
    while todo:
        folder = todo.pop()
        known.discard(folder)
        inside = _look_at(root, folder, seen, found, deep=deep)
        if inside is None:  # it did not change: neither did what folders are in it
            todo.extend(name for name in seen.folders if name.rpartition("/")[0] == folder)
        else:
            todo.extend(f"{folder}/{name}" for name in inside)
    for folder in sorted(known):
        if not any(folder == name or folder.startswith(f"{name}/") for name in _unread_folders(found)):
            found.gone_folders.append(folder)
            found.gone.extend(f"{folder}/{name}" for name in seen.files(folder))
    return found


def _unread_folders(found: Looked) -> list[str]:
    return [line.partition(": ")[0] for line in found.unread]


def _look_at(root: Path, folder: str, seen: Seen, found: Looked, *, deep: bool) -> list[str] | None:
    """The folders in one, or `None`: it did not change. A folder that is gone has none."""
    here = root / folder
    before = seen.folders.get(folder)
    try:
        if before and not deep and before[0] == here.stat().st_mtime_ns:
            return None
        view = look(here)
    except FileNotFoundError:
        if before:
            found.gone_folders.append(folder)
            found.gone.extend(f"{folder}/{name}" for name in seen.files(folder))
        return []
    except OSError as error:
        found.unread.append(f"{folder}: cannot be read ({error.strerror or error})")
        return None
    if before and before[1] == view.digest() and view.settled:
        if before[0] != view.time:
            seen.take(folder, view)
        return view.inside
    old, new = seen.files(folder), view.by_name()
    found.views[folder] = view
    found.changed.extend(
        f"{folder}/{name}" for name, numbers in new.items() if old.get(name) != numbers or not any(numbers)
    )
    found.gone.extend(f"{folder}/{name}" for name in old if name not in new)
    return view.inside


def read_file(root: Path, path: str) -> Prepared | Aside | None:
    """A file as it goes into the index; `None`: it is gone.

    Raises:
        OSError: it cannot be read; nothing is concluded from that.
    """
    try:
        data = read_bytes(root, Path(path))
    except FileNotFoundError:
        return None
    except FileFormatError as error:
        return Aside(path, b"", str(error))
    mark = digest(data)
    try:
        return prepared(from_bytes(Path(path), data, str(root / path)), mark)
    except FileFormatError as error:
        return Aside(path, mark, str(error))


def take_files(
    database: Database,
    root: Path,
    changed: Sequence[str],
    gone: Sequence[str] = (),
    told: Callable[[int], None] = lambda _: None,
) -> list[str]:
    """Take files in, and those that are gone out.

    Args:
        database: of the index.
        root: of the store.
        changed: files, relative to the root.
        gone: files that are no longer there.
        told: is given how many files were taken in after each batch.

    Returns:
        What could not be read, in words.
    """
    unread: list[str] = []
    todo = [*changed]
    again = _take_out(database, root, gone)
    todo.extend(path for path in again if path not in todo)
    for start in range(0, len(todo), _BATCH):
        unread.extend(_take_batch(database, root, todo[start : start + _BATCH]))
        told(min(start + _BATCH, len(todo)))
    return unread


def _take_out(database: Database, root: Path, gone: Sequence[str]) -> list[str]:
    really = [path for path in gone if not (root / path).exists()]
    if not really:
        return []
    freed: list[str] = []
    with database.writing() as db:
        for path in really:
            freed += _twins(db, remove(db, path))
            db.execute("DELETE FROM aside WHERE path = ?", (path,))
        touched(db)
    return [path for path in freed if path not in really]


def _take_batch(database: Database, root: Path, paths: Sequence[str]) -> list[str]:
    unread: list[str] = []
    read: list[Prepared | Aside] = []
    gone: list[str] = []
    for path in _unlike(database, root, paths, unread):
        try:
            one = read_file(root, path)
        except OSError as error:
            unread.append(f"{path}: cannot be read ({error.strerror or error})")
            continue
        if one is None:
            gone.append(path)
        else:
            read.append(one)
    freed: list[str] = []
    if read:
        with database.writing() as db:
            for one in read:
                freed += take(db, one)
            touched(db)
    freed += _take_out(database, root, gone)
    again = [path for path in dict.fromkeys(freed) if path not in paths]
    if again:
        unread += _take_batch(database, root, again)
    return unread


def _unlike(database: Database, root: Path, paths: Sequence[str], unread: list[str]) -> Iterable[str]:
    """The files whose bytes are not those that the index has."""
    with database.reading() as db:
        marks = [_mark(db, path) for path in paths]
    for path, mark in zip(paths, marks, strict=True):
        if mark is None:
            yield path
            continue
        try:
            same = digest(read_bytes(root, Path(path))) == mark
        except FileFormatError:
            same = mark == b""
        except FileNotFoundError:
            same = False
        except OSError as error:
            unread.append(f"{path}: cannot be read ({error.strerror or error})")
            continue
        if not same:
            yield path


def _mark(db: Connection, path: str) -> bytes | None:
    for table in ("lesson", "aside"):
        found = db.execute(f"SELECT digest FROM {table} WHERE path = ?", (path,)).fetchall()  # noqa: S608 - two constants
        if found:
            return found[0][0]
    return None


def take(db: Connection, one: Prepared | Aside) -> list[str]:
    """Put one file into the tables; the files that must be read again, since an id is free now.

    Of two files with one id the first by path is the lesson, as `listing.scan` has it.
    """
    if _mark(db, one.path) == one.digest and not isinstance(one, Aside):
        twin = db.execute("SELECT twin FROM aside WHERE path = ?", (one.path,)).fetchall()
        if not twin or twin[0][0] is None:
            return []
    freed = _twins(db, remove(db, one.path))
    db.execute("DELETE FROM aside WHERE path = ?", (one.path,))
    if isinstance(one, Aside):
        db.execute("INSERT INTO aside VALUES (?, ?, ?, NULL)", (one.path, one.digest, one.problem))
        return freed
    lesson_id = one.lesson.id
    other = db.execute("SELECT path, digest FROM lesson WHERE id = ?", (lesson_id,)).fetchall()
    if other and other[0][0] < one.path:
        _set_aside(db, one.path, one.digest, lesson_id, other[0][0])
        return freed
    if other:
        remove(db, other[0][0])
        _set_aside(db, other[0][0], other[0][1], lesson_id, one.path)
    insert(db, one)
    return [path for path in freed if path != one.path]


def _set_aside(db: Connection, path: str, mark: bytes, lesson_id: str, first: str) -> None:
    problem = f"the id {lesson_id} is that of {first} too"
    db.execute("INSERT OR REPLACE INTO aside VALUES (?, ?, ?, ?)", (path, mark, problem, lesson_id))


def _twins(db: Connection, lesson_id: str | None) -> list[str]:
    """The files set aside because another had their id, which is free now."""
    if lesson_id is None:
        return []
    found = db.execute("SELECT path FROM aside WHERE twin = ? ORDER BY path", (lesson_id,)).fetchall()
    for (path,) in found:  # their bytes are as they were: they are taken for new
        db.execute("UPDATE aside SET digest = x'' WHERE path = ?", (path,))
    return [path for (path,) in found]


def touched(db: Connection) -> None:
    """Tell other readers of the index that lessons came or went."""
    db.execute("UPDATE meta SET value = value + 1 WHERE name = 'changes'")

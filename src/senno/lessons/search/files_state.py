"""Files into the index: what is new, what changed, what is gone. What could not be looked at is not gone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from senno.errors import FileFormatError
from senno.lessons.document import from_bytes
from senno.lessons.listing import read_bytes
from senno.lessons.search.database import Connection, Database
from senno.lessons.search.rows import (
    Prepared,
    digest,
    forget_passages,
    insert,
    passage_of,
    prepared,
    remove,
    replace,
    touched,
)
from senno.lessons.search.seen import UNSURE, Numbers, numbers_of

BATCH = 500
"""Files in one transaction."""

_TRIES = 3
"""How often a file is read that changes while it is read."""


@dataclass(frozen=True, slots=True)
class Aside:
    """A file that gives no lesson."""

    path: str
    digest: bytes
    problem: str


@dataclass(slots=True)
class Taking:
    """What became of files that were to be taken in."""

    unread: dict[str, str] = field(default_factory=dict[str, str])
    """By path, why it could not be read; nothing was concluded from that."""
    again: list[str] = field(default_factory=list[str])
    """Files that must be read (again): they changed while they were read, or an id is free now."""
    gone: list[str] = field(default_factory=list[str])
    passages: set[bytes] = field(default_factory=set[bytes])
    """What lessons said that are gone, or say something else now."""


def look_at(root: Path, path: str) -> Numbers:
    """How a file stands; `UNSURE`: it is not there.

    Raises:
        OSError: it could not be looked at: it may still be there.
    """
    try:
        return numbers_of((root / path).stat())
    except (FileNotFoundError, NotADirectoryError):
        return UNSURE


def read_file(root: Path, path: str, known: bytes | None = None) -> Prepared | Aside | Literal["as it was"] | None:
    """A file as it goes into the index; `None`: it is gone.

    Args:
        root: of the store.
        path: of the file, relative to it.
        known: the digest of the file as the index has it.

    Raises:
        OSError: it cannot be read; nothing is concluded from that.
        UnicodeEncodeError: its name is not UTF-8.
    """
    path.encode("utf-8")
    try:
        data = read_bytes(root, Path(path))
    except (FileNotFoundError, NotADirectoryError):
        return None
    except FileFormatError as error:
        return Aside(path, b"", str(error).replace(str(root / path), path))
    mark = digest(data)
    if mark == known:
        return "as it was"
    try:
        return prepared(from_bytes(Path(path), data, path), mark)
    except FileFormatError as error:
        return Aside(path, mark, str(error))


def take_files(
    database: Database,
    root: Path,
    changed: Iterable[str],
    gone: Sequence[str] = (),
    told: Callable[[int], None] = lambda _: None,
) -> dict[str, str]:
    """Take files in, and those that are gone out.

    Args:
        database: of the index.
        root: of the store.
        changed: files, relative to the root.
        gone: files that are no longer there.
        told: is given how many files were looked at after each batch.

    Returns:
        What could not be read, by path, and why.
    """
    taking = Taking()
    todo = list(dict.fromkeys(changed))
    if gone:
        _take_out(database, root, gone, taking)
    done = 0
    for _ in range(_TRIES):
        todo, taking.again = [*todo, *(path for path in taking.again if path not in todo)], []
        for start in range(0, len(todo), BATCH):
            some = todo[start : start + BATCH]
            _take_batch(database, root, some, taking)
            done += len(some)
            told(done)
        todo = []
        if not taking.again:
            break
    if taking.passages:
        with database.writing() as db:
            forget_passages(db, taking.passages)
            touched(db)
    return taking.unread | dict.fromkeys(taking.again, "it changes all the time")


def _take_out(database: Database, root: Path, gone: Sequence[str], taking: Taking) -> None:
    really: list[str] = []
    for path in gone:
        try:
            if look_at(root, path) == UNSURE:
                really.append(path)
        except OSError as error:
            taking.unread[path] = error.strerror or str(error)
    if not really:
        return
    with database.writing() as db:
        for path in really:
            if look_at(root, path) == UNSURE:  # still
                _forget(db, path, taking)
        touched(db)


def _forget(db: Connection, path: str, taking: Taking) -> None:
    passage = passage_of(db, path)
    taking.passages |= {passage} if passage else set()
    taking.again += free(db, remove(db, path))
    db.execute("DELETE FROM aside WHERE path = ?", (path,))


def _take_batch(database: Database, root: Path, paths: Sequence[str], taking: Taking) -> None:
    with database.reading() as db:
        known = {path: _mark(db, path) for path in paths}
    read: list[tuple[Prepared | Aside, Numbers]] = []
    gone: list[str] = []
    for path in paths:
        try:
            numbers = look_at(root, path)
            one = read_file(root, path, known[path])
        except OSError as error:
            taking.unread[path] = error.strerror or str(error)
        except UnicodeEncodeError:
            taking.unread[path] = "its name is not UTF-8"
        else:
            if one is None or numbers == UNSURE:
                gone.append(path)
            elif one != "as it was":
                read.append((one, numbers))
    if read:
        with database.writing() as db:
            for one, numbers in read:
                _take_one(db, root, one, numbers, taking)
            touched(db)
    if gone:
        _take_out(database, root, gone, taking)


def _take_one(db: Connection, root: Path, one: Prepared | Aside, numbers: Numbers, taking: Taking) -> None:
    """Put one file in, unless it changed since it was read: another process may have taken in what it says now."""
    try:
        if look_at(root, one.path) != numbers:
            taking.again.append(one.path)
            return
    except OSError as error:
        taking.unread[one.path] = error.strerror or str(error)
        return
    before = passage_of(db, one.path)
    if before and (isinstance(one, Aside) or before != one.passage):
        taking.passages.add(before)
    taking.again += put(db, one)


def _mark(db: Connection, path: str) -> bytes | None:
    """The digest of a file as the index has it."""
    try:
        found = db.execute(
            "SELECT digest FROM lesson WHERE path = ?1 UNION ALL SELECT digest FROM aside WHERE path = ?1", (path,)
        ).fetchall()
    except UnicodeEncodeError:
        return None
    return found[0][0] if found else None


def put(db: Connection, one: Prepared | Aside, counts: Counter[str] | None = None) -> list[str]:
    """Put one file into the tables; the files that must be read again, since an id is free now.

    Of two files with one id the first by path is the lesson, as `listing.scan` has it.

    Args:
        db: the index.
        one: the file.
        counts: see `rows.insert`.
    """
    db.execute("DELETE FROM aside WHERE path = ?", (one.path,))
    if isinstance(one, Aside):
        freed = free(db, remove(db, one.path))
        db.execute("INSERT INTO aside VALUES (?, ?, ?, NULL)", (one.path, one.digest, one.problem))
        return freed
    there = db.execute("SELECT key, id, department FROM lesson WHERE path = ?", (one.path,)).fetchall()
    if there and there[0][1:] == (one.id, one.department):
        replace(db, there[0][0], one)
        return []
    freed = free(db, remove(db, one.path)) if there else []
    other = db.execute("SELECT path, digest FROM lesson WHERE id = ?", (one.id,)).fetchall()
    if other and other[0][0] < one.path:
        _set_aside(db, one.path, one.digest, one.id, other[0][0])
        return freed
    if other:
        remove(db, other[0][0])
        _set_aside(db, other[0][0], other[0][1], one.id, one.path)
    insert(db, one, counts)
    return [path for path in freed if path != one.path]


def _set_aside(db: Connection, path: str, mark: bytes, lesson_id: str, first: str) -> None:
    problem = f"{path}: the id {lesson_id} is that of {first} too"
    db.execute("INSERT OR REPLACE INTO aside VALUES (?, ?, ?, ?)", (path, mark, problem, lesson_id))


def free(db: Connection, lesson_id: str | None) -> list[str]:
    """The files set aside because another had their id, which is free now: they must be read again."""
    if lesson_id is None:
        return []
    found = [path for (path,) in db.execute("SELECT path FROM aside WHERE twin = ? ORDER BY path", (lesson_id,))]
    db.execute("DELETE FROM aside WHERE twin = ?", (lesson_id,))
    return found

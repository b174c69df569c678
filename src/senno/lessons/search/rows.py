"""Lessons going into the tables of the index and out of them, with all that hangs on each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from hashlib import blake2b
from pathlib import Path
from typing import Any

from senno.lessons.lesson import Lesson
from senno.lessons.search.database import Connection
from senno.lessons.search.entry import Entry
from senno.lessons.search.tokens import terms_of, words_of

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)

ENTRY = (
    "key, id, path, department, agent, task_id, task_type, outcome, created, archived, promoted, pinned, deprecated, "
    "retrievals, last_retrieved, salience"
)


def digest(data: bytes) -> bytes:
    """Of the bytes of a file, or of a text."""
    return blake2b(data, digest_size=16).digest()


def passage_text(lesson: Lesson) -> str:
    """What the vector of a lesson is made of: the task it came from, where it is known, and the three answers."""
    return "\n".join(part for part in (lesson.task, lesson.what, lesson.why, lesson.rule) if part)


def searchable(lesson: Lesson) -> str:
    """What the words of a lesson are taken from."""
    return "\n".join(
        (
            lesson.task,
            lesson.what,
            lesson.why,
            lesson.rule,
            *lesson.tags,
            *lesson.related_skills,
            lesson.skill_gap or "",
        )
    )


def micros(at: datetime) -> int:
    """A moment as the index has it."""
    return (at - _EPOCH) // _MICROSECOND


def moment(at: int | None) -> datetime | None:
    """The moment that `micros` was made of."""
    return None if at is None else _EPOCH + timedelta(microseconds=at)


@dataclass(frozen=True, slots=True)
class Prepared:
    """A lesson as its rows, made before any lock is held."""

    path: str
    digest: bytes
    lesson: Lesson
    passage: bytes
    language: str
    terms: tuple[str, ...]


def prepared(lesson: Lesson, data_digest: bytes) -> Prepared:
    """The rows of a lesson, from its file."""
    words = words_of(searchable(lesson))
    return Prepared(
        lesson.path.as_posix(),
        data_digest,
        lesson,
        digest(passage_text(lesson).encode("utf-8", "surrogatepass")),
        words.language,
        tuple(terms_of(words)),
    )


def insert(db: Connection, new: Prepared) -> int:
    """Put a lesson in; its state is that of the log so far. The key is given back."""
    one = new.lesson
    came = one.last_retrieved is not None
    row = (
        one.id,
        new.path,
        new.digest,
        new.passage,
        new.language,
        one.department,
        one.agent,
        one.task_id,
        one.task_type,
        one.outcome,
        micros(one.created_at),
        one.salience_score,
        one.retrieval_count if came else 0,
        micros(one.last_retrieved) if one.last_retrieved else None,
        one.deprecated is not None,
    )
    db.execute(
        "INSERT INTO lesson (id, path, digest, passage, language, department, agent, task_id, task_type, outcome,"
        " created, salience, front_count, front_last, front_deprecated)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        row,
    )
    key = db.last_insert_rowid()
    db.execute("INSERT INTO text (rowid, terms) VALUES (?, ?)", (key, " ".join(new.terms)))
    _count(db, set(new.terms), new.language, 1)
    refold(db, [one.id])
    return key


def remove(db: Connection, path: str) -> str | None:
    """Take the lesson of a file out, with all that hangs on it; its id, or `None`: there was none."""
    found = db.execute("SELECT key, id, language FROM lesson WHERE path = ?", (path,)).fetchall()
    if not found:
        return None
    key, lesson_id, language = found[0]
    ((terms,),) = db.execute("SELECT terms FROM text WHERE rowid = ?", (key,)).fetchall()
    _count(db, set(terms.split()), language, -1)
    db.execute("DELETE FROM text WHERE rowid = ?", (key,))
    db.execute("DELETE FROM lesson WHERE key = ?", (key,))
    return lesson_id


def _count(db: Connection, terms: set[str], language: str, change: int) -> None:
    upsert = "INSERT INTO {0} VALUES (?, ?) ON CONFLICT DO UPDATE SET lessons = lessons + excluded.lessons"
    db.executemany(upsert.format("df"), ((term, change) for term in sorted(terms)))
    db.execute(upsert.format("language"), (language, change))
    if change < 0:
        db.executemany("DELETE FROM df WHERE term = ? AND lessons <= 0", ((term,) for term in terms))
        db.execute("DELETE FROM language WHERE lessons <= 0")


_FOLDED = ("archived", "promoted", "pinned", "deprecated")


def refold(db: Connection, ids: Iterable[str]) -> None:
    """Write what the log says into the rows of these lessons (see `senno.lessons.fold`)."""
    for lesson_id in ids:
        flags = dict.fromkeys(_FOLDED, 0)
        said: Counter[str] = Counter()
        rows = db.execute(
            "SELECT flag, value FROM turn WHERE lesson = ? AND job NOT IN (SELECT job FROM undone)"
            " ORDER BY flag, at, writer, seq",
            (lesson_id,),
        )
        for flag, value in rows:
            flags[flag] = value
            said[flag] += 1
        db.execute(
            "UPDATE lesson SET archived = ?1, promoted = ?2, pinned = ?3,"
            " deprecated = CASE WHEN ?5 THEN ?4 ELSE front_deprecated END,"
            " retrievals = max(front_count, coalesce((SELECT count FROM retrieval WHERE lesson = ?6), 0)),"
            " last_retrieved = nullif(max(coalesce(front_last, 0),"
            "   coalesce((SELECT last FROM retrieval WHERE lesson = ?6), 0)), 0)"
            " WHERE id = ?6",
            (*(flags[name] for name in _FOLDED), said["deprecated"] > 0, lesson_id),
        )


def entry_of(row: Sequence[Any]) -> Entry:
    """An entry from the columns of `ENTRY`."""
    key, lesson_id, path, department, agent, task_id, task_type, outcome, created, *flags, count, last, salience = row
    archived, promoted, pinned, deprecated = map(bool, flags)
    at = moment(created)
    assert at is not None
    return Entry(
        key=key,
        id=lesson_id,
        path=Path(path),
        department=department,
        agent=agent,
        task_id=task_id,
        task_type=task_type,
        outcome=outcome,
        created_at=at,
        archived=archived,
        promoted=promoted,
        pinned=pinned,
        deprecated=deprecated,
        retrieval_count=count,
        last_retrieved=moment(last),
        salience=salience,
    )

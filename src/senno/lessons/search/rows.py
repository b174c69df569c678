"""Lessons going into the tables of the index and out of them, with all that hangs on each."""

from __future__ import annotations

import zlib
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from hashlib import blake2b
from pathlib import Path
from typing import Any

from senno.lessons.lesson import Draft, Lesson
from senno.lessons.likeness import words
from senno.lessons.search.database import Connection, marks
from senno.lessons.search.entry import Entry
from senno.lessons.search.tokens import analysed

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)

ENTRY = (
    "id, path, department, agent, task_id, task_type, outcome, created, archived, promoted, pinned, deprecated, "
    "retrievals, last_retrieved, salience, language, digest"
)
"""The columns of `entry_of`."""

FROM_FILE = (
    "id",
    "path",
    "digest",
    "passage",
    "said",
    "language",
    "department",
    "agent",
    "task_id",
    "task_type",
    "outcome",
    "created",
    "salience",
    "front_count",
    "front_last",
    "front_deprecated",
)
"""The columns of a lesson that come from its file, in the order that `proof` is made of."""


def digest(data: bytes) -> bytes:
    """Of the bytes of a file, or of a text."""
    return blake2b(data, digest_size=16).digest()


def passage_text(lesson: Draft | Lesson) -> str:
    """What the vector of a lesson is made of: the three answers."""
    return "\n".join((lesson.what, lesson.why, lesson.rule))


def said(lesson: Draft | Lesson) -> bytes:
    """Equal for two lessons of one department that say the same but for case, accents and punctuation."""
    texts = (lesson.department, *(" ".join(words(text)) for text in (lesson.what, lesson.why, lesson.rule)))
    return digest("\0".join(texts).encode("utf-8", "surrogatepass"))


def columns(lesson: Lesson) -> tuple[str, ...]:
    """The texts that the words of a lesson are taken from, in the order of the columns of `text`."""
    about = (*lesson.tags, *lesson.related_skills, lesson.skill_gap or "", lesson.task_type)
    return lesson.task, *answers(lesson), "\n".join(about)


def answers(lesson: Draft | Lesson) -> tuple[str, str]:
    """The rule, and the rest of the body."""
    return lesson.rule, f"{lesson.what}\n{lesson.why}"


def micros(at: datetime) -> int:
    """A moment as the index has it."""
    return (at - _EPOCH) // _MICROSECOND


def moment(at: int) -> datetime:
    """The moment that `micros` was made of."""
    return _EPOCH + timedelta(microseconds=at)


@dataclass(frozen=True, slots=True)
class Prepared:
    """A lesson as its rows, made before any lock is held."""

    path: str
    digest: bytes
    id: str
    department: str
    language: str
    passage: bytes
    row: tuple[Any, ...]
    """The values of `FROM_FILE`, then their proof."""
    terms: tuple[str, ...]


def prepared(lesson: Lesson, data_digest: bytes) -> Prepared:
    """The rows of a lesson, from its file."""
    found = analysed(columns(lesson))
    path = lesson.path.as_posix()
    passage = digest(passage_text(lesson).encode("utf-8", "surrogatepass"))
    last = lesson.last_retrieved
    row = (
        lesson.id,
        path,
        data_digest,
        passage,
        said(lesson),
        found.language,
        lesson.department,
        lesson.agent,
        lesson.task_id,
        lesson.task_type,
        lesson.outcome,
        micros(lesson.created_at),
        lesson.salience_score,
        lesson.retrieval_count if last else 0,
        micros(last) if last else None,
        int(lesson.deprecated is not None),
    )
    return Prepared(
        path, data_digest, lesson.id, lesson.department, found.language, passage, (*row, proof(row)), found.terms
    )


def proof(row: Sequence[Any]) -> int:
    """A checksum of the values of `FROM_FILE`: SQLite has none of its own."""
    return zlib.crc32(repr(tuple(row)).encode("utf-8", "surrogatepass"))


def insert(db: Connection, new: Prepared, counts: Counter[str] | None = None) -> None:
    """Put a lesson in; its state is that of the log so far.

    Args:
        db: the index.
        new: the lesson.
        counts: in a new index: takes the document frequencies, which the caller puts in at the end, as the state.
    """
    names = (*FROM_FILE, "proof")
    db.execute(f"INSERT INTO lesson ({', '.join(names)}) VALUES ({marks(names)})", new.row)  # noqa: S608
    key = db.last_insert_rowid()
    db.execute("INSERT INTO text (rowid, task, rule, body, tags) VALUES (?, ?, ?, ?, ?)", (key, *new.terms))
    if counts is not None:
        counts.update(_distinct(new.terms))
        _speak(db, new.language, 1)
        return
    _count(db, new.terms, new.language, 1)
    _wanted(db, new.passage)
    refold(db, [new.id])


def replace(db: Connection, key: int, new: Prepared) -> None:
    """Another content for a lesson that keeps its key."""
    ((language,),) = db.execute("SELECT language FROM lesson WHERE key = ?", (key,)).fetchall()
    (old,) = db.execute("SELECT task, rule, body, tags FROM text WHERE rowid = ?", (key,)).fetchall()
    if old != new.terms or language != new.language:
        _count(db, old, language, -1)
        db.execute("UPDATE text SET task = ?, rule = ?, body = ?, tags = ? WHERE rowid = ?", (*new.terms, key))
        _count(db, new.terms, new.language, 1)
    names = ", ".join(f"{name} = ?" for name in (*FROM_FILE, "proof"))
    db.execute(f"UPDATE lesson SET {names} WHERE key = ?", (*new.row, key))  # noqa: S608
    _wanted(db, new.passage)
    refold(db, [new.id])


def remove(db: Connection, path: str) -> str | None:
    """Take the lesson of a file out, with all but its vector; its id, or `None`: there was none."""
    found = db.execute("SELECT key, id, language FROM lesson WHERE path = ?", (path,)).fetchall()
    if not found:
        return None
    key, lesson_id, language = found[0]
    (terms,) = db.execute("SELECT task, rule, body, tags FROM text WHERE rowid = ?", (key,)).fetchall()
    _count(db, terms, language, -1)
    db.execute("DELETE FROM text WHERE rowid = ?", (key,))
    db.execute("DELETE FROM lesson WHERE key = ?", (key,))
    return lesson_id


_UPSERT = "INSERT INTO {0} VALUES (?, ?) ON CONFLICT DO UPDATE SET lessons = lessons + excluded.lessons"


def _distinct(terms: Sequence[str]) -> list[str]:
    return sorted(set(" ".join(terms).split()))


def _count(db: Connection, terms: Sequence[str], language: str, change: int) -> None:
    own = _distinct(terms)
    db.executemany(_UPSERT.format("df"), [(term, change) for term in own])
    if change < 0:
        db.executemany("DELETE FROM df WHERE term = ? AND lessons <= 0", [(term,) for term in own])
    _speak(db, language, change)


def _speak(db: Connection, language: str, change: int) -> None:
    db.execute(_UPSERT.format("language"), (language, change))
    if change < 0:
        db.execute("DELETE FROM language WHERE lessons <= 0")


def _wanted(db: Connection, passage: bytes) -> None:
    """A vector of this passage is to be made by each embedder that has none."""
    db.execute(
        "INSERT OR IGNORE INTO todo SELECT e.id, ?1 FROM embedder e WHERE NOT EXISTS"
        " (SELECT 1 FROM vector v WHERE v.embedder = e.id AND v.passage = ?1)",
        (passage,),
    )


def passage_of(db: Connection, path: str) -> bytes | None:
    """The passage of a file's lesson."""
    found = db.execute("SELECT passage FROM lesson WHERE path = ?", (path,)).fetchall()
    return found[0][0] if found else None


def forget_passages(db: Connection, passages: Iterable[bytes]) -> None:
    """Take out the vectors of passages that no lesson has any more."""
    for passage in sorted(passages):
        if not db.execute("SELECT 1 FROM lesson WHERE passage = ? LIMIT 1", (passage,)).fetchall():
            db.execute("DELETE FROM vector WHERE passage = ?", (passage,))
            db.execute("DELETE FROM todo WHERE passage = ?", (passage,))


_FLAGS = ("archived", "promoted", "pinned", "deprecated")


def refold(db: Connection, ids: Iterable[str]) -> None:
    """Write what the log says into the rows of these lessons (see `senno.lessons.fold`)."""
    for lesson_id in ids:
        flags = dict.fromkeys(_FLAGS, 0)
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
            (*(flags[name] for name in _FLAGS), said["deprecated"] > 0, lesson_id),
        )


def refold_all(db: Connection) -> None:
    """`refold` for every lesson."""
    db.execute(
        "UPDATE lesson SET archived = 0, promoted = 0, pinned = 0, deprecated = front_deprecated,"
        " retrievals = front_count, last_retrieved = front_last"
    )
    named = db.execute("SELECT lesson FROM retrieval UNION SELECT lesson FROM turn ORDER BY 1").fetchall()
    refold(db, [lesson_id for (lesson_id,) in named])


def touched(db: Connection) -> None:
    """Tell other readers of the index that lessons or vectors came or went."""
    db.execute("UPDATE meta SET value = value + 1 WHERE name = 'changes'")


def changes_in(db: Connection) -> int:
    """How often `touched` was called: it only grows while an index lives."""
    ((changes,),) = db.execute("SELECT value FROM meta WHERE name = 'changes'").fetchall()
    return changes


def entry_of(key: int, row: Sequence[Any]) -> Entry:
    """An entry from the columns of `ENTRY`."""
    lesson_id, path, department, agent, task_id, task_type, outcome, created, *rest = row
    *flags, count, last, salience, language, mark = rest
    archived, promoted, pinned, deprecated = map(bool, flags)
    return Entry(
        key=key,
        id=lesson_id,
        path=Path(path),
        department=department,
        agent=agent,
        task_id=task_id,
        task_type=task_type,
        outcome=outcome,
        created_at=moment(created),
        archived=archived,
        promoted=promoted,
        pinned=pinned,
        deprecated=deprecated,
        retrieval_count=count,
        last_retrieved=None if last is None else moment(last),
        salience=salience,
        language=language,
        digest=mark,
    )

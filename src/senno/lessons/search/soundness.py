"""Is a file of the index what was written there? SQLite has no checksums of its own, so a flipped bit may go unseen.

Whoever moves pages into the file notes how it stands then. A file that stands otherwise was changed by something else,
or its writer was killed between the two: then all of it is checked against itself, which takes seconds for 100,000
lessons. What does not hold is made again from the lessons.
"""

from __future__ import annotations

import contextlib
import json
import secrets
from collections import Counter
from pathlib import Path

import apsw

from senno.lessons.search.database import BROKEN, Connection, Database
from senno.lessons.search.rows import FROM_FILE, proof
from senno.lessons.search.seen import numbers_of

_NOTE = "standing.json"


def note(file: Path, *, whole: bool) -> None:
    """Write down how the file of an index stands now. That it cannot be written costs a check later, nothing else.

    Args:
        file: of the index.
        whole: nothing of it is in its write-ahead log alone.
    """
    with contextlib.suppress(OSError):
        standing = {"file": numbers_of(file.stat()), "whole": whole}
        temporary = file.with_name(f".{secrets.token_hex(6)}.tmp")
        temporary.write_text(json.dumps(standing), encoding="utf-8")
        temporary.replace(file.with_name(_NOTE))


def as_noted(file: Path) -> bool:
    """Whether it stands as the note says."""
    with contextlib.suppress(OSError, ValueError, TypeError, KeyError):
        noted = json.loads(file.with_name(_NOTE).read_text(encoding="utf-8"))
        return noted["whole"] is True and tuple(noted["file"]) == numbers_of(file.stat())
    return False


def sound(database: Database) -> bool:
    """Whether all tables hold together: pages, words against texts, counts, and each lesson against its proof."""
    try:
        with database.snapshot() as db:
            return _pages(db) and _lessons(db) and _counts(db)
    except (*BROKEN, apsw.NoMemError, UnicodeDecodeError, TypeError, ValueError):
        return False


def _pages(db: Connection) -> bool:
    """Pages, indexes, and what FTS5 checks of its own: each word against the text it is from."""
    return db.execute("PRAGMA integrity_check(1)").fetchall() == [("ok",)]


def _lessons(db: Connection) -> bool:
    rows = db.execute(f"SELECT {', '.join(FROM_FILE)}, proof FROM lesson")  # noqa: S608 - constants
    return all(proof(row[:-1]) == row[-1] for row in rows)


def _counts(db: Connection) -> bool:
    db.execute("CREATE VIRTUAL TABLE IF NOT EXISTS temp.words USING fts5vocab('main', 'text', 'row')")
    differ = (
        "SELECT 1 FROM (SELECT term, doc FROM temp.words EXCEPT SELECT term, lessons FROM df)"
        " UNION ALL SELECT 1 FROM (SELECT term, lessons FROM df EXCEPT SELECT term, doc FROM temp.words) LIMIT 1"
    )
    if db.execute(differ).fetchall():
        return False
    spoken = Counter(language for (language,) in db.execute("SELECT language FROM lesson"))
    return dict(spoken) == dict(db.execute("SELECT name, lessons FROM language").fetchall())

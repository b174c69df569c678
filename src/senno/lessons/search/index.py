"""The index: all of it is derived from the lessons and the log, and made again where it is missing or damaged."""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
import threading
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import apsw
import numpy as np
from numpy.typing import NDArray

from senno.errors import FileFormatError, SennoError
from senno.lessons.durable import locked
from senno.lessons.lesson import without_halves
from senno.lessons.listing import paths, read_lesson
from senno.lessons.search.database import BROKEN, Database
from senno.lessons.search.entry import Entry, Hit, Where
from senno.lessons.search.files_state import look_around, take_files
from senno.lessons.search.log_state import LogFollower, offsets_in, take_log
from senno.lessons.search.rows import ENTRY, entry_of, passage_text
from senno.lessons.search.seen import Seen
from senno.lessons.search.tokens import terms_of, words_of
from senno.lessons.search.vectors import Vectors
from senno.lessons.search.words import Terms, coverage, found_by_words, pruned

if TYPE_CHECKING:
    from senno.lessons.lesson import Draft, Lesson
    from senno.models.embedding import Embedder

T = TypeVar("T")

FOLDER = ".index"
EVENTS = "events"

_EMBEDDED_AT_ONCE = 8

_TELLING = 8
"""Of its rarest terms, how many a text must be looked for by to find those that say the same."""


class Index:
    """Finds lessons by words and by vectors. Any number of processes may use it at once; threads may share it.

    Make one with `Index.open`.
    """

    def __init__(self, root: Path, embedder: Embedder | None) -> None:
        self.root = root
        self._embedder = embedder
        self._lock = threading.RLock()
        self._notes: dict[str, str] = {}
        self._temporary: tempfile.TemporaryDirectory[str] | None = None
        self._stop = threading.Event()
        self._worker: threading.Thread | None = None
        self._home = self._usable_home()
        self._follow()

    @classmethod
    def open(cls, root: Path, embedder: Embedder | None = None) -> Index:
        """The index of a store: made where it is missing, damaged, or of another version.

        Args:
            root: of the store.
            embedder: makes the vectors; `None`: text search alone.
        """
        index = cls(root, embedder)
        index.refresh(deep=True)
        return index

    # Where it is, and which generation of it.

    def _usable_home(self) -> Path:
        home = self.root / FOLDER
        try:
            home.mkdir(parents=True, exist_ok=True)
            probe = home / f".{os.getpid()}.{threading.get_ident()}.tmp"
            probe.touch()
            probe.unlink()
        except OSError as error:
            self._temporary = tempfile.TemporaryDirectory(prefix="senno-index-")
            self._notes["home"] = (
                f"{home}: cannot be written ({error.strerror or error}); the index is made anew each time"
            )
            return Path(self._temporary.name)
        return home

    def _current(self) -> str:
        """The folder of the generation in use; a new one where there is none."""
        with contextlib.suppress(OSError, UnicodeDecodeError):
            name = (self._home / "current").read_text(encoding="utf-8").strip()
            if name.startswith("g") and name[1:].isdigit() and (self._home / name / "index.db").is_file():
                return name
        return ""

    def _follow(self) -> None:
        """Open the generation in use, or begin one."""
        name = self._current()
        if not name:
            with locked(self._home / ".lock"):
                name = self._current() or self._begin()
        self._use(name)
        if not self._fits():
            self._replace(name)

    def _fits(self) -> bool:
        try:
            return self._database.fits()
        except BROKEN:
            return False

    def _begin(self) -> str:
        """An empty generation, in use from now on."""
        name = self._next()
        (self._home / name).mkdir()
        Database.made(self._home / name / "index.db", {"changes": 0}).close()
        self._point(name)
        return name

    def _next(self) -> str:
        numbers = [int(p.name[1:]) for p in self._home.glob("g*") if p.name[1:].isdigit()]
        return f"g{max(numbers, default=0) + 1}"

    def _point(self, name: str) -> None:
        temporary = self._home / f".current.{os.getpid()}.tmp"
        with temporary.open("w", encoding="utf-8") as file:
            file.write(name)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(self._home / "current")
        for old in self._home.glob("g*"):
            if old.name != name and old.name[1:].isdigit() and int(old.name[1:]) < int(name[1:]):
                shutil.rmtree(old, ignore_errors=True)

    def _use(self, name: str) -> None:
        folder = self._home / name
        self._generation = name
        self._database = Database(folder / "index.db")
        self._vectors = Vectors(self._database, folder, self._embedder.name) if self._embedder else None
        self._log = LogFollower(self.root / EVENTS)
        try:
            mark = f"{name} {(folder / 'index.db').stat().st_ino}"
        except OSError:
            mark = name
        self._seen = Seen(folder / "seen.json", mark)

    def _replace(self, broken: str) -> None:
        """Another generation for one that is damaged, or of another version; made from the lessons."""
        with self._lock, locked(self._home / ".lock"):
            if self._current() in ("", broken):
                self._begin()
            self._database.close()
            self._use(self._current())

    @contextmanager
    def _whole(self) -> Generator[None]:
        """Mend the index where it turns out damaged; the caller tries again."""
        try:
            yield
        except BROKEN as error:
            self._notes["damaged"] = f"the index was damaged ({error}) and was made again"
            self._replace(self._generation)
            raise _Mended from error

    def _safely(self, function: Callable[[], T]) -> T:
        """Run it; where the index turns out damaged, make it again, and run it once more.

        Raises:
            SennoError: it is damaged again, or the disk is full.
        """
        try:
            for _ in range(2):
                with contextlib.suppress(_Mended), self._whole():
                    return function()
                self._take_in(deep=True)
            return function()
        except apsw.Error as error:
            raise SennoError(f"{self._home}: the index cannot be used ({error}); delete this folder") from error

    # What changed.

    def refresh(self, *, deep: bool = False) -> None:
        """Take in what changed in the files and in the log.

        Args:
            deep: look at each file, not only at the folders: finds what was changed in place.
        """
        with self._lock:
            if self._current() != self._generation:  # it was made again by another process
                self._database.close()
                self._follow()
                deep = True
            self._safely(lambda: self._take_in(deep=deep))

    def _take_in(self, *, deep: bool, told: Callable[[int], None] = lambda _: None) -> None:
        found = look_around(self.root, self._seen, deep=deep)
        unread = [*found.unread]
        if found.changed or found.gone:
            unread += take_files(self._database, self.root, found.changed, found.gone, told)
        for folder, view in found.views.items():
            for i, name in enumerate(view.names):
                if unread and any(line.startswith(f"{folder}/{name}: ") for line in unread):
                    view.numbers[4 * i : 4 * i + 4] = type(view.numbers)("q", (0, 0, 0, 0))
            self._seen.take(folder, view)
        for folder in found.gone_folders:
            self._seen.forget(folder)
        if deep:
            self._seen.save()
        self._note("unread", unread, "could not be read: what the index had of them stays")
        self._take_log(deep=deep)
        self._count_aside()
        if self._vectors:
            self._vectors.refresh()

    def _take_log(self, *, deep: bool) -> None:
        with self._database.reading() as db:
            offsets = offsets_in(db)
        grown = self._log.grown(offsets, deep=deep)
        if grown:
            take_log(self._database, grown, self.root / EVENTS)

    def _count_aside(self) -> None:
        with self._database.reading() as db:
            ((count,),) = db.execute("SELECT count(*) FROM aside").fetchall()
        self._notes.pop("aside", None)
        if count:
            files = "1 file is" if count == 1 else f"{count} files are"
            self._notes["aside"] = f"{files} no lessons and set aside: senno lessons verify says why"

    def _note(self, name: str, lines: Sequence[str], what: str) -> None:
        self._notes.pop(name, None)
        if lines:
            more = f" and {len(lines) - 1} more" if len(lines) > 1 else ""
            self._notes[name] = f"{lines[0]}{more}: {what}"

    @property
    def notes(self) -> tuple[str, ...]:
        """What is not as it should be, in words."""
        notes = dict(self._notes)
        missing = self.pending() if self._vectors and self._embedder else 0
        if missing and self._embedder:
            notes["vectors"] = (
                f"{missing} of {len(self)} lessons have no vector of {self._embedder.name} yet, and are found by words"
                " alone: senno lessons reindex makes them now"
            )
        if self._vectors and self._vectors.damaged:
            notes["rows"] = f"{self._vectors.damaged} vectors were damaged, and are made again"
        return tuple(notes.values())

    def __len__(self) -> int:
        with self._database.reading() as db:
            ((count,),) = db.execute("SELECT coalesce(sum(lessons), 0) FROM language").fetchall()
        return count

    # What is asked.

    def lexical(self, text: str, limit: int, where: Where) -> list[Hit]:
        """By words (BM25 over the 24 rarest terms of the text), best first."""

        def search() -> list[Hit]:
            with self._database.reading() as db:
                return found_by_words(db, pruned(db, text), limit, where)

        return self._safely(search)

    def dense(self, vector: NDArray[np.float32], limit: int, where: Where) -> list[Hit]:
        """By cosine, best first."""

        def search() -> list[Hit]:
            vectors = self._vectors
            if vectors is None:
                return []
            wanted = limit
            while True:
                hits = vectors.nearest(vector, wanted, where)
                there = self._there([hit.key for hit in hits], where)
                kept = [hit for hit in hits if hit.key in there][:limit]
                if len(kept) == limit or len(hits) < wanted:
                    return kept
                wanted *= 4

        return self._safely(search)

    def _there(self, keys: Sequence[int], where: Where) -> set[int]:
        """The keys of lessons that are there, and that no review took out."""
        marks = ", ".join("?" * len(keys))
        taken_out = "" if where.deprecated else " AND NOT deprecated"
        with self._database.reading() as db:
            found = db.execute(f"SELECT key FROM lesson WHERE key IN ({marks}){taken_out}", keys)  # noqa: S608 - marks
            return {key for (key,) in found}

    def coverage(self, text: str, keys: Sequence[int]) -> Mapping[int, float]:
        """The share of the words of `text` that each lesson has, weighed by their rarity; in [0, 1]."""

        def measure() -> Mapping[int, float]:
            with self._database.reading() as db:
                return coverage(db, pruned(db, text), keys)

        return self._safely(measure)

    def query(self, text: str) -> Terms:
        """The terms that a text is looked for by."""

        def prune() -> Terms:
            with self._database.reading() as db:
                return pruned(db, text)

        return self._safely(prune)

    def terms(self, keys: Sequence[int]) -> Mapping[int, list[str]]:
        """The terms of each lesson, with repetitions."""
        marks = ", ".join("?" * len(keys))

        def read() -> dict[int, list[str]]:
            with self._database.reading() as db:
                rows = db.execute(f"SELECT rowid, terms FROM text WHERE rowid IN ({marks})", keys)  # noqa: S608 - marks
                return {key: terms.split(" ") for key, terms in rows}

        return self._safely(read)

    def entries(self, keys: Sequence[int]) -> Mapping[int, Entry]:
        """What is known of each lesson beside its text."""
        marks = ", ".join("?" * len(keys))

        def read() -> dict[int, Entry]:
            with self._database.reading() as db:
                rows = db.execute(f"SELECT {ENTRY} FROM lesson WHERE key IN ({marks})", keys)  # noqa: S608 - marks
                return {row[0]: entry_of(row) for row in rows}

        return self._safely(read)

    def vectors(self, keys: Sequence[int]) -> Mapping[int, NDArray[np.float32]]:
        """Of the lessons that have one; norm 1."""

        def read() -> dict[int, NDArray[np.float32]]:
            if self._vectors is None:
                return {}
            with self._database.reading() as db:
                return self._vectors.of(db, keys)

        return self._safely(read)

    def lesson(self, key: int) -> Lesson | None:
        """As its file has it now; `None`: it is gone, or no lesson any more."""
        entry = self.entries([key]).get(key)
        if entry is None:
            return None
        try:
            lesson = read_lesson(self.root, entry.path)
        except (OSError, FileFormatError):
            return None
        return lesson if lesson.id == entry.id else None

    def top_retrieved(self, where: Where, limit: int) -> list[int]:
        """The keys of the lessons retrieved most often, most first; of equals the latest."""
        clauses = ["1" if where.deprecated else "NOT deprecated"]
        names = sorted(map(without_halves, where.departments)) if where.departments is not None else []
        if where.departments is not None:
            clauses.append(f"department IN ({', '.join('?' * len(names))})")
        with self._database.reading() as db:
            rows = db.execute(
                f"SELECT key FROM lesson WHERE {' AND '.join(clauses)}"  # noqa: S608 - marks
                " ORDER BY retrievals DESC, created DESC, id LIMIT ?",
                (*names, limit),
            )
            return [key for (key,) in rows]

    def written(self, department: str, task_type: str) -> int:
        """How many lessons a department has on a task type, whatever became of them."""

        def count() -> int:
            with self._database.reading() as db:
                sql = "SELECT count(*) FROM lesson WHERE department = ? AND task_type = ?"
                return db.execute(sql, (without_halves(department), without_halves(task_type))).fetchall()[0][0]

        return self._safely(count)

    def of_task(self, department: str, task_id: str) -> list[Path]:
        """The files of a department's lessons on a task, by path."""

        def read() -> list[Path]:
            with self._database.reading() as db:
                sql = "SELECT path FROM lesson WHERE department = ? AND task_id = ? ORDER BY path"
                return [Path(path) for (path,) in db.execute(sql, (department, task_id))]

        return self._safely(read)

    def maybe_near(self, draft: Draft, limit: int = 16) -> list[Path]:
        """The files of a department's lessons that could say the same as a draft, likeliest first."""
        where = Where(departments=frozenset({draft.department}), deprecated=True)
        text = "\n".join((draft.what, draft.why, draft.rule))

        def search() -> list[Hit]:
            with self._database.reading() as db:
                return found_by_words(db, pruned(db, text, _TELLING), limit, where)

        hits = self._safely(search)
        own = set(terms_of(words_of(text)))
        # A text that is near has nearly all of the same words; to find that out, no file has to be read.
        near = [
            key
            for key, terms in self.terms([hit.key for hit in hits]).items()
            if len(own & set(terms)) >= 0.8 * len(own)
        ]
        entries = self.entries(near)
        return [entries[key].path for key in near if key in entries]

    def starting_with(self, prefix: str) -> list[Path]:
        """The files whose ids begin so, by id; also those set aside because another has the same."""
        prefix = without_halves(prefix)
        end = prefix + "\U0010ffff"

        def read() -> list[Path]:
            with self._database.reading() as db:
                rows = db.execute(
                    "SELECT id, path FROM lesson WHERE id >= ?1 AND id < ?2"
                    " UNION SELECT twin, path FROM aside WHERE twin >= ?1 AND twin < ?2 ORDER BY 1, 2 LIMIT 1000",
                    (prefix, end),
                )
                return [Path(path) for _, path in rows]

        return self._safely(read)

    def key(self, lesson_id: str) -> int | None:
        """The key of a lesson; `None`: there is none of that id."""

        def read() -> int | None:
            with self._database.reading() as db:
                found = db.execute("SELECT key FROM lesson WHERE id = ?", (without_halves(lesson_id),)).fetchall()
                return found[0][0] if found else None

        return self._safely(read)

    def ids(self) -> list[str]:
        """All ids, in order."""

        def read() -> list[str]:
            with self._database.reading() as db:
                return [lesson_id for (lesson_id,) in db.execute("SELECT id FROM lesson ORDER BY id")]

        return self._safely(read)

    def add(self, files: Iterable[Path]) -> None:
        """Take in files that were just written, relative to the root, without looking around."""
        self._safely(lambda: take_files(self._database, self.root, [path.as_posix() for path in files]))

    # Vectors.

    def pending(self) -> int:
        """How many lessons have no vector of the embedder yet."""
        if self._vectors is None:
            return 0
        return max(len(self) - self._vectors.count, 0)

    def embed_pending(
        self,
        most: int | None = None,
        stop: Callable[[], bool] = lambda: False,
        told: Callable[[int], None] = lambda _: None,
    ) -> int:
        """Make the vectors that are missing; how many were made.

        Args:
            most: vectors at most; `None`: all.
            stop: asked between batches.
            told: is given how many were made so far.

        Raises:
            ModelError: the embedder failed.
        """
        made = 0
        while self._embedder and self._vectors and not stop() and (most is None or made < most):
            count = self._embed_some(_EMBEDDED_AT_ONCE if most is None else min(_EMBEDDED_AT_ONCE, most - made))
            if not count:
                break
            made += count
            told(made)
        return made

    def _embed_some(self, most: int) -> int:
        assert self._embedder
        assert self._vectors
        with locked(self._home / ".embedding.lock"):  # one process at a time makes vectors
            with self._database.reading() as db:
                rows = self._vectors.pending(db, most)
            texts: dict[bytes, str] = {}
            for passage, path in rows:
                with contextlib.suppress(OSError, FileFormatError):
                    texts[passage] = passage_text(read_lesson(self.root, Path(path)))
            if not texts:
                return 0
            self._vectors.add(list(texts), self._embedder.passages(list(texts.values())))
        self._vectors.refresh()
        return len(texts)

    def work_in_background(self, seconds: float = 30.0) -> None:
        """From now on, look around and make missing vectors in a thread, until `close`."""

        def work() -> None:
            while not self._stop.is_set():
                try:
                    self.embed_pending(stop=self._stop.is_set)
                    self._notes.pop("background", None)
                except SennoError as error:
                    self._notes["background"] = f"vectors are not being made: {error}"
                if self._stop.wait(seconds):
                    return
                with contextlib.suppress(SennoError):
                    self.refresh(deep=True)

        if self._worker is None:
            self._worker = threading.Thread(target=work, name="senno index", daemon=True)
            self._worker.start()

    def rebuild(self, told: Callable[[int, int], None] = lambda _a, _b: None) -> int:
        """Make all of it again from the lessons and the log; how many lessons there are.

        A vector is kept where its sum is right and its text is the same. The bytes depend on the lessons, the log, the
        version of senno and the embedder alone. Those who read meanwhile go on with the old one.
        """
        with self._lock, locked(self._home / ".lock"):
            files = [path.as_posix() for path in paths(self.root, [])]
            old, vectors = self._database, self._vectors
            if vectors:
                with contextlib.suppress(*BROKEN):
                    vectors.refresh()
            name = self._next()
            folder = self._home / name
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir()
            database = Database.made(folder / "index.db", {"changes": 0})
            take_files(database, self.root, files, (), lambda done: told(done, len(files)))
            take_log(database, sorted((self.root / EVENTS).glob("[!.]*.jsonl")), self.root / EVENTS)
            if vectors and self._embedder:
                _carry_over(old, vectors, database, Vectors(database, folder, self._embedder.name))
            database.close()
            old.close()
            self._point(name)
            self._use(name)
            self._safely(lambda: self._take_in(deep=True))
            return len(self)

    def close(self) -> None:
        """Stop the background work, and close the files."""
        self._stop.set()
        if self._worker is not None:
            self._worker.join(5)
        self._seen.save()
        self._database.close()
        if self._temporary is not None:
            self._temporary.cleanup()


class _Mended(Exception):
    """The index was made anew: what was asked can be asked again."""


def _carry_over(old: Database, vectors: Vectors, database: Database, new: Vectors) -> None:
    """The vectors that are whole, in the order of the lessons' paths."""
    try:
        with old.reading() as before:
            keys: dict[bytes, int] = dict(before.execute("SELECT passage, min(key) FROM lesson GROUP BY passage"))
            with database.reading() as db:
                wanted = [p for (p,) in db.execute("SELECT passage FROM lesson GROUP BY passage ORDER BY min(path)")]
            for start in range(0, len(wanted), 1000):
                some = [passage for passage in wanted[start : start + 1000] if passage in keys]
                found = vectors.of(before, [keys[passage] for passage in some])
                have = [passage for passage in some if keys[passage] in found]
                if have:
                    new.add(have, np.stack([found[keys[passage]] for passage in have]))
    except BROKEN:
        return  # they are made again

"""The index: all of it is derived from the lessons and the log, and made again where it is missing or damaged."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from senno.errors import FileFormatError, SennoError
from senno.lessons.document import from_bytes
from senno.lessons.lesson import without_halves
from senno.lessons.listing import read_bytes
from senno.lessons.search.database import marks
from senno.lessons.search.embedding import Background, embed_some
from senno.lessons.search.entry import Entry, Hit, Where
from senno.lessons.search.files_state import take_files
from senno.lessons.search.keeper import Keeper
from senno.lessons.search.keys import Keys
from senno.lessons.search.rows import ENTRY, answers, digest, entry_of, said
from senno.lessons.search.tokens import analysed
from senno.lessons.search.words import Terms, conditions_of, coverage, found_by_words, pruned, rarest, terms_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from senno.lessons.lesson import Draft, Lesson
    from senno.lessons.search.database import Connection
    from senno.lessons.search.generation import Generation
    from senno.models.embedding import Embedder

_EMBEDDED_AT_ONCE = 8

_TELLING = 8
"""Of its rarest terms, how many a text is looked for by to find those that say the same."""

_SHARED = 0.8
"""The least share of its terms that such a one has: two texts that are near differ in a few words."""


class Index:
    """Finds lessons by words and by vectors. Any number of processes may use it at once; threads may share it.

    Make one with `Index.open`.
    """

    def __init__(self, root: Path, embedder: Embedder | None) -> None:
        self.root = root
        self._embedder = embedder
        self._keeper = Keeper(root, embedder.name if embedder else None)
        self._keys = Keys()
        self._background: Background | None = None
        self._problem = ""

    @classmethod
    def open(cls, root: Path, embedder: Embedder | None = None) -> Index:
        """The index of a store: made where it is missing, damaged, or of another version.

        Args:
            root: of the store; it may not be there yet.
            embedder: makes the vectors; `None`: text search alone.

        Raises:
            SennoError: it cannot be made: the disk is full, or cannot be written at all.
        """
        index = cls(root, embedder)
        index.refresh(deep=True)
        return index

    def refresh(self, *, deep: bool = False) -> None:
        """Take in what changed in the files and in the log.

        Args:
            deep: look at each file, not only at the names in the folders: finds what was changed in place.

        Raises:
            SennoError: the index cannot be used: the disk is full, or another process holds it for long.
        """
        self._keeper.refresh(deep=deep)
        if self._background is not None and self.pending():
            self._background.wake()

    @property
    def notes(self) -> tuple[str, ...]:
        """What is not as it should be, in words."""
        keeper, now = self._keeper, self._keeper.generation
        notes = [keeper.home.note, keeper.damaged, keeper.problem, self._problem]
        if keeper.unread:
            path, why = next(iter(keeper.unread.items()))
            more = f" and {len(keeper.unread) - 1} more" if len(keeper.unread) > 1 else ""
            notes.append(f"{path}{more}: cannot be read ({why}); what the index had of it stays")
        if now.aside:
            files = "1 file is no lesson" if now.aside == 1 else f"{now.aside} files are no lessons"
            notes.append(f"{files}, and set aside: senno lessons verify says why")
        if now.vectors is not None and now.vectors.damaged:
            notes.append(f"{now.vectors.damaged} vectors were damaged, and are made again")
        notes.append(self._about_vectors(now))
        return tuple(note for note in notes if note)

    def _about_vectors(self, now: Generation) -> str:
        if self._embedder is None or not now.todo:
            return ""
        if now.other_embedder:
            return (
                f"the vectors are of {now.other_embedder}, not of {self._embedder.name}: text search alone until they"
                f" are made again ({now.lessons - now.todo:,} of {now.lessons:,} done; senno reindex makes them now)"
            )
        return (
            f"{now.todo:,} of {now.lessons:,} lessons have no vector of {self._embedder.name} yet, and are found by"
            " words alone: senno reindex makes them now"
        )

    def __len__(self) -> int:
        return self._keeper.generation.lessons

    # What recall asks.

    def lexical(self, text: str, limit: int, where: Where) -> list[Hit]:
        """By words (BM25 over the 24 rarest terms of the text), best first."""

        def search(db: Connection) -> list[Hit]:
            return self._hits(db, found_by_words(db, pruned(db, text), limit, where), where)

        return self._keeper.ask(search)

    def dense(self, vector: NDArray[np.float32], limit: int, where: Where) -> list[Hit]:
        """By cosine, best first; nothing while the vectors there are of another embedder (see `notes`)."""

        def search(generation: Generation) -> list[Hit]:
            vectors = generation.vectors
            if vectors is None or generation.other_embedder:
                return []
            vectors.refresh()
            if not vectors.size:
                return []
            if len(vector) != vectors.size:
                vectors.begin(len(vector))
                generation.follow(deep=False)
                return []
            wanted = limit
            while True:
                rows = vectors.nearest(vector, wanted, where)
                with generation.database.reading() as db:
                    hits = self._hits(db, rows, where)[:limit]
                if len(hits) == limit or len(rows) < wanted:
                    return hits
                wanted *= 4

        return self._keeper.safely(search)

    def _hits(self, db: Connection, rows: Sequence[Hit], where: Where) -> list[Hit]:
        """Rows of the tables as hits; without those that are gone, or that `where` does not ask for."""
        conditions, names = conditions_of(where)
        keys = [row.key for row in rows]
        sql = f"SELECT key, id FROM lesson WHERE key IN ({marks(keys)}) AND {conditions}"  # noqa: S608
        ids: dict[int, str] = dict(db.execute(sql, [*keys, *names]))
        there = [row for row in rows if row.key in ids]
        return [Hit(key, row.score) for key, row in zip(self._keys.of(ids[r.key] for r in there), there, strict=True)]

    def _rows_of(self, db: Connection, keys: Sequence[int]) -> dict[int, int]:
        """By key, the row of the tables that it stands for."""
        ids = self._keys.ids(keys)
        found = db.execute(f"SELECT id, key FROM lesson WHERE id IN ({marks(list(ids))})", list(ids))  # noqa: S608
        return {ids[lesson_id]: row for lesson_id, row in found}

    def query(self, text: str) -> Terms:
        """The terms that a text is looked for by."""
        return self._keeper.ask(lambda db: pruned(db, text))

    def terms(self, keys: Sequence[int]) -> Mapping[int, list[str]]:
        """The terms of each lesson, with repetitions."""

        def read(db: Connection) -> dict[int, list[str]]:
            rows = self._rows_of(db, keys)
            found = terms_of(db, list(rows.values()))
            return {key: found[row] for key, row in rows.items() if row in found}

        return self._keeper.ask(read)

    def coverage(self, text: str, keys: Sequence[int]) -> Mapping[int, float]:
        """The share of the words of `text` that each lesson has, weighed by their rarity; in [0, 1]."""
        return dict.fromkeys(keys, 0.0) | coverage(self.query(text), self.terms(keys))

    def entries(self, keys: Sequence[int]) -> Mapping[int, Entry]:
        """What is known of each lesson beside its text."""
        ids = self._keys.ids(keys)
        sql = f"SELECT {ENTRY} FROM lesson WHERE id IN ({marks(list(ids))})"  # noqa: S608
        found = self._keeper.ask(lambda db: [entry_of(ids[row[0]], row) for row in db.execute(sql, list(ids))])
        return {entry.key: entry for entry in found}

    def vectors(self, keys: Sequence[int]) -> Mapping[int, NDArray[np.float32]]:
        """Of the lessons that have one; norm 1."""

        def read(generation: Generation) -> dict[int, NDArray[np.float32]]:
            if generation.vectors is None:
                return {}
            generation.vectors.refresh()
            with generation.database.reading() as db:
                rows = self._rows_of(db, keys)
                found = generation.vectors.of(db, list(rows.values()))
            return {key: found[row] for key, row in rows.items() if row in found}

        return self._keeper.safely(read)

    def lesson(self, key: int) -> Lesson | None:
        """As its file has it now; `None`: it is gone, or no lesson any more, and then the index drops it."""
        entry = self.entries([key]).get(key)
        if entry is None:
            return None
        try:
            data = read_bytes(self.root, entry.path)
            if digest(data) != entry.digest:
                self.add([entry.path])
            lesson = from_bytes(entry.path, data, str(self.root / entry.path))
        except (FileNotFoundError, NotADirectoryError, FileFormatError):
            self.add([entry.path])
            return None
        except OSError:
            return None  # `refresh` says so
        return lesson if lesson.id == entry.id else None

    def top_retrieved(self, where: Where, limit: int) -> list[int]:
        """The keys of the lessons retrieved most often, most first; of equals the latest."""
        conditions, names = conditions_of(where)
        sql = f"SELECT id FROM lesson WHERE {conditions} ORDER BY retrievals DESC, created DESC, id LIMIT ?"  # noqa: S608
        return self._keys.of(str(lesson_id) for (lesson_id,) in self._rows(sql, *names, limit))

    # What the store asks.

    def _rows(self, sql: str, *values: str | int | bytes) -> list[tuple[int | str, ...]]:
        clean = [without_halves(value) if isinstance(value, str) else value for value in values]
        return self._keeper.ask(lambda db: db.execute(sql, clean).fetchall())

    def key(self, lesson_id: str) -> int | None:
        """The key of a lesson; `None`: there is none of that id."""
        found = self._rows("SELECT id FROM lesson WHERE id = ?", lesson_id)
        return self._keys.of([str(found[0][0])])[0] if found else None

    def ids(self) -> list[str]:
        """All ids, in order."""
        return [str(lesson_id) for (lesson_id,) in self._rows("SELECT id FROM lesson ORDER BY id")]

    def written(self, department: str, task_type: str) -> int:
        """How many lessons a department has on a task type, whatever became of them."""
        sql = "SELECT count(*) FROM lesson WHERE department = ? AND task_type = ?"
        return int(self._rows(sql, department, task_type)[0][0])

    def of_task(self, department: str, task_id: str) -> list[Path]:
        """The files of a department's lessons on a task, by path."""
        sql = "SELECT path FROM lesson WHERE department = ? AND task_id = ? ORDER BY path"
        return [Path(str(path)) for (path,) in self._rows(sql, department, task_id)]

    def starting_with(self, prefix: str) -> list[Path]:
        """The files whose ids begin so, by path; also those set aside because another has their id."""
        sql = (
            "SELECT path FROM lesson WHERE id >= ?1 AND id < ?2"
            " UNION SELECT path FROM aside WHERE twin >= ?1 AND twin < ?2 ORDER BY path LIMIT 1000"
        )
        return [Path(str(path)) for (path,) in self._rows(sql, prefix, prefix + "\U0010ffff")]

    def maybe_near(self, draft: Draft, limit: int = 16) -> list[Path]:
        """The files of a department's lessons that could say the same as a draft, likeliest first.

        Those of the same words, then those that have its rarest words and most of the others; no file is read.
        """
        where = Where(departments=frozenset({draft.department}), deprecated=True)
        own = set(" ".join(analysed(answers(draft)).terms).split())

        def search(db: Connection) -> list[Path]:
            same = db.execute("SELECT key FROM lesson WHERE said = ? ORDER BY path LIMIT ?", (said(draft), limit))
            rows = [row for (row,) in same]
            known = rarest(db, own)
            hits: list[Hit] = []
            if len(known.terms) >= _SHARED * len(own):  # else no lesson can have most of its terms
                hits = found_by_words(db, Terms(known.terms[:_TELLING]), limit, where)
            terms = terms_of(db, [hit.key for hit in hits])
            rows += [hit.key for hit in hits if len(own.intersection(terms[hit.key])) >= _SHARED * len(own)]
            found = db.execute(f"SELECT key, path FROM lesson WHERE key IN ({marks(rows)})", rows)  # noqa: S608
            paths: dict[int, str] = dict(found)
            return [Path(paths[row]) for row in dict.fromkeys(rows) if row in paths]

        return self._keeper.ask(search)

    def add(self, files: Iterable[Path]) -> None:
        """Take in files that were just written, relative to the root, without looking around.

        Raises:
            SennoError: the index cannot be used; the next `refresh` takes them in.
        """
        paths = [path.as_posix() for path in files]
        self._keeper.safely(lambda generation: take_files(generation.database, self.root, paths))
        if self._background is not None:
            self._background.wake()

    # Vectors.

    def pending(self) -> int:
        """How many lessons have no vector of the embedder yet."""
        return self._keeper.generation.todo

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
        embedder, made = self._embedder, 0
        while embedder is not None and not stop() and (most is None or made < most):
            some = _EMBEDDED_AT_ONCE if most is None else min(_EMBEDDED_AT_ONCE, most - made)
            home = self._keeper.home.folder
            count = self._keeper.safely(lambda generation: embed_some(generation, home, embedder, some))  # noqa: B023
            if not count:
                break
            made += count
            told(made)
        if made:
            self.refresh()
        return made

    def work_in_background(self, seconds: float = 30.0) -> None:
        """From now on, make missing vectors and look at all files in a thread, until `close`.

        Args:
            seconds: between two looks.
        """

        def tried(function: Callable[[], object]) -> None:
            try:
                function()
                self._problem = ""
            except SennoError as error:
                self._problem = f"the index is not kept up in the background: {error}"

        if self._background is None:
            self._background = Background(
                lambda stop: tried(lambda: self.embed_pending(stop=stop)),
                lambda: tried(lambda: self.refresh(deep=True)),
                seconds,
            )

    def rebuild(self, told: Callable[[int, int], None] = lambda _a, _b: None) -> int:
        """Make all of it again from the lessons and the log; how many lessons there are.

        A vector is kept where its sum is right and its text is the same. The bytes depend on the lessons, the log, the
        version of senno and the vectors alone. Those who read meanwhile go on with the old one.

        Args:
            told: is given how many files were taken in, of how many.

        Raises:
            SennoError: it cannot be made; the old one is still there.
        """
        self._keeper.rebuild(told)
        self.refresh()
        return len(self)

    def close(self) -> None:
        """Stop the background work, and close the files."""
        if self._background is not None:
            self._background.stop()
        self._keeper.close()

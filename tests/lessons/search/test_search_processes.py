"""Eight processes write, recall, delete and rebuild, and are killed at any moment. (11: a database busy or locked.)"""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest

from index_dump import dump
from senno.lessons import Store
from senno.lessons.search import Index, Where
from words_embedder import WordsEmbedder

WORKER = Path(__file__).with_name("recalling_worker.py")
TESTS = Path(__file__).parents[2]
WRITERS = 8
SECONDS = float(os.environ.get("SENNO_KILL_SECONDS", "6"))
"""How long it goes on; the issue's own measure is 60."""


class Worker:
    def __init__(self, root, name):
        self._told, self._failed = (tempfile.TemporaryFile("w+", encoding="utf-8") for _ in range(2))  # noqa: SIM115
        self.process = subprocess.Popen(
            [sys.executable, str(WORKER), str(root), name],
            stdout=self._told,
            stderr=self._failed,
            env={**os.environ, "PYTHONPATH": str(TESTS), "OPENBLAS_NUM_THREADS": "1"},
        )

    def kill(self):
        """What it said, and what went wrong before it was killed."""
        ended = self.process.poll()
        self.process.kill()
        self.process.wait()
        texts = []
        for file in (self._told, self._failed):
            file.seek(0)
            texts.append(file.read())
            file.close()
        whole = texts[0][: texts[0].rfind("\n") + 1].splitlines()
        return [tuple(line.split()) for line in whole], texts[1] if ended is not None or "Error" in texts[1] else ""


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="no kill -9 here")
def test_11_nothing_acknowledged_is_lost_and_the_index_is_that_of_a_rebuild(tmp_path):
    root = tmp_path / "memory"
    root.mkdir()
    rng = random.Random(5)
    workers = [Worker(root, f"w{n}a") for n in range(WRITERS)]
    told, failures = [], []
    until = time.monotonic() + SECONDS
    turn = 0
    while time.monotonic() < until:
        time.sleep(rng.uniform(0.1, 0.5))
        at = rng.randrange(WRITERS)
        said, failed = workers[at].kill()
        told += said
        failures += [failed] if failed else []
        turn += 1
        workers[at] = Worker(root, f"w{at}t{turn}")
    for worker in workers:
        said, failed = worker.kill()
        told += said
        failures += [failed] if failed else []
    assert failures == []
    assert [line for line in told if line[0] == "lost"] == []

    deleted = {line[1] for line in told if line[0] == "deleted"}
    added = {line[1]: line[2] for line in told if line[0] == "added" and line[1] not in deleted}
    assert len(added) >= WRITERS
    there = {lesson.id for lesson in Store.open(root).scan().lessons}
    assert added.keys() <= there

    index = Index.open(root, WordsEmbedder())
    assert not [note for note in index.notes if "damaged" in note and "vectors" not in note]
    for lesson_id in rng.sample(sorted(added), min(40, len(added))):
        keys = [hit.key for hit in index.lexical(added[lesson_id], 3, Where())]
        assert lesson_id in [entry.id for entry in index.entries(keys).values()]
    for line in told:
        if line[0] == "recalled" and line[1] in there:
            assert index.entries([index.key(line[1])])[index.key(line[1])].retrieval_count >= 1
    index.embed_pending()
    index.close()
    fresh = tmp_path / "fresh"
    shutil.copytree(root, fresh, ignore=shutil.ignore_patterns(".index"))
    again = Index.open(fresh, WordsEmbedder())
    again.embed_pending()
    again.close()
    assert dump(root) == dump(fresh)

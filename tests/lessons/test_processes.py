"""Eight processes add to one store and are killed at any moment. (1: parallel writers lose lessons.)"""

from __future__ import annotations

import random
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from lesson_drafts import numbered
from senno.lessons import Store, WrittenEvent

WORKER = Path(__file__).with_name("worker.py")
WRITERS = 8
KILLS = 16


class Writer:
    def __init__(self, root, name, task_id):
        self.process = subprocess.Popen(
            [sys.executable, str(WORKER), str(root), name, task_id], stdout=subprocess.PIPE, text=True
        )
        self.acknowledged = []
        self._reader = threading.Thread(target=self._read)
        self._reader.start()

    def _read(self):
        for line in self.process.stdout:
            if line.endswith("\n"):  # a killed process may leave half a line
                self.acknowledged.append(tuple(line.split()))

    def kill(self):
        self.process.kill()
        self.process.wait()
        self._reader.join()
        self.process.stdout.close()


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="no kill -9 here")
def test_1_no_acknowledged_lesson_is_lost_and_no_file_is_torn(tmp_path):
    rng = random.Random(7)
    under_way = [Writer(tmp_path, f"w{n}", "T") for n in range(WRITERS)]
    gone = []
    while not all(writer.acknowledged for writer in under_way):
        time.sleep(0.01)
    for kill in range(KILLS):
        time.sleep(rng.uniform(0, 0.15))
        at = rng.randrange(WRITERS)
        under_way[at].kill()
        gone.append(under_way[at])
        under_way[at] = Writer(tmp_path, f"w{kill}x", "T")
    for writer in under_way:
        writer.kill()
    acknowledged = [line for writer in [*gone, *under_way] for line in writer.acknowledged]
    assert len(acknowledged) >= WRITERS

    store = Store.open(tmp_path)
    scan = store.scan()
    assert scan.clean
    assert scan.complete
    there = {(lesson.id, lesson.path.name) for lesson in scan.lessons}
    assert set(acknowledged) <= there
    log = store.events.read()
    written = {r.event.lesson_id for r in log.events if isinstance(r.event, WrittenEvent)}
    assert {lesson_id for lesson_id, _ in acknowledged} <= written
    assert all("torn" in problem.problem for problem in log.problems)
    assert store.add(numbered(1)).stored == "new", "a store that saw kills goes on"


def test_edits_of_one_lesson_by_several_processes_are_all_kept(tmp_path):
    lesson = Store.open(tmp_path).add(numbered(1)).lesson
    edit = (
        "import sys; from pathlib import Path; from senno.lessons import Store\n"
        "store = Store.open(Path(sys.argv[1]))\n"
        "for n in range(25): store.rewrite_frontmatter(sys.argv[2], {sys.argv[3]: sys.argv[3] + str(n)})\n"
    )
    keys = ["agent", "department", "task", "model_used"]
    processes = [subprocess.Popen([sys.executable, "-c", edit, str(tmp_path), lesson.id, key]) for key in keys]
    assert [process.wait() for process in processes] == [0] * len(keys)
    after = Store.open(tmp_path).read(lesson.id)
    assert [getattr(after, key) for key in keys] == [f"{key}24" for key in keys]
    assert after.rule == lesson.rule

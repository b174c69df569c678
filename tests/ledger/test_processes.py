from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import apsw
import pytest

from senno.ledger import Ledger

Start = Callable[..., subprocess.Popen[str]]


def let_go(workers: list[subprocess.Popen[str]]) -> list[str]:
    """Wait until all are ready, let them start at once, and return what each said last."""
    for worker in workers:
        assert worker.stdout is not None
        assert worker.stdout.readline() == "ready\n"
    for worker in workers:
        assert worker.stdin is not None
        worker.stdin.write("go\n")
        worker.stdin.flush()
    said: list[str] = []
    for worker in workers:
        output, errors = worker.communicate()
        assert worker.returncode == 0, errors
        said.append(output.split()[-1])
    return said


def integrity(path: Path) -> object:
    connection = apsw.Connection(str(path))
    try:
        return connection.pragma("integrity_check"), connection.pragma("foreign_key_check")
    finally:
        connection.close()


def test_four_processes_write_and_read_one_ledger_and_no_row_is_lost(path: Path, start_worker: Start) -> None:
    run_ids = let_go([start_worker("write", path, 50) for _ in range(4)])
    assert len(set(run_ids)) == 4
    with Ledger.open(path) as ledger:
        assert sorted(ledger.run_ids()) == sorted(run_ids)
        for run_id in run_ids:
            record = ledger.run(run_id)
            assert [call.sent for call in record.calls] == [f"{run_id} {number}" for number in range(50)]
            assert record.run.status == "ended"
    assert integrity(path) == ("ok", None)


@pytest.mark.parametrize("attempt", range(3))
def test_processes_that_open_a_new_path_at_once_all_get_in(path: Path, start_worker: Start, attempt: int) -> None:
    run_ids = let_go([start_worker("write", path, 1) for _ in range(4)])
    with Ledger.open(path) as ledger:
        assert sorted(ledger.run_ids()) == sorted(run_ids)


@pytest.mark.skipif(sys.platform == "win32", reason="no SIGKILL")
def test_a_killed_writer_loses_no_row_that_it_was_told_is_written(path: Path, start_worker: Start) -> None:
    chance = random.Random(7)
    acknowledged: dict[str, list[tuple[int, str]]] = {}
    for _ in range(10):
        worker = start_worker("write_until_killed", path)
        assert worker.stdout is not None
        run_id = worker.stdout.readline().strip()
        lines = [worker.stdout.readline() for _ in range(chance.randint(1, 80))]
        worker.send_signal(signal.SIGKILL)
        rest = worker.stdout.read()
        complete = [line for line in "".join([*lines, rest]).splitlines(keepends=True) if line.endswith("\n")]
        acknowledged[run_id] = [(int(number), text) for number, text in map(str.split, complete)]

        assert integrity(path) == ("ok", None)
        with Ledger.open(path) as ledger:
            for earlier, rows in acknowledged.items():
                record = ledger.run(earlier)
                found = [(call.id, call.sent.split()[0]) for call in record.calls]
                assert found[: len(rows)] == rows
                assert len(found) - len(rows) <= 1  # one may have been written and not yet told
                assert record.run.status == "interrupted"


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_a_run_is_running_while_its_process_lives_and_interrupted_when_it_was_killed(
    path: Path, start_worker: Start
) -> None:
    worker = start_worker("hold_a_run", path)
    assert worker.stdout is not None
    run_id = worker.stdout.readline().strip()
    with Ledger.open(path) as ledger:
        assert ledger.run(run_id).run.status == "running"
        worker.kill()
        os.waitid(os.P_PID, worker.pid, os.WEXITED | os.WNOWAIT)  # it is dead, but stays there as a zombie
        assert ledger.run(run_id).run.status == "interrupted"
        assert [run.status for run in ledger.runs()] == ["interrupted"]


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="reads /proc")
def test_a_process_that_got_the_id_of_a_dead_one_is_not_taken_for_it(path: Path) -> None:
    with Ledger.open(path) as ledger:
        run_id = ledger.start_run("loop", "movie", "", {})
        assert ledger.run(run_id).run.status == "running"
        other = apsw.Connection(str(path))
        other.execute("UPDATE runs SET born = born - 1")
        other.close()
        assert ledger.run(run_id).run.status == "interrupted"


@pytest.mark.skipif(sys.platform == "win32", reason="no fork")
def test_a_forked_child_is_told_to_open_its_own(path: Path, start_worker: Start) -> None:
    output, errors = start_worker("fork", path).communicate()
    assert f"ledger {path}: opened in another process; open it again after the fork" in output, errors
    assert output.split()[-1] == "2"
    assert integrity(path) == ("ok", None)

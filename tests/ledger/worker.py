"""What the tests run in processes of their own: `python worker.py TASK PATH …`."""

from __future__ import annotations

import itertools
import os
import sys
from datetime import UTC, datetime
from pathlib import Path

import apsw

from senno.errors import LedgerError
from senno.ledger import CallRow, Ledger
from senno.ledger.migrations import MIGRATIONS, migrate


def call(run_id: str, text: str) -> CallRow:
    return CallRow(run_id, "actor", "m", "m", text, text, 1, 1, None, None, datetime.now(UTC), 0.1, "ok", None)


def say(text: object) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def wait_for_the_others() -> None:
    say("ready")
    sys.stdin.readline()


def write(path: Path, count: str) -> None:
    """Write one run with `count` calls, and read while others write."""
    wait_for_the_others()
    with Ledger.open(path) as ledger:
        run_id = ledger.start_run("loop", "worker", str(os.getpid()), {})
        for number in range(int(count)):
            ledger.add_call(call(run_id, f"{run_id} {number}"))
            if number % 10 == 0:
                assert len(ledger.run(run_id).calls) == number + 1
        ledger.end_run(run_id, "done", None)
        say(run_id)


def write_until_killed(path: Path) -> None:
    with Ledger.open(path) as ledger:
        run_id = ledger.start_run("loop", "endless", "", {})
        say(run_id)
        for number in itertools.count():
            text = f"{number} {'x' * 5000}"
            say(f"{ledger.add_call(call(run_id, text))} {number}")


def hold_a_run(path: Path) -> None:
    with Ledger.open(path) as ledger:
        say(ledger.start_run("loop", "held", "", {}))
        sys.stdin.readline()


def fork(path: Path) -> None:
    with Ledger.open(path) as ledger:
        run_id = ledger.start_run("loop", "forked", "", {})
        child = os.fork()
        if child == 0:
            with ledger:
                try:
                    ledger.add_call(call(run_id, "from the child"))
                except LedgerError as error:
                    say(error)
            with Ledger.open(path) as own:
                own.add_call(call(run_id, "from the child's own"))
            os._exit(0)
        os.waitpid(child, 0)
        ledger.add_call(call(run_id, "from the parent"))
        say(len(ledger.calls(run_id)))


def migrate_once_more(path: Path) -> None:
    connection = apsw.Connection(str(path))
    connection.set_busy_timeout(30_000)

    def next_schema(connection: apsw.Connection) -> None:
        connection.execute("ALTER TABLE calls ADD COLUMN prompt_version TEXT; INSERT INTO migrated VALUES (1)")

    wait_for_the_others()
    migrate(connection, path, (*MIGRATIONS, next_schema))
    say(connection.pragma("user_version"))


if __name__ == "__main__":
    task, path, *rest = sys.argv[1:]
    globals()[task](Path(path), *rest)

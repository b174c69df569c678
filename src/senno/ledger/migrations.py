"""The schema of the ledger, as the steps that led to it.

A step is written once and never changed after a release: a changed schema is a new step at the end of `MIGRATIONS`.
`PRAGMA user_version` is the number of steps that a file has had. Each released schema has a dump under
`tests/ledger/fixtures/`, which the current code must open.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from senno.errors import LedgerError
from senno.ledger.connection import Connection
from senno.ledger.failures import not_a_ledger

APPLICATION_ID = 0x736E6E6F
"""`snno` in ASCII, in the header of every ledger: no other application's database is taken for one."""

Migration = Callable[[Connection], None]


def _calls_runs_steps(connection: Connection) -> None:
    """Times are ISO 8601 texts in UTC with microseconds, so that they sort; money is a decimal text; JSON is text.

    `host` … `born` tell which process runs the run (`liveness.py`). The long texts come last: SQLite reads a row from
    the left, and need not read them for a sum of tokens.
    """
    connection.execute(
        """
        CREATE TABLE runs (
            id TEXT NOT NULL PRIMARY KEY,
            kind TEXT NOT NULL,
            name TEXT NOT NULL,
            started TEXT NOT NULL,
            ended TEXT,
            stop TEXT,
            host TEXT NOT NULL,
            boot TEXT NOT NULL,
            namespace TEXT NOT NULL,
            pid INTEGER NOT NULL,
            born TEXT,
            request TEXT NOT NULL,
            config TEXT NOT NULL,
            result TEXT
        ) STRICT;
        CREATE INDEX runs_started ON runs (started);

        CREATE TABLE steps (
            run_id TEXT NOT NULL REFERENCES runs (id),
            number INTEGER NOT NULL,
            role TEXT NOT NULL,
            round INTEGER NOT NULL,
            started TEXT NOT NULL,
            seconds REAL NOT NULL,
            calls INTEGER NOT NULL,
            tokens_in INTEGER,
            tokens_out INTEGER,
            cost TEXT,
            error TEXT,
            notes TEXT NOT NULL,
            output TEXT NOT NULL,
            PRIMARY KEY (run_id, number)
        ) STRICT;

        CREATE TABLE calls (
            id INTEGER PRIMARY KEY,
            run_id TEXT REFERENCES runs (id),
            role TEXT NOT NULL,
            model_asked TEXT NOT NULL,
            model_answered TEXT,
            tokens_in INTEGER,
            tokens_out INTEGER,
            tokens_cached INTEGER,
            cost TEXT,
            started TEXT NOT NULL,
            seconds REAL NOT NULL,
            outcome TEXT NOT NULL CHECK (outcome IN ('ok', 'retried', 'failed', 'refused')),
            error TEXT,
            sent TEXT NOT NULL,
            received TEXT
        ) STRICT;
        CREATE INDEX calls_run ON calls (run_id, id);
        """
    )


def _measurements(connection: Connection) -> None:
    """What was measured of judges; `questions` maps names to digests, `report` comes last since it is long."""
    connection.execute(
        """
        CREATE TABLE measurements (
            id INTEGER PRIMARY KEY,
            kind TEXT NOT NULL CHECK (kind IN ('measure', 'calibrate')),
            model TEXT NOT NULL,
            policy TEXT,
            created TEXT NOT NULL,
            questions TEXT NOT NULL,
            report TEXT NOT NULL
        ) STRICT;
        """
    )


def _answers(connection: Connection) -> None:
    """Answers of decision models that may be given again; `key` is a digest, and `shares` numbers in their order."""
    connection.execute(
        """
        CREATE TABLE answers (
            key TEXT NOT NULL PRIMARY KEY,
            model TEXT NOT NULL,
            method TEXT NOT NULL,
            made TEXT NOT NULL,
            shares TEXT NOT NULL
        ) STRICT, WITHOUT ROWID;
        """
    )


def _tune(connection: Connection) -> None:
    """Versions of prompts by run, what tunings paid for under digests, and who looked at which held-out part."""
    connection.execute(
        """
        CREATE TABLE tune_versions (
            run_id TEXT NOT NULL REFERENCES runs (id),
            id TEXT NOT NULL,
            number INTEGER NOT NULL,
            made TEXT NOT NULL,
            origin TEXT NOT NULL,
            parent TEXT,
            template TEXT NOT NULL,
            parts TEXT NOT NULL,
            PRIMARY KEY (run_id, id)
        ) STRICT;

        CREATE TABLE tune_kept (
            run_id TEXT NOT NULL REFERENCES runs (id),
            kind TEXT NOT NULL,
            key TEXT NOT NULL,
            made TEXT NOT NULL,
            value TEXT NOT NULL,
            PRIMARY KEY (run_id, kind, key)
        ) STRICT;

        CREATE TABLE tune_touches (
            id INTEGER PRIMARY KEY,
            held_out TEXT NOT NULL,
            run_id TEXT NOT NULL REFERENCES runs (id),
            made TEXT NOT NULL
        ) STRICT;
        CREATE INDEX tune_touches_held_out ON tune_touches (held_out);
        """
    )


MIGRATIONS: tuple[Migration, ...] = (_calls_runs_steps, _measurements, _answers, _tune)


def migrate(connection: Connection, path: Path, migrations: Sequence[Migration] = MIGRATIONS) -> None:
    """Bring the file to the newest schema, all steps in one transaction; nothing is done to a file that has it.

    The version is read again once the file is locked: of processes that open an old file at once, one migrates and
    the others wait for it.

    Args:
        connection: with foreign keys off, so that a step may rebuild a table.
        path: of the file, for messages.
        migrations: the steps; step 1 is the first.

    Raises:
        FileFormatError: the file is of a newer senno.
        LedgerError: a step left a row that refers to none.
    """
    if _version(connection, path, len(migrations)) == len(migrations):
        return
    connection.execute("BEGIN IMMEDIATE")
    try:
        done = _version(connection, path, len(migrations))
        for step in migrations[done:]:
            step(connection)
        connection.execute(f"PRAGMA user_version = {len(migrations)}")
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        broken = connection.execute("PRAGMA foreign_key_check").fetchall()
        if broken:
            raise LedgerError(f"ledger {path}: not migrated: {len(broken)} rows refer to runs that are not there")
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:  # after some failures (disk full) SQLite has rolled back by itself
            connection.execute("ROLLBACK")
        raise


def check_is_ledger(connection: Connection, path: Path) -> None:
    """Nothing is written to a database that is none of ours.

    Raises:
        FileFormatError: the file is a database of something else.
    """
    # One statement reads one state of the file, whatever another process is doing to it.
    application, tables = connection.execute(
        "SELECT application_id, (SELECT count(*) FROM sqlite_schema) FROM pragma_application_id"
    ).fetchall()[0]
    if application != APPLICATION_ID and (application or tables):
        raise not_a_ledger(path, "the file is a database of something else")


def _version(connection: Connection, path: Path, newest: int) -> int:
    """How many steps the file has had; 0 for an empty one.

    Raises:
        FileFormatError: it is of a newer senno.
    """
    version: int = connection.pragma("user_version")
    if version > newest:
        raise not_a_ledger(path, f"its schema is {version}, of a newer senno (this one knows {newest}): upgrade senno")
    return version

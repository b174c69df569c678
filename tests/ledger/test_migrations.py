from __future__ import annotations

import subprocess
from collections.abc import Callable
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path

import apsw
import pytest

from senno.errors import LedgerError
from senno.ledger import CallRow, Ledger, RunRecord, RunRow, StepRow
from senno.ledger.migrations import MIGRATIONS, migrate

FIXTURES = Path(__file__).parent / "fixtures"


def load(path: Path, version: int) -> None:
    """A ledger as the senno that had this schema left it."""
    connection = apsw.Connection(str(path))
    connection.execute((FIXTURES / f"v{version}.sql").read_text(encoding="utf-8"))
    connection.close()


def schema(path: Path) -> list[tuple[object, ...]]:
    connection = apsw.Connection(str(path))
    try:
        return connection.execute("SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY name").fetchall()
    finally:
        connection.close()


def test_there_is_a_fixture_of_every_version() -> None:
    assert {file.name for file in FIXTURES.glob("v*.sql")} == {f"v{n}.sql" for n in range(1, len(MIGRATIONS) + 1)}


@pytest.mark.parametrize("version", range(1, len(MIGRATIONS) + 1))
def test_an_old_ledger_gets_the_schema_of_a_new_one(tmp_path: Path, version: int) -> None:
    load(tmp_path / "old.sqlite", version)
    for name in ("old.sqlite", "new.sqlite"):
        Ledger.open(tmp_path / name).close()
    assert schema(tmp_path / "old.sqlite") == schema(tmp_path / "new.sqlite")


def test_all_of_version_1_is_read(path: Path) -> None:
    load(path, 1)
    assert_all_of_version_1_is_read(path)


def assert_all_of_version_1_is_read(path: Path) -> None:
    started = datetime(2026, 11, 30, 21, 5, 12, 345678, tzinfo=UTC)
    run_id = "20261130-210512-k3f9"
    with Ledger.open(path) as ledger:
        record = ledger.run(run_id)
        interrupted = ledger.run("20261130-2206")
        others = ledger.calls(None)
    assert record == RunRecord(
        run=RunRow(
            id=run_id,
            kind="loop",
            name="movie",
            request="3 film sulla crittografia: «Enigma» è già visto",
            started=started,
            ended=datetime(2026, 11, 30, 21, 5, 30, 1, tzinfo=UTC),
            status="ended",
            stop="satisfied",
            config={"rounds": 3, "models": {"actor": "openai:gpt"}},
            result={"films": ["Pi", "日本"], "missing": None},
        ),
        steps=(
            StepRow(
                run_id=run_id,
                number=1,
                role="actor",
                round=1,
                started=started,
                seconds=4.5,
                calls=2,
                tokens_in=318,
                tokens_out=162,
                cost=Decimal("0.0019"),
                output={"items": [{"title": "Pi", "year": 1998}]},
                notes=["one re-ask"],
                error=None,
            ),
            StepRow(
                run_id=run_id,
                number=2,
                role="critic",
                round=1,
                started=started,
                seconds=7.8,
                calls=0,
                tokens_in=None,
                tokens_out=None,
                cost=None,
                output=None,
                notes=[],
                error="malformed answer",
            ),
        ),
        calls=(
            CallRow(
                run_id=run_id,
                role="actor",
                model_asked="openai:gpt",
                model_answered=None,
                sent='{"system": "Be brief."}',
                received=None,
                tokens_in=None,
                tokens_out=None,
                tokens_cached=None,
                cost=None,
                started=started,
                seconds=0.5,
                outcome="retried",
                error="503 from the provider",
                id=1,
            ),
            CallRow(
                run_id=run_id,
                role="actor",
                model_asked="openai:gpt",
                model_answered="gpt-2026",
                sent='{"system": "Be brief."}',
                received='{"text": "Pi"}',
                tokens_in=318,
                tokens_out=162,
                tokens_cached=100,
                cost=Decimal("0.00190"),
                started=started,
                seconds=4.0,
                outcome="ok",
                error=None,
                id=2,
            ),
        ),
    )
    assert (interrupted.run.status, interrupted.run.stop, interrupted.run.result) == ("interrupted", None, None)
    assert [(call.id, call.role, call.outcome) for call in others] == [(3, "judge", "refused")]


def test_an_old_ledger_is_written_on(path: Path, make_call: Callable[..., CallRow]) -> None:
    load(path, 1)
    with Ledger.open(path) as ledger:
        assert ledger.add_call(make_call()) == 4


def add_column(connection: apsw.Connection) -> None:
    connection.execute("ALTER TABLE calls ADD COLUMN prompt_version TEXT")


def fail(connection: apsw.Connection) -> None:
    connection.execute("DROP TABLE steps")
    raise RuntimeError("in the middle")


def orphan(connection: apsw.Connection) -> None:
    connection.execute("DELETE FROM runs")


def test_steps_that_a_file_had_are_not_taken_again(path: Path) -> None:
    load(path, 1)
    connection = apsw.Connection(str(path))
    for _ in range(2):
        migrate(connection, path, (*MIGRATIONS, add_column))
        assert connection.pragma("user_version") == len(MIGRATIONS) + 1
    assert connection.execute("SELECT prompt_version FROM calls").fetchall() == [(None,)] * 3
    connection.close()


@pytest.mark.parametrize(
    ("step", "error", "message"),
    [
        (fail, RuntimeError, "in the middle"),
        (orphan, LedgerError, "not migrated: 4 rows refer to runs that are not there"),
    ],
)
def test_a_step_that_fails_leaves_the_file_as_it_was(
    path: Path, step: Callable[[apsw.Connection], None], error: type[Exception], message: str
) -> None:
    load(path, 1)
    connection = apsw.Connection(str(path))
    with pytest.raises(error, match=message):
        migrate(connection, path, (*MIGRATIONS, add_column, step))
    connection.close()
    assert_all_of_version_1_is_read(path)


def test_of_processes_that_open_an_old_file_at_once_one_migrates(
    path: Path, start_worker: Callable[..., subprocess.Popen[str]]
) -> None:
    load(path, 1)
    connection = apsw.Connection(str(path))
    connection.execute("CREATE TABLE migrated (times INTEGER)")
    connection.close()
    workers = [start_worker("migrate_once_more", path) for _ in range(4)]
    for worker in workers:
        assert worker.stdout is not None
        assert worker.stdout.readline() == "ready\n"
    for worker in workers:
        assert worker.stdin is not None
        worker.stdin.write("go\n")
        worker.stdin.flush()
    for worker in workers:
        output, errors = worker.communicate()
        assert output == f"{len(MIGRATIONS) + 1}\n", errors
    connection = apsw.Connection(str(path))
    assert connection.execute("SELECT count(*) FROM migrated").fetchall() == [(1,)]
    connection.close()

"""Every way in which a ledger can fail, and what it says then."""

from __future__ import annotations

import os
import shutil
import sqlite3
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import apsw
import pytest

from senno.errors import ConfigError, LedgerError, SennoError
from senno.ledger import CallRow, Ledger, StepRow
from senno.ledger.failures import failures_told
from senno.ledger.migrations import MIGRATIONS
from senno.ledger.opening import _use_wal

NOBODY = 65534
not_on_windows = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no file modes")


def refused(path: Path) -> str:
    """The message with which opening fails: the user's mistake, and the path is named."""
    with pytest.raises(ConfigError) as failure:
        Ledger.open(path)
    assert str(path) in str(failure.value)
    return str(failure.value)


@contextmanager
def no_longer_root() -> Iterator[None]:
    """File modes mean nothing to root."""
    if os.geteuid() != 0:
        yield
        return
    os.seteuid(NOBODY)
    try:
        yield
    finally:
        os.seteuid(0)


@pytest.fixture
def anyones() -> Iterator[Path]:
    """A folder that a user without rights can reach."""
    folder = Path(tempfile.mkdtemp())
    folder.chmod(0o777)
    yield folder
    folder.chmod(0o777)
    shutil.rmtree(folder)


def test_a_folder(tmp_path: Path) -> None:
    assert "it is a folder; name a file" in refused(tmp_path)


def test_a_file_where_a_folder_was_expected(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("hello", encoding="utf-8")
    message = refused(tmp_path / "notes.txt" / "deeper" / "ledger.sqlite")
    assert "notes.txt" in message
    assert "is a file where a folder was expected" in message


@pytest.mark.parametrize("content", [b"hello", b"not a database, but long enough to have a header " * 40])
def test_a_file_that_is_no_database_is_refused_and_left_as_it_is(path: Path, content: bytes) -> None:
    path.write_bytes(content)
    assert "the file is no SQLite database; expected a ledger of senno, or no file. Name another file" in refused(path)
    assert path.read_bytes() == content
    assert [file.name for file in path.parent.iterdir()] == [path.name]


@pytest.mark.parametrize("version", [0, 1, 7])
def test_a_database_of_something_else_is_refused_and_left_as_it_is(path: Path, version: int) -> None:
    with sqlite3.connect(path) as other:
        other.execute("CREATE TABLE bookmarks (url TEXT)")
        other.execute(f"PRAGMA user_version = {version}")
    other.close()
    content = path.read_bytes()
    assert "the file is a database of something else" in refused(path)
    assert path.read_bytes() == content


def test_a_ledger_of_a_newer_senno_is_refused(path: Path) -> None:
    Ledger.open(path).close()
    newer = apsw.Connection(str(path))
    newer.pragma("user_version", 99)
    newer.close()
    assert f"its schema is 99, of a newer senno (this one knows {len(MIGRATIONS)}): upgrade senno" in refused(path)


@not_on_windows
def test_a_folder_that_may_not_be_written(anyones: Path) -> None:
    anyones.chmod(0o555)
    with no_longer_root():
        message = refused(anyones / "ledger.sqlite")
    assert "no permission to write there (Permission denied); make the file and its folder writable for you" in message


@not_on_windows
@pytest.mark.parametrize("mode", [0o444, 0o000])
def test_a_file_that_may_not_be_written(anyones: Path, mode: int) -> None:
    path = anyones / "ledger.sqlite"
    Ledger.open(path).close()
    path.chmod(mode)
    with no_longer_root():
        message = refused(path)
    assert "no permission to write there (Permission denied); make the file and its folder writable for you" in message


@not_on_windows
def test_a_file_that_may_be_written_in_a_folder_that_may_not(anyones: Path) -> None:
    path = anyones / "ledger.sqlite"
    Ledger.open(path).close()
    path.chmod(0o666)
    anyones.chmod(0o555)
    with no_longer_root():
        message = refused(path)
    assert "folder" in message
    assert "writable for you" in message


def test_a_file_where_wal_does_not_work(path: Path) -> None:
    class WithoutSharedMemory:
        def pragma(self, name: str, value: object = None) -> str:
            return "delete"

    with pytest.raises(LedgerError, match=r"does not work there \(mode delete\); put the file on a local disk"):
        _use_wal(WithoutSharedMemory(), path)  # type: ignore[arg-type]


def test_a_full_disk_loses_nothing_that_was_written(
    ledger: Ledger, path: Path, make_call: Callable[..., CallRow]
) -> None:
    ledger.add_call(make_call(sent="first"))
    ledger._connection.pragma("max_page_count", 20)  # SQLite fails as it does when the disk is full
    with pytest.raises(LedgerError) as failure:
        ledger.add_call(make_call(sent="x" * 500_000))
    assert str(failure.value).startswith(f"ledger {path}: the disk is full; free some space")
    assert [row.sent for row in ledger.calls(None)] == ["first"]
    ledger._connection.pragma("max_page_count", 10_000)
    ledger.add_call(make_call(sent="x" * 500_000))
    assert len(ledger.calls(None)) == 2


def test_a_damaged_file(path: Path, make_call: Callable[..., CallRow]) -> None:
    with Ledger.open(path) as ledger:
        for _ in range(50):
            ledger.add_call(make_call(sent="x" * 5000))
    with path.open("r+b") as file:
        file.seek(3 * 4096)
        file.write(b"\xff" * (path.stat().st_size - 3 * 4096))
    with pytest.raises(LedgerError) as failure, Ledger.open(path) as ledger:
        ledger.calls(None)
    assert str(failure.value).startswith(f"ledger {path}: the file is damaged; move it away with its -wal and -shm")


def test_a_lock_that_is_not_given_up(ledger: Ledger, path: Path, make_call: Callable[..., CallRow]) -> None:
    other = apsw.Connection(str(path))
    other.execute("BEGIN IMMEDIATE")
    ledger._connection.pragma("busy_timeout", 20)
    with pytest.raises(LedgerError, match="another process has kept it locked for too long; end that process"):
        ledger.add_call(make_call())
    assert ledger.calls(None) == []  # readers are not kept out
    other.close()
    ledger.add_call(make_call())


def test_a_closed_ledger(path: Path) -> None:
    ledger = Ledger.open(path)
    ledger.close()
    ledger.close()
    with pytest.raises(LedgerError, match=r"ledger .* is closed"):
        ledger.runs()


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"run_id": "20261130-210512-none"}, "the row does not fit the ledger, and was not written (FOREIGN KEY"),
        ({"outcome": "fine"}, "the row does not fit the ledger, and was not written (CHECK constraint failed: outcome"),
        (
            {"tokens_in": "many"},
            "and was not written (cannot store TEXT value in INTEGER column calls.tokens_in",
        ),
        ({"tokens_in": 2**70}, "a number of the row is too large to be stored (64 bits)"),
        ({"seconds": float("nan")}, "a duration of nan seconds cannot be recorded"),
        ({"seconds": float("inf")}, "a duration of inf seconds cannot be recorded"),
        ({"cost": Decimal("NaN")}, "a cost of NaN cannot be recorded: a cost that is not known is None"),
        ({"started": datetime(2026, 11, 30)}, "the time 2026-11-30 00:00:00 has no zone"),  # noqa: DTZ001
    ],
)
def test_a_call_that_cannot_be_recorded(
    ledger: Ledger, make_call: Callable[..., CallRow], changes: dict[str, Any], message: str
) -> None:
    with pytest.raises(LedgerError) as failure:
        ledger.add_call(make_call(**changes))
    assert message in str(failure.value)
    assert ledger.calls(None) == []


CIRCLE: list[Any] = []
CIRCLE.append(CIRCLE)


@pytest.mark.parametrize("value", [{1, 2}, float("nan"), b"bytes", datetime.now, CIRCLE, {(1, 2): 3}])
def test_a_value_that_is_no_json(ledger: Ledger, make_step: Callable[..., StepRow], value: Any) -> None:
    with pytest.raises(LedgerError, match="the config of loop 'movie' is no JSON value, and was not recorded"):
        ledger.start_run("loop", "movie", "", value)
    run_id = ledger.start_run("loop", "movie", "", {})
    with pytest.raises(LedgerError, match=f"the output of step 1 \\(critic\\) of run {run_id} is no JSON value"):
        ledger.add_step(make_step(run_id, output=value))
    with pytest.raises(LedgerError, match=f"the result of run {run_id} is no JSON value"):
        ledger.end_run(run_id, "done", value)
    record = ledger.run(run_id)
    assert (record.steps, record.run.status) == ((), "running")


def test_a_step_of_a_run_that_is_not_there(ledger: Ledger, make_step: Callable[..., StepRow]) -> None:
    with pytest.raises(LedgerError, match="FOREIGN KEY"):
        ledger.add_step(make_step("20261130-210512-none"))


def test_a_second_step_with_one_number(ledger: Ledger, make_step: Callable[..., StepRow]) -> None:
    run_id = ledger.start_run("loop", "movie", "", {})
    ledger.add_step(make_step(run_id))
    with pytest.raises(LedgerError, match=r"UNIQUE constraint failed: steps.run_id, steps.number"):
        ledger.add_step(make_step(run_id, role="actor"))
    assert [step.role for step in ledger.run(run_id).steps] == ["critic"]


def test_a_run_ends_once(ledger: Ledger) -> None:
    run_id = ledger.start_run("loop", "movie", "", {})
    ledger.end_run(run_id, "satisfied", 1)
    for wanted in (run_id, "20261130-210512-none"):
        with pytest.raises(LedgerError, match=f"run {wanted} is not there, or has ended before"):
            ledger.end_run(wanted, "rounds", 2)
    assert ledger.run(run_id).run.stop == "satisfied"


@pytest.mark.parametrize(
    ("error", "raised", "message"),
    [
        (apsw.NotADBError("x"), ConfigError, "the file is no SQLite database"),
        (apsw.ReadOnlyError("x"), ConfigError, "it cannot be written; make the file and its folder writable"),
        (apsw.CantOpenError("x"), ConfigError, "it cannot be opened; make the file and its folder"),
        (apsw.PermissionsError("x"), ConfigError, "no permission"),
        (apsw.FullError("x"), LedgerError, "the disk is full"),
        (apsw.CorruptError("x"), LedgerError, "the file is damaged"),
        (apsw.BusyError("x"), LedgerError, "another process has kept it locked"),
        (apsw.LockedError("x"), LedgerError, "another connection keeps it locked"),
        (apsw.IOError("x"), LedgerError, "reading or writing failed; check the disk"),
        (apsw.TooBigError("x"), LedgerError, "a text is larger than SQLite can store"),
        (apsw.InterruptError("stopped"), LedgerError, "SQLite failed: InterruptError: stopped"),
    ],
)
def test_each_failure_of_sqlite_is_told(error: apsw.Error, raised: type[SennoError], message: str) -> None:
    with pytest.raises(raised) as failure, failures_told(Path("a/ledger.sqlite")):
        raise error
    assert message in str(failure.value)
    assert "ledger a/ledger.sqlite: " in str(failure.value)
    assert failure.value.__cause__ is error

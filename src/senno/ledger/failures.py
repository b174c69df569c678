"""SQLite's failures, told as senno's: what is wrong with which file, and what to do."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import apsw

from senno.errors import ConfigError, FileFormatError, LedgerError, SennoError

_ADVICE: dict[type[apsw.Error], tuple[type[SennoError], str]] = {
    apsw.FullError: (
        LedgerError,
        "the disk is full; free some space and run again (what was written is intact)",
    ),
    apsw.CorruptError: (
        LedgerError,
        "the file is damaged; move it away with its -wal and -shm, and save what can be read: `sqlite3 FILE .recover`",
    ),
    apsw.BusyError: (LedgerError, "another process has kept it locked for too long; end that process, or wait for it"),
    apsw.LockedError: (LedgerError, "another connection keeps it locked; wait for it to end"),
    apsw.ReadOnlyError: (
        ConfigError,
        "it cannot be written; make the file and its folder writable for you, or name another file",
    ),
    apsw.CantOpenError: (
        ConfigError,
        "it cannot be opened; make the file and its folder (SQLite keeps two more files there) writable for you",
    ),
    apsw.PermissionsError: (ConfigError, "no permission; make the file and its folder writable for you"),
    apsw.IOError: (LedgerError, "reading or writing failed; check the disk, and that the file is on a local one"),
    apsw.TooBigError: (LedgerError, "a text is larger than SQLite can store (1 GB)"),
    apsw.ConstraintError: (LedgerError, "the row does not fit the ledger, and was not written"),
}


@contextmanager
def failures_told(path: Path) -> Generator[None]:
    """Raise what SQLite raises inside as a `LedgerError` or a `ConfigError` that names the ledger.

    Raises:
        ConfigError: the file is the wrong one, or may not be read or written.
        LedgerError: the file cannot be read or written now: disk, damage, lock, or a row that does not fit.
    """
    try:
        yield
    except apsw.NotADBError as error:
        raise not_a_ledger(path, "the file is no SQLite database") from error
    except apsw.Error as error:
        raise _told(path, error) from error
    except OverflowError as error:
        raise LedgerError(f"ledger {path}: a number of the row is too large to be stored (64 bits): {error}") from error


def not_a_ledger(path: Path, problem: str) -> FileFormatError:
    """The error for a file that holds something else."""
    return FileFormatError(
        f"ledger {path}", problem, "a ledger of senno, or no file", "Name another file, or move this one away"
    )


def _told(path: Path, error: apsw.Error) -> SennoError:
    for kind, (raised, advice) in _ADVICE.items():
        if isinstance(error, kind):
            return raised(f"ledger {path}: {advice} ({error})")
    return LedgerError(f"ledger {path}: SQLite failed: {type(error).__name__}: {error}")

"""Opening the file of a ledger: made if it is not there, checked if it is."""

from __future__ import annotations

import errno
import os
import time
from pathlib import Path
from typing import cast

import apsw

from senno.errors import ConfigError, LedgerError
from senno.ledger.connection import Connection
from senno.ledger.migrations import check_is_ledger, migrate

_BUSY_SECONDS = 30.0
_PAUSE_SECONDS = 0.01


def connect(path: Path) -> Connection:
    """A connection to the ledger at `path`, with the newest schema.

    Raises:
        ConfigError: the path is a folder, or something else than a ledger, or may not be read or written, or the
            ledger is of a newer senno.
        LedgerError: the disk is full, or the file is where WAL does not work.
        apsw.Error: whatever else SQLite finds.
    """
    path = path.absolute()
    _make_file(path)
    connection = cast(Connection, apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READWRITE))
    try:
        connection.pragma("busy_timeout", int(_BUSY_SECONDS * 1000))
        check_is_ledger(connection, path)
        _use_wal(connection, path)
        migrate(connection, path)
        connection.pragma("foreign_keys", "ON")
    except BaseException:
        connection.close()
        raise
    return connection


def _make_file(path: Path) -> None:
    """Make the file with its folder. SQLite gives its two companions the file's mode."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))
    except OSError as error:
        raise _not_made(path, error) from error


def _not_made(path: Path, error: OSError) -> ConfigError | LedgerError:
    if path.is_dir():
        return ConfigError(f"ledger {path}: it is a folder; name a file (for example {path / 'ledger.sqlite'})")
    if isinstance(error, (FileExistsError, NotADirectoryError)):
        return ConfigError(f"ledger {path}: {error.filename} is a file where a folder was expected; name another place")
    if isinstance(error, PermissionError) or error.errno == errno.EROFS:
        return ConfigError(
            f"ledger {path}: no permission to write there ({error.strerror}); make the file and its folder writable for"
            " you, or name another file"
        )
    return LedgerError(f"ledger {path}: it cannot be made: {error.strerror}; name another file, or make room for it")


def _use_wal(connection: Connection, path: Path) -> None:
    """Switch to WAL. SQLite does not wait for a lock here as it does elsewhere when another opener switches too."""
    deadline = time.monotonic() + _BUSY_SECONDS
    while True:
        try:
            mode = connection.pragma("journal_mode", "wal")
        except (apsw.BusyError, apsw.ProtocolError):
            if time.monotonic() > deadline:
                raise
            time.sleep(_PAUSE_SECONDS)
        else:
            break
    if mode != "wal":
        raise LedgerError(
            f"ledger {path}: write-ahead logging does not work there (mode {mode}); put the file on a local disk"
        )

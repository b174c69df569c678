"""Files that are whole or not there, whatever is killed when, and never over another's."""

from __future__ import annotations

import contextlib
import errno
import os
import secrets
import sys
from collections.abc import Generator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

TEMPORARY = ".tmp"
"""How the name of a file ends that is not whole yet; it begins with a dot. A writer that is killed leaves one."""

_SYNCED_AT_ONCE = 16

# What a file system answers that has no hard links (exFAT, some network ones).
_NO_LINKS = frozenset({errno.EPERM, errno.EOPNOTSUPP, errno.ENOTSUP, errno.ENOSYS, errno.EACCES, errno.EMLINK})


def make_folder(folder: Path) -> None:
    """Make a folder and those above it, so that they are still there after a crash.

    Raises:
        OSError: it cannot be made.
    """
    missing = [f for f in (folder, *folder.parents) if not f.exists()]
    folder.mkdir(parents=True, exist_ok=True)
    for made in missing:
        sync_folder(made.parent)


def sync_folder(folder: Path) -> None:
    """See to it that the names in a folder are on disk; where the system has no such thing, nothing."""
    if os.name == "nt":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def write_new(path: Path, data: bytes) -> None:
    """Write a file that must not be there yet: whole, on disk, or not at all.

    Raises:
        FileExistsError: the name is taken; what is there is untouched.
        OSError: it cannot be written.
    """
    temporary = written_beside(path.parent, data)
    try:
        give_name(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)
    sync_folder(path.parent)


def give_name(temporary: Path, path: Path) -> None:
    """Let a file that is whole have a name that must not be there yet; its temporary name may stay, beside that.

    Raises:
        FileExistsError: the name is taken; what is there is untouched.
        OSError: it cannot be given.
    """
    try:
        os.link(temporary, path)
    except OSError as error:
        if error.errno not in _NO_LINKS or isinstance(error, FileExistsError):
            raise
        _take_name(temporary, path)


def _take_name(temporary: Path, path: Path) -> None:
    """Without links: the empty file that claims the name is ours alone, so it may be replaced."""
    os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL))
    try:
        temporary.replace(path)
    except BaseException:
        path.unlink(missing_ok=True)
        raise


def replace_whole(path: Path, data: bytes) -> None:
    """Write new content for a file that is there, keeping its permissions: after a crash it is the old or the new one.

    Raises:
        OSError: it cannot be written; the old content is there.
    """
    temporary = written_beside(path.parent, data)
    try:
        with contextlib.suppress(PermissionError):
            temporary.chmod(path.stat().st_mode & 0o7777)
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    sync_folder(path.parent)


def written_beside(folder: Path, data: bytes, *, sync: bool = True) -> Path:
    """A new file with a temporary name; the caller takes it away, or gives it its name.

    Args:
        folder: where it is to be.
        data: all of it.
        sync: see to it that it is on disk; otherwise the caller does (`sync_files`).

    Raises:
        OSError: it cannot be written; nothing is left behind.
    """
    # Not `tempfile`: its files are for their owner alone, and a store may be shared by a group.
    temporary = folder / f".{secrets.token_hex(8)}{TEMPORARY}"
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    handle = os.open(temporary, flags, 0o666)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            if sync:
                os.fsync(file.fileno())
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    return temporary


def sync_files(files: Sequence[Path]) -> None:
    """See to it that files are on disk: several at once, which a journaling file system does in one go.

    Raises:
        OSError: one of them is not.
    """

    def sync(file: Path) -> None:
        handle = os.open(file, os.O_RDWR | getattr(os, "O_BINARY", 0))
        try:
            os.fsync(handle)
        finally:
            os.close(handle)

    with ThreadPoolExecutor(_SYNCED_AT_ONCE) as pool:
        for _ in pool.map(sync, files):
            pass


@contextlib.contextmanager
def locked(file: Path) -> Generator[None]:
    """Hold a lock that one process has at a time; the system takes it back from one that was killed.

    Raises:
        OSError: the file system has no locks, or the file cannot be made.
    """
    handle = os.open(file, os.O_RDWR | os.O_CREAT, 0o666)
    try:
        _lock(handle)
        yield
    finally:
        os.close(handle)  # which gives the lock back


if sys.platform == "win32":
    import msvcrt

    def _lock(handle: int) -> None:
        msvcrt.locking(handle, msvcrt.LK_LOCK, 1)

else:
    import fcntl

    def _lock(handle: int) -> None:
        fcntl.flock(handle, fcntl.LOCK_EX)

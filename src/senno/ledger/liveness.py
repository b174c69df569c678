"""Is the process that runs a run still there?

A run that never ended is `running` while its process lives and `interrupted` when it is gone: no one else can say so
after a `kill -9`. A process is known by its id *and* the time it was born, in clock ticks since the machine started:
an id is used again, the pair is not. Both mean something only on one kernel and in one space of process ids (a
container has its own), so these are recorded as well.

- The same kernel and the same space of ids: the system is asked (Linux: `/proc`). Other systems with signals tell only
  whether some process has that id, so there a reused id reads as `running`.
- The same machine, started anew since: gone.
- Anywhere else (another container, a copy of the file from another machine, Windows): it cannot be known. The run is
  `running` as long as its last sign of life (its start, or its last call) is less than an hour old.
"""

from __future__ import annotations

import os
import platform
import sys
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

SILENT_FOR = timedelta(hours=1)
"""How long a run whose process cannot be looked up may be silent before it counts as interrupted."""


@dataclass(frozen=True, slots=True)
class Owner:
    """The process that runs a run."""

    host: str
    boot: str
    """Id of this start of this kernel; empty where the system has none."""
    namespace: str
    """The space of process ids; empty where the system has one only."""
    pid: int
    born: str | None
    """When it was born, as the system tells it; empty: the system does not tell; `None`: it cannot be asked."""


def this_process() -> Owner:
    """The process that calls this."""
    pid = os.getpid()
    return Owner(
        host=platform.node(),
        boot=_first_line(Path("/proc/sys/kernel/random/boot_id")),
        namespace=_link(Path("/proc/self/ns/pid")),
        pid=pid,
        born=born(pid),
    )


def is_running(
    owner: Owner,
    last_sign: datetime,
    *,
    here: Owner,
    now: datetime,
    born_of: Callable[[int], str | None],
) -> bool:
    """Whether the process of a run that has not ended is there, as far as can be known from here.

    Args:
        owner: the process that started the run.
        last_sign: when the run last showed life.
        here: the process that asks.
        now: the time it asks at.
        born_of: when the process with an id was born; `None` if there is none.
    """
    same_kernel = owner.boot == here.boot if owner.boot or here.boot else owner.host == here.host
    if same_kernel and owner.namespace == here.namespace and owner.born is not None:
        return born_of(owner.pid) == owner.born
    if not same_kernel and owner.host == here.host:
        return False
    return now - last_sign < SILENT_FOR


def born(pid: int) -> str | None:
    """When the process was born; empty: it is there, but the system does not tell; `None`: gone, or not to be asked."""
    if sys.platform == "win32":
        return None  # there, signal 0 is Ctrl-C
    if Path("/proc/self/stat").exists():
        return _born_in_proc(pid)
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return None
    except PermissionError:
        return ""  # another user's, so it is there
    return ""


def _born_in_proc(pid: int) -> str | None:
    """Field 22 of `/proc/PID/stat` (proc_pid_stat(5)). A zombie is dead: it only waits for its parent."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    except (FileNotFoundError, ProcessLookupError):
        return None
    state, *fields = stat.rpartition(")")[2].split()  # the name in parentheses may hold spaces and parentheses
    return None if state in "ZX" else fields[18]


def _first_line(path: Path) -> str:
    try:
        return path.read_text(encoding="ascii").strip()
    except OSError:
        return ""


def _link(path: Path) -> str:
    try:
        return str(path.readlink())
    except OSError:
        return ""

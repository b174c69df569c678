"""The most memory a process has had, resident.

Linux tells it in the process's own `/proc/self/status`. `getrusage` does not: there a child begins with the peak of the
process that started it.
"""

from __future__ import annotations

import re
import resource
import sys
from pathlib import Path

STATUS = Path("/proc/self/status")


def peak_in(status: str) -> float:
    """MB (millions of bytes), from the text of `/proc/self/status`."""
    return int(re.findall(r"VmHWM:\s*(\d+) kB", status)[0]) * 1024 / 1e6


def peak_of(used: resource.struct_rusage) -> float:
    """MB, from what `getrusage` tells, where there is no `/proc`."""
    return used.ru_maxrss / 1e6 if sys.platform == "darwin" else used.ru_maxrss * 1024 / 1e6


def peak_memory() -> float:
    """MB, of this process."""
    if STATUS.is_file():
        return peak_in(STATUS.read_text(encoding="utf-8"))
    return peak_of(resource.getrusage(resource.RUSAGE_SELF))

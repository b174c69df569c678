"""What it costs to import senno: `python bench/import_bench.py [runs]`.

Each subject runs in a fresh process, one after the other, again and again, so that all meet the same machine. A first
round, which compiles what was not compiled yet, is not counted.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import time
from dataclasses import asdict, dataclass

from peak import STATUS, peak_in, peak_of
from peers import missing, run_beside_peers, warning
from report import table, write

LANGGRAPH = ("langgraph", "langchain-core")
PACKAGES = ("senno", "pydantic", "pydantic-ai-slim", "openai")

REFERENCE = "import senno.loop"
SUBJECTS = {
    'python -c ""': "",
    "from pydantic import BaseModel": "from pydantic import BaseModel",
    "import senno": "import senno",
    "senno --help": "sys.argv = ['senno', '--help']; from senno.cli import main; main()",
    REFERENCE: "import senno.loop",
    "senno.loop, and what its first call to OpenAI imports": (
        "import senno.loop, senno.models.adapter, pydantic_ai.direct, pydantic_ai.models.openai"
    ),
    "import pydantic_ai": "import pydantic_ai",
    "import pydantic_ai, and its OpenAI model": "import pydantic_ai, pydantic_ai.models.openai",
    "import langgraph.graph": "import langgraph.graph",
}
OF_PEERS = {"import langgraph.graph": LANGGRAPH}

# The last that a process does is to tell its memory. Nothing is imported for it that Python has not loaded already.
TELL_MEMORY = f"import atexit, sys; atexit.register(lambda: sys.stderr.write(open({str(STATUS)!r}).read())); "


@dataclass(frozen=True, slots=True)
class Sample:
    """One process."""

    wall: float
    """Milliseconds."""
    cpu: float
    """Milliseconds, its own and the system's on its behalf."""
    peak: float
    """MB."""


def sample(code: str) -> Sample:
    """Run code in a fresh process."""
    program = (TELL_MEMORY if STATUS.is_file() else "import sys; ") + code
    start = time.perf_counter()
    process = subprocess.Popen(
        [sys.executable, "-c", program], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, encoding="utf-8"
    )
    said = process.stderr.read() if process.stderr else ""
    _, status, used = os.wait4(process.pid, 0)
    wall = time.perf_counter() - start
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise RuntimeError(f"{code!r} failed:\n{said}")
    return Sample(1000 * wall, 1000 * (used.ru_utime + used.ru_stime), peak_in(said) if said else peak_of(used))


def measure(subjects: dict[str, str], runs: int) -> dict[str, Sample]:
    """The median of each figure, by subject."""
    samples: dict[str, list[Sample]] = {name: [] for name in subjects}
    for run in range(runs + 1):
        for name, code in subjects.items():
            taken = sample(code)
            if run:
                samples[name].append(taken)
    return {
        name: Sample(*(statistics.median(getattr(each, field) for each in taken) for field in Sample.__slots__))
        for name, taken in samples.items()
    }


def rows(found: dict[str, Sample]) -> list[list[str]]:
    senno = found[REFERENCE]
    return [
        [
            name,
            f"{each.wall:.0f}",
            f"{each.cpu:.0f}",
            f"{each.peak:.1f}",
            f"{each.wall / senno.wall:.2f}",
            f"{each.cpu / senno.cpu:.2f}",
            f"{each.peak / senno.peak:.2f}",
        ]
        for name, each in found.items()
    ]


def main(runs: int) -> None:
    absent = {name: gone for name, needed in OF_PEERS.items() if (gone := missing(*needed))}
    found = measure({name: code for name, code in SUBJECTS.items() if name not in absent}, runs)
    head = ("", "wall ms", "CPU ms", "peak MB", *(f"{what} / `{REFERENCE}`" for what in ("wall", "CPU", "peak")))
    method = (
        f"Median of {runs} fresh processes each, in turn. senno imports Pydantic AI and a provider's package only when "
        "a model is first called: the sixth row is what that comes to in the end."
    )
    parts = [method, *map(warning, absent.values()), table(head, rows(found))]
    kept = {"runs": runs, "subjects": {name: asdict(each) for name, each in found.items()}}
    packages = [*PACKAGES, *(() if absent else LANGGRAPH)]
    write("import", "What an import costs", f"python bench/import_bench.py {runs}", packages, "\n\n".join(parts), kept)


if __name__ == "__main__":
    run_beside_peers()
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 15)

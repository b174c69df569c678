"""Peak memory of runs of senno, each measured in a process of its own: `memory.py ROUNDS RUNS` is that process."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import tempfile
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import Any

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[1]))

from peak import peak_memory
from report import table

from engine_loops.script import critique, films
from engine_loops.task import ACTOR, CRITIC, FOLDER, REQUEST
from senno.config import Config
from senno.ledger import Ledger
from senno.loop import Cast, load_loop, run_loop
from senno.loop.spec import ROLES, Wanted
from senno.models import Reply, Request, Usage

Memory = dict[str, dict[str, Any]]

CASES = {
    "one round": (1, 1),
    "one run of 666 rounds": (666, 1),
    "200 runs of three rounds": (3, 200),
    "800 runs of three rounds": (3, 800),
}


def measure_memory() -> Memory:
    """For each case: steps recorded, peak memory in MB, size of the ledger in MB."""
    found: Memory = {}
    for name, (rounds, runs) in CASES.items():
        child = [sys.executable, __file__, str(rounds), str(runs)]
        found[name] = json.loads(subprocess.run(child, capture_output=True, check=True).stdout)
    return found


def memory_table(found: Memory) -> str:
    least = min(each["peak"] for each in found.values())
    rows = [
        (name, each["steps"], f"{each['peak']:.1f}", f"{each['peak'] - least:+.1f}", f"{each['ledger']:.1f}")
        for name, each in found.items()
    ]
    return table(("", "steps recorded", "peak MB", "more than the least", "ledger MB"), rows)


class Endless:
    """Proposes three new films for ever; the critic refuses one of them."""

    name = "openai:gpt-4.1-mini"

    def __init__(self) -> None:
        self._numbers = count(1)

    async def complete(self, request: Request) -> Reply:
        if request.system.startswith(ACTOR):
            text = films(self._numbers)
        else:
            text = critique() if request.system.startswith(CRITIC) else "{}"
        return Reply(text, self.name, usage=Usage(600, 200))


async def run(rounds: int, runs: int) -> dict[str, Any]:
    spec = replace(load_loop(FOLDER), wanted=Wanted("", 10**6, 10**6))
    with tempfile.TemporaryDirectory() as folder, Ledger.open(Path(folder) / "senno.sqlite") as ledger:
        steps: list[int] = []
        cast = Cast(dict.fromkeys(ROLES, Endless()), allow_same_model=True)
        for _ in range(runs):
            await run_loop(
                spec,
                REQUEST,
                ledger=ledger,
                config=Config(),
                cast=cast,
                rounds=rounds,
                on_step=lambda row: steps.append(row.number),
            )
        size = sum(file.stat().st_size for file in Path(folder).iterdir())
    return {"steps": len(steps), "peak": peak_memory(), "ledger": size / 1e6}


if __name__ == "__main__":
    print(json.dumps(asyncio.run(run(int(sys.argv[1]), int(sys.argv[2])))))

"""What an engine adds to each step of a loop: `python bench/engine_bench.py [runs]`.

One loop (actor ⇄ critic, three rounds, then a curator: seven calls to a model) on several engines, with one model
that answers at once. Each run of one engine is followed by a run of the next, so that all meet the same machine.
"""

from __future__ import annotations

import asyncio
import gc
import os
import statistics
import sys
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path
from typing import Protocol

from engine_loops.memory import Memory, measure_memory, memory_table
from engine_loops.script import CALLS, EXPECTED, Script
from peers import ROOT, missing, run_beside_peers, warning
from report import percentiles, table, write

LANGGRAPH = ("langgraph", "langgraph-checkpoint-sqlite", "langchain-core")
PACKAGES = ("senno", "pydantic", "pydantic-ai-slim", "apsw")
TARGET = 2.0
"""Milliseconds that senno may add to a step."""
WARM_UP = 5

SENNO = "senno, ledger on disk"
BARE = "bare loop"
DOES = {
    BARE: "model called directly, answers validated by Pydantic; no record, no budgets, no retries",
    "Pydantic AI": "an agent a role: messages, usage, retries of malformed answers; no record",
    "LangGraph": "state graph, nodes as in the bare loop; no record",
    "LangGraph, SqliteSaver as it comes": "the state after each step on disk, each commit synced, written while the "
    "next step runs and waited for at the end",
    "LangGraph, SqliteSaver synchronous=NORMAL": "the same, committed as senno's ledger commits: not synced",
    SENNO: "each call (texts, tokens, cost, seconds), step and run recorded, without secrets, before the next one "
    "begins, synced when the run ends; budgets, time-outs, retries; each item judged by code",
    "senno, ledger in memory": "the same without the disk: only to show what the disk costs",
}
MEMORY = (
    "Each in a process of its own. A run keeps its items until it ends: each is in its result, and the accepted ones "
    "are told to the actor."
)

Times = dict[str, list[list[float]]]


class Engine(Protocol):
    async def run(self) -> list[str]: ...


def engines(script: Script, folder: Path, closing: ExitStack) -> dict[str, Engine]:
    from engine_loops.bare import Bare
    from engine_loops.with_pydantic_ai import PydanticAI
    from engine_loops.with_senno import Senno, in_memory

    from senno.ledger import Ledger

    made: dict[str, Engine] = {BARE: Bare(script), "Pydantic AI": PydanticAI(script)}
    if not missing(*LANGGRAPH):
        from engine_loops.with_langgraph import LangGraph, saver

        full, normal = (closing.enter_context(saver(folder / f"{s}.sqlite", s)) for s in ("FULL", "NORMAL"))
        made["LangGraph"] = LangGraph(script)
        made["LangGraph, SqliteSaver as it comes"] = LangGraph(script, full)
        made["LangGraph, SqliteSaver synchronous=NORMAL"] = LangGraph(script, normal)
    made[SENNO] = Senno(script, closing.enter_context(Ledger.open(folder / "senno.sqlite")))
    made["senno, ledger in memory"] = Senno(script, closing.enter_context(in_memory()))
    return made


async def measure(runs: int) -> tuple[Times, list[float]]:
    """For each engine, for each run, the milliseconds of its steps, less the model's own; and of a sync beside it."""
    script = Script()
    syncs: list[float] = []
    with tempfile.TemporaryDirectory(dir=ROOT) as folder, ExitStack() as closing:
        made = engines(script, Path(folder), closing)
        times: Times = {name: [] for name in made}
        for run in range(runs + WARM_UP):
            if run == WARM_UP:
                gc.collect()
                gc.freeze()  # what was loaded for one engine is not looked through at the cost of another
            for name, engine in made.items():
                script.begin()
                titles = await engine.run()
                steps = script.end()
                if titles != EXPECTED:
                    raise AssertionError(f"{name}: {titles}; expected {EXPECTED}")
                if run >= WARM_UP:
                    times[name].append([1000 * step for step in steps])
            syncs.append(sync(Path(folder)))
    return times, syncs


def sync(folder: Path) -> float:
    """Milliseconds to write 4 KiB to a file and sync them."""
    with (folder / "sync").open("wb", buffering=0) as file:
        start = time.perf_counter()
        file.write(b"x" * 4096)
        os.fsync(file.fileno())
        return 1000 * (time.perf_counter() - start)


def figures(times: Times) -> dict[str, dict[str, float]]:
    """Milliseconds a step, by engine."""
    found: dict[str, dict[str, float]] = {}
    for name, runs in times.items():
        p50, p95 = percentiles([step for run in runs for step in run])
        found[name] = {"median": p50, "p95": p95, "run_by_steps": statistics.median(map(statistics.fmean, runs))}
    return found


def added(times: Times) -> float:
    """Milliseconds a step that senno takes more than the bare loop: the median over runs, each with its neighbour."""
    pairs = zip(times[SENNO], times[BARE], strict=True)
    return statistics.median(statistics.fmean(senno) - statistics.fmean(bare) for senno, bare in pairs)


def ratios(found: dict[str, dict[str, float]]) -> list[list[str]]:
    senno = found[SENNO]["run_by_steps"]
    return [
        [
            name,
            *(f"{figure:.2f}" for figure in each.values()),
            f"{each['run_by_steps'] - found[BARE]['run_by_steps']:+.2f}",
            f"{senno / each['run_by_steps']:.2f}",
        ]
        for name, each in found.items()
    ]


def body(runs: int, found: dict[str, dict[str, float]], more: float, sync: tuple[float, float], memory: Memory) -> str:
    rows = table(
        ("ms a step", "median", "p95", "whole run / 7", "− bare loop", "senno / this one (whole run)"), ratios(found)
    )
    does = "\n".join(["What each does in that time:\n", *(f"- {name}: {DOES[name]}" for name in found)])
    verdict = "kept" if more < TARGET else "NOT kept"
    added_by_senno = (
        f"**senno − bare loop: {more:.2f} ms a step** (median over {runs} pairs of runs). The target, below {TARGET:g} "
        f"ms, is {verdict}. Beside a model that takes a second it is {more / 10:.2f} %."
    )
    method = (
        f"{runs} runs of each engine in turn, {CALLS} calls to the model in each. A step is one call with what the "
        "engine does before it; what it does after the last one counts for the last step. The model's own time is left "
        f"out. To sync 4 KiB to the disk took {sync[0]:.2f} ms meanwhile (median; p95 {sync[1]:.2f})."
    )
    absent = missing(*LANGGRAPH)
    parts = [added_by_senno, *([warning(absent)] if absent else []), method, rows, does]
    return "\n\n".join([*parts, "## Memory of a run of senno", MEMORY, memory_table(memory)])


def main(runs: int) -> None:
    times, syncs = asyncio.run(measure(runs))
    found, more, synced = figures(times), added(times), percentiles(syncs)
    memory = measure_memory()
    packages = [*PACKAGES, *(() if missing(*LANGGRAPH) else LANGGRAPH)]
    kept = {"runs": runs, "ms_a_step": found, "senno_minus_bare": more, "sync_ms": synced, "memory": memory}
    text = body(runs, found, more, synced, memory)
    write("engine", "What an engine adds to a step", f"python bench/engine_bench.py {runs}", packages, text, kept)


if __name__ == "__main__":
    run_beside_peers()
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 100)

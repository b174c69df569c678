"""What senno adds to a decision of ten questions, beside the network: `python bench/decisions_bench.py [judgements]`.

A server on loopback, in a process of its own, gives every request the same sound answer to ten questions, at once or
after 50 ms. What a bare POST of httpx2 takes is taken off what each client takes: what is left is the client's own.
"""

from __future__ import annotations

import asyncio
import json
import math
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

from peers import missing, run_beside_peers, warning
from report import percentiles, table, write

from senno.judge import CheckFile, Judge, parse_check_file, parse_policy
from senno.ledger import Ledger
from senno.models import Cached, Calls, ClientDecisions, RetryPolicy, decision_model

PEERS = ("typesafe-sdk", "pydecide")
ROUNDS = 400
WARM_UP = 20
LATENCY = 0.05
CONCURRENCY = 64
JUDGEMENTS = 1000
BEST_OF = 15
MEMORY_AT = (10_000, 50_000, 100_000)
MODEL = "jev-1.13.0"
STATE = {"text": "The fund returned 4 % last year, which says nothing about the next. " * 30}

BARE = "httpx2, a bare POST"
SENNO = "senno"
RECORDED = "senno, with its ledger on disk"
THROUGH = "senno, through the official SDK"

DOES = {
    BARE: "sends the same bytes, parses the JSON, reads nothing in it",
    SENNO: "retries, budgets, time-outs; ten answers checked: options, sums, argmax, score, legend, version",
    RECORDED: "the same, and the call on disk without secrets",
    THROUGH: "the same checks on what the official asynchronous client brings (`ClientDecisions`)",
    "typesafe-sdk, asynchronous": "the official client alone: types, no check of sums, ranges or options",
    "typesafe-sdk, synchronous": "the same, blocking",
    "pydecide": "its client over httpx: some checks, no retries, no record",
}

SERVER = """
import asyncio, json, sys
BODY = sys.stdin.buffer.readline().strip()
HEAD = b"HTTP/1.1 200 OK\\r\\nContent-Type: application/json\\r\\nContent-Length: %d\\r\\n\\r\\n" % len(BODY)

class Peer(asyncio.Protocol):
    def connection_made(self, transport):
        self.transport, self.seen = transport, b""
    def data_received(self, data):
        self.seen += data
        while True:
            head, found, rest = self.seen.partition(b"\\r\\n\\r\\n")
            if not found:
                return
            length = int(head.lower().partition(b"content-length:")[2].partition(b"\\r\\n")[0])
            if len(rest) < length:
                return
            self.seen = rest[length:]
            wait = 0.05 if head.startswith(b"POST /slow") else 0
            if wait:
                asyncio.get_running_loop().call_later(wait, self.transport.write, HEAD + BODY)
            else:
                self.transport.write(HEAD + BODY)

async def main():
    server = await asyncio.get_running_loop().create_server(Peer, "127.0.0.1", 0, backlog=512)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()

asyncio.run(main())
"""


def questions() -> dict[str, Any]:
    nouls = {
        f"noul_{n}": {
            "type": "noul",
            "instructions": f"Does the text promise a financial return? ({n})",
            "criteria": {"true": "It names a gain as certain.", "false": "It informs, or names risks."},
        }
        for n in range(6)
    }
    choices = {
        f"choice_{n}": {"type": "choice", "instructions": "What is it about?", "criteria": {"tax": None, "loans": None}}
        for n in range(2)
    }
    scores = {
        f"score_{n}": {"type": "score", "instructions": "How clear is it?", "criteria": ["opaque", "readable", "clear"]}
        for n in range(2)
    }
    return {**nouls, **choices, **scores}


def response() -> dict[str, Any]:
    given: dict[str, Any] = {}
    for name in questions():
        if name.startswith("noul"):
            given[name] = {"type": "noul", "noul": 0.12}
        elif name.startswith("choice"):
            shares = {"tax": 0.88, "loans": 0.12}
            given[name] = {"type": "choice", "choice": "tax", "probabilities": shares, "confidence": 0.76}
        else:
            given[name] = {
                "type": "score",
                "score": 1.05,
                "legend": {"0": "opaque", "1": "readable", "2": "clear"},
                "probabilities": {"0": 0.0, "1": 0.95, "2": 0.05},
                "confidence": 0.925,
            }
    return {"model": MODEL, "answers": given, "usage": {"input_tokens": 804, "output_tokens": 60}}


def start_server() -> tuple[subprocess.Popen[bytes], str]:
    process = subprocess.Popen([sys.executable, "-c", SERVER], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(json.dumps(response()).encode() + b"\n")
    process.stdin.flush()
    return process, f"http://127.0.0.1:{int(process.stdout.readline())}"


def judge_of(model: Any) -> Judge:
    checks: CheckFile = parse_check_file(questions(), "questions", Path())
    rules = [{"check": f"noul_{n}", "op": "gte", "value": 0.5} for n in range(6)]
    policy = parse_policy({"verdicts": [{"name": "STOP", "rules": rules}, {"name": "GO", "rules": []}]}, "p", checks)
    return Judge(checks, policy, model)


def gate(**settings: Any) -> Calls:
    return Calls(retry=RetryPolicy(attempts=1), **settings)


# How long one decision takes


async def overhead(url: str, folder: Path) -> dict[str, list[float]]:
    """Milliseconds a decision, by client; each round asks each of them once, in turn."""
    async with AsyncExitStack() as closing:
        clients = await clients_of(url, folder, closing)
        times: dict[str, list[float]] = {name: [] for name in clients}
        for n in range(ROUNDS + WARM_UP):
            for name, decide in clients.items():
                started = time.perf_counter()
                assert await decide() == 10
                taken = (time.perf_counter() - started) * 1000
                if n >= WARM_UP:
                    times[name].append(taken)
    return times


async def clients_of(url: str, folder: Path, closing: AsyncExitStack) -> dict[str, Callable[[], Awaitable[int]]]:
    import httpx2

    bare = await closing.enter_async_context(httpx2.AsyncClient(timeout=None))
    body = json.dumps({"model": MODEL, "state": STATE, "questions": questions()}).encode()
    ledger = closing.enter_context(Ledger.open(folder / "overhead.db"))
    wire = decision_model(f"systemone:{url}/v1#{MODEL}", environ={})
    asked = {
        name: entry.question for name, entry in parse_check_file(questions(), "questions", Path()).questions.items()
    }

    async def post() -> int:
        answer = await bare.post(f"{url}/v1/systemone", content=body, headers={"Content-Type": "application/json"})
        return len(answer.json()["answers"])

    def ours(model: Any, calls: Calls) -> Callable[[], Awaitable[int]]:
        async def decide() -> int:
            decision = await calls.decide(model, STATE, asked, role="judge")
            assert decision.model == MODEL
            return len(decision.answers)

        return decide

    found = {BARE: post, SENNO: ours(wire, gate()), RECORDED: ours(wire, gate(ledger=ledger))}
    if not missing("typesafe-sdk"):
        found |= await sdk_clients(url, closing, ours)
    if not missing("pydecide"):
        found["pydecide"] = await pydecide_client(url, closing)
    return found


async def sdk_clients(url: str, closing: AsyncExitStack, ours: Any) -> dict[str, Callable[[], Awaitable[int]]]:
    from typesafe_sdk import AsyncTypeSafeClient, TypeSafeClient
    from typesafe_sdk import RetryPolicy as SdkRetries

    none = SdkRetries(max_retries=0)
    later = await closing.enter_async_context(AsyncTypeSafeClient(api_key="k", base_url=url, model=MODEL, retry=none))
    now = closing.enter_context(TypeSafeClient(api_key="k", base_url=url, model=MODEL, retry=none))

    async def asynchronous() -> int:
        return len((await later.system_one(STATE, questions())).answers)

    async def synchronous() -> int:
        return len(now.system_one(STATE, questions()).answers)

    through = ours(ClientDecisions(later, MODEL), gate())
    return {THROUGH: through, "typesafe-sdk, asynchronous": asynchronous, "typesafe-sdk, synchronous": synchronous}


async def pydecide_client(url: str, closing: AsyncExitStack) -> Callable[[], Awaitable[int]]:
    import decide
    from decide.backends.typesafe import TypeSafeBackend

    backend = TypeSafeBackend("k", base_url=url, model=MODEL)
    client = await closing.enter_async_context(decide.AsyncClient([backend]))
    kinds = {"noul": decide.Noul, "choice": decide.Choice, "score": decide.Score}
    asked = {
        name: kinds[each["type"]](**{key: value for key, value in each.items() if key != "type"})
        for name, each in questions().items()
    }

    async def decided() -> int:
        return len((await client.decide(STATE, asked)).answers)

    return decided


# Many at once


async def many(url: str, folder: Path, count: int, number: int) -> tuple[float, float]:
    """Seconds of wall and of processor for `count` judgements, each 50 ms away, `CONCURRENCY` at once, all recorded."""
    judge = judge_of(decision_model(f"systemone:{url}/slow/v1#{MODEL}", environ={}))
    with Ledger.open(folder / f"many{number}.db") as ledger:
        calls = gate(ledger=ledger, concurrency=CONCURRENCY)
        started, used = time.perf_counter(), time.process_time()
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(judge.judge("", calls=calls, state={**STATE, "n": n})) for n in range(count)]
        wall, processor = time.perf_counter() - started, time.process_time() - used
    assert all(task.result().verdict.name == "GO" for task in tasks)
    return wall, processor


async def many_bare(url: str, count: int) -> tuple[float, float]:
    """The same with nothing but the POST, all over one client of httpx2."""
    import httpx2

    slots = asyncio.Semaphore(CONCURRENCY)
    asked = questions()
    limits = httpx2.Limits(max_connections=None, max_keepalive_connections=CONCURRENCY)

    async def post(client: httpx2.AsyncClient, n: int) -> int:
        async with slots:
            answer = await client.post(
                f"{url}/slow/v1/systemone", json={"model": MODEL, "state": {**STATE, "n": n}, "questions": asked}
            )
            return len(answer.json()["answers"])

    async with httpx2.AsyncClient(timeout=None, limits=limits) as client:
        started, used = time.perf_counter(), time.process_time()
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(post(client, n)) for n in range(count)]
        wall, processor = time.perf_counter() - started, time.process_time() - used
    assert all(task.result() == 10 for task in tasks)
    return wall, processor


async def memory(url: str, folder: Path) -> dict[int, float]:
    """MB resident after so many judgements, recorded and kept for another time, 16 at once."""
    found: dict[int, float] = {}
    with Ledger.open(folder / "memory.db") as ledger:
        model = Cached(decision_model(f"systemone:{url}/v1#{MODEL}", environ={}), ledger)
        judge, calls = judge_of(model), gate(ledger=ledger, concurrency=16)
        done = 0
        for at in MEMORY_AT:
            while done < at:
                async with asyncio.TaskGroup() as group:
                    for n in range(done, done + 100):
                        group.create_task(judge.judge("", calls=calls, state={"text": "A short text.", "n": n}))
                done += 100
            found[at] = resident()
    return found


def resident() -> float:
    """MB, of this process."""
    pages = int(Path("/proc/self/statm").read_text(encoding="utf-8").split()[1])
    return pages * resource.getpagesize() / 1e6


# Report


def overhead_table(times: dict[str, list[float]]) -> str:
    rows: list[list[object]] = []
    for name, taken in times.items():
        own = [each - bare for each, bare in zip(taken, times[BARE], strict=True)]
        p50, p95 = percentiles(taken)
        rows.append([name, f"{p50:.2f}", f"{p95:.2f}", "" if name == BARE else f"{statistics.median(own):.2f}"])
    return table(["client", "p50, ms", "p95, ms", "its own, p50, ms"], rows)


def main(count: int) -> None:
    run_beside_peers()
    process, url = start_server()
    try:
        with tempfile.TemporaryDirectory(dir=Path.cwd()) as name:
            folder = Path(name)
            times = asyncio.run(overhead(url, folder))
            asyncio.run(many(url, folder, 100, -1))
            walls: list[tuple[float, float]] = []
            bare: list[tuple[float, float]] = []
            for n in range(BEST_OF):
                walls.append(asyncio.run(many(url, folder, count, n)))
                bare.append(asyncio.run(many_bare(url, count)))
            used = asyncio.run(memory(url, folder))
    finally:
        process.kill()
        process.wait()
    (wall, processor), (bare_wall, bare_processor) = min(walls), min(bare)
    ideal = math.ceil(count / CONCURRENCY) * LATENCY
    absent = missing(*PEERS)
    body = "\n\n".join(
        [
            *([warning(absent)] if absent else []),
            "## One decision of ten questions",
            f"The last column is what is left when the bare POST of the same round is taken off; {ROUNDS} rounds.",
            overhead_table(times),
            "What each does in its time:\n\n" + "\n".join(f"- {name}: {DOES[name]}" for name in times),
            f"## {count:,} judgements, {LATENCY * 1000:.0f} ms away, {CONCURRENCY} at once",
            f"senno: ten questions, policy, and a row in the ledger for each. In turn; the best of {BEST_OF} each.",
            table(
                ["", "wall, s", "times the ideal", "processor, s"],
                [
                    [f"ideal: {math.ceil(count / CONCURRENCY)} × {LATENCY * 1000:.0f} ms", f"{ideal:.2f}", "1.00", ""],
                    [BARE, f"{bare_wall:.2f}", f"{bare_wall / ideal:.2f}", f"{bare_processor:.2f}"],
                    ["senno", f"{wall:.2f}", f"{wall / ideal:.2f}", f"{processor:.2f}"],
                ],
            ),
            "## Memory\n\nOne process that goes on judging, each judgement recorded and kept for another time.",
            table(["judgements", "resident, MB"], [[f"{at:,}", f"{mb:.1f}"] for at, mb in used.items()]),
        ]
    )
    figures = {
        "overhead_ms": {
            name: dict(zip(("p50", "p95"), percentiles(taken), strict=True)) for name, taken in times.items()
        },
        "own_ms": {
            name: statistics.median(a - b for a, b in zip(taken, times[BARE], strict=True))
            for name, taken in times.items()
        },
        "many": {
            "count": count,
            "ideal_s": ideal,
            "senno": {"wall_s": wall, "processor_s": processor, "ratio": wall / ideal},
            BARE: {"wall_s": bare_wall, "processor_s": bare_processor, "ratio": bare_wall / ideal},
        },
        "memory_mb": used,
    }
    packages = ("senno", "httpx2", *(name for name in PEERS if name not in absent))
    write("decisions", "Decisions: what senno adds", "python bench/decisions_bench.py", packages, body, figures)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else JUDGEMENTS)

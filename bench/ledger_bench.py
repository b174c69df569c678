"""What it costs to record a call: `python bench/ledger_bench.py [rows]`.

The peer is the standard library's sqlite3 with the same table, the same journal and the same durability, which writes
the texts as they are. Both write in turn, into two files in one folder, so that both meet the same disk.
"""

from __future__ import annotations

import json
import sqlite3
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path

from senno.ledger import CallRow, Ledger, redact
from senno.ledger.migrations import MIGRATIONS

PROSE = "The Clerk checks that each film exists, that its year is right, and that the plot fits: «è così».\n" * 100
TEXT = json.dumps({"messages": [{"role": "user", "content": PROSE}]}, ensure_ascii=False)[:10_000]
CALL = CallRow(
    None, "actor", "m", "m", TEXT, TEXT, 284, 96, None, Decimal("0.0013"), datetime.now(UTC), 1.8, "ok", None
)
INSERT = (
    "INSERT INTO calls (role, model_asked, model_answered, sent, received, tokens_in, tokens_out, cost, started,"
    " seconds, outcome) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
)

PEER = "sqlite3, synchronous=NORMAL"


def peer(path: Path, synchronous: str) -> Callable[[], None]:
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute(f"PRAGMA synchronous = {synchronous}")
    MIGRATIONS[0](Script(connection))  # type: ignore[arg-type]
    row = ("actor", "m", "m", TEXT, TEXT, 284, 96, "0.0013", CALL.started.isoformat(), 1.8, "ok")

    def write() -> None:
        connection.execute("BEGIN IMMEDIATE")
        connection.execute(INSERT, row)
        connection.execute("COMMIT")

    return write


class Script:
    def __init__(self, connection: sqlite3.Connection) -> None:
        self.execute = connection.executescript


def microseconds(call: Callable[[], object]) -> float:
    start = time.perf_counter()
    call()
    return (time.perf_counter() - start) * 1e6


def main(rows: int) -> None:
    with tempfile.TemporaryDirectory(dir=Path.cwd()) as folder, Ledger.open(Path(folder) / "senno.sqlite") as ledger:
        tasks: dict[str, Callable[[], object]] = {
            PEER: peer(Path(folder) / "normal.sqlite", "NORMAL"),
            "sqlite3, synchronous=FULL": peer(Path(folder) / "full.sqlite", "FULL"),
            "senno add_call": lambda: ledger.add_call(CALL),
            "of it: redact, both texts": lambda: (redact(TEXT), redact(TEXT)),
        }
        times: dict[str, list[float]] = {name: [] for name in tasks}
        for _ in range(rows):
            for name, task in tasks.items():
                times[name].append(microseconds(task))

    print(f"{rows} rows with two texts of {len(TEXT):,} characters. Ratios are against {PEER}.\n")
    print(f"| {'what':<28} | p50, µs | p95, µs | p50 ratio | p95 ratio |")
    print("|------------------------------|--------:|--------:|----------:|----------:|")
    fifty, ninety_five = percentiles(times[PEER])
    for name, taken in times.items():
        p50, p95 = percentiles(taken)
        print(f"| {name:<28} | {p50:7.0f} | {p95:7.0f} | {p50 / fifty:9.1f} | {p95 / ninety_five:9.1f} |")


def percentiles(values: list[float]) -> tuple[float, float]:
    cuts = statistics.quantiles(values, n=20)
    return cuts[9], cuts[18]


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1000)

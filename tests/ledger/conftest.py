from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from senno.ledger import CallRow, Ledger, StepRow

STARTED = datetime(2026, 11, 30, 21, 5, 12, 345678, tzinfo=UTC)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "ledger.sqlite"


@pytest.fixture
def ledger(path: Path) -> Iterator[Ledger]:
    with Ledger.open(path) as ledger:
        yield ledger


@pytest.fixture(scope="session")
def make_call() -> Callable[..., CallRow]:
    def make(**changes: Any) -> CallRow:
        values: dict[str, Any] = {
            "run_id": None,
            "role": "actor",
            "model_asked": "openai:gpt",
            "model_answered": "gpt-2026",
            "sent": '{"system": "Be brief."}',
            "received": '{"text": "Ciao"}',
            "tokens_in": 284,
            "tokens_out": 96,
            "tokens_cached": None,
            "cost": Decimal("0.0013"),
            "started": STARTED,
            "seconds": 1.8,
            "outcome": "ok",
            "error": None,
        }
        return CallRow(**(values | changes))

    return make


@pytest.fixture(scope="session")
def make_step() -> Callable[..., StepRow]:
    def make(run_id: str, **changes: Any) -> StepRow:
        values: dict[str, Any] = {
            "run_id": run_id,
            "number": 1,
            "role": "critic",
            "round": 1,
            "started": STARTED,
            "seconds": 7.8,
            "calls": 2,
            "tokens_in": 2898,
            "tokens_out": 397,
            "cost": Decimal("0.0090"),
            "output": {"items": [{"title": "Pi", "year": 1998, "fit": None}]},
            "notes": ["isSatisfied disagrees with the checks"],
            "error": None,
        }
        return StepRow(**(values | changes))

    return make


@pytest.fixture
def start_worker() -> Iterator[Callable[..., subprocess.Popen[str]]]:
    """Starts `worker.py` in a process of its own; what still runs at the end is killed."""
    started: list[subprocess.Popen[str]] = []

    def start(*arguments: object) -> subprocess.Popen[str]:
        worker = subprocess.Popen(
            [sys.executable, str(Path(__file__).with_name("worker.py")), *map(str, arguments)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            encoding="utf-8",
        )
        started.append(worker)
        return worker

    yield start
    for worker in started:
        worker.kill()
        worker.communicate()

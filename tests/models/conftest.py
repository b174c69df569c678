from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import pytest

from openai_server import OpenAIServer
from senno.ledger.rows import CallRow


@dataclass
class Rows:
    """A ledger that keeps its rows in a list."""

    rows: list[CallRow] = field(default_factory=list)

    def add_call(self, row: CallRow) -> None:
        self.rows.append(row)

    @property
    def outcomes(self) -> list[str]:
        return [row.outcome for row in self.rows]


@dataclass
class Clock:
    """Monotonic seconds that pass only when somebody sleeps, or a test says so."""

    now: float = 1000.0
    slept: list[float] = field(default_factory=list)

    def __call__(self) -> float:
        return self.now

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += seconds


@pytest.fixture
def rows() -> Rows:
    return Rows()


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def server() -> Iterator[OpenAIServer]:
    with OpenAIServer() as running:
        yield running

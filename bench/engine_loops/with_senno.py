"""senno: `run_loop` with its ledger, as `senno run` calls it."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import cast

import apsw

from engine_loops.script import Script
from engine_loops.task import FOLDER, REQUEST
from senno.config import Config
from senno.ledger import Ledger
from senno.ledger.connection import Connection
from senno.ledger.migrations import migrate
from senno.ledger.store import utc_now
from senno.loop import Cast, load_loop, run_loop
from senno.loop.spec import ROLES
from senno.models import Reply, Request, Usage

PRICED = "openai:gpt-4.1-mini"
"""A model with a price, so that each call's cost is looked up as it is for a real one."""


class Instant:
    """The script as a model of senno's."""

    name = PRICED

    def __init__(self, script: Script) -> None:
        self._script = script

    async def complete(self, request: Request) -> Reply:
        text = self._script.ask(request.system, request.messages[-1].text)
        return Reply(text, PRICED, usage=Usage(600, 200))


class Senno:
    def __init__(self, script: Script, ledger: Ledger) -> None:
        self._spec = load_loop(FOLDER)
        self._cast = Cast(dict.fromkeys(ROLES, Instant(script)), allow_same_model=True)
        self._config = Config()
        self._ledger = ledger

    async def run(self) -> list[str]:
        result = await run_loop(self._spec, REQUEST, ledger=self._ledger, config=self._config, cast=self._cast)
        if result.stop != "rounds":
            raise AssertionError(f"it stopped because of {result.stop}: {result.error}")
        return [str(item.value["title"]) for item in result.accepted]


@contextmanager
def in_memory() -> Generator[Ledger]:
    """A ledger that never sees a disk."""
    path = Path(":memory:")
    connection = cast("Connection", apsw.Connection(str(path)))
    migrate(connection, path)
    with Ledger(connection, path, utc_now) as ledger:
        yield ledger

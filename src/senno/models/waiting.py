"""Calls to models for callers that wait: the gate on an event loop of its own, in a thread."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable
from concurrent.futures import Future
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from senno.models.calls import Calls

T = TypeVar("T")


class WaitingCalls:
    """One gate, used from any thread, inside a running event loop or not.

    Args:
        make: makes the gate; called once, in the thread of the loop.
    """

    def __init__(self, make: Callable[[], Calls]) -> None:
        self._make = make
        self._lock = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._calls: Calls | None = None

    def run(self, work: Callable[[Calls], Awaitable[T]], seconds: float | None = None) -> T:
        """What `work` gives, waited for; what it raises is raised here.

        Raises:
            TimeoutError: it took longer than `seconds`.
        """

        async def worked() -> T:
            if self._calls is None:
                self._calls = self._make()
            return await work(self._calls)

        future: Future[T] = asyncio.run_coroutine_threadsafe(worked(), self._running())
        try:
            return future.result(seconds)
        except TimeoutError:
            future.cancel()
            raise

    def _running(self) -> asyncio.AbstractEventLoop:
        with self._lock:
            if self._loop is None:
                loop = self._loop = asyncio.new_event_loop()
                threading.Thread(target=loop.run_forever, name="senno calls", daemon=True).start()
            return self._loop

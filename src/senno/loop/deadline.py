"""Python of a loop's, run within the seconds that the run may take.

The gate to the models holds their calls to that budget; this holds the loop's own functions to it.
"""

from __future__ import annotations

import asyncio
import contextvars
import inspect
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from senno.errors import BudgetExceeded


class Deadline:
    """When a run must end.

    Args:
        seconds: that it may take; `None`: no bound.
        clock: monotonic seconds; the run begins now.
    """

    def __init__(self, seconds: float | None, clock: Callable[[], float] = time.monotonic) -> None:
        self._seconds = seconds
        self._clock = clock
        self._began = clock()

    async def call(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """What the function returns, awaited where it is awaitable.

        Raises:
            BudgetExceeded: the time of the run is up, before it began or before it ended.
        """
        left = None if self._seconds is None else self._seconds - (self._clock() - self._began)
        if left is not None and left <= 0:
            raise self._exceeded("")
        scope = asyncio.timeout(left)
        try:
            async with scope:
                returned = await _in_thread(function, arguments)
                return await returned if inspect.isawaitable(returned) else returned
        except TimeoutError:
            if not scope.expired():
                raise
            raise self._exceeded(f", in {getattr(function, '__name__', 'a function')}") from None

    def _exceeded(self, where: str) -> BudgetExceeded:
        spent = f"{self._clock() - self._began:.1f} s{where}"
        return BudgetExceeded("seconds", "the run", self._seconds, spent)


async def _in_thread(function: Callable[..., Any], arguments: tuple[Any, ...]) -> Any:
    """Like `asyncio.to_thread`, but nobody waits for a function that hangs: not an interrupt, not the end of senno."""
    loop = asyncio.get_running_loop()
    ended: asyncio.Future[None] = loop.create_future()
    outcome: list[Any] = []
    failure: list[BaseException] = []

    def work() -> None:
        try:
            outcome.append(context.run(function, *arguments))
        except BaseException as error:  # noqa: BLE001 - carried over to the caller, whatever it is
            failure.append(error)
        with suppress(RuntimeError):  # nobody waits any more: the event loop is closed
            loop.call_soon_threadsafe(lambda: ended.done() or ended.set_result(None))

    context = contextvars.copy_context()
    threading.Thread(target=work, name=f"senno {function!r}", daemon=True).start()
    await ended
    if failure:
        # One that ends the process from inside a loop's function has failed like any other.
        raise RuntimeError(f"it called sys.exit({failure[0]})") if isinstance(failure[0], SystemExit) else failure[0]
    return outcome[0]

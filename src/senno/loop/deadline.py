"""Python of a loop's, run within the seconds that the run may take.

The gate to the models holds their calls to that budget; this holds the loop's own functions to it.
"""

from __future__ import annotations

import asyncio
import inspect
import time
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

from senno.errors import BudgetExceeded
from senno.threads import in_daemon_thread

T = TypeVar("T")


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

        async def called() -> Any:
            returned = await in_daemon_thread(function, *arguments)
            return await returned if inspect.isawaitable(returned) else returned

        return await self.within(called(), f", in {getattr(function, '__name__', 'a function')}")

    async def within(self, work: Coroutine[Any, Any, T], where: str = "") -> T:
        """What `work` gives, if it ends in time.

        Raises:
            BudgetExceeded: the time of the run is up, before it began or before it ended.
        """
        left = None if self._seconds is None else self._seconds - (self._clock() - self._began)
        if left is not None and left <= 0:
            work.close()
            raise self._exceeded("")
        scope = asyncio.timeout(left)
        try:
            async with scope:
                return await work
        except TimeoutError:
            if not scope.expired():
                raise
            raise self._exceeded(where) from None

    def _exceeded(self, where: str) -> BudgetExceeded:
        spent = f"{self._clock() - self._began:.1f} s{where}"
        return BudgetExceeded("seconds", "the run", self._seconds, spent)

"""A function of the user's, run so that nothing has to wait for it."""

from __future__ import annotations

import asyncio
import contextvars
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Any


async def in_daemon_thread(function: Callable[..., Any], *arguments: Any) -> Any:
    """Like `asyncio.to_thread`, but nobody waits for a function that hangs: not an interrupt, not the end of senno.

    Raises:
        RuntimeError: it raised something that would end the process, or the event loop (`sys.exit`): inside senno it
            has failed like any other. What else it raises comes as it is.
    """
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
        raise as_failure(failure[0])
    return outcome[0]


def as_failure(error: BaseException) -> Exception:
    """What a function raised, as an error that ends nothing but its step."""
    if isinstance(error, Exception):
        return error
    called = f"it called sys.exit({error})" if isinstance(error, SystemExit) else f"it raised {type(error).__name__}"
    return RuntimeError(called)


def told(error: BaseException) -> str:
    """An error as text, also one that cannot say what it is."""
    try:
        return f"{type(error).__name__}: {error}"
    except Exception:  # noqa: BLE001 - the user's own __str__ may raise anything
        return type(error).__name__


class Beside:
    """A function that runs beside its caller, in a thread for which nobody has to wait.

    Args:
        function: started at once.
    """

    def __init__(self, function: Callable[[], Any]) -> None:
        self._outcome: list[Any] = []
        self._failure: list[BaseException] = []
        context = contextvars.copy_context()

        def work() -> None:
            try:
                self._outcome.append(context.run(function))
            except BaseException as error:  # noqa: BLE001 - carried over to the caller, whatever it is
                self._failure.append(error)

        self._thread = threading.Thread(target=work, name=f"senno {function!r}", daemon=True)
        self._thread.start()

    def ended(self, seconds: float | None = None) -> bool:
        """Whether it has ended, waiting for it at most so long; `None`: as long as it takes."""
        self._thread.join(None if seconds is None else min(seconds, threading.TIMEOUT_MAX))
        return not self._thread.is_alive()

    def result(self) -> Any:
        """What it returned, once it has ended; what it raised, as `as_failure` has it, is raised here."""
        if self._failure:
            raise as_failure(self._failure[0])
        return self._outcome[0]

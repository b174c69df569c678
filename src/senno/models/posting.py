"""One POST of JSON, for the servers that no provider's package speaks to."""

from __future__ import annotations

import asyncio
import atexit
import json
import os
import ssl
import weakref
import zlib
from collections.abc import AsyncGenerator, Generator, Mapping
from concurrent.futures import CancelledError
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any

from senno.models.protocol import AttemptFailed
from senno.models.retry import retry_after
from senno.text import one_line
from senno.threads import in_daemon_thread

if TYPE_CHECKING:
    from httpx2 import URL, AsyncClient, Response

MOST_BYTES = 64 * 1024 * 1024
"""Of a body, unpacked: what is longer is no answer to anything that senno asks."""

_IDLE_SECONDS = 30.0
_SECONDS_TO_CLOSE = 1.0
_PROCESS = os.getpid()


@dataclass(frozen=True, slots=True)
class Answered:
    """An answer that is there in whole, with status 200."""

    text: str
    content_type: str
    """Without parameters, in small letters; empty: the server named none."""


@dataclass(frozen=True, slots=True)
class Refused:
    """An answer with another status."""

    status: int
    headers: Mapping[str, str]
    text: str


async def posted(url: str, body: str, key: str | None) -> Mapping[str, Any]:
    """The JSON object that came back. The gate has the time limit.

    Raises:
        AttemptFailed: no answer, a status of failure, or no JSON object; and whether trying again may help.
    """
    answer = await sent(url, body, key)
    if isinstance(answer, Refused):
        again = answer.status in (408, 409, 425, 429) or answer.status >= 500
        problem = f"{answer.status}: {' '.join(answer.text.split())[:200]}"
        raise AttemptFailed(problem, retry=again, retry_after=retry_after(answer.headers, datetime.now(UTC)))
    try:
        found = json.loads(answer.text)
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        raise AttemptFailed("the answer is no JSON object", retry=True)
    return found  # pyright: ignore[reportUnknownVariableType]


async def sent(url: str, body: str, key: str | None, most_bytes: int = MOST_BYTES) -> Answered | Refused:
    """What came back, with whatever status: at most `most_bytes`. No redirect is followed: the key would go along.

    Raises:
        AttemptFailed: no whole answer came, or a longer one.
    """
    clients = await _of_this_loop()
    import httpx2

    if key is not None and not (key.isascii() and key.isprintable()):
        raise AttemptFailed("the API key holds characters that no header can", retry=False)
    try:
        request = httpx2.Request("POST", _address(url), headers=_headers(key), content=body.encode("utf-8", "replace"))
        with clients.one() as client:
            response = await client.send(request, stream=True)
            try:
                raw = await _whole(response, most_bytes)
            finally:
                await response.aclose()
    except httpx2.InvalidURL as error:
        raise AttemptFailed(f"{url} is no URL: {error}", retry=False) from error
    except httpx2.HTTPError as error:
        raise AttemptFailed(f"{type(error).__name__}: {error}", retry=True) from error
    text = raw.decode("utf-8", "replace")
    if response.status_code != 200:
        return Refused(response.status_code, dict(response.headers), text)
    return Answered(text, response.headers.get("content-type", "").partition(";")[0].strip().lower())


@lru_cache(64)
def _address(url: str) -> URL:
    """Read once: half of the time that it takes to make a request."""
    import httpx2

    return httpx2.URL(url)


def _headers(key: str | None) -> dict[str, str]:
    kind = "application/json"
    found = {"Content-Type": kind, "Accept": kind, "Accept-Encoding": "gzip", "User-Agent": "senno"}
    return found if key is None else {**found, "Authorization": f"Bearer {key}"}


async def _whole(response: Response, most: int) -> bytes:
    """The body, unpacked, or a failure as soon as it is too long: a small packed one may unpack to any length."""
    packed = response.headers.get("content-encoding", "identity").strip().lower()
    if packed not in ("identity", "gzip", ""):
        raise AttemptFailed(f"the answer is packed as {one_line(packed, 40)!r}, which was not asked for", retry=False)
    unpacker = zlib.decompressobj(wbits=zlib.MAX_WBITS | 16) if packed == "gzip" else None
    found = bytearray()
    async for part in response.aiter_raw():
        try:
            found += unpacker.decompress(part, most + 1 - len(found)) if unpacker else part
        except zlib.error as error:
            raise AttemptFailed(f"the answer cannot be unpacked: {error}", retry=True) from error
        if len(found) > most:
            raise AttemptFailed(f"the answer is longer than {most:,} bytes", retry=False)
    if unpacker and not unpacker.eof:
        raise AttemptFailed("the packed answer ends before its end", retry=True)
    return bytes(found)


class _Clients:
    """The clients of one event loop: as many as were ever needed at once.

    A new one for each call would shake hands with the server each time. One for all calls has a pool that looks at each
    of its connections twice a call: with 64 under way, that is a quarter of the time that a call takes.
    """

    def __init__(self) -> None:
        self.all: list[AsyncClient] = []
        self._idle: list[AsyncClient] = []

    @contextmanager
    def one(self) -> Generator[AsyncClient]:
        """A client that nobody else uses meanwhile; the last one used first, since its connection is still open."""
        client = self._idle.pop() if self._idle else self._made()
        try:
            yield client
        finally:
            self._idle.append(client)

    def _made(self) -> AsyncClient:
        import httpx2

        limits = httpx2.Limits(keepalive_expiry=_IDLE_SECONDS)
        self.all.append(httpx2.AsyncClient(timeout=None, verify=_certificates(), limits=limits))
        return self.all[-1]

    async def close(self) -> None:
        """Close them all."""
        for client in self.all:
            await client.aclose()


_clients: weakref.WeakKeyDictionary[asyncio.AbstractEventLoop, tuple[_Clients, AsyncGenerator[None]]]
_clients = weakref.WeakKeyDictionary()


async def _of_this_loop() -> _Clients:
    loop = asyncio.get_running_loop()
    if loop not in _clients:
        # In a thread: it takes 0.1 s, in which nothing else could go on.
        await in_daemon_thread(_certificates)
    if loop not in _clients:
        made = _Clients()
        _clients[loop] = made, _closed_at_the_end(made)
        await anext(_clients[loop][1])
    return _clients[loop][0]


async def _closed_at_the_end(clients: _Clients) -> AsyncGenerator[None]:
    """Closes them with their event loop: `asyncio.run` closes the generators that are still open."""
    try:
        yield
    finally:
        await clients.close()


@atexit.register
def _close_at_exit() -> None:
    """Close what a loop in a thread has open: such a loop runs until the process ends, and ends with no word."""
    for loop, (clients, _) in list(_clients.items()):
        # A forked child has its parent's loops, and nobody who runs them.
        if loop.is_running() and os.getpid() == _PROCESS:
            with suppress(TimeoutError, CancelledError, OSError, RuntimeError):
                asyncio.run_coroutine_threadsafe(clients.close(), loop).result(_SECONDS_TO_CLOSE)


@cache
def _certificates() -> ssl.SSLContext:
    """Read once: it takes 18 ms, and httpx2 90 to load."""
    import httpx2

    return httpx2.create_ssl_context()

"""How the server is reached: over standard input and output, or over HTTP on loopback."""

from __future__ import annotations

import io
import os
import signal
import socket
import sys
import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from types import FrameType
from typing import TYPE_CHECKING

from mcp.server import MCPServer

from senno.errors import ConfigError

if TYPE_CHECKING:
    import uvicorn

LOOPBACK = "127.0.0.1"

_SECONDS = 3
"""That clients have to go, once an interrupt ends the server."""

_PIECE = 65536


def serve_stdio(server: MCPServer) -> None:
    """Serve one client until it closes standard input.

    Raises:
        KeyboardInterrupt: it was interrupted.
    """
    with _standard_input() as interrupted:
        server.run("stdio")
        if interrupted.is_set():
            raise KeyboardInterrupt


@contextmanager
def _standard_input() -> Generator[threading.Event]:
    """Standard input that ends at an interrupt too; what it yields says whether one came.

    The server waits in a thread for the next line, and for that thread: an interrupt alone would hang until the client
    goes. So a thread for which nobody waits reads the real one, and the server what that thread passes on.
    """
    ours, theirs = socket.socketpair()
    interrupted = threading.Event()

    def end() -> None:
        with suppress(OSError):  # it has ended already
            ours.shutdown(socket.SHUT_WR)

    def pass_on(descriptor: int) -> None:
        with suppress(OSError):  # the server has gone
            while data := os.read(descriptor, _PIECE):
                ours.sendall(data)
        end()

    def interrupt(_number: int, _frame: FrameType | None) -> None:
        signal.signal(signal.SIGINT, before)
        interrupted.set()
        end()

    real = sys.stdin
    threading.Thread(target=pass_on, args=(real.fileno(),), name="senno stdin", daemon=True).start()
    before = signal.signal(signal.SIGINT, interrupt)
    try:
        with ours, theirs, io.TextIOWrapper(theirs.makefile("rb"), encoding="utf-8") as sys.stdin:
            yield interrupted
    finally:
        sys.stdin = real
        signal.signal(signal.SIGINT, before)


def serve_http(server: MCPServer, port: int, told: Callable[[str], None]) -> None:
    """Serve any number of clients on this machine until an interrupt.

    Args:
        server: the server.
        port: that it listens on.
        told: is given the address, once somebody listens there.

    Raises:
        ConfigError: the port cannot be had.
        KeyboardInterrupt: it was interrupted.
    """
    import uvicorn

    app = server.streamable_http_app(host=LOOPBACK)
    serving = uvicorn.Server(uvicorn.Config(app, log_level="error", timeout_graceful_shutdown=_SECONDS))
    with socket.socket() as listening, _interrupt_ends(serving):
        if os.name == "posix":  # elsewhere it would let two servers have one port
            listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listening.bind((LOOPBACK, port))
            listening.listen()
        except OSError as error:
            raise ConfigError(
                f"--http {port}: {LOOPBACK}:{port} cannot be had ({error.strerror}); expected a port that is free"
            ) from None
        told(f"http://{LOOPBACK}:{port}/mcp")
        serving.run(sockets=[listening])


@contextmanager
def _interrupt_ends(serving: uvicorn.Server) -> Generator[None]:
    """An interrupt ends the server whenever it comes: also before the server has seen to that by itself.

    Raises:
        KeyboardInterrupt: afterwards, if one came.
    """
    interrupted = threading.Event()

    def interrupt(_number: int, _frame: FrameType | None) -> None:
        interrupted.set()
        serving.should_exit = True

    before = signal.signal(signal.SIGINT, interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
    if interrupted.is_set():
        raise KeyboardInterrupt

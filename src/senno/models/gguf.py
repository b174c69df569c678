"""A GGUF file run in this process, by llama.cpp's server engine (`xllamacpp`)."""

from __future__ import annotations

import asyncio
import importlib
import os
import secrets
import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, Protocol

from senno.errors import ConfigError
from senno.models.failures import unreadable
from senno.models.llamacpp import assembled, chat_body
from senno.models.protocol import AttemptFailed, Reply, Request, Usage

CONTEXT = 8192
"""Tokens of context. The whole of what a model was trained with can need more memory than the model."""


class Runtime(Protocol):
    """What is used of `xllamacpp.Server`."""

    def handle_chat_completions(self, request: dict[str, Any], on_chunk: Callable[[Any], bool]) -> object:
        """Run a streamed chat completion; `on_chunk` ends it by returning `True`. Blocks, and frees the GIL."""
        ...


def checked_file(name: str, path: str) -> Path:
    """The file that `gguf:PATH` names.

    Raises:
        ConfigError: it is not there, not a file, or not a GGUF file.
    """
    file = Path(path).expanduser()
    try:
        with file.open("rb") as opened:
            magic = opened.read(4)
    except OSError as error:
        raise ConfigError(f"model {name!r}: {file} cannot be read ({error.strerror}); expected a GGUF file") from None
    if magic != b"GGUF":
        raise ConfigError(f"model {name!r}: {file} is no GGUF file (it begins with {magic!r}, not b'GGUF')")
    return file.resolve()


class GgufModel:
    """A text model in this process. One copy a file is loaded, at its first call, and stays.

    Args:
        name: as the user wrote it.
        file: the checked path.
        load: makes the runtime.
    """

    def __init__(self, name: str, file: Path, load: Callable[[Path], Runtime] | None = None) -> None:
        self._name = name
        self._file = file
        self._load = load or loaded

    @property
    def name(self) -> str:
        """The name as the user wrote it."""
        return self._name

    async def complete(self, request: Request) -> Reply:
        """One attempt. When it is cancelled, the model stops at the next token.

        Beside tools, and where the engine cannot enforce it, a schema is left to the prompt, and the notes say so.
        """
        notes: tuple[str, ...] = ()
        with_schema = request.schema is not None and not request.tools
        if request.schema is not None and request.tools:
            notes = ("the JSON schema was not enforced: there are tools beside it",)
        try:
            chunks = await self._stream(chat_body(request, with_schema=with_schema))
        except AttemptFailed as refused:
            if not (with_schema and "schema" in refused.problem.lower()):
                raise
            # Refused while it was read: no token was spent, so this is still the first attempt.
            notes = (f"the JSON schema was not enforced: {refused.problem}",)
            chunks = await self._stream(chat_body(request, with_schema=False))
        reply = assembled(chunks, self._file.name)
        return replace(reply, notes=(*notes, *reply.notes))

    async def _stream(self, body: dict[str, Any]) -> list[object]:
        chunks: list[object] = []
        stop = threading.Event()

        def on_chunk(chunk: object) -> bool:
            chunks.append(chunk)
            return stop.is_set()

        def run() -> None:
            runtime = self._load(self._file)
            if not stop.is_set():
                runtime.handle_chat_completions(body, on_chunk)

        try:
            await asyncio.to_thread(run)
        except ValueError as error:
            problem = f"the engine refuses the request: {unreadable(error)}"
            raise AttemptFailed(problem, retry=False, usage=Usage(0, 0)) from error
        finally:
            stop.set()
        return chunks


_runtimes: dict[Path, Runtime] = {}
_loading = threading.Lock()


def loaded(file: Path) -> Runtime:
    """The runtime of a file, one a process.

    Raises:
        AttemptFailed: the engine cannot load it.
    """
    with _loading:
        if file not in _runtimes:
            _runtimes[file] = _start(file)
        return _runtimes[file]


def _start(file: Path) -> Runtime:
    # The package has no types.
    xllamacpp: Any = importlib.import_module("xllamacpp")
    params = xllamacpp.CommonParams()
    params.model.path = str(file)
    params.n_ctx = CONTEXT
    params.n_parallel = 1
    params.verbosity = 0
    threads = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = threads
    # The engine listens on a loopback port of its own choice, which is not used here: nobody else shall use it.
    params.api_keys = [secrets.token_urlsafe(32)]
    params.ui = False
    try:
        return xllamacpp.Server(params)
    except (RuntimeError, ValueError) as error:
        raise AttemptFailed(f"{file} cannot be loaded: {unreadable(error)}", retry=False, usage=Usage(0, 0)) from error

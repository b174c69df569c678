"""Embedders behind a server: OpenAI's API and what speaks it, and Ollama. Every request goes through the gate."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from senno.errors import ModelError
from senno.models.calls import Calls
from senno.models.embedding.answered import NoVectors, of_ollama, of_openai
from senno.models.embedding.prefixes import prefixes
from senno.models.embedding.protocol import Vector, normed, plain
from senno.models.outgoing import Outgoing, Received
from senno.models.posting import posted
from senno.models.protocol import AttemptFailed, Usage
from senno.models.waiting import WaitingCalls

ROLE = "embedding"

_PASSAGE, _QUERY = 6000, 4000
"""Letters that are sent of a text: OpenAI refuses one of more than 8,192 tokens."""

_TEXTS, _LETTERS = 64, 60_000
"""How many texts and letters one request holds at most."""

_QUERY_SECONDS = 30.0
"""A task waits no longer for its vector, retries included; a model that has to be loaded first needs some of it."""


@dataclass(frozen=True, slots=True)
class Wire:
    """How a server is spoken to."""

    url: str
    key: str | None = field(repr=False)
    """The API key; `None`: none is sent."""
    read: Callable[[Mapping[str, Any], int], NDArray[np.float64]]
    tokens: Callable[[Mapping[str, Any]], object]
    """How many tokens the texts had, as far as the answer tells."""
    named: bool
    """Whether the server answers with the name of the model that was asked, or with one of its own."""


def openai_wire(base_url: str, key: str | None, *, named: bool = False) -> Wire:
    """`POST {base_url}/embeddings`, as OpenAI has it."""

    def tokens(answer: Mapping[str, Any]) -> object:
        usage: Any = answer.get("usage")
        return usage.get("prompt_tokens") if isinstance(usage, dict) else None  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]

    return Wire(f"{base_url.rstrip('/')}/embeddings", key, of_openai, tokens, named)


def ollama_wire(base_url: str, key: str | None) -> Wire:
    """`POST /api/embed`; `base_url` is that of Ollama's chat completions, and may end in `/v1`."""
    root = base_url.rstrip("/").removesuffix("/v1")
    return Wire(f"{root}/api/embed", key, of_ollama, lambda answer: answer.get("prompt_eval_count"), named=True)


class RemoteEmbedder:
    """A model behind a server.

    Args:
        name: as the user wrote it.
        model: as the server names it.
        wire: how the server is spoken to.
        calls: the gate.
    """

    def __init__(self, name: str, model: str, wire: Wire, calls: WaitingCalls) -> None:
        self.name = name
        self._model, self._wire, self._calls = model, wire, calls
        self._prefixes = prefixes(model)
        self._lock = threading.Lock()
        self._known: tuple[str, int] | None = None

    def passages(self, texts: Sequence[str]) -> Vector:
        """See `Embedder.passages`."""
        given = [self._prefixes.passage + plain(text, _PASSAGE) for text in texts]
        parts = [self._asked(part, None) for part in _batches(given)]
        return np.concatenate(parts) if parts else np.empty((0, 0), np.float32)

    def query(self, text: str) -> Vector:
        """See `Embedder.query`. It takes 30 seconds at most."""
        return self._asked([self._prefixes.query + plain(text, _QUERY)], _QUERY_SECONDS)[0]

    def _asked(self, texts: list[str], seconds: float | None) -> Vector:
        sent = json.dumps({"model": self._model, "input": texts}, ensure_ascii=False)

        async def attempt(_: int | None) -> Received[NDArray[np.float64]]:
            answer = await posted(self._wire.url, sent, self._wire.key)
            usage = Usage(tokens_in=_count(self._wire.tokens(answer)), tokens_out=0)
            try:
                rows = self._wire.read(answer, len(texts))
                model = self._checked(answer.get("model"), rows.shape[1])
            except NoVectors as error:
                raise AttemptFailed(str(error), retry=False, usage=usage) from error
            # The ledger needs no numbers of these.
            return Received(rows, json.dumps({"vectors": list(rows.shape)}), model, usage)

        async def send(calls: Calls) -> NDArray[np.float64]:
            return await calls.send(Outgoing(self.name, lambda _: sent, attempt), role=ROLE)

        try:
            rows = self._calls.run(send, seconds)
        except TimeoutError:
            raise ModelError(self.name, f"no vector within {seconds:g} s") from None
        return normed(self.name, rows, len(texts))

    def _checked(self, answered: object, size: int) -> str:
        """The model that answered. Vectors of two models cannot be compared, so that it must stay one.

        Raises:
            NoVectors: it is another one than was asked, or than answered before.
        """
        model = answered if isinstance(answered, str) and answered else self._model
        # An alias is answered with its full name: "nomic-embed-text" with "nomic-embed-text:latest".
        if self._wire.named and not model.lower().startswith(self._model.lower().removesuffix(":latest")):
            raise NoVectors(f"the server answered with another model, {model!r}")
        with self._lock:
            known = self._known = self._known or (model, size)
        if known[0] != model:
            raise NoVectors(f"the server answered with the model {known[0]!r}, and now with {model!r}")
        if known[1] != size:
            raise NoVectors(f"its vectors had {known[1]} numbers, and now have {size}")
        return model


def _batches(texts: Sequence[str]) -> list[list[str]]:
    parts: list[list[str]] = []
    letters = 0
    for text in texts:
        if not parts or len(parts[-1]) == _TEXTS or letters + len(text) > _LETTERS:
            parts.append([])
            letters = 0
        parts[-1].append(text)
        letters += len(text)
    return parts


def _count(tokens: object) -> int | None:
    return tokens if isinstance(tokens, int) and not isinstance(tokens, bool) and tokens >= 0 else None

"""Embedders behind a server: OpenAI's API and what speaks it, Ollama included. Every request goes through the gate."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from senno.errors import ModelError
from senno.models.calls import Calls
from senno.models.embedding.protocol import Vector, normed, plain
from senno.models.outgoing import Outgoing, Received
from senno.models.posting import posted
from senno.models.protocol import AttemptFailed, Usage
from senno.models.waiting import WaitingCalls

ROLE = "embedding"

_AT_ONCE = 64
_PASSAGE, _QUERY = 8000, 4000
"""Letters that are sent of a text."""


class RemoteEmbedder:
    """`POST {url}/embeddings`.

    Args:
        name: as the user wrote it.
        url: of the API, up to `/v1`.
        model: as the server names it; `None`: the one that it has.
        key: the API key; `None`: none is sent.
        calls: the gate.
    """

    def __init__(self, name: str, url: str, model: str | None, key: str | None, calls: WaitingCalls) -> None:
        self.name = name
        self._url, self._model, self._key, self._calls = url.rstrip("/"), model, key, calls
        self._size = 0

    def passages(self, texts: Sequence[str]) -> Vector:
        """See `Embedder.passages`."""
        plain_texts = [plain(text, _PASSAGE) for text in texts]
        parts = [self._asked(plain_texts[i : i + _AT_ONCE]) for i in range(0, len(plain_texts), _AT_ONCE)]
        return np.concatenate(parts)

    def query(self, text: str) -> Vector:
        """See `Embedder.query`."""
        return self._asked([plain(text, _QUERY)])[0]

    def _asked(self, texts: list[str]) -> Vector:
        body = {"input": texts, "encoding_format": "float"} | ({"model": self._model} if self._model else {})
        sent = json.dumps(body, ensure_ascii=False)

        async def attempt(_: int | None) -> Received[Vector]:
            answer = await posted(f"{self._url}/embeddings", sent, self._key)
            rows = _rows(answer, len(texts))
            usage: Any = answer.get("usage") or {}
            used: Any = usage.get("prompt_tokens") if hasattr(usage, "get") else None
            tokens = used if isinstance(used, int) and used >= 0 else None
            text = json.dumps({"vectors": list(rows.shape)})  # the ledger needs no numbers of these
            return Received(
                rows, text, str(answer.get("model") or self._model or ""), Usage(tokens_in=tokens, tokens_out=0)
            )

        async def send(calls: Calls) -> Vector:
            return await calls.send(Outgoing(self.name, lambda _: sent, attempt), role=ROLE)

        rows = self._calls.run(send)
        if self._size and rows.shape[1] != self._size:
            raise ModelError(self.name, f"its vectors had {self._size} numbers, and now have {rows.shape[1]}", 1)
        self._size = rows.shape[1]
        return normed(self.name, rows)


def _rows(answer: Mapping[str, Any], count: int) -> Vector:
    """The vectors in the order of the texts, whatever the order they came in.

    Raises:
        AttemptFailed: not one for each text, or not all of one length, or not all numbers.
    """
    items: Any = answer.get("data")
    if not isinstance(items, list) or len(items) != count:  # pyright: ignore[reportUnknownArgumentType]
        found = len(items) if isinstance(items, list) else "no list of"  # pyright: ignore[reportUnknownArgumentType]
        raise AttemptFailed(f"{found} vectors for {count} texts", retry=False)
    try:
        placed = {int(item.get("index", i)): item["embedding"] for i, item in enumerate(items)}  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType, reportUnknownMemberType]
        rows = np.array([placed[i] for i in range(count)], dtype=np.float32)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise AttemptFailed(f"the answer holds no vector for each text ({error!r})", retry=False) from error
    if rows.ndim != 2 or not rows.shape[1]:
        raise AttemptFailed("the vectors are not lists of numbers of one length", retry=False)
    return rows

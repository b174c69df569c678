"""Cross-encoders: models that read query and passage together. One of an ONNX folder, or of sentence-transformers."""

from __future__ import annotations

import importlib
import threading
import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from senno.errors import ConfigError, MissingExtra
from senno.models.embedding.protocol import plain
from senno.models.reranking.protocol import Reranked, checked, failed, late
from senno.threads import Beside, told

_MOST = 4000
"""Letters that are read of a query, and of a passage; models of this kind read 512 tokens of both."""

Score = Callable[[str, Sequence[str]], NDArray[np.float64]]
"""The score of each passage, given the query and at least one passage."""


class CrossEncoder:
    """A model in this process. It reads for one task at a time; others wait for it, as long as they may.

    Args:
        name: as the user wrote it.
        score: the model.
    """

    def __init__(self, name: str, score: Score) -> None:
        self.name = name
        self._score = score
        self._busy = threading.Lock()

    def scores(self, query: str, passages: Sequence[str], *, seconds: float | None = None) -> Reranked:
        """See `Reranker.scores`. One that is late goes on in its thread, and holds up the next."""
        count = len(passages)
        if not count:
            return Reranked(())
        began = time.monotonic()
        if seconds is not None and (seconds <= 0 or not self._busy.acquire(timeout=seconds)):
            return late(self.name, count, seconds)
        if seconds is None:
            self._busy.acquire()

        def score() -> NDArray[np.float64]:
            try:
                return self._score(plain(query, _MOST), [plain(passage, _MOST) for passage in passages])
            finally:
                self._busy.release()

        work = Beside(score)
        if not work.ended(None if seconds is None else max(seconds - (time.monotonic() - began), 0.0)):
            return late(self.name, count, seconds)
        try:
            found = work.result()
        except Exception as error:  # noqa: BLE001 - a model of the user's may raise anything; it is told
            return failed(self.name, count, told(error))
        return checked(self.name, [float(each) for each in found], "cross-encoder", count=count)


def of_logits(logits: NDArray[Any], count: int) -> NDArray[np.float64]:
    """One score a pair, from one logit each (shape (n,), (n, 1), or () for one pair), or from no and yes (n, 2).

    Raises:
        ValueError: another shape.
    """
    wide = np.asarray(logits, np.float64)
    if wide.shape == (count, 2):
        return wide[:, 1] - wide[:, 0]
    if wide.size == count and wide.shape in ((count,), (count, 1), ()):
        return wide.reshape(count)
    raise ValueError(f"its answer has the shape {wide.shape}; expected one or two numbers for each of {count} pairs")


def from_sentence_transformers(name: str, model: str) -> CrossEncoder:
    """A `CrossEncoder` of sentence-transformers, by its name or its folder.

    Raises:
        MissingExtra: the package is not there.
        ConfigError: it has no such model.
    """
    try:
        module = importlib.import_module("sentence_transformers")
    except ImportError:
        raise MissingExtra(f"the reranker {name}", "sentence-transformers") from None
    try:
        made: Any = module.CrossEncoder(model)
    except Exception as error:  # noqa: BLE001 - torch, transformers and the hub raise what they like
        raise ConfigError(
            f"reranker {name}: it cannot be loaded ({told(error)}); expected the name of a model, or a folder"
        ) from None

    def score(query: str, passages: Sequence[str]) -> NDArray[np.float64]:
        pairs = [(query, passage) for passage in passages]
        return of_logits(made.predict(pairs, show_progress_bar=False), len(passages))

    return CrossEncoder(name, score)

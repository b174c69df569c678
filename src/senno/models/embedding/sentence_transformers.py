"""Embedders of the package sentence-transformers, by the name of a model or the folder that it is in."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from senno.errors import ConfigError, MissingExtra
from senno.models.embedding.prefixes import prefixes
from senno.models.embedding.protocol import Vector, failures_told, normed, plain
from senno.threads import told

_PASSAGE, _QUERY = 8000, 4000
"""Letters that a model is given of a text; what is more than it can read, it leaves out itself."""


class SentenceTransformers:
    """A model of sentence-transformers. It reads the prompts that it brings, or the prefixes of its family.

    Raises:
        MissingExtra: the package is not there.
        ConfigError: it has no such model.
    """

    def __init__(self, model: str) -> None:
        self.name = f"sentence-transformers:{model}"
        try:
            module = importlib.import_module("sentence_transformers")
        except ImportError:
            raise MissingExtra(f"the embedder {self.name}", "sentence-transformers") from None
        try:
            self._model: Any = module.SentenceTransformer(model)
        except Exception as error:  # noqa: BLE001 - torch, transformers and the hub raise what they like
            raise ConfigError(
                f"embedder {self.name}: it cannot be loaded ({told(error)}); expected the name of a model, or a folder"
            ) from None
        self._prompted = any(self._model.prompts.values())
        self._prefixes = prefixes(model)

    def passages(self, texts: Sequence[str]) -> Vector:
        """See `Embedder.passages`."""
        given = [plain(text, _PASSAGE) for text in texts]
        if self._prompted:
            return self._encoded(self._model.encode_document, given)
        return self._encoded(self._model.encode, [self._prefixes.passage + text for text in given])

    def query(self, text: str) -> Vector:
        """See `Embedder.query`."""
        given = plain(text, _QUERY)
        if self._prompted:
            return self._encoded(self._model.encode_query, [given])[0]
        return self._encoded(self._model.encode, [self._prefixes.query + given])[0]

    def _encoded(self, encode: Callable[..., Any], texts: list[str]) -> Vector:
        if not texts:
            return np.empty((0, 0), np.float32)
        with failures_told(self.name):
            rows = encode(texts, convert_to_numpy=True, show_progress_bar=False)
        return normed(self.name, np.asarray(rows), len(texts))

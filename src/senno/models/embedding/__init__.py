"""Embedders: what makes vectors of texts, in this process or behind a server."""

from senno.models.embedding.named import embedder
from senno.models.embedding.protocol import Embedder, Vector

__all__ = ["Embedder", "Vector", "embedder"]

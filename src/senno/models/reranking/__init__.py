"""Rerankers: what reads a task beside each candidate, and says how relevant it is."""

from senno.models.reranking.named import reranker
from senno.models.reranking.protocol import Reranked, Reranker, Unscored

__all__ = ["Reranked", "Reranker", "Unscored", "reranker"]

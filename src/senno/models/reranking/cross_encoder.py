"""Cross-encoders that run here: an ONNX model from a folder, or one of `sentence-transformers`."""

from __future__ import annotations

import importlib
import json
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from senno.errors import ConfigError, MissingExtra
from senno.models.reranking.protocol import Reranked, checked, late
from senno.threads import Beside, told

_MOST = 4000
"""Letters that are read of a query, and of a passage."""

_TOKENS = 512
"""Tokens of a pair, where the model does not say."""


class CrossEncoder:
    """A model that reads query and passage together.

    Args:
        name: as the user wrote it.
        score: the score of each passage.
    """

    def __init__(self, name: str, score: Callable[[str, Sequence[str]], NDArray[np.float64]]) -> None:
        self.name = name
        self._score = score
        self._busy = threading.Lock()

    def scores(self, query: str, passages: Sequence[str], *, seconds: float | None = None) -> Reranked:
        """See `Reranker.scores`."""
        if not passages:
            return Reranked(())
        if not self._busy.acquire(blocking=False):
            return Reranked((None,) * len(passages), (f"{self.name}: still at work on another task",))

        def score() -> NDArray[np.float64]:
            try:
                return self._score(query[:_MOST], [passage[:_MOST] for passage in passages])
            finally:
                self._busy.release()

        work = Beside(score)
        if not work.ended(seconds):
            return late(self.name, len(passages), seconds or 0.0)
        try:
            found = work.result()
        except Exception as error:  # noqa: BLE001 - a model of the user's may raise anything; it is told
            return Reranked((None,) * len(passages), (f"{self.name}: {told(error)}",))
        if len(found) != len(passages) or not np.isfinite(found).all():
            return Reranked((None,) * len(passages), (f"{self.name}: it gave something else than a number for each",))
        return checked(self.name, [float(score) for score in found])


def from_folder(name: str, folder: Path) -> CrossEncoder:
    """The ONNX model in a folder: `model.onnx`, `tokenizer.json`, and `config.json` where it is.

    Raises:
        ConfigError: a file is not there, or is not what it should be.
        MissingExtra: onnxruntime or tokenizers is not installed.
    """
    model, tokenizer = folder / "model.onnx", folder / "tokenizer.json"
    missing = next((file for file in (model, tokenizer) if not file.is_file()), None)
    if missing:
        raise ConfigError(
            f"reranker {name}: {missing} is not there; expected a folder with model.onnx and tokenizer.json"
        )
    try:
        onnx, tokenizers = importlib.import_module("onnxruntime"), importlib.import_module("tokenizers")
    except ImportError:
        raise MissingExtra(f"the reranker {name}", "rerank") from None
    options = onnx.SessionOptions()
    options.intra_op_num_threads = 1
    try:
        session = onnx.InferenceSession(str(model), options, providers=["CPUExecutionProvider"])
        tokens = tokenizers.Tokenizer.from_file(str(tokenizer))
    except Exception as error:  # noqa: BLE001 - onnxruntime and tokenizers raise what they like
        raise ConfigError(f"reranker {name}: it cannot be loaded ({told(error)})") from None
    tokens.enable_truncation(_longest(folder), strategy="only_second")
    tokens.enable_padding()
    inputs = [each.name for each in session.get_inputs()]

    def score(query: str, passages: Sequence[str]) -> NDArray[np.float64]:
        pairs = tokens.encode_batch([(query, passage) for passage in passages])
        fields = {"input_ids": "ids", "attention_mask": "attention_mask", "token_type_ids": "type_ids"}
        given = {
            each: np.array([getattr(pair, fields[each]) for pair in pairs], np.int64)
            for each in inputs
            if each in fields
        }
        return of_logits(np.asarray(session.run(None, given)[0], np.float64), len(passages))

    return CrossEncoder(name, score)


def of_logits(logits: NDArray[np.float64], count: int) -> NDArray[np.float64]:
    """One score a pair, from one logit each (shape (n,), (n, 1)), or from two, no and yes (shape (n, 2)).

    Raises:
        ValueError: another shape.
    """
    if logits.shape in ((count,), (count, 1)):
        return logits.reshape(count)
    if logits.shape == (count, 2):
        return logits[:, 1] - logits[:, 0]
    raise ValueError(f"its answer has the shape {logits.shape}; expected one or two numbers for each of {count} pairs")


def _longest(folder: Path) -> int:
    try:
        found: Any = json.loads((folder / "config.json").read_text(encoding="utf-8"))
        most = int(found["max_position_embeddings"])
    except (OSError, ValueError, KeyError, TypeError):
        return _TOKENS
    return max(min(most, _TOKENS), 16)


def from_sentence_transformers(name: str, model: str) -> CrossEncoder:
    """A `CrossEncoder` of sentence-transformers, by its name or its folder.

    Raises:
        ConfigError: the package is not there, or has no such model.
    """
    try:
        module = importlib.import_module("sentence_transformers")
    except ImportError:
        raise MissingExtra(f"the reranker {name}", "sentence-transformers") from None
    try:
        made: Any = module.CrossEncoder(model)
    except (OSError, ValueError) as error:
        raise ConfigError(f"reranker {name}: {error}") from None

    def score(query: str, passages: Sequence[str]) -> NDArray[np.float64]:
        pairs = [(query, passage) for passage in passages]
        return of_logits(np.asarray(made.predict(pairs, show_progress_bar=False), np.float64), len(passages))

    return CrossEncoder(name, score)

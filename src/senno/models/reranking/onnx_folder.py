"""A cross-encoder in a folder: `model.onnx`, `tokenizer.json`, and `config.json` where it is."""

from __future__ import annotations

import importlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from senno.errors import ConfigError, MissingExtra
from senno.models.reranking.cross_encoder import CrossEncoder, of_logits
from senno.threads import told

TOKENS = 512
"""Tokens of a pair at most, and where the model does not say."""

_FIELDS = {"input_ids": "ids", "attention_mask": "attention_mask", "token_type_ids": "type_ids"}
"""Inputs of a model, and what the tokenizer calls them."""

_TYPES = {"tensor(int64)": np.int64, "tensor(int32)": np.int32}

_AFTER_PADDING = ("roberta", "xlm-roberta", "camembert", "xlm-roberta-xl")
"""Models whose positions are counted from behind that of padding: they read two tokens fewer than they have places."""


def from_folder(name: str, folder: Path) -> CrossEncoder:
    """The model in a folder, on one thread.

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
    config = _config(name, folder / "config.json")
    options = onnx.SessionOptions()
    options.intra_op_num_threads = 1
    options.log_severity_level = 3  # its warnings would go to standard error
    try:
        session = onnx.InferenceSession(str(model), options, providers=["CPUExecutionProvider"])
        tokens = tokenizers.Tokenizer.from_file(str(tokenizer))
    except Exception as error:  # noqa: BLE001 - onnxruntime and tokenizers raise what they like
        raise ConfigError(f"reranker {name}: it cannot be loaded ({told(error)})") from None
    # The longer of the two is cut, whichever it is: a task may be longer than all that the model reads.
    tokens.enable_truncation(_longest(config), strategy="longest_first")
    _pad(tokens, config)
    return CrossEncoder(name, _Pairs(session, tokens, _inputs(name, session)))


class _Pairs:
    """Tokens in, logits out."""

    def __init__(self, session: Any, tokens: Any, inputs: Mapping[str, Any]) -> None:
        self._session, self._tokens, self._inputs = session, tokens, inputs
        names = [each.name for each in session.get_outputs()]
        self._output: str = "logits" if "logits" in names else names[0]

    def __call__(self, query: str, passages: Sequence[str]) -> NDArray[np.float64]:
        pairs = self._tokens.encode_batch([(query, passage) for passage in passages])
        given = {
            name: np.array([getattr(pair, _FIELDS[name]) for pair in pairs], kind)
            for name, kind in self._inputs.items()
        }
        return of_logits(self._session.run([self._output], given)[0], len(passages))


def _inputs(name: str, session: Any) -> dict[str, Any]:
    """The type of each input.

    Raises:
        ConfigError: it wants something that a pair of texts does not have.
    """
    wanted = {each.name: each.type for each in session.get_inputs()}
    strange = [f"{each} ({kind})" for each, kind in wanted.items() if each not in _FIELDS or kind not in _TYPES]
    if strange or "input_ids" not in wanted:
        raise ConfigError(
            f"reranker {name}: model.onnx has the inputs {', '.join(strange or wanted)}; "
            f"expected input_ids, and of {', '.join(list(_FIELDS)[1:])} what it needs, as integers"
        )
    return {each: _TYPES[kind] for each, kind in wanted.items()}


def _pad(tokens: Any, config: Mapping[str, Any]) -> None:
    """Pad to the longest pair, with the padding of the tokenizer, or the model's."""
    own: dict[str, Any] = tokens.padding or {}
    pad_id = own.get("pad_id", config.get("pad_token_id"))
    if not isinstance(pad_id, int) or isinstance(pad_id, bool) or pad_id < 0:
        pad_id = 0
    tokens.enable_padding(
        direction=own.get("direction", "right"),
        pad_id=pad_id,
        pad_type_id=own.get("pad_type_id", 0),
        pad_token=own.get("pad_token") or tokens.id_to_token(pad_id) or "[PAD]",
    )


def _longest(config: Mapping[str, Any]) -> int:
    most = config.get("max_position_embeddings")
    if not isinstance(most, int) or isinstance(most, bool) or most <= 0:
        return TOKENS
    if config.get("model_type") in _AFTER_PADDING:
        most -= 2
    return max(min(most, TOKENS), 16)


def _config(name: str, file: Path) -> Mapping[str, Any]:
    """What `config.json` says; nothing where it is not.

    Raises:
        ConfigError: it is no JSON object.
    """
    try:
        found: object = json.loads(file.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, RecursionError) as error:
        raise ConfigError(f"reranker {name}: {file} cannot be read ({error}); expected a JSON object") from None
    if not isinstance(found, dict):
        raise ConfigError(f"reranker {name}: {file} holds {type(found).__name__}; expected a JSON object")
    return cast("dict[str, Any]", found)

"""Rerankers by name: `onnx:FOLDER`, `sentence-transformers:NAME`, `decision:URL#MODEL`, `chat:MODEL`."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from senno.errors import ConfigError
from senno.models.names import checked_name
from senno.text import did_you_mean

if TYPE_CHECKING:
    from senno.config import Config
    from senno.models.journal import CallRecorder
    from senno.models.reranking.protocol import Reranker

_FORMS = ("onnx:FOLDER", "sentence-transformers:NAME", "decision:http(s)://HOST/v1#MODEL", "chat:MODEL")


def reranker(
    name: str, config: Config, *, ledger: CallRecorder | None = None, environ: Mapping[str, str] = os.environ
) -> Reranker | None:
    """The reranker of that name; `None` for an empty one. A server is asked nothing before its first use.

    Args:
        name: as above.
        config: says how calls are made.
        ledger: keeps a row for each call to a model.
        environ: where keys are read from.

    Raises:
        ConfigError: an unknown name, a file or a package that is not there (`MissingExtra` has the command), no key.
    """
    name = checked_name(name)
    if not name:
        return None
    kind, _, rest = name.partition(":")
    if kind == "onnx" and rest:
        from senno.models.reranking.onnx_folder import from_folder

        return from_folder(name, Path(rest).expanduser())
    if kind == "sentence-transformers" and rest:
        from senno.models.reranking.cross_encoder import from_sentence_transformers

        return from_sentence_transformers(name, rest)
    if kind in ("decision", "chat") and rest:
        return _by_model(name, config, ledger, environ)
    known = [form.partition(":")[0] for form in _FORMS]
    hint = did_you_mean(kind, known) if kind not in known else ""
    raise ConfigError(f"reranker {name!r}: unknown{hint}; expected one of {', '.join(_FORMS)}, or nothing")


def _by_model(name: str, config: Config, ledger: CallRecorder | None, environ: Mapping[str, str]) -> Reranker:
    from senno.models.configured import calls_from
    from senno.models.decisions.chat import ChatDecisions
    from senno.models.decisions.system_one import SystemOne
    from senno.models.names import text_model
    from senno.models.reranking.decisions import ChatReranker, DecisionReranker
    from senno.models.waiting import WaitingCalls

    kind, _, rest = name.partition(":")
    calls = WaitingCalls(lambda: calls_from(config, ledger=ledger))
    if kind == "decision":
        return DecisionReranker(name, SystemOne.named(rest, environ), calls)
    return ChatReranker(name, ChatDecisions(text_model(rest, environ), config.calls.samples), calls)

"""Digests of what was asked: the public one of `.jevl` records, and senno's own, which see more. Pure functions."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any

from senno.errors import ConfigError
from senno.models.protocol import Json


def record_id(model: str, state: Json, questions: Mapping[str, Any]) -> str:
    """The `id` of a `.jevl` record (jevkit-core): of the JSON with sorted keys, so blind to the order of options.

    Args:
        model: the version that answered.
        state: what the questions are about.
        questions: as they are sent, by id.

    Raises:
        ConfigError: the state holds a number that JSON does not have.
    """
    return _digest({"model": model, "questions": questions, "state": state}, sort_keys=True)


def request_digest(model: str, state: Json, questions: Mapping[str, Any]) -> str:
    """Of a whole request, with the order of options and of the keys of the state; that of the questions is free.

    Args:
        model: the version that was asked for.
        state: what the questions are about.
        questions: as they are sent, by id.

    Raises:
        ConfigError: the state holds a number that JSON does not have.
    """
    return _digest([model, state, sorted(questions.items())])


def state_digest(state: Json) -> str:
    """Of a state, with the order of its keys: made once for all questions about it.

    Raises:
        ConfigError: it holds a number that JSON does not have.
    """
    return _digest(state)


def answer_key(asked: str, variant: str, about: str, question: Mapping[str, Any], repeat: int) -> str:
    """Under which one answer is kept: the question's id is not part of it, since no model is told it.

    Args:
        asked: the model by its whole name: a version elsewhere is not trusted to be the same.
        variant: how it is asked, where that may differ.
        about: the digest of the state.
        question: as it is sent.
        repeat: which of the repeats it is.
    """
    return _digest(["answer 1", asked, variant, about, question, repeat])


def _digest(value: Any, *, sort_keys: bool = False) -> str:
    try:
        text = json.dumps(value, sort_keys=sort_keys, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    except ValueError as error:
        raise ConfigError(f"what is to be judged holds a number that JSON does not have ({error})") from None
    return "sha256:" + hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()

"""The vectors in what a server answered, and nothing taken on trust. Pure functions."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Mapping
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray


class NoVectors(Exception):
    """The answer does not hold a vector for each text; it says why."""


def of_openai(answer: Mapping[str, Any], count: int) -> NDArray[np.float64]:
    """`{"data": [{"index": 0, "embedding": [...]}, …]}` in the order of the texts, whatever order it came in.

    Args:
        answer: the JSON object.
        count: how many texts were sent.

    Raises:
        NoVectors: not one for each text, or not all of one length, or not all finite numbers.
    """
    items = answer.get("data")
    if not isinstance(items, list):
        raise NoVectors("the answer has no list `data`")
    placed: dict[int, object] = {}
    for place, item in enumerate(cast("list[object]", items)):
        if not isinstance(item, dict):
            raise NoVectors(f"data[{place}] is no object")
        entry = cast("dict[str, object]", item)
        index = entry.get("index", place)
        if isinstance(index, bool) or not isinstance(index, int) or not 0 <= index < count or index in placed:
            raise NoVectors(f"data[{place}] has the index {index!r}; expected each of 0 to {count - 1} once")
        placed[index] = entry.get("embedding")
    if len(placed) != count:
        raise NoVectors(f"{len(placed)} vectors for {count} texts")
    return _rows([placed[i] for i in range(count)])


def of_ollama(answer: Mapping[str, Any], count: int) -> NDArray[np.float64]:
    """`{"embeddings": [[...], …]}`, which has the order of the texts. Raises as `of_openai` does."""
    found = answer.get("embeddings")
    if not isinstance(found, list):
        raise NoVectors("the answer has no list `embeddings`")
    vectors = cast("list[object]", found)
    if len(vectors) != count:
        raise NoVectors(f"{len(vectors)} vectors for {count} texts")
    return _rows(vectors)


def _rows(vectors: list[object]) -> NDArray[np.float64]:
    rows = [_numbers(place, vector) for place, vector in enumerate(vectors)]
    sizes = sorted({len(row) for row in rows})
    if len(sizes) > 1 or sizes == [0]:
        raise NoVectors(f"vectors of {' and '.join(map(str, sizes))} numbers; expected one length, and not none")
    found = np.stack(rows)
    if not np.isfinite(found).all():
        raise NoVectors("a vector holds a number that is not finite")
    if not found.any(axis=1).all():
        raise NoVectors("a vector is all zeros")
    return found


def _numbers(place: int, vector: object) -> NDArray[np.float64]:
    """A list of numbers, or the base64 of float32, little-endian."""
    if isinstance(vector, str):
        try:
            return np.frombuffer(base64.b64decode(vector, validate=True), "<f4").astype(np.float64)
        except (binascii.Error, ValueError):
            raise NoVectors(f"vector {place} is neither a list of numbers nor base64 of float32") from None
    if not isinstance(vector, list):
        raise NoVectors(f"vector {place} is {type(vector).__name__}; expected a list of numbers")
    numbers = cast("list[object]", vector)
    if not all(isinstance(each, int | float) and not isinstance(each, bool) for each in numbers):
        raise NoVectors(f"vector {place} holds something else than numbers")
    try:
        return np.array(numbers, np.float64)
    except OverflowError:
        raise NoVectors(f"vector {place} holds a number that is not finite") from None

from __future__ import annotations

import base64
import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from senno.models.embedding.answered import NoVectors, of_ollama, of_openai


def data(*vectors, **more):
    return {"data": [{"index": i, "embedding": vector, **more} for i, vector in enumerate(vectors)]}


def in_base64(*numbers: float) -> str:
    return base64.b64encode(np.array(numbers, "<f4").tobytes()).decode()


def test_vectors_come_in_the_order_of_their_index() -> None:
    shuffled = {"data": [{"index": 1, "embedding": [0, 1]}, {"index": 0, "embedding": [1, 0.5]}]}
    assert of_openai(shuffled, 2).tolist() == [[1, 0.5], [0, 1]]


def test_without_an_index_they_are_in_order() -> None:
    assert of_openai({"data": [{"embedding": [1, 0]}, {"embedding": [0, 1]}]}, 2).tolist() == [[1, 0], [0, 1]]


def test_base64_of_float32_is_read() -> None:
    assert of_openai(data(in_base64(0.5, -2.0), [1, 2]), 2).tolist() == [[0.5, -2.0], [1, 2]]


def test_vectors_of_ollama_are_in_order() -> None:
    assert of_ollama({"embeddings": [[1, 2], [3, 4]]}, 2).tolist() == [[1, 2], [3, 4]]


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ({}, "no list `data`"),
        ({"data": {"0": [1]}}, "no list `data`"),
        (data([1, 2]), "1 vectors for 2 texts"),
        (data([1, 2], [1, 2], [1, 2]), r"data\[2\] has the index 2"),
        ({"data": [[1, 2], [1, 2]]}, r"data\[0\] is no object"),
        ({"data": [{"index": 0, "embedding": [1]}, {"index": 0, "embedding": [1]}]}, "the index 0; expected each"),
        ({"data": [{"index": -1, "embedding": [1]}, {"index": 0, "embedding": [1]}]}, "the index -1"),
        ({"data": [{"index": "0", "embedding": [1]}, {"index": 1, "embedding": [1]}]}, "the index '0'"),
        ({"data": [{"index": False, "embedding": [1]}, {"index": 1, "embedding": [1]}]}, "the index False"),
        (data([1, 2], [1, 2, 3]), "vectors of 2 and 3 numbers"),
        (data([], []), "vectors of 0 numbers"),
        (data([1, 2], None), "vector 1 is NoneType"),
        (data([1, 2], [1, None]), "vector 1 holds something else than numbers"),
        (data([1, 2], [1, "2"]), "vector 1 holds something else than numbers"),
        (data([1, 2], [1, True]), "vector 1 holds something else than numbers"),
        (data([1, 2], [[1], [2]]), "vector 1 holds something else than numbers"),
        (data([1, 2], [1, float("nan")]), "not finite"),
        (data([1, 2], [1, 1e999]), "not finite"),
        (data([1, 2], [1, 10**400]), "not finite"),
        (data([1, 2], [0, 0]), "all zeros"),
        (data([1, 2], "not base64!"), "neither a list of numbers nor base64"),
        (data([1, 2], base64.b64encode(b"12345").decode()), "neither a list of numbers nor base64"),
        (data([1], in_base64(float("nan"))), "not finite"),
    ],
)
def test_an_answer_without_a_vector_for_each_text_is_refused(answer, said) -> None:
    with pytest.raises(NoVectors, match=said):
        of_openai(answer, 2)


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ({"embedding": [1, 2]}, "no list `embeddings`"),
        ({"embeddings": [[1, 2]]}, "1 vectors for 2 texts"),
        ({"embeddings": [[1, 2], []]}, "vectors of 0 and 2 numbers"),
        ({"embeddings": [[1, 2], [0, 0]]}, "all zeros"),
    ],
)
def test_so_is_one_of_ollama(answer, said) -> None:
    with pytest.raises(NoVectors, match=said):
        of_ollama(answer, 2)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.sampled_from(["data", "index", "embedding", "embeddings"]), inner, max_size=4)
    ),
    max_leaves=12,
)


@given(st.dictionaries(st.sampled_from(["data", "embeddings", "model"]), JSON), st.integers(1, 3))
def test_whatever_comes_there_is_a_vector_for_each_text_or_a_refusal(answer, count) -> None:
    for read in (of_openai, of_ollama):
        try:
            found = read(json.loads(json.dumps(answer)), count)
        except NoVectors:
            continue
        assert found.ndim == 2
        assert len(found) == count
        assert np.isfinite(found).all()
        assert found.any(axis=1).all()

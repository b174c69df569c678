from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from senno.errors import ModelError
from senno.models.embedding.protocol import normed, plain


@given(
    arrays.arrays(
        np.float64,
        st.tuples(st.integers(1, 4), st.integers(1, 5)),
        elements=st.floats(allow_nan=False, allow_infinity=False, allow_subnormal=False),
    )
)
def test_a_row_has_norm_1_however_large_or_small_its_numbers_are_or_it_is_an_error(rows) -> None:
    if (rows == 0).all(axis=1).any():
        with pytest.raises(ModelError, match="vector of zeros"):
            normed("e", rows, len(rows))
        return
    found = normed("e", rows, len(rows))
    assert found.dtype == np.float32
    assert np.linalg.norm(found.astype(np.float64), axis=1) == pytest.approx(1.0, abs=1e-5)


def test_a_row_keeps_its_direction() -> None:
    assert normed("e", np.array([[3.0, -4.0], [0.0, 2.0]]), 2).tolist() == pytest.approx(
        np.array([[0.6, -0.8], [0.0, 1.0]])
    )


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ([[1.0, float("nan")]], "not finite"),
        ([[1.0, float("inf")]], "not finite"),
        ([[1.0], [1.0]], r"shape \(2, 1\) for 1 texts"),
        ([1.0, 2.0], r"shape \(2,\)"),
        ([[]], r"shape \(1, 0\)"),
    ],
)
def test_what_is_no_vector_for_each_text_is_an_error(rows, said) -> None:
    with pytest.raises(ModelError, match=f"e: it gave .*{said}"):
        normed("e", np.array(rows), 1)


@given(st.text(st.characters(exclude_categories=[]), max_size=30), st.integers(1, 20))
def test_any_text_is_made_one_that_every_embedder_can_take(text, most) -> None:
    found = plain(text, most)
    assert found
    assert len(found) <= most
    assert "\0" not in found
    found.encode("utf-8")


def test_what_can_be_taken_is_left_as_it_is() -> None:
    assert plain("perché 日本 😀\n", 100) == "perché 日本 😀\n"

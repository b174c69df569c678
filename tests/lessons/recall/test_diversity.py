"""No lesson twice, and not five that say nearly the same."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from senno.lessons.recall.diversity import collapsed, diversified

LONG = (
    "the total of the swiss invoices was taken as euro because the header with the currency was cut off by the parser"
)


def unit(*values):
    row = np.array(values, dtype=np.float32)
    return row / np.linalg.norm(row)


def test_of_texts_that_say_the_same_the_first_stays():
    texts = {5: LONG, 3: "quite another thing about dates and locales", 8: LONG.upper(), 1: LONG + "!"}
    assert collapsed(texts) == {8: 5, 1: 5}


def test_ten_that_say_the_same_leave_room_for_the_answer():
    texts = dict.fromkeys(range(10), LONG) | {99: "read the currency from the header before any sum"}
    assert set(texts) - set(collapsed(texts)) == {0, 99}


def test_at_lambda_one_nothing_moves():
    scores = {1: 0.9, 2: 0.8, 3: 0.1}
    assert diversified(scores, {1: unit(1, 0), 2: unit(1, 0), 3: unit(0, 1)}, 1.0) == pytest.approx(scores)


def test_a_near_copy_falls_behind_another_lesson_that_is_nearly_as_good():
    vectors = {1: unit(1, 0), 2: unit(1, 0.01), 3: unit(0, 1)}
    assert list(diversified({1: 0.9, 2: 0.8, 3: 0.75}, vectors, 0.7)) == [1, 3, 2]


def test_variety_does_not_lift_what_is_not_relevant():
    vectors = {1: unit(1, 0), 2: unit(1, 0.01), 3: unit(0, 1)}
    assert list(diversified({1: 0.9, 2: 0.8, 3: 0.1}, vectors, 0.9)) == [1, 2, 3]


def test_what_has_no_vector_is_like_nothing():
    assert diversified({1: 1.0, 2: 0.5}, {}, 0.9) == pytest.approx({1: 1.0, 2: 0.55})


@given(
    st.dictionaries(st.integers(0, 50), st.floats(0, 1), max_size=12),
    st.floats(0, 1),
    st.randoms(use_true_random=False),
)
def test_every_key_comes_once_with_a_score_that_never_rises(scores, lam, random):
    ordered = dict(sorted(scores.items(), key=lambda item: -item[1]))
    vectors = {key: unit(random.random() + 0.1, random.random()) for key in scores if random.random() < 0.8}
    found = diversified(ordered, vectors, lam)
    assert set(found) == set(scores)
    values = list(found.values())
    assert all(a >= b - 1e-9 for a, b in itertools.pairwise(values))
    assert all(-1e-9 <= value <= 1 + 1e-9 for value in values)

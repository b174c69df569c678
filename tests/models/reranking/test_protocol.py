from __future__ import annotations

import pytest

from senno.models.reranking.protocol import Reranked, Unscored, checked, failed, late


@pytest.mark.parametrize(
    ("scores", "usable"),
    [
        ((0.2, 0.9), (0.2, 0.9)),
        ((0.5,), (0.5,)),
        ((), None),
        ((0.5, 0.5, 0.5), None),
        ((0.5, 0.5 + 1e-9), None),
        ((0.5, Unscored("late")), None),
        ((Unscored("late"),), None),
        ((0.0, 1e-3), (0.0, 1e-3)),
    ],
)
def test_scores_are_usable_where_they_are_whole_and_tell_the_passages_apart(scores, usable) -> None:
    assert Reranked(scores).usable == usable


def test_good_scores_have_no_note() -> None:
    assert checked("r", [0.2, 0.9], "m", count=2) == Reranked((0.2, 0.9), "m")
    assert checked("r", [0.5], "m", count=1) == Reranked((0.5,), "m")


def test_a_constant_is_a_fault_that_is_told() -> None:
    found = checked("r", [0.5, 0.5], "m", ["before"], count=2)
    assert found.usable is None
    assert found.notes == ("before", "r gave all 2 candidates the score 0.5: that tells nothing")


def test_a_score_that_is_not_finite_is_none() -> None:
    found = checked("r", [0.5, float("nan"), float("inf")], "m", count=3)
    assert found.scores == (0.5, Unscored("its score is nan"), Unscored("its score is inf"))
    assert found.notes == ("r: no score for 2 of 3 candidates: its score is nan",)
    assert found.method == "m"


def test_another_number_of_scores_is_none_at_all() -> None:
    found = checked("r", [0.5, 0.6, 0.7], "m", count=2)
    assert found.scores == (Unscored("it gave 3 scores for 2 passages"),) * 2
    assert found.method == ""


def test_a_failure_says_why_for_each_passage() -> None:
    assert failed("r", 2, "no") == Reranked((Unscored("no"),) * 2, "", ("r: no",))
    assert late("r", 1, 0.05).notes == ("r: no answer within 50 ms",)

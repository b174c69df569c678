from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from senno.tune.chart import BOTTOM, HEIGHT, LEFT, RIGHT, TOP, WIDTH, draw

share = st.floats(0, 1)


@st.composite
def rounds(draw_: st.DrawFn) -> list[dict[str, Any]]:
    def score(version: str) -> dict[str, Any]:
        mean = draw_(st.none() | share)
        low, high = sorted((draw_(share), draw_(share)))
        spread = draw_(st.sampled_from([{"low": low, "high": high, "level": 0.95}, {"not_measured": "one scenario"}]))
        return {"version": version, "mean": mean, "interval": spread}

    count = draw_(st.integers(0, 6))
    outcomes = st.sampled_from(["better", "worse", "no measurable difference"])
    found: list[dict[str, Any]] = []
    for number in range(1, count + 1):
        look = {
            "version": f"p{number}",
            "score": draw_(st.sampled_from([None, score(f"p{number}")])),
            "acceptance": draw_(st.none() | st.fixed_dictionaries({"outcome": outcomes})),
        }
        floor = draw_(st.floats(0, 0.5) | st.just({"not_measured": "two repeats"}))
        owner = score("p0")
        found.append({
            "number": number, "incumbent": f"p{number // 3}", "score": owner, "floor": floor, "looks": [look],
            "promoted": draw_(st.sampled_from([None, f"p{number}"])),
        })  # fmt: skip
    return found


@given(rounds())
def test_everything_lies_inside_the_drawing(told: list[dict[str, Any]]) -> None:
    chart = draw(told)
    if chart is None:
        return
    for mark in chart.marks:
        assert LEFT <= mark.x <= WIDTH - RIGHT
        for y in (mark.y, mark.low, mark.high):
            assert y is None or TOP - 0.1 <= y <= HEIGHT - BOTTOM + 0.1
    for band in chart.bands:
        assert band.height >= 0
        assert band.top is None or TOP - 0.1 <= band.top <= HEIGHT - BOTTOM + 0.1
    assert 2 <= len(chart.ticks) <= 12


def test_without_a_score_there_is_no_drawing() -> None:
    assert draw([]) is None

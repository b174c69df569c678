"""The scores of a tuning as a drawing: error bars, and the noise band around each incumbent. Numbers alone, no text."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

WIDTH, HEIGHT = 760.0, 300.0
LEFT, RIGHT, TOP, BOTTOM = 48.0, 12.0, 14.0, 46.0


@dataclass(frozen=True, slots=True)
class Mark:
    """One version that was tried, where it stands in the drawing."""

    x: float
    y: float
    low: float | None
    """Where its error bar ends; `None`: its interval was not measured."""
    high: float | None
    kind: str
    """`start`, `better`, `worse`, `same` or `dropped`."""
    version: str
    round: int
    words: str


@dataclass(frozen=True, slots=True)
class Band:
    """The noise of an incumbent, over the rounds in which it was one."""

    x: float
    width: float
    y: float
    top: float | None
    """`None`: the floor was not measured."""
    height: float


@dataclass(frozen=True, slots=True)
class Tick:
    """A line of the grid, and what it stands for."""

    y: float
    label: str


@dataclass(frozen=True, slots=True)
class Chart:
    """A drawing of `WIDTH` by `HEIGHT`."""

    marks: tuple[Mark, ...]
    bands: tuple[Band, ...]
    ticks: tuple[Tick, ...]


def draw(rounds: Sequence[Mapping[str, Any]]) -> Chart | None:
    """The drawing of a tuning's rounds, as `TuneResult.to_json` has them; `None`: nothing was scored.

    The scale is that of what is shown, and not from 0 to 1: its ends are labelled.
    """
    points = _points(rounds)
    if not points:
        return None
    values = [value for point in points for value in (point["mean"], *point["interval"]) if value is not None]
    for each in rounds:
        floor, mean = each["floor"], each["score"]["mean"]
        if isinstance(floor, float) and mean is not None:
            values += [mean - floor, mean + floor]
    low, high, step = _scale(min(values), max(values))

    def y(value: float) -> float:
        return round(TOP + (high - value) / (high - low) * (HEIGHT - TOP - BOTTOM), 1)

    column = (WIDTH - LEFT - RIGHT) / len(points)
    marks = [
        Mark(
            round(LEFT + column * (n + 0.5), 1),
            y(point["mean"]),
            *(None if value is None else y(value) for value in point["interval"]),
            kind=point["kind"],
            version=point["version"],
            round=point["round"],
            words=point["words"],
        )
        for n, point in enumerate(points)
    ]
    ticks = [Tick(y(low + n * step), f"{low + n * step:.2f}") for n in range(round((high - low) / step) + 1)]
    return Chart(tuple(marks), _bands(rounds, points, column, y), tuple(ticks))


def _points(rounds: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    if rounds and rounds[0]["score"]["mean"] is not None:
        found.append(_point(rounds[0]["incumbent"], rounds[0]["score"], "start", 0, "the prompt to start from"))
    for each in rounds:
        for look in each["looks"]:
            if look["score"] is not None and look["score"]["mean"] is not None:
                kind, words = _kind(look, each["promoted"])
                found.append(_point(look["version"], look["score"], kind, each["number"], words))
    return found


def _kind(look: Mapping[str, Any], promoted: str | None) -> tuple[str, str]:
    if look["acceptance"] is None:
        return "dropped", "given up before all scenarios were tried"
    if look["version"] == promoted:
        return "better", "better: the incumbent from there on"
    outcome = look["acceptance"]["outcome"]
    return ("worse" if outcome == "worse" else "same"), outcome


def _point(version: str, score: Mapping[str, Any], kind: str, number: int, words: str) -> dict[str, Any]:
    spread = score["interval"]
    interval = (spread.get("low"), spread.get("high"))
    told = f"{version}, round {number}: {score['mean']:.3f}" if number else f"{version}: {score['mean']:.3f}"
    if interval[0] is not None:
        told += f" ({interval[0]:.3f} to {interval[1]:.3f})"
    return {
        "version": version,
        "mean": score["mean"],
        "interval": interval,
        "kind": kind,
        "round": number,
        "words": f"{told}, {words}",
    }


def _bands(
    rounds: Sequence[Mapping[str, Any]], points: list[dict[str, Any]], column: float, y: Callable[[float], float]
) -> tuple[Band, ...]:
    """One for each incumbent: over its own rounds, and the start's over its own mark too."""
    found: list[Band] = []
    owners = list(dict.fromkeys(each["incumbent"] for each in rounds))
    for owner in owners:
        its = [each for each in rounds if each["incumbent"] == owner]
        numbers: set[int] = {each["number"] for each in its}
        if owner == owners[0]:
            numbers.add(0)
        places = [n for n, point in enumerate(points) if point["round"] in numbers]
        mean, floor = its[0]["score"]["mean"], its[0]["floor"]
        if not places or mean is None:
            continue
        measured = isinstance(floor, float)
        top = y(mean + floor) if measured else None
        height = round(y(mean - floor) - y(mean + floor), 1) if measured else 0.0
        x, width = LEFT + column * places[0], column * (places[-1] - places[0] + 1)
        found.append(Band(round(x, 1), round(width, 1), y(mean), top, height))
    return tuple(found)


def _scale(low: float, high: float) -> tuple[float, float, float]:
    """Round ends around what is shown, and the step of the grid."""
    span = max(high - low, 0.02)
    step = next(each for each in (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0) if span / each <= 6 or each >= 1.0)
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    # One value on a line of the grid has a step of room above it.
    return first * step, max(last, first + 1) * step, step

"""Decode noise and judge noise told apart: answers nested in items, judgings nested in answers."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from senno.stats.outcome import NotMeasured, finite, mean_of


@dataclass(frozen=True, slots=True)
class Components:
    """Var(score) = Var(item) + Var(generation) + Var(judge), in squared units of the score.

    An estimate may come out below 0 where a component is near 0: it is given as it is.
    """

    item: float | NotMeasured
    generation: float | NotMeasured
    """How far answers to one item lie apart."""
    judge: float | NotMeasured
    """How far judgings of one answer lie apart."""
    within_item: float | NotMeasured
    """Generation and judge together: what one fresh answer, judged once, adds."""
    items: int
    answers: int
    scores: int


def variance_components(scores: Sequence[Sequence[Sequence[float]]]) -> Components:
    """Components by nested analysis of variance, unequal numbers allowed (Searle 1971, chapter 11.3).

    An axis on which nothing was repeated is not measured: it is not taken to be 0, nor taken from elsewhere.

    Args:
        scores: by item, then by answer, then by judging.

    Raises:
        ValueError: a score is not finite, or an item or an answer is empty.
    """
    items = [[finite(answer) for answer in item] for item in scores]
    if any(not item or any(not answer for answer in item) for item in items):
        raise ValueError("an item without answers, or an answer without scores")
    answers = [answer for item in items for answer in item]
    a, b, n = len(items), len(answers), sum(map(len, answers))
    judged, generated = n > b, b > a
    judge: float | NotMeasured = NotMeasured("no answer was judged twice")
    if judged:
        judge = math.fsum((v - mean_of(answer)) ** 2 for answer in answers for v in answer) / (n - b)
    generation, within = _generation(items, judge, n, b) if generated else _one_answer(judge)
    if generated and not judged:
        generation = NotMeasured("each answer was judged once, so generation and judge are one")
    return Components(_item(items, judge, generation, within), generation, judge, within, a, b, n)


def _one_answer(judge: float | NotMeasured) -> tuple[float | NotMeasured, float | NotMeasured]:
    reason = NotMeasured("no item has two answers")
    return reason, reason if isinstance(judge, float) else NotMeasured("nothing was repeated")


def _generation(items: list[list[list[float]]], judge: float | NotMeasured, n: int, b: int) -> tuple[float, float]:
    """Var(generation), and with the judge's; where no answer was judged twice, the second alone has a meaning."""
    square = 0.0
    for item in items:
        middle = math.fsum(v for answer in item for v in answer) / sum(map(len, item))
        square += math.fsum(len(answer) * (mean_of(answer) - middle) ** 2 for answer in item)
    mean_square = square / (b - len(items))
    if isinstance(judge, NotMeasured):
        return mean_square, mean_square
    weight = (n - _own(items)) / (b - len(items))
    generation = (mean_square - judge) / weight
    return generation, generation + judge


def _item(
    items: list[list[list[float]]],
    judge: float | NotMeasured,
    generation: float | NotMeasured,
    within: float | NotMeasured,
) -> float | NotMeasured:
    a = len(items)
    if a < 2:
        return NotMeasured("one item; it takes 2")
    sizes = [sum(map(len, item)) for item in items]
    n = sum(sizes)
    totals = [math.fsum(v for answer in item for v in answer) for item in items]
    whole = math.fsum(totals) / n
    square = math.fsum(size * (t / size - whole) ** 2 for t, size in zip(totals, sizes, strict=True)) / (a - 1)
    weight = (n - sum(size**2 for size in sizes) / n) / (a - 1)
    if isinstance(judge, float) and isinstance(generation, float):
        of_answers = (_own(items) - sum(len(answer) ** 2 for item in items for answer in item) / n) / (a - 1)
        return (square - judge - of_answers * generation) / weight
    if isinstance(within, float):  # each answer judged once
        return (square - within) / weight
    if isinstance(judge, float):
        return NotMeasured("each item has one answer, so item and generation are one")
    return NotMeasured("nothing was repeated")


def _own(items: list[list[list[float]]]) -> float:
    return math.fsum(sum(len(answer) ** 2 for answer in item) / sum(map(len, item)) for item in items)

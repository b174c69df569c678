"""Judgings of the same, as numbers: by item, by answer, by repeat; what failed is counted and never a number."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

Values = tuple[float | None, ...]
"""The judgings of one answer in order; `None`: that one failed."""


@dataclass(frozen=True, slots=True)
class Repeats:
    """One figure (the probability of a question, a score) of many texts, judged again and again."""

    name: str
    items: Mapping[str, Mapping[str, Values]]
    """By item, then by answer; an item with one answer has one entry."""
    failures: Mapping[str, int] = field(default_factory=dict[str, int])
    """Why values are missing, and how often."""

    @property
    def answers(self) -> list[Values]:
        """The judgings of each answer."""
        return [values for item in self.items.values() for values in item.values()]

    @property
    def wanted(self) -> int:
        """Repeats of an answer: the most that any has."""
        return max((len(values) for values in self.answers), default=0)

    @property
    def repeated(self) -> list[list[float]]:
        """What was measured of each answer that has two values or more."""
        return [values for each in self.answers if len(values := present(each)) > 1]

    @property
    def complete(self) -> list[list[float]]:
        """What was measured of each answer of which no repeat is missing."""
        wanted = self.wanted
        return [values for each in self.answers if len(values := present(each)) == wanted]


def present(values: Iterable[float | None]) -> list[float]:
    """The values that are there."""
    return [value for value in values if value is not None]

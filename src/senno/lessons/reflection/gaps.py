"""Skills that were missing: what lessons say of them, put together where they say the same. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from senno.lessons.lesson import Lesson
from senno.lessons.search import query_terms

ALIKE = 0.5
"""Two gaps are one if they share this much of their words (Jaccard index of stems)."""


@dataclass(frozen=True, slots=True)
class Gap:
    """A skill or a tool that several lessons ask for."""

    name: str
    """As the most typical of them says it."""
    lessons: tuple[Lesson, ...]
    """Oldest first."""

    @property
    def first(self) -> datetime:
        """When it was missing first."""
        return self.lessons[0].created_at

    @property
    def last(self) -> datetime:
        """When it was missing last."""
        return self.lessons[-1].created_at

    @property
    def departments(self) -> tuple[str, ...]:
        """Who asks for it."""
        return tuple(sorted({lesson.department for lesson in self.lessons}))


def gaps(lessons: Iterable[Lesson], since: datetime | None = None) -> list[Gap]:
    """The skills that were missing, those that most lessons ask for first.

    Single link: a gap joins a cluster if it is alike to any of it. Lessons that a review took out ask for nothing.

    Args:
        lessons: of the store.
        since: lessons before this aware moment are left out.
    """
    asking = sorted(
        (one for one in lessons if one.skill_gap and not one.deprecated and (since is None or one.created_at >= since)),
        key=lambda one: (one.created_at, one.id),
    )
    words = {one.id: _words(one.skill_gap or "") for one in asking}
    clusters: list[list[Lesson]] = []
    for one in asking:
        near = [cluster for cluster in clusters if any(_alike(words[one.id], words[other.id]) for other in cluster)]
        joined = [each for cluster in near for each in cluster] + [one]
        clusters = [cluster for cluster in clusters if cluster not in near] + [joined]
    made = [_gap(sorted(cluster, key=lambda one: (one.created_at, one.id)), words) for cluster in clusters]
    return sorted(made, key=lambda gap: (-len(gap.lessons), gap.first, gap.name))


def _gap(cluster: list[Lesson], words: dict[str, frozenset[str]]) -> Gap:
    """Named by the lesson that is most alike to the others; of equals the shortest, then the oldest."""

    def typical(one: Lesson) -> tuple[float, int]:
        return sum(_share(words[one.id], words[other.id]) for other in cluster), -len(one.skill_gap or "")

    return Gap(max(cluster, key=typical).skill_gap or "", tuple(cluster))


def _words(text: str) -> frozenset[str]:
    """The stems of a text, without function words."""
    return frozenset(stems[0] for stems in query_terms(text, []))


def _alike(a: frozenset[str], b: frozenset[str]) -> bool:
    return _share(a, b) >= ALIKE


def _share(a: frozenset[str], b: frozenset[str]) -> float:
    return len(a & b) / len(a | b) if a | b else 1.0

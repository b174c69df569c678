"""Skills that were missing: what lessons say of them, put together where they say the same. Pure."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
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
    made = [_gap(cluster, words) for cluster in _clusters(asking, words)]
    return sorted(made, key=lambda gap: (-len(gap.lessons), gap.first, gap.name))


def _clusters(asking: Sequence[Lesson], words: Mapping[str, frozenset[str]]) -> Iterable[list[Lesson]]:
    """The lessons that are linked, each cluster in the order of `asking`."""
    kinds = list(dict.fromkeys(words[one.id] for one in asking))
    frequency = Counter(word for kind in kinds for word in kind)
    root = {kind: kind for kind in kinds}

    def rooted(kind: frozenset[str]) -> frozenset[str]:
        while root[kind] is not kind:
            root[kind] = kind = root[root[kind]]
        return kind

    having: defaultdict[str, list[frozenset[str]]] = defaultdict(list)
    for kind in kinds:
        # Two that share half of their words share one of these: prefix filtering (Chaudhuri et al., 2006).
        rarest = sorted(kind, key=lambda word: (frequency[word], word))[: len(kind) // 2 + 1]
        for other in {other for word in rarest for other in having[word]}:
            if _share(kind, other) >= ALIKE:
                root[rooted(kind)] = rooted(other)
        for word in rarest:
            having[word].append(kind)
    clusters: defaultdict[frozenset[str], list[Lesson]] = defaultdict(list)
    for one in asking:
        clusters[rooted(words[one.id])].append(one)
    return clusters.values()


def _gap(cluster: Sequence[Lesson], words: Mapping[str, frozenset[str]]) -> Gap:
    """Named by the lesson that is most alike to the others; of equals the shortest, then the oldest."""
    kinds = Counter(words[one.id] for one in cluster)
    typical = {kind: sum(_share(kind, other) * count for other, count in kinds.items()) for kind in kinds}
    named = max(cluster, key=lambda one: (typical[words[one.id]], -len(one.skill_gap or "")))
    return Gap(named.skill_gap or "", tuple(cluster))


def _words(text: str) -> frozenset[str]:
    """The stems of a text, without function words; of a text without words the text."""
    return frozenset(stems[0] for stems in query_terms(text, [])) or frozenset({text.strip()})


def _share(a: frozenset[str], b: frozenset[str]) -> float:
    return len(a & b) / len(a | b)

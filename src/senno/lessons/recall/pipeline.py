"""Recall: words ∥ vectors → fusion → feedback → duplicates collapsed → MMR → reranker → multipliers → floor → block."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

import numpy as np
from numpy.typing import NDArray

from senno.errors import SennoError
from senno.lessons.lesson import Lesson, new_id
from senno.lessons.recall.ask import Ask, Rules
from senno.lessons.recall.block import block
from senno.lessons.recall.diversity import collapsed, diversified
from senno.lessons.recall.feedback import agree, by_cosine, towards
from senno.lessons.recall.floor import floor_of, passes
from senno.lessons.recall.fusion import Ranking, dense_weight, fuse, trust_in_words
from senno.lessons.recall.multipliers import Standing, multiplier
from senno.lessons.recall.result import Course, Place, Recalled, RecalledLesson, Why
from senno.lessons.recall.searcher import Searcher
from senno.lessons.search import Entry, Hit, Where, language_of
from senno.models.embedding import Embedder
from senno.models.reranking import Reranker
from senno.threads import Beside, told

Vector = NDArray[np.float32]

CANDIDATES = 50
"""How many each side gives; fewer lose relevant lessons (nDCG@5 −0.013 at 20), more add none."""

_CONSIDERED = 20
"""How many are looked at after fusion: read from their files, compared with each other."""

_RESERVE = 0.010
"""Seconds of a budget kept for what comes after the searches."""


@dataclass(slots=True)
class _Recall:
    """One recall under way."""

    searcher: Searcher
    embedder: Embedder | None
    reranker: Reranker | None
    ask: Ask
    rules: Rules
    where: Where
    clock: Callable[[], float]
    began: float
    course: Course = field(default_factory=Course)
    places: dict[int, dict[str, Place]] = field(default_factory=dict[int, dict[str, Place]])
    covered: Mapping[int, float] = field(default_factory=dict[int, float])
    """By key, the share of the task's words that each candidate has."""

    def left(self) -> float | None:
        """Seconds until the budget is used up; `None`: there is none."""
        if self.rules.budget_ms is None:
            return None
        return self.rules.budget_ms / 1000 - (self.clock() - self.began) - _RESERVE

    def place(self, stage: str, scores: Mapping[int, float]) -> None:
        """Write down where a stage put the keys, best first."""
        for rank, (key, score) in enumerate(scores.items(), 1):
            self.places.setdefault(key, {})[stage] = Place(rank, score)

    def search(self) -> tuple[list[Hit], list[Hit], Vector | None]:
        """Both sides at once: what the words found, what the vectors found, and the vector of the task."""
        beside = self._beside()
        began = self.clock()
        words = self.searcher.lexical(self.ask.task, CANDIDATES, self.where)
        self.course.ran("words", self.clock() - began)
        self.place("words", {hit.key: hit.score for hit in words})
        if beside is None:
            return words, [], None
        if not beside.ended(self._wait()):
            self.course.left_out("dense", f"the vector of the task was not ready within {self.rules.budget_ms:g} ms")
            return words, [], None
        try:
            vector, dense, seconds = beside.result()
        except SennoError as error:
            self.course.left_out("dense", told(error))
            return words, [], None
        self.course.ran("dense", seconds)
        self.place("dense", {hit.key: hit.score for hit in dense})
        return words, dense, vector

    def _wait(self) -> float | None:
        left = self.left()
        return None if left is None else max(left, 0.0)

    def _beside(self) -> Beside | None:
        embedder = self.embedder
        if embedder is None:
            self.course.left_out("dense", "no embedder is configured", fault=False)
            return None
        if not any(c.isalnum() for c in self.ask.task):
            self.course.left_out("dense", "the task has no words", fault=False)
            return None

        def find() -> tuple[Vector, list[Hit], float]:
            began = self.clock()
            vector = embedder.query(self.ask.task[: self.rules.letters])
            return vector, self.searcher.dense(vector, CANDIDATES, self.where), self.clock() - began

        return Beside(find)

    def fuse(self, words: Sequence[Hit], dense: Sequence[Hit], vector: Vector | None) -> dict[int, float]:
        """One ranking of both; the query moved towards its first lessons."""
        best = (words[0].score if words else 0.0) or 1.0
        keys = [hit.key for hit in words]
        found_at_all = list(dict.fromkeys([*keys, *(hit.key for hit in dense)]))
        self.covered = self.searcher.coverage(self.ask.task, found_at_all)
        trust = [trust_in_words(hit.score, best, self.covered.get(hit.key, 0.0)) for hit in words]
        by_words = Ranking(keys, trust=trust)
        weight = 0.0
        if self.embedder is not None:
            own = self.rules.dense_weight
            weight = dense_weight(self.embedder.name) if own is None else own
        by_vector = Ranking([hit.key for hit in dense], weight if dense else 0.0)
        first = fuse([by_words, by_vector])
        if vector is None or not dense or not self.rules.feedback:
            self.course.left_out("feedback", "off" if not self.rules.feedback else "no vectors", fault=False)
            self.place("fused", first)
            return first
        began = self.clock()
        vectors = self.searcher.vectors(list(first))
        found = [vectors[key] for key in first if key in vectors][: self.rules.feedback]
        if not agree(vector, found):
            self.course.left_out("feedback", "the first lessons are not of one kind", fault=False)
            self.place("fused", first)
            return first
        moved = by_cosine(towards(vector, found), vectors)
        fused = fuse([by_words, Ranking(list(moved), weight)])
        self.course.ran("feedback", self.clock() - began)
        self.place("feedback", moved)
        self.place("fused", fused)
        return fused

    def read(self, fused: Mapping[int, float]) -> dict[int, Lesson]:
        """The first lessons from their files, as they are now."""
        found: dict[int, Lesson] = {}
        for key in fused:
            lesson = self.searcher.lesson(key)
            if lesson is not None:
                found[key] = lesson
            if len(found) == _CONSIDERED:
                break
        return found

    def diversify(self, scores: Mapping[int, float]) -> dict[int, float]:
        """MMR."""
        if self.rules.mmr >= 1:
            self.course.left_out("mmr", "off", fault=False)
            return dict(scores)
        left = self.left()
        if left is not None and left <= 0:
            self.course.left_out("mmr", "the budget was used up")
            return dict(scores)
        began = self.clock()
        found = diversified(scores, self.searcher.vectors(list(scores)), self.rules.mmr)
        self.course.ran("mmr", self.clock() - began)
        self.place("mmr", found)
        return found

    def rerank(self, scores: Mapping[int, float], lessons: Mapping[int, Lesson]) -> dict[int, float]:
        """The first candidates in the order of the reranker; the scores stay with the ranks, for what comes after."""
        if self.reranker is None:
            self.course.left_out("rerank", "no reranker is configured", fault=False)
            return dict(scores)
        if not scores:
            self.course.left_out("rerank", "nothing was found", fault=False)
            return dict(scores)
        left = self.left()
        if left is not None and left <= 0:
            self.course.left_out("rerank", "the budget was used up")
            return dict(scores)
        began = self.clock()
        pool = list(scores)[: self.rules.pool]
        try:
            answer = self.reranker.scores(self.ask.task, [passage(lessons[key]) for key in pool], seconds=left)
        except SennoError as error:
            self.course.left_out("rerank", told(error))
            return dict(scores)
        self.course.notes.extend(answer.notes)
        usable = answer.usable
        if usable is None:
            self.course.left_out("rerank", f"{self.reranker.name}: the fused order stands")
            return dict(scores)
        given = dict(zip(pool, usable, strict=True))
        order = sorted(pool, key=lambda key: -given[key])
        self.course.ran("rerank", self.clock() - began, self.reranker.name)
        self.place("rerank", {key: given[key] for key in order})
        ranked = dict(zip(order, (scores[key] for key in pool), strict=True))
        return {**ranked, **{key: score for key, score in scores.items() if key not in ranked}}


def recall(
    searcher: Searcher,
    embedder: Embedder | None,
    ask: Ask,
    rules: Rules,
    *,
    departments: frozenset[str] | None = None,
    reranker: Reranker | None = None,
    clock: Callable[[], float] = time.perf_counter,
    now: Callable[[], datetime] = lambda: datetime.now(UTC),
) -> Recalled:
    """The lessons for a task. Nothing is written: the caller puts `Recalled.event` into the log.

    Args:
        searcher: holds the lessons.
        embedder: makes the vector of the task; `None`: words alone.
        ask: the task, and who asks.
        rules: how many, how far, how fast.
        departments: whose lessons may be shown; `None`: all (`ask.readable`).
        reranker: puts the best in order; `None`: the stage does not run.
        clock: monotonic seconds.
        now: the aware moment.
    """
    began = clock()
    at = now()
    one = _Recall(searcher, embedder, reranker, ask, rules, Where(departments=departments), clock, began)
    words, dense, vector = one.search()
    fused = one.fuse(words, dense, vector)
    lessons = one.read(fused)
    same = collapsed({key: passage(lesson) for key, lesson in lessons.items()})
    scores = {key: fused[key] for key in lessons if key not in same}
    order = one.rerank(one.diversify(scores), lessons)
    found = _weighed(one, order, lessons, same, vector, at)[: rules.limit]
    recall_id = f"r-{new_id(at)}"
    text, count = block(recall_id, [each.lesson for each in found], rules.tokens)
    kept = tuple(each if i < count else replace(each, text=False) for i, each in enumerate(found))
    if count < len(found):
        one.course.notes.append(f"the block of {rules.tokens} tokens has room for {count} of {len(found)} lessons")
    return Recalled(
        recall_id=recall_id,
        ask=ask,
        lessons=kept,
        block=text,
        tokens=_tokens(text),
        seconds=clock() - began,
        stages=tuple(one.course.stages),
        notes=(*searcher.notes, *one.course.notes),
    )


def passage(lesson: Lesson) -> str:
    """What is compared with a task, and with another lesson: the three answers."""
    return "\n".join((lesson.what, lesson.why, lesson.rule))


def _weighed(
    one: _Recall,
    order: Mapping[int, float],
    lessons: Mapping[int, Lesson],
    same: Mapping[int, int],
    vector: Vector | None,
    at: datetime,
) -> list[RecalledLesson]:
    """Multipliers, then the floor."""
    entries = one.searcher.entries(list(order))
    coverage = one.covered
    vectors: Mapping[int, Vector] = {} if vector is None else one.searcher.vectors(list(order))
    floor = floor_of("" if one.embedder is None else one.embedder.name, one.rules.floor)
    language = language_of(one.ask.task)
    found: list[RecalledLesson] = []
    for key, score in order.items():
        if key not in entries:
            continue
        factor, parts = multiplier(_standing(entries[key]), at, one.rules.multipliers)
        cosine = float(vectors[key] @ vector) if vector is not None and key in vectors else None
        foreign = entries[key].language != language
        if not passes(cosine, coverage.get(key, 0.0), floor, foreign=foreign):
            continue
        twins = tuple(lessons[twin].id for twin, kept in same.items() if kept == key)
        why = Why(one.places.get(key, {}), factor, parts, cosine, coverage.get(key, 0.0), twins)
        found.append(RecalledLesson(lessons[key], score * factor, why))
    if vector is not None and vectors and floor is None and one.embedder is not None:
        one.course.notes.append(
            f"no floor is known for {one.embedder.name}: set recall.floor, or lessons of no use are shown"
        )
    return sorted(found, key=lambda each: -each.score)


def _standing(entry: Entry) -> Standing:
    return Standing(entry.archived, entry.promoted, entry.salience, entry.created_at)


def _tokens(text: str) -> int:
    from senno.text import estimate_tokens

    return estimate_tokens(text)

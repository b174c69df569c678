"""Lessons by their words: BM25 over the rarest terms of a text."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from senno.lessons.lesson import without_halves
from senno.lessons.search.database import Connection, marks
from senno.lessons.search.entry import Hit, Where
from senno.lessons.search.tokens import query_terms

RAREST = 28
"""Terms of a query that are looked for: fewer lose some (nDCG@5 −0.005 at 24), more find no better and cost time."""

WEIGHTS: Mapping[str, float] = {"task": 1.0, "rule": 1.0, "body": 1.0, "tags": 1.0}
"""How much a word counts, by where it stands in a lesson (the columns of `text`, in their order)."""

_MOST_POSTINGS = 100_000
_LEAST_TERMS = 4
"""How long the lists of a query's terms may be together. Below 100,000 lessons hardly any query has longer ones; above,
a short question of common words would else be compared with every second lesson, at 0.5 ms for each thousand."""

_MOST_READ = 20_000
"""Letters of a query that are read: a task may come with a file of megabytes."""


@dataclass(frozen=True, slots=True)
class Term:
    """A word of a query, with its stems in the languages of the store."""

    stems: tuple[str, ...]
    rarity: float
    """The logarithm of lessons by lessons with it (Robertson and Spärck Jones' weight), above 0."""
    lessons: int = 0
    """In how many lessons it is, at most: a lesson may have two of its stems."""


@dataclass(frozen=True, slots=True)
class Terms:
    """What is left of a text to look for: rarest first."""

    terms: tuple[Term, ...]
    others: tuple[Term, ...] = ()
    """Terms that some lesson has and that are not looked for: there are too many."""
    unknown: float = 0.0
    """The rarity of all the words together that no lesson has."""


def pruned(db: Connection, text: str, most: int = RAREST) -> Terms:
    """The terms of a text that some lesson has: the rarest of them."""
    spoken = db.execute("SELECT name, lessons FROM language ORDER BY lessons DESC, name").fetchall()
    count = sum(lessons for _, lessons in spoken)
    groups = query_terms(text[:_MOST_READ], [name for name, _ in spoken])
    have = _frequencies(db, list(dict.fromkeys(stem for group in groups for stem in group)))
    terms: dict[tuple[str, ...], Term] = {}
    unknown = 0
    for group in groups:
        stems = tuple(stem for stem in group if stem in have)
        if stems:
            lessons = min(sum(have[stem] for stem in stems), count)
            terms[stems] = Term(stems, _rarity(lessons, count), lessons)
        else:
            unknown += 1
    ordered = sorted(terms.values(), key=lambda term: (-term.rarity, term.stems))
    return Terms(tuple(ordered[:most]), tuple(ordered[most:]), unknown * _rarity(0, count))


_OTHERS = 20
"""Lessons without the word that are thought to be there too: in a store of one lesson its words are not common."""


def _rarity(lessons: int, count: int) -> float:
    return math.log((count + _OTHERS - lessons + 0.5) / (lessons + 0.5) + 1)


def rarest(db: Connection, stems: Iterable[str]) -> Terms:
    """Those of some terms that some lesson has, rarest first; how rare they are is left out."""
    have = _frequencies(db, sorted(stems))
    return Terms(tuple(Term((stem,), 0.0, have[stem]) for stem in sorted(have, key=lambda stem: (have[stem], stem))))


def _frequencies(db: Connection, stems: Sequence[str]) -> dict[str, int]:
    """In how many lessons each stem is; without those that are in none."""
    found: dict[str, int] = {}
    for start in range(0, len(stems), 500):
        some = stems[start : start + 500]
        found.update(db.execute(f"SELECT term, lessons FROM df WHERE term IN ({marks(some)})", some))  # noqa: S608
    return found


def found_by_words(db: Connection, query: Terms, limit: int, where: Where) -> list[Hit]:
    """The lessons that have some of the terms, best first; of equals the one that came first."""
    if not query.terms or limit < 1:
        return []
    stems = dict.fromkeys(stem for term in _affordable(query.terms) for stem in term.stems)
    match = " OR ".join(f'"{stem}"' for stem in stems)  # terms are letters, digits and _: nothing in them is syntax
    weights = ", ".join(map(str, WEIGHTS.values()))
    score = f"SELECT rowid, bm25(text, {weights}) AS score FROM text WHERE text MATCH ?"  # noqa: S608
    conditions, names = conditions_of(where)
    if where.departments is not None:
        sql = f"SELECT rowid, score FROM ({score}) JOIN lesson ON key = rowid WHERE {conditions}"  # noqa: S608
        rows = db.execute(f"{sql} ORDER BY score, rowid LIMIT ?", (match, *names, limit))
        return [Hit(key, -score) for key, score in rows]
    wanted = limit
    while (
        True
    ):  # looking up each lesson that is found takes as long as finding it: what was taken out is left out after
        found = db.execute(f"{score} ORDER BY score, rowid LIMIT ?", (match, wanted)).fetchall()
        keys = [key for key, _ in found]
        sql = f"SELECT key FROM lesson WHERE key IN ({marks(keys)}) AND {conditions}"  # noqa: S608
        there = {key for (key,) in db.execute(sql, keys)}
        if len(there) >= limit or len(found) < wanted:
            return [Hit(key, -score) for key, score in found if key in there][:limit]
        wanted *= 4


def _affordable(terms: Sequence[Term]) -> Sequence[Term]:
    """The rarest terms whose lists are short enough together, but at least the first few."""
    total = 0
    for count, term in enumerate(terms):
        total += term.lessons
        if count >= _LEAST_TERMS and total > _MOST_POSTINGS:
            return terms[:count]
    return terms


def conditions_of(where: Where) -> tuple[str, list[str]]:
    """What SQL asks of the columns of `lesson`, and the values for its marks."""
    clauses = "1" if where.deprecated else "NOT deprecated"
    if where.departments is None:
        return clauses, []
    names = sorted(map(without_halves, where.departments))
    return f"{clauses} AND department IN ({marks(names)})", names


def terms_of(db: Connection, keys: Sequence[int]) -> dict[int, list[str]]:
    """The terms of each lesson, with repetitions."""
    rows = db.execute(f"SELECT rowid, * FROM text WHERE rowid IN ({marks(keys)})", keys)  # noqa: S608
    return {int(row[0]): str(" ".join(row[1:])).split() for row in rows}


def coverage(query: Terms, terms: Mapping[int, Sequence[str]]) -> dict[int, float]:
    """The share of the query's words that each lesson has, each weighed by its rarity; in [0, 1].

    A word that no lesson has counts as the rarest: else a query of which one common word is known would be covered.
    """
    wanted = (*query.terms, *query.others)
    whole = math.fsum(term.rarity for term in wanted) + query.unknown
    found: dict[int, float] = {}
    for key, own in terms.items():
        there = set(own)
        have = math.fsum(term.rarity for term in wanted if not there.isdisjoint(term.stems))
        found[key] = have / whole if whole else 0.0
    return found

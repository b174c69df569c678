"""Lessons by their words: BM25 over the rarest terms of a text."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from senno.lessons.lesson import without_halves
from senno.lessons.search.database import Connection
from senno.lessons.search.entry import Hit, Where
from senno.lessons.search.tokens import query_terms, words_of

RAREST = 24
"""Terms of a query that are looked for: more find nothing better, and cost time by the length of their lists."""

_MOST_READ = 100_000
"""Letters of a query that are read: a task may come with a file of megabytes."""


@dataclass(frozen=True, slots=True)
class Term:
    """A word of a query, with its stems in the languages of the store."""

    stems: tuple[str, ...]
    rarity: float
    """The logarithm of lessons by lessons with it (Robertson and Spärck Jones' weight), above 0."""


@dataclass(frozen=True, slots=True)
class Terms:
    """What is left of a text to look for: rarest first."""

    terms: tuple[Term, ...]


def pruned(db: Connection, text: str, most: int = RAREST) -> Terms:
    """The terms of a text that some lesson has: the rarest of them."""
    languages = [name for (name,) in db.execute("SELECT name FROM language ORDER BY lessons DESC, name")]
    ((count,),) = db.execute("SELECT coalesce(sum(lessons), 0) FROM language").fetchall()
    groups = query_terms(words_of(text[:_MOST_READ]), languages)
    wanted = list(dict.fromkeys(stem for group in groups for stem in group))
    have: dict[str, int] = {}
    for start in range(0, len(wanted), 500):
        some = wanted[start : start + 500]
        marks = ", ".join("?" * len(some))
        have.update(db.execute(f"SELECT term, lessons FROM df WHERE term IN ({marks})", some).fetchall())  # noqa: S608 - marks  # pyright: ignore[reportCallIssue, reportArgumentType]
    terms: dict[tuple[str, ...], Term] = {}
    for group in groups:
        stems = tuple(stem for stem in group if stem in have)
        if stems:
            lessons = min(sum(have[stem] for stem in stems), count)
            terms[stems] = Term(stems, math.log((count - lessons + 0.5) / (lessons + 0.5) + 1))
    ordered = sorted(terms.values(), key=lambda term: (-term.rarity, term.stems))
    return Terms(tuple(ordered[:most]))


def found_by_words(db: Connection, query: Terms, limit: int, where: Where) -> list[Hit]:
    """The lessons that have some of the terms, best first; of equals the one that came first."""
    stems = dict.fromkeys(stem for term in query.terms for stem in term.stems)
    if not stems:
        return []
    match = " OR ".join(f'"{stem}"' for stem in stems)  # terms are letters and digits: nothing in them is syntax
    clauses: list[str] = [] if where.deprecated else ["NOT l.deprecated"]
    names: list[str] = []
    if where.departments is not None:
        names = sorted(map(without_halves, where.departments))
        clauses.append(f"l.department IN ({', '.join('?' * len(names))})")
    condition = "".join(f" AND {clause}" for clause in clauses)
    rows = db.execute(
        "SELECT t.rowid, bm25(text) AS score FROM text t JOIN lesson l ON l.key = t.rowid"  # noqa: S608 - marks
        f" WHERE text MATCH ?{condition} ORDER BY score, t.rowid LIMIT ?",
        (match, *names, limit),
    )
    return [Hit(key, -score) for key, score in rows]


def coverage(db: Connection, query: Terms, keys: Sequence[int]) -> dict[int, float]:
    """The share of the query's terms that each lesson has, each weighed by its rarity; in [0, 1]."""
    whole = sum(term.rarity for term in query.terms)
    marks = ", ".join("?" * len(keys))
    found: dict[int, float] = dict.fromkeys(keys, 0.0)
    if not whole:
        return found
    for key, terms in db.execute(f"SELECT rowid, terms FROM text WHERE rowid IN ({marks})", keys):  # noqa: S608 - marks
        own = set(terms.split(" "))
        found[key] = sum(term.rarity for term in query.terms if not own.isdisjoint(term.stems)) / whole
    return found

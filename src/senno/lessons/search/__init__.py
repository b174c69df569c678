"""The index of lessons: found by words and by vectors. Derived: it may be deleted, and is made again."""

from senno.lessons.search.entry import Entry, Hit, Where
from senno.lessons.search.index import Index
from senno.lessons.search.rows import passage_text
from senno.lessons.search.tokens import analysed, query_terms
from senno.lessons.search.tokens import language_of_text as language_of
from senno.lessons.search.words import Term, Terms, coverage

__all__ = [
    "Entry",
    "Hit",
    "Index",
    "Term",
    "Terms",
    "Where",
    "analysed",
    "coverage",
    "language_of",
    "passage_text",
    "query_terms",
]

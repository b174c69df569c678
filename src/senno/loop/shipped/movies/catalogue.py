"""The catalogue that ships: real films with facts in English and Italian, and a search over them (BM25)."""

import json
import math
import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import apsw
import Stemmer  # pyright: ignore[reportMissingTypeStubs]

from senno.text import folded

FILE = Path(__file__).with_name("catalogue.jsonl")
_stemmer: Any = Stemmer  # the library has no types
_STEMMERS = {"en": _stemmer.Stemmer("english"), "it": _stemmer.Stemmer("italian")}
_WORD = re.compile(r"[^\W_]+")


@dataclass(frozen=True)
class Film:
    """One film. Lists are in the order of importance."""

    title: str
    original_title: str
    title_it: str
    year: int
    countries: list[str]
    languages: list[str]
    genres: list[str]
    directors: list[str]
    cast: list[str]
    plot: str
    plot_it: str
    keywords: list[str]
    keywords_it: list[str]
    central: tuple[frozenset[str], ...] = field(default=(), repr=False)
    """Stems of each keyword, in the order of importance, then of the genres."""
    mentioned: frozenset[str] = field(default=frozenset(), repr=False)
    """Stems of all else that is said of it."""

    @property
    def titles(self) -> set[str]:
        """Every title it is known under, folded."""
        return {folded(t) for t in (self.title, self.original_title, self.title_it)}

    def rank(self, wanted: frozenset[str]) -> int | None:
        """The place of the most important keyword that has all of these stems; `None`: no keyword has."""
        return next((rank for rank, keyword in enumerate(self.central) if wanted <= keyword), None)

    def described(self, language: str) -> str:
        """Its facts as one paragraph, with the plot in Italian for `it` and in English otherwise."""
        people = f"Directed by {', '.join(self.directors)}." + (f" With {', '.join(self.cast)}." if self.cast else "")
        facts = f"{self.title} ({self.year}), {', '.join(self.countries)}; {', '.join(self.genres)}. {people}"
        keywords = self.keywords_it if language == "it" else self.keywords
        return f"{facts} {self.plot_it if language == 'it' else self.plot} [{', '.join(keywords)}]"


def stems(text: str) -> list[str]:
    """The words of a text, in order, reduced to their stems in English and in Italian (two for each word)."""
    words = _WORD.findall(folded(text))
    return [stem for w in words for stem in (f"en_{_STEMMERS['en'].stemWord(w)}", f"it_{_STEMMERS['it'].stemWord(w)}")]


class Catalogue:
    """Films, found by title or by what they are about."""

    def __init__(self, films: list[Film]) -> None:
        self.films = films
        self._by_title: dict[str, list[Film]] = {}
        self._frequency: dict[str, int] = {}
        self.people: dict[str, str] = {}
        for film in films:
            for title in film.titles:
                self._by_title.setdefault(title, []).append(film)
            for stem in film.mentioned:
                self._frequency[stem] = self._frequency.get(stem, 0) + 1
            self.people |= {folded(p): p for p in (*film.directors, *film.cast)}
        self.themes = frozenset(stem for film in films for keyword in film.central for stem in keyword)
        self._index = _index(films)

    @cache  # noqa: B019 - there is one catalogue in a process
    def words(self, language: str) -> frozenset[str]:
        """The words of its entries in one language that it does not use in the other."""
        spoken = {
            "en": {w for f in self.films for w in folded(" ".join((f.plot, *f.keywords, *f.genres))).split()},
            "it": {w for f in self.films for w in folded(" ".join((f.plot_it, *f.keywords_it))).split()},
        }
        return frozenset(spoken[language] - spoken["it" if language == "en" else "en"])

    def titles(self) -> Collection[str]:
        """Every title, folded."""
        return self._by_title.keys()

    def titled(self, title: str) -> list[Film]:
        """Films known under exactly this title, in any writing of it."""
        return self._by_title.get(folded(title), [])

    def rarity(self, stem: str) -> float:
        """Inverse document frequency, in nats: how much a stem tells films apart."""
        return math.log(1 + len(self.films) / (1 + self._frequency.get(stem, 0)))

    def knows(self, stem: str) -> bool:
        """Whether the stem occurs in the catalogue at all."""
        return stem in self._frequency

    def search(self, wanted: Iterable[str], limit: int) -> list[Film]:
        """Films by BM25 (FTS5), best first; titles and keywords weigh more than plots.

        Args:
            wanted: stems; the 48 rarest are used, so that a text of fifty kilobytes is no query of ten thousand terms.
            limit: how many films at most.
        """
        terms = sorted({s for s in wanted if self.knows(s)}, key=lambda s: (-self.rarity(s), s))[:48]
        if not terms:
            return []
        query = " OR ".join(f'"{term}"' for term in terms)
        rows = self._index.execute(
            "SELECT rowid FROM films WHERE films MATCH ? ORDER BY bm25(films, 6.0, 5.0, 1.0), rowid LIMIT ?",
            (query, limit),
        )
        return [self.films[row - 1] for (row,) in rows]


def _index(films: list[Film]) -> Any:
    index: Any = apsw.Connection(":memory:")
    index.execute(
        "CREATE VIRTUAL TABLE films USING fts5(titles, keywords, rest, tokenize = \"unicode61 tokenchars '_'\")"
    )
    with index:
        index.executemany(
            "INSERT INTO films(titles, keywords, rest) VALUES (?, ?, ?)",
            (
                (
                    " ".join(stems(f"{f.title} {f.original_title} {f.title_it}")),
                    " ".join(stems(" ".join((*f.keywords, *f.keywords_it, *f.genres)))),
                    " ".join(stems(" ".join((f.plot, f.plot_it, *f.directors, *f.cast, *f.countries)))),
                )
                for f in films
            ),
        )
    return index


@cache
def catalogue() -> Catalogue:
    """The catalogue in `catalogue.jsonl`, read once."""
    films: list[Film] = []
    with FILE.open(encoding="utf-8") as lines:
        for line in lines:
            facts = json.loads(line)
            films.append(Film(**facts, **_stemmed(facts)))
    return Catalogue(films)


def _stemmed(facts: dict[str, Any]) -> dict[str, Any]:
    pairs = [*zip(facts["keywords"], facts["keywords_it"], strict=True), *((g, "") for g in facts["genres"])]
    people = (*facts["directors"], *facts["cast"])
    rest = (facts["plot"], facts["plot_it"], facts["title"], facts["title_it"], *facts["countries"], *people)
    central = tuple(frozenset(stems(f"{english} {italian}")) for english, italian in pairs)
    return {"central": central, "mentioned": frozenset(stems(" ".join(rest))).union(*central)}

"""How far a film meets a request, by retrieval alone: which of the request's themes its entry names.

Keywords say what a film is about, the most important first, and a plot line only what happens in it: so the first
keyword counts whole, each further one less, and a mention in the plot least: a mention is not a theme. What no entry
can tell (mood, quality, whether a theme is a pretext) this cannot tell either.
"""

import json
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

from senno.text import folded

from .catalogue import Catalogue, Film, stems

WORDS: dict[str, Any] = json.loads(Path(__file__).with_name("words.json").read_text(encoding="utf-8"))
BY_RANK = (1.0, 0.95, 0.85, 0.75, 0.7)
"""What a theme counts as first, second, … keyword; the last holds for all that follow, and for a genre."""
MENTIONED = 0.5
"""What it counts in the plot, the title or the country alone."""
LOWEST, HIGHEST = 0.05, 0.95
"""A retrieval score is never certain."""
MOST_THEMES = 24


@dataclass(frozen=True)
class Theme:
    """One thing that a request asks for, with every way of saying it."""

    name: str
    """What it is called: the first term of its group of synonyms, or the word of the request."""
    ways: tuple[frozenset[str], ...]
    """Stems that must stand together: one set for each synonym and language."""
    weight: float
    known: bool
    """Whether the catalogue uses it as a theme at all."""


def content_words(text: str) -> list[str]:
    """The words of a request that may be themes, in order, once each."""
    skipped = _skipped()
    return list(dict.fromkeys(w for w in folded(text).split() if w not in skipped and len(w) > 1 and not w.isdigit()))


@cache
def _skipped() -> frozenset[str]:
    stop, listed = WORDS["stop"], ("films", "filler", "not", "but")
    words = [*stop["en"], *stop["it"], *WORDS["numbers"], *(w for name in listed for w in WORDS[name])]
    return frozenset(folded(w) for w in words)


@lru_cache(maxsize=64)
def themes(text: str, films: Catalogue) -> tuple[Theme, ...]:
    """The themes in a text, weightiest first. A word the catalogue never uses as a theme counts for little."""
    # All words: "film" is no theme, but "film muti" is one.
    said = frozenset(stems(text))
    # Words that say one thing ("codebreaking", "cryptography"; "old" and "age") are one theme, not two.
    keys = dict.fromkeys(_groups_of(word, said) or word for word in content_words(text))
    return tuple(sorted((_theme(key, films) for key in keys), key=lambda t: -t.weight)[:MOST_THEMES])


def _groups_of(word: str, said: frozenset[str]) -> tuple[int, ...]:
    return tuple(sorted({n for stem in stems(word) for n, way in _groups_by_stem().get(stem, ()) if way <= said}))


def _theme(key: str | tuple[int, ...], films: Catalogue) -> Theme:
    if isinstance(key, str):
        name, ways = key, _ways(key)
    else:
        name = " ".join(_terms()[number][0] for number in key)
        ways = tuple(way for number in key for way in _groups()[number])
    known = [way for way in ways if way <= films.themes]
    weight = min(max(films.rarity(s) for s in way) for way in known or ways)
    return Theme(name, ways, weight if known else weight / 4, bool(known))


@cache
def _terms() -> list[list[str]]:
    """Groups of terms that mean the same, in English and in Italian; the first names the group."""
    return json.loads(Path(__file__).with_name("themes.json").read_text(encoding="utf-8"))


@cache
def _groups() -> list[tuple[frozenset[str], ...]]:
    """Each group as its ways of being said."""
    return [tuple(way for term in group for way in _ways(term)) for group in _terms()]


@cache
def _groups_by_stem() -> dict[str, list[tuple[int, frozenset[str]]]]:
    """Which groups a stem may belong to, and what must stand beside it there."""
    found: dict[str, list[tuple[int, frozenset[str]]]] = {}
    for number, ways in enumerate(_groups()):
        for way in ways:
            for stem in way:
                found.setdefault(stem, []).append((number, way))
    return found


@cache
def _ways(term: str) -> tuple[frozenset[str], ...]:
    """The stems of a term: as English, and as Italian."""
    both = stems(term)
    return frozenset(both[0::2]), frozenset(both[1::2])


def search_terms(wanted: tuple[Theme, ...]) -> set[str]:
    """Stems to search for: every way of saying the themes."""
    return {stem for theme in wanted for way in theme.ways for stem in way}


def fit(film: Film, wanted: tuple[Theme, ...]) -> float:
    """How far the film's entry bears the themes out, on [0.05, 0.95]; 0.95 where no theme is asked for."""
    total = sum(theme.weight for theme in wanted)
    if not total:
        return HIGHEST
    got = sum(theme.weight * strength(film, theme) for theme in wanted)
    return LOWEST + (HIGHEST - LOWEST) * got / total


def strength(film: Film, theme: Theme) -> float:
    """How much of a theme a film's entry shows, on [0, 1]."""
    rank = _rank(film, theme)
    if rank is not None:
        return BY_RANK[min(rank, len(BY_RANK) - 1)]
    return MENTIONED if any(way <= film.mentioned for way in theme.ways) else 0.0


def _rank(film: Film, theme: Theme) -> int | None:
    return min((rank for way in theme.ways if (rank := film.rank(way)) is not None), default=None)


def named(film: Film, wanted: tuple[Theme, ...], language: str) -> list[str]:
    """What the film's entry says of the themes: its own keywords, in the language of the request."""
    keywords = (film.keywords_it if language == "it" else film.keywords) + film.genres
    said = [(theme, _rank(film, theme)) for theme in wanted if strength(film, theme)]
    return list(dict.fromkeys(theme.name if rank is None else keywords[rank] for theme, rank in said))

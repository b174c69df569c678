"""The hard criteria of a request: what a film must be, and what it must not."""

import re

from senno.text import folded

from .catalogue import Film, catalogue
from .fit import WORDS, content_words, strength, themes
from .models import Request
from .words import countries, genres, people


def split_negated(text: str) -> tuple[str, list[str]]:
    """What is asked for, and each phrase that a negation rules out, up to the next comma, "but" or negation."""
    wanted: list[str] = []
    negated: list[list[str]] = []
    for clause in re.split(r"[,;.:!?()\n]", text[:50_000]):
        side = wanted
        for word in clause.split():
            plain = folded(word)
            if plain in WORDS["not"]:
                side = list[str]()
                negated.append(side)
            elif plain in WORDS["but"]:
                side = wanted
            else:
                side.append(word)
    return " ".join(wanted), [" ".join(words) for words in negated]


def ruled_out(phrase: str) -> list[str]:
    """What a negated phrase rules out: films by title, people, countries, genres; what is left is a theme."""
    plain = f" {folded(phrase)} "
    core = " ".join(content_words(phrase)) or plain.strip()
    titles = [t for t in catalogue().titles() if t in (core, plain.strip()) or (" " in t and f" {t} " in plain)]
    if titles:
        return titles
    found = (people(f"by {phrase}") | people(phrase), countries(phrase), genres(phrase))
    used = {w for names in found for words in names.values() for w in words}
    left = " ".join(w for w in content_words(phrase) if w not in used)
    return [*(name for names in found for name in names), *([left] if left else [])]


def broken(film: Film, request: Request) -> str:
    """The first hard criterion that a film breaks, as it stands; empty where it breaks none."""
    genres_wanted = [g for g in (request.primary_genre, *request.secondary_genres) if g != "all"]
    names = {folded(p) for p in (*film.directors, *film.cast)}
    if not (request.start_year or film.year) <= film.year <= (request.end_year or film.year):
        return str(film.year)
    if any(g not in film.genres for g in genres_wanted):
        return ", ".join(film.genres)
    # The first country is where a film is from; the others only had a share in it.
    if request.countries and film.countries[0] not in request.countries:
        return ", ".join(film.countries)
    if not {folded(p) for p in request.people} <= names:
        return ", ".join((*film.directors, *film.cast))
    return ", ".join(entry for entry in request.excluded if has(film, entry))


def has(film: Film, entry: str) -> bool | None:
    """Whether a film is, or has, what a request rules out; `None`: its entry cannot tell."""
    if catalogue().titled(entry):
        return folded(entry) in film.titles
    if folded(entry) in catalogue().people:
        return folded(entry) in {folded(p) for p in (*film.directors, *film.cast)}
    where, kind = countries(entry), genres(entry)
    if where or kind:
        return film.countries[0] in where or any(g in kind for g in film.genres)
    named = themes(entry, catalogue())
    if any(strength(film, t) for t in named):
        return True
    # That no entry ever speaks of it does not mean that no film has it.
    return False if all(t.known for t in named) else None

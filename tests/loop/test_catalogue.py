"""The films that ship: real ones, each once, from everywhere."""

import json
from collections import Counter

import pytest

from senno.loop.library import SHIPPED
from senno.text import folded

LINES = (SHIPPED / "movies" / "catalogue.jsonl").read_text(encoding="utf-8").splitlines()
FILMS = [json.loads(line) for line in LINES]
TEXTS = ("title", "original_title", "title_it", "plot", "plot_it")
LISTS = ("countries", "languages", "genres", "directors", "cast", "keywords", "keywords_it")


def test_there_are_many_films_from_many_decades_countries_and_languages():
    assert len(FILMS) >= 400
    assert len({film["year"] // 10 for film in FILMS}) >= 10
    assert len({country for film in FILMS for country in film["countries"]}) >= 25
    assert len({language for film in FILMS for language in film["languages"]}) >= 20


def faults(film):
    """What is wrong with the form of a film's facts."""
    if set(film) != {*TEXTS, *LISTS, "year"}:
        yield f"keys: {set(film)}"
        return
    yield from (
        key for key in TEXTS if not isinstance(film[key], str) or film[key].strip() != film[key] or not film[key]
    )
    for key in LISTS:
        if not isinstance(film[key], list) or not all(isinstance(v, str) and v.strip() for v in film[key]):
            yield key
        # A film may have no actors, and no words: "Flow".
        if not film[key] and key not in ("cast", "languages"):
            yield f"no {key}"
    yield from (key for key in ("countries", "genres", "directors", "cast") if len(set(film[key])) != len(film[key]))
    if type(film["year"]) is not int or not 1888 <= film["year"] <= 2026:
        yield "year"
    if len(film["keywords"]) != len(film["keywords_it"]):
        yield "a keyword without its twin in the other language"


def test_a_film_has_every_fact_in_its_form():
    wrong = {f"{film.get('title')} ({film.get('year')})": list(faults(film)) for film in FILMS}
    assert {name: found for name, found in wrong.items() if found} == {}


def test_no_film_is_there_twice_under_any_of_its_titles():
    keys = [{(folded(film[t]), film["year"]) for t in ("title", "original_title", "title_it")} for film in FILMS]
    twins = [key for key, count in Counter(key for one in keys for key in one).items() if count > 1]
    assert twins == []


@pytest.mark.parametrize(
    ("title", "year"),
    [
        ("Enigma", 2001),
        ("Cry, the Beloved Country", 1995),
        ("Rosencrantz and Guildenstern Are Undead", 2009),
        ("The Imitation Game", 2014),
        ("Pi", 1998),
    ],
)
def test_the_films_of_the_reference_run_are_there(title, year):
    assert [f["year"] for f in FILMS if folded(f["title"]) == folded(title)] == [year]


def test_genres_and_countries_are_those_that_requests_can_name():
    words = json.loads((SHIPPED / "movies" / "words.json").read_text(encoding="utf-8"))
    named = {genre for film in FILMS for genre in film["genres"]}
    assert set(words["genres"]) <= named
    assert all(g == g.lower() for g in named)
    assert set(words["countries"]) <= {country for film in FILMS for country in film["countries"]}

"""The four roles and the judge of fit with no language model: what `senno run movies` does without a key."""

import re
from collections.abc import Mapping
from typing import Any

from senno.loop import (
    ActorInput,
    CriticInput,
    Critique,
    CuratorInput,
    Finding,
    ItemCritique,
    RefinerInput,
    Sentence,
    Wording,
)
from senno.models import Answer, Decision, Json, Probability, Question, RoleCalls, Unanswered
from senno.text import folded

from .catalogue import Film, catalogue
from .fit import MENTIONED, WORDS, content_words, fit, named, search_terms, strength, themes
from .models import Movie, Proposal, Request
from .words import countries, genres, language_of, number, people, period

QUESTIONS = {
    "en": "What should the films be about, or from which genre, country, years or director should they be?",
    "it": "Di che cosa devono parlare i film, o di quale genere, paese, periodo o regista devono essere?",
}
BACKWARDS = {
    "en": "The period runs backwards, from {0} to {1}: which years do you mean?",
    "it": "Il periodo va all'indietro, dal {0} al {1}: quali anni intendi?",
}


def refine(value: RefinerInput) -> Request:
    """The Refiner: numbers, years, genres, countries, people and themes, by rules."""
    text = " ".join([value.request, *(c.answer for c in value.clarifications)])
    language = language_of(value.request)
    start, end = period(text)
    wanted, excluded = _split_negated(text)
    found_genres, found_countries, found_people = genres(wanted), countries(wanted), people(text)
    used = {w for names in (*found_genres.values(), *found_countries.values(), *found_people.values()) for w in names}
    words = [w for w in content_words(wanted) if w not in used and not re.fullmatch(r"\d+s?", w)]
    decades = WORDS["decades"]
    words = [w for w in words if w not in decades]
    questions: list[str] = []
    if start and end and start > end:
        questions = [BACKWARDS[language].format(start, end)]
    elif not (words or found_genres or found_countries or found_people or start or end):
        questions = [QUESTIONS[language]]
    first, *others = list(found_genres) or ["all"]
    return Request(
        primary_genre=first,
        secondary_genres=others,
        start_year=start,
        end_year=end,
        is_classic=bool(re.search(r"\bclassic", folded(text))),
        countries=list(found_countries),
        people=list(found_people),
        count=number(value.request),
        query_info=" ".join(t.word for t in themes(" ".join(words), catalogue())),
        excluded=content_words(excluded),
        original_text=value.request,
        language=language,
        questions=questions,
    )


def _split_negated(text: str) -> tuple[str, str]:
    """What is asked for, and what follows a negation up to the next comma or "but"."""
    wanted: list[str] = []
    excluded: list[str] = []
    for clause in re.split(r"[,;.:!?()\n]", text):
        side = wanted
        for word in clause.split():
            plain = folded(word)
            if plain in WORDS["not"]:
                side = excluded
            elif plain in WORDS["but"]:
                side = wanted
            side.append(word)
    return " ".join(wanted), " ".join(excluded)


def propose(value: ActorInput) -> Proposal:
    """The Cinephile: the best of the catalogue by BM25 that was not tried before, within the hard criteria."""
    request = Request.model_validate(value.request)
    tried = {folded(f"{m['title']} {m['year']}") for m in value.accepted} | {folded(n) for n in value.do_not_repeat}
    wanted = themes(request.query_info, catalogue())
    everything = catalogue().films
    found = catalogue().search(search_terms(wanted), len(everything)) if wanted else everything
    films = [f for f in found if folded(f"{f.title} {f.year}") not in tried and not broken(f, request)]
    movies = [Movie(title=f.title, year=f.year, reason=_plot(f, request)) for f in films[: value.wanted]]
    return Proposal(movies=movies)


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
    ruled_out = themes(" ".join(request.excluded), catalogue())
    return ", ".join(t.word for t in ruled_out if strength(film, t) > MENTIONED)


def _plot(film: Film, request: Request) -> str:
    return film.plot_it if request.language == "it" else film.plot


def check(value: CriticInput) -> Critique:
    """The Clerk: title, year and criteria against the catalogue's entry."""
    request = Request.model_validate(value.request)
    critiques: list[ItemCritique] = []
    for item in value.items:
        title, year = str(item.item["title"]), int(item.item["year"])
        film = next(iter(sorted(catalogue().titled(title), key=lambda f: abs(f.year - year))), None)
        cited = [e.id for e in item.evidence if film and e.data.get("year") == film.year]
        found = _findings(film, year, request, cited) if film else _unknown(title, request.language)
        critiques.append(ItemCritique(number=item.number, checks=found))
    return Critique(items=critiques, is_satisfied=None)


def _unknown(title: str, language: str) -> list[Finding]:
    says = {
        "en": f"{title!r} is not in the catalogue, which is not complete",
        "it": f"{title!r} non è nel catalogo, che non è completo",
    }
    return [
        Finding(check=c, status="unverified", explanation=says[language]) for c in ("EXISTS", "YEAR", "CRITERIA FIT")
    ]


def _findings(film: Film, year: int, request: Request, cited: list[str]) -> list[Finding]:
    italian = request.language == "it"
    off = abs(film.year - year)
    # Festival and release often fall in two calendar years.
    status = "pass" if off == 0 else "unverified" if off == 1 else "fail"
    wanted = themes(request.query_info, catalogue())
    breach, seen = broken(film, request), named(film, wanted)
    if breach:
        fits, why = "fail", (f"fuori dai criteri: {breach}" if italian else f"outside the criteria: {breach}")
    elif wanted and not seen:
        words = ", ".join(t.word for t in wanted)
        fits, why = "fail", (f"la scheda non parla di {words}" if italian else f"the entry says nothing of {words}")
    else:
        words = ", ".join(seen)
        fits, why = (
            "pass",
            (f"la scheda parla di {words}" if italian else f"the entry speaks of {words}") if seen else "",
        )
    in_year = f"nel catalogo: {film.year}" if italian else f"in the catalogue: {film.year}"
    return [
        Finding(check="EXISTS", status="pass", explanation=f"{film.title} ({film.year})", sources=cited),
        Finding(check="YEAR", status=status, explanation=in_year, sources=cited),
        Finding(check="CRITERIA FIT", status=fits, explanation=why, sources=cited),
    ]


class FitByRetrieval:
    """Answers `criteria_fit` with a retrieval score: how many of the request's themes the film's entry names."""

    name = "catalogue-retrieval"

    async def decide(self, state: Json, questions: Mapping[str, Question], *, calls: RoleCalls) -> Decision:  # noqa: ARG002
        """Score one film. No model is called."""
        answer = self._score(state) if isinstance(state, dict) else Unanswered("the state is no object")
        other = Unanswered("a retrieval score answers criteria_fit alone")
        answers = {name: answer if name == "criteria_fit" else other for name in questions}
        return Decision(answers, self.name, method="retrieval")

    def _score(self, state: dict[str, Any]) -> Answer:
        request, item = Request.model_validate(state["request"]), state["item"]
        film = next((f for f in catalogue().titled(str(item["title"])) if f.year == item["year"]), None)
        if film is None:
            return Unanswered("the catalogue has no entry for this film")
        return Probability(fit(film, themes(request.query_info, catalogue())))


def present(value: CuratorInput) -> Wording:
    """The Curator: the entry's plot for each film, and plain words on what is missing or unsure."""
    request = Request.model_validate(value.request)
    italian = request.language == "it"
    by_name = {(f.title, f.year): f for f in catalogue().films}
    sentences: list[Sentence] = []
    for item in value.items:
        film = by_name.get((str(item.item["title"]), int(item.item["year"])))
        if film:
            sentences.append(Sentence(number=item.number, text=_plot(film, request)))
    outro = ""
    if value.missing:
        outro = (
            f"Ne mancano {value.missing}: nel catalogo non c'è altro che soddisfi con certezza la richiesta."
            if italian
            else f"{value.missing} missing: nothing else in the catalogue is sure to meet the request."
        )
    return Wording(items=sentences, outro=outro)

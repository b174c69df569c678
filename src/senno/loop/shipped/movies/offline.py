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
    Status,
    Wording,
)
from senno.models import Answer, Decision, Json, Probability, Question, RoleCalls, Unanswered
from senno.text import folded

from .catalogue import Film, catalogue
from .criteria import broken, has, ruled_out, split_negated
from .fit import WORDS, fit, named, search_terms, strength, themes
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
    # A person says what they want at the beginning; a pasted book is not read to its end.
    text = " ".join([value.request[:20_000], *(c.answer for c in value.clarifications)])
    language = language_of(value.request)
    start, end = period(text)
    wanted, negated = split_negated(text)
    found = (genres(wanted), countries(wanted), people(wanted))
    used = {w for names in found for words in names.values() for w in words} | {*WORDS["decades"]}
    rest = " ".join(w for w in folded(wanted).split() if w not in used and not re.fullmatch(r"\d+s?", w))
    wanted_themes = themes(rest, catalogue())
    count = number(value.request)
    questions: list[str] = []
    if start and end and start > end:
        questions = [BACKWARDS[language].format(start, end)]
    elif not (wanted_themes or any(found) or start or end):
        questions = [QUESTIONS[language]]
    first, *others = list(found[0]) or ["all"]
    return Request(
        primary_genre=first,
        secondary_genres=others,
        start_year=start,
        end_year=end,
        is_classic=bool(re.search(r"\bclassic", folded(text))),
        countries=list(found[1]),
        people=list(found[2]),
        count=count,
        query_info=" ".join(t.name for t in wanted_themes),
        excluded=list(dict.fromkeys(entry for phrase in negated for entry in ruled_out(phrase))),
        original_text=value.request,
        language=language,
        questions=questions,
    )


def propose(value: ActorInput) -> Proposal:
    """The Cinephile: the best of the catalogue by BM25 that was not tried before, within the hard criteria."""
    request = Request.model_validate(value.request)
    tried = {folded(f"{m['title']} {m['year']}") for m in value.accepted} | {folded(n) for n in value.do_not_repeat}
    wanted = themes(request.query_info, catalogue())
    everything = catalogue().films
    found = catalogue().search(search_terms(wanted), len(everything)) if wanted else everything
    films = [f for f in found if not tried & {f"{t} {f.year}" for t in f.titles} and not broken(f, request)]
    italian = request.language == "it"
    movies = [
        Movie(title=f.title_it if italian else f.title, year=f.year, reason=_plot(f, request))
        for f in films[: value.wanted]
    ]
    return Proposal(movies=movies)


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


def _said(language: str, italian: str, english: str) -> str:
    return italian if language == "it" else english


def _unknown(title: str, language: str) -> list[Finding]:
    says = _said(
        language,
        f"{title!r} non è nel catalogo, che non è completo",
        f"{title!r} is not in the catalogue, which is not complete",
    )
    return [Finding(check=c, status="unverified", explanation=says) for c in ("EXISTS", "YEAR", "CRITERIA FIT")]


def _findings(film: Film, year: int, request: Request, cited: list[str]) -> list[Finding]:
    off = abs(film.year - year)
    in_year = _said(request.language, f"nel catalogo: {film.year}", f"in the catalogue: {film.year}")
    status, why = _fits(film, request)
    return [
        Finding(check="EXISTS", status="pass", explanation=f"{film.title} ({film.year})", sources=cited),
        # Festival and release often fall in two calendar years.
        Finding(
            check="YEAR",
            status="pass" if off == 0 else "unverified" if off == 1 else "fail",
            explanation=in_year,
            sources=cited,
        ),
        Finding(check="CRITERIA FIT", status=status, explanation=why, sources=cited),
    ]


def _fits(film: Film, request: Request) -> tuple[Status, str]:
    """Whether the entry bears out every theme and breaks nothing; unverified where it bears out some, or is silent."""
    language = request.language
    wanted = themes(request.query_info, catalogue())
    seen = ", ".join(named(film, wanted, language))
    unsaid = ", ".join(t.name for t in wanted if t.known and not strength(film, t))
    silent = ", ".join(entry for entry in request.excluded if has(film, entry) is None)
    if breach := broken(film, request):
        return "fail", _said(language, f"fuori dai criteri: {breach}", f"outside the criteria: {breach}")
    if wanted and not seen:
        return "fail", _said(language, "la scheda non ne parla", "the entry says nothing of it")
    if silent:
        told = _said(
            language, f"la scheda non dice se c'è: {silent}", f"the entry does not tell whether it has: {silent}"
        )
        return "unverified", told
    speaks = _said(language, f"la scheda parla di {seen}", f"the entry speaks of {seen}") if seen else ""
    if unsaid:
        return "unverified", speaks + _said(language, f", non di {unsaid}", f", not of {unsaid}")
    return "pass", speaks


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
    sentences: list[Sentence] = []
    for item in value.items:
        year = int(item.item["year"])
        film = next((f for f in catalogue().titled(str(item.item["title"])) if f.year == year), None)
        if film:
            sentences.append(Sentence(number=item.number, text=_plot(film, request)))
    return Wording(items=sentences, outro=_missing(value, request.language))


def _missing(value: CuratorInput, language: str) -> str:
    unsure = sum(item.state == "unverified" for item in value.items)
    lacking = value.missing - unsure
    films = len(catalogue().films)
    parts: list[str] = []
    if unsure:
        parts.append(_said(language, f"Non verificati: {unsure}.", f"Unverified: {unsure}."))
    if lacking > 0 and value.stop == "no_progress":
        italian = f"Nel catalogo ({films} film) non c'è altro che risponda alla richiesta. Mancanti: {lacking}."
        parts.append(
            _said(
                language, italian, f"The catalogue ({films} films) has nothing else that answers. Missing: {lacking}."
            )
        )
    elif lacking > 0:
        italian = f"Mancanti: {lacking}, non trovati nei giri consentiti."
        parts.append(_said(language, italian, f"Missing: {lacking}, not found within the rounds allowed."))
    return " ".join(parts)

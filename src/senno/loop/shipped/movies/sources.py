"""Where the facts come from: the catalogue, and the web (Tavily) where TAVILY_API_KEY is set."""

import os
from typing import Any

import httpx2

from senno.errors import SennoError
from senno.loop import Evidence

from .catalogue import Film, catalogue, stems

RESULTS = 3
"""Results of one search."""
TAVILY = "https://api.tavily.com/search"
TIMEOUT = 20.0
"""Seconds."""


class SearchError(SennoError):
    """The web search did not answer."""


def search_films(query: str) -> list[Evidence]:
    """Search for a film and for what it is about. Name the film and the criteria in one query."""
    return (
        web(query)
        if os.environ.get("TAVILY_API_KEY")
        else [known(f, "en") for f in catalogue().search(stems(query), RESULTS)]
    )


def evidence(request: dict[str, Any], item: dict[str, Any]) -> list[Evidence]:
    """What the sources say of one film: looked up for existence and for the user's criteria at once."""
    title, year, language = str(item.get("title", "")), item.get("year"), str(request.get("language", "en"))
    found = [
        known(film, language) for film in sorted(catalogue().titled(title), key=lambda f: f.year != year)[:RESULTS]
    ]
    if os.environ.get("TAVILY_API_KEY"):
        return found + web(f'"{title}" {year} film {request.get("query_info", "")}')
    if not found:
        says = f"No film titled {title!r} among the {len(catalogue().films)} of the catalogue, which is not complete."
        found = [Evidence(source="catalogue", says=says, data={"kind": "nothing"}, supports=False)]
    return found


def known(film: Film, language: str) -> Evidence:
    """A film of the catalogue as evidence."""
    data = {"kind": "film", "title": film.title, "year": film.year}
    return Evidence(source=f"catalogue: {film.title} ({film.year})", says=film.described(language), data=data)


def web(query: str) -> list[Evidence]:
    """Results of Tavily's search API for a query (at most 400 characters of it).

    Raises:
        SearchError: it did not answer, twice, or not in the form that its documentation gives.
    """
    body = {"query": query[:400], "max_results": RESULTS, "search_depth": "basic"}
    headers = {"Authorization": f"Bearer {os.environ['TAVILY_API_KEY']}"}
    problem = ""
    for _ in range(2):
        try:
            answer = httpx2.post(TAVILY, json=body, headers=headers, timeout=TIMEOUT)
            answer.raise_for_status()
            results = answer.json()["results"]
            return [
                Evidence(source=str(r["url"]), says=f"{r['title']}: {r['content']}", data={"kind": "web"})
                for r in results[:RESULTS]
            ]
        except httpx2.HTTPError as error:
            problem = f"{type(error).__name__}: {error}"
        except (ValueError, KeyError, TypeError) as error:
            problem = f"an answer of another form ({type(error).__name__}: {error})"
    raise SearchError(f"Tavily's search failed: {problem}. Unset TAVILY_API_KEY to use the catalogue alone")

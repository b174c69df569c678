"""What a model wants to read before a text, by the family that its name tells."""

from __future__ import annotations

import re
from dataclasses import dataclass

_SEARCHING = "Represent this sentence for searching relevant passages: "


@dataclass(frozen=True, slots=True)
class Prefixes:
    """What stands before a text that is looked through, and before one that is looked for."""

    passage: str = ""
    query: str = ""


_FAMILIES = (
    # The instructed models of e5 take a sentence of the user's instead, and nothing before a passage.
    (re.compile(r"(?<![a-z0-9])e5(?![a-z0-9])(?!.*(instruct|mistral))"), Prefixes("passage: ", "query: ")),
    (re.compile(r"nomic-embed-text"), Prefixes("search_document: ", "search_query: ")),
    (re.compile(r"embedding-?gemma"), Prefixes("title: none | text: ", "task: search result | query: ")),
    (re.compile(r"arctic-embed(2|.*v2)"), Prefixes(query="query: ")),
    (re.compile(r"arctic-embed|mxbai-embed|(?<![a-z0-9])bge-(small|base|large)-en"), Prefixes(query=_SEARCHING)),
)
"""As the cards of the models have it: e5, nomic-embed-text, EmbeddingGemma, Arctic Embed, mxbai-embed, English bge."""


def prefixes(model: str) -> Prefixes:
    """The prefixes of a model; none for one of no known family.

    Args:
        model: its name, or the folder that it is in: the last part tells.
    """
    last = re.split(r"[/\\]", model.rstrip("/\\"))[-1].lower().replace("_", "-")
    return next((found for pattern, found in _FAMILIES if pattern.search(last)), Prefixes())

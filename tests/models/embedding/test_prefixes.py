from __future__ import annotations

import pytest

from senno.models.embedding.prefixes import Prefixes, prefixes

E5 = Prefixes("passage: ", "query: ")
NOMIC = Prefixes("search_document: ", "search_query: ")
SEARCHING = Prefixes("", "Represent this sentence for searching relevant passages: ")


@pytest.mark.parametrize(
    ("model", "expected"),
    [
        ("intfloat/multilingual-e5-small", E5),
        ("E5_base_v2", E5),
        ("jeffh/intfloat-multilingual-e5-large:f16", E5),
        ("/models/intfloat/e5-base/", E5),
        ("C:\\models\\e5-base", E5),
        ("multilingual-e5-large-instruct", Prefixes()),
        ("e5-mistral-7b-instruct", Prefixes()),
        ("gte5-base", Prefixes()),
        ("nomic-embed-text", NOMIC),
        ("nomic-ai/nomic-embed-text-v1.5", NOMIC),
        ("embeddinggemma:300m", Prefixes("title: none | text: ", "task: search result | query: ")),
        ("mxbai-embed-large", SEARCHING),
        ("BAAI/bge-small-en-v1.5", SEARCHING),
        ("bge-m3", Prefixes()),
        ("snowflake-arctic-embed:33m", SEARCHING),
        ("snowflake-arctic-embed2", Prefixes("", "query: ")),
        ("Snowflake/snowflake-arctic-embed-l-v2.0", Prefixes("", "query: ")),
        ("text-embedding-3-small", Prefixes()),
        ("e5/other-model", Prefixes()),
    ],
)
def test_a_model_is_given_what_its_family_wants_to_read_first(model, expected) -> None:
    assert prefixes(model) == expected

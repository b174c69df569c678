"""The sets under bench/recall_sets are what their README says."""

from __future__ import annotations

import json
import re
from collections import Counter
from functools import cache
from pathlib import Path

import pytest
import Stemmer

SETS = Path(__file__).parents[2] / "bench" / "recall_sets"
ITALIAN, CROSS = "italian.jsonl", "cross_language.jsonl"
LESSON_KEYS = ["kind", "id", "topic", "language", "department", "task_type", "outcome", "what", "why", "rule"]
QUERY_KEYS = ["kind", "id", "topic", "language", "text"]
MOST_OVERLAP = 0.5

FUNCTION_WORDS = {
    "it": """
        a ad al allo alla ai agli alle all da dal dallo dalla dai dagli dalle dall di del dello della dei degli delle
        dell d in nel nello nella nei negli nelle nell su sul sullo sulla sui sugli sulle sull con per tra fra il lo la
        i gli le l un uno una e ed o od ma se che chi cui non né come dove quando quanto quanta quanti quante quale
        quali perché anche già più meno solo ogni ci vi si mi ti ne c s m io tu lui lei noi voi loro suo sua suoi sue
        nostro nostra nostri nostre mio mia questo questa questi queste quello quella quelli quelle ciò è sono era
        erano essere sia ha ho hanno aveva avere abbiamo ecco poi così entro senza fa finché
    """,
    "en": """
        a an the and or but if of to in on at by for from with without into out off over as than that this these those
        it its he she him her his they them their we us our you your i me my mine who whom which what when where why
        how is are was were be been being am do does did done has have had having not no nor so too can could will
        would shall should may might must there here then some any all each both about
    """,
}


@cache
def rows(name):
    return [json.loads(line) for line in (SETS / name).read_text(encoding="utf-8").splitlines()]


def lessons(name):
    return [row for row in rows(name) if row["kind"] == "lesson"]


def queries(name):
    return [row for row in rows(name) if row["kind"] == "query"]


def relevant(name, query):
    """The lessons that answer `query`: of its topic, in the language it is asked over."""
    language = query.get("over", query["language"])
    return [row for row in lessons(name) if row["topic"] == query["topic"] and row["language"] == language]


def reflection(lesson):
    return " ".join((lesson["what"], lesson["why"], lesson["rule"]))


def content_words(text, language):
    """Stems of the words that carry meaning; numbers count as words."""
    stemmer = Stemmer.Stemmer({"it": "italian", "en": "english"}[language])
    stopped = set(FUNCTION_WORDS[language].split())
    return {stemmer.stemWord(word) for word in re.findall(r"[^\W_]+", text.casefold()) if word not in stopped}


def overlap(query, lesson):
    """The share of the content words of `query` that `lesson` has too."""
    asked = content_words(query["text"], query["language"])
    return len(asked & content_words(reflection(lesson), lesson["language"])) / len(asked)


@pytest.mark.parametrize(
    ("name", "languages", "asked"),
    [(ITALIAN, {"it": 135}, {("it", None): 45}), (CROSS, {"it": 135, "en": 135}, {("it", "en"): 45, ("en", "it"): 45})],
)
def test_counts_are_those_of_the_readme(name, languages, asked):
    assert Counter(row["language"] for row in lessons(name)) == languages
    assert Counter((row["language"], row.get("over")) for row in queries(name)) == asked


@pytest.mark.parametrize("name", [ITALIAN, CROSS])
def test_rows_have_the_declared_keys_and_no_empty_value(name):
    extra = ["over"] if name == CROSS else []
    assert {row["kind"] for row in rows(name)} == {"lesson", "query"}
    for row in rows(name):
        assert list(row) == (LESSON_KEYS if row["kind"] == "lesson" else QUERY_KEYS + extra), row["id"]
        assert all(isinstance(value, str) and value == value.strip() != "" for value in row.values()), row["id"]


@pytest.mark.parametrize("name", [ITALIAN, CROSS])
def test_ids_and_texts_are_unique(name):
    for values in (
        [row["id"] for row in rows(name)],
        [reflection(row) for row in lessons(name)],
        [row["text"] for row in queries(name)],
    ):
        assert [value for value, times in Counter(values).items() if times > 1] == []


def test_the_italian_texts_are_the_same_in_both_sets():
    cross = {row["id"]: {key: row[key] for key in row if key != "over"} for row in rows(CROSS)}
    assert [row["id"] for row in rows(ITALIAN) if cross.get(row["id"]) != row] == []


@pytest.mark.parametrize("name", [ITALIAN, CROSS])
def test_every_query_has_three_relevant_lessons_and_six_near_ones(name):
    for query in queries(name):
        found = relevant(name, query)
        kind, language = found[0]["task_type"], found[0]["language"]
        near = [row for row in lessons(name) if (row["task_type"], row["language"]) == (kind, language)]
        assert (len(found), len(near) - len(found)) == (3, 6), query["id"]


@pytest.mark.parametrize("name", [ITALIAN, CROSS])
def test_reflections_have_forty_to_ninety_words_and_a_known_outcome(name):
    for row in lessons(name):
        assert 40 <= len(reflection(row).split()) <= 90, row["id"]
        assert row["outcome"] in {"success", "partial", "failure"}, row["id"]


@pytest.mark.parametrize("name", [ITALIAN, CROSS])
def test_no_query_shares_more_than_half_of_its_content_words_with_a_relevant_lesson(name):
    shared = {
        (query["id"], lesson["id"]): overlap(query, lesson)
        for query in queries(name)
        for lesson in relevant(name, query)
    }
    assert {pair: share for pair, share in shared.items() if share > MOST_OVERLAP} == {}


def test_overlap_counts_inflected_forms_and_leaves_function_words_out():
    query = {"text": "La fattura dell'albergo è pronta", "language": "it"}
    lesson = {"what": "Le fatture", "why": "degli alberghi", "rule": "la è.", "language": "it"}
    assert overlap(query, lesson) == pytest.approx(2 / 3)

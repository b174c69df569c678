"""Rows of vectors, their sums and their codes."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lesson_drafts import Clock, numbered
from senno.lessons import Store
from senno.lessons.search import Index, Where, vectors
from senno.lessons.search.codes import Codes
from senno.lessons.search.vectors import sums
from words_embedder import WordsEmbedder


@given(st.integers(0, 383), st.integers(0, 31))
def test_any_bit_of_a_row_changes_its_sum(at, bit):
    rows = np.random.default_rng(1).normal(size=(2, 384)).astype(np.float32)
    before = sums(rows)
    rows.view(np.uint32)[1, at] ^= np.uint32(1 << bit)
    after = sums(rows)
    assert after[0] == before[0]
    assert after[1] != before[1]


def unit(rows):
    return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)


@pytest.mark.parametrize("size", [32, 64, 100, 384])
def test_codes_find_what_is_near(size):
    rng = np.random.default_rng(2)
    centres = rng.normal(size=(200, size))
    rows = unit(3 + centres[rng.integers(200, size=20_000)] + 0.3 * rng.normal(size=(20_000, size)))
    codes = Codes(size)
    for start in range(0, len(rows), 7_000):
        codes.add(rows[start : start + 7_000])
    shares = []
    for _ in range(10):
        query = unit(rows[rng.integers(len(rows))][None] + 0.02 * rng.normal(size=(1, size)))[0]
        exact = np.argsort(-(rows @ query))[:20]
        found = codes.nearest(query, np.arange(len(rows)), 2000)
        assert len(found) == 2000
        shares.append(len(set(exact) & set(found)) / 20)
    assert np.mean(shares) > 0.95


def test_with_codes_the_answers_are_those_of_the_whole_scan(tmp_path, monkeypatch):
    store = Store.open(tmp_path / "memory", Clock())
    for _ in store.add_many(numbered(n, department=f"d{n % 2}") for n in range(60)):
        pass
    index = Index.open(store.root, WordsEmbedder())
    index.embed_pending()
    query = WordsEmbedder().query("Parameter p7 went out with value v7.")
    places = [Where(), Where(departments=frozenset({"d1"})), Where(departments=frozenset())]

    def asked(one):
        return [
            [(one.entries([h.key])[h.key].id, round(h.score, 5)) for h in one.dense(query, 9, where)]
            for where in places
        ]

    exact = asked(index)
    ids = index.ids()[:3]
    some = [index.vectors([index.key(one)])[index.key(one)] for one in ids]
    index.close()
    monkeypatch.setattr(vectors, "IN_MEMORY", 40)
    by_codes = Index.open(store.root, WordsEmbedder())
    assert asked(by_codes) == exact
    for one, row in zip(ids, some, strict=True):
        key = by_codes.key(one)
        assert np.array_equal(by_codes.vectors([key])[key], row)
    for _ in store.add_many(numbered(n) for n in range(60, 70)):
        pass
    by_codes.refresh()
    by_codes.embed_pending()
    fresh = by_codes.lexical("p65", 1, Where())[0].key
    assert by_codes.dense(by_codes.vectors([fresh])[fresh], 1, Where())[0].key == fresh
    by_codes.close()


def test_two_processes_that_make_vectors_at_once_make_each_once(tmp_path):
    store = Store.open(tmp_path / "memory", Clock())
    for _ in store.add_many(numbered(n) for n in range(30)):
        pass
    one, other = (Index.open(store.root, WordsEmbedder()) for _ in range(2))
    made = 0
    while one.pending() or other.pending():
        made += one.embed_pending(8) + other.embed_pending(8)
        one.refresh()
        other.refresh()
    assert made == 30
    query = WordsEmbedder().query("p3")
    assert [hit.score for hit in one.dense(query, 30, Where())] == [
        hit.score for hit in other.dense(query, 30, Where())
    ]
    assert len(one.dense(query, 50, Where())) == 30
    one.close()
    other.close()


def test_a_process_sees_the_vectors_that_another_made(tmp_path):
    store = Store.open(tmp_path / "memory", Clock())
    store.add(numbered(1))
    reader, maker = Index.open(store.root, WordsEmbedder()), Index.open(store.root, WordsEmbedder())
    query = WordsEmbedder().query("p1")
    assert reader.dense(query, 5, Where()) == []
    maker.embed_pending()
    assert len(reader.dense(query, 5, Where())) == 1
    store.add(numbered(2))
    reader.refresh()
    assert len(reader.dense(query, 5, Where())) == 1
    maker.embed_pending()
    reader.refresh()
    assert len(reader.dense(query, 5, Where())) == 2
    assert reader.notes == ()
    reader.close()
    maker.close()

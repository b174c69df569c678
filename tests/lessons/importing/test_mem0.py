"""Exports of mem0 as drafts."""

import json
from datetime import UTC, datetime

import pytest

from lesson_drafts import Clock
from senno.lessons import Store
from senno.lessons.importing import Bad, from_mem0

MEMORY = {
    "id": "892db2ae-06d9-49e5-8b3e-585ef9b85b8e",
    "memory": "The invoices of Helvetia are in Swiss francs. Always read the currency from the header.",
    "hash": "285d07801ae42054732314853e9eadd7",
    "metadata": {"source": "chat"},
    "categories": ["finance"],
    "created_at": "2026-06-01T08:26:45.123456-07:00",
    "updated_at": None,
    "user_id": "anna",
    "agent_id": "clerk",
}


@pytest.fixture
def read(tmp_path):
    def run(value, name="memories.json"):
        file = tmp_path / name
        file.write_text(value if isinstance(value, str) else json.dumps(value), encoding="utf-8")
        return list(from_mem0(file, "finance"))

    return run


@pytest.mark.parametrize(
    ("value", "name"),
    [
        ({"results": [MEMORY], "relations": []}, "memories.json"),
        ({"count": 1, "next": None, "previous": None, "results": [MEMORY]}, "memories.json"),
        ({"memories": [MEMORY]}, "memories.json"),
        ([MEMORY], "memories.json"),
        (json.dumps(MEMORY) + "\n", "memories.jsonl"),
        (json.dumps(MEMORY) + "\n", "MEMORIES.JSONL"),
    ],
)
def test_a_memory_is_the_rule_of_a_lesson(read, value, name):
    (draft,) = read(value, name)
    assert draft.why == "The invoices of Helvetia are in Swiss francs."
    assert draft.rule == "Always read the currency from the header."
    assert (draft.outcome, draft.department, draft.agent) == ("partial", "finance", "clerk")
    assert draft.tags == ("imported", "mem0", "finance", "user:anna")
    assert draft.created_at == datetime(2026, 6, 1, 15, 26, 45, 123456, tzinfo=UTC)


def test_a_memory_in_the_form_of_openmemory_has_its_moment_in_seconds(read):
    (draft,) = read([{"id": "1", "content": "x", "text": "Always ask first.", "created_at": 1_769_850_000}])
    assert draft.created_at == datetime(2026, 1, 31, 9, tzinfo=UTC)


def test_what_is_no_memory_is_named_and_the_others_are_read(read):
    first, second, third = read([{"id": "1", "memory": " "}, MEMORY, "text"])
    assert isinstance(first, Bad)
    assert "no memory" in first.problem
    assert not isinstance(second, Bad)
    assert isinstance(third, Bad)


def test_memories_of_one_user_do_not_replace_each_other_and_a_changed_one_replaces_itself(tmp_path, read):
    store = Store.open(tmp_path / "memory", Clock())
    other = {**MEMORY, "id": "other", "memory": "Anna prefers answers in Italian, so write to her in Italian."}
    changed = {**MEMORY, "memory": "The invoices of Helvetia are in euro since June. Ask where the header says francs."}
    stored = [store.add(draft) for value in ([MEMORY, other], [changed, other]) for draft in read(value)]
    assert [one.stored for one in stored] == ["new", "new", "new", "there"]
    first, second, third = (one.lesson for one in stored[:3])
    assert (first.supersedes, second.supersedes, third.supersedes) == (None, None, first.id)

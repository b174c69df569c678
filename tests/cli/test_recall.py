"""`senno recall`, `senno lessons search`, `senno reindex`."""

import hashlib
import json
import shutil
from pathlib import Path

import pytest

from words_embedder import WordsEmbedder

TASK = "Sum up the Swiss invoices by currency"


@pytest.fixture(autouse=True)
def _small_embedder(monkeypatch):
    monkeypatch.setattr("senno.lessons.agent.embedder", lambda *_, **__: WordsEmbedder())
    monkeypatch.setenv("SENNO_RECALL_FLOOR", "-1")


@pytest.fixture
def two(senno):
    """Two lessons; the id of the first."""
    ids = []
    for task, rule in (
        ("T-1", "Read the currency of Swiss invoices from the header."),
        ("T-2", "Give the date format."),
    ):
        texts = ["--what", f"{task} was wrong", "--why", f"The header of {task} was cut off", "--rule", rule]
        added = senno("lessons", "add", "--task-id", task, "--outcome", "failure", *texts, "--json").json
        ids.append(added["lesson"]["id"])
    return ids


def events(kind):
    files = Path("memory/events").glob("*.jsonl")
    rows = [json.loads(line) for file in files for line in file.read_text("utf-8").splitlines()]
    return [row for row in rows if row["type"] == kind]


def test_the_block_is_on_stdout_and_the_recall_in_the_log(senno, two):
    ran = senno("recall", TASK, "--task-id", "T-9", "--type", "reconcile", "--agent", "bot")
    assert ran.code == 0
    assert ran.out.startswith("<senno:lessons recall=")
    assert "Read the currency of Swiss invoices" in ran.out
    (event,) = events("recall")
    assert (event["task_id"], event["lessons"][0], event["agent"]) == ("T-9", two[0], "bot")


def test_a_dry_run_records_nothing(senno, two):
    assert senno("recall", TASK, "--dry-run").code == 0
    assert events("recall") == []


def test_why_says_what_each_stage_made_of_each_lesson(senno, two):
    ran = senno("recall", TASK, "--why", "--dry-run")
    assert f"1. {two[0]}" in ran.out
    for word in ("words 1", "dense", "fused", "mmr", "cosine", "of the task's words", "no reranker is configured"):
        assert word in ran.out


def test_json_has_all_of_it(senno, two):
    found = senno("recall", TASK, "--json", "--dry-run").json
    first = found["lessons"][0]
    assert (first["lesson"]["id"], first["shown"]) == (two[0], True)
    assert first["why"]["stages"]["words"]["rank"] == 1
    assert {stage["name"] for stage in found["stages"]} == {"words", "dense", "feedback", "mmr", "rerank"}
    assert found["block"].startswith("<senno:lessons")


def test_the_task_may_come_from_a_file_or_from_standard_input(senno, two):
    Path("task.txt").write_text(TASK, encoding="utf-8")
    by_file = senno("recall", "--file", "task.txt", "--json", "--dry-run").json
    by_stdin = senno("recall", "--file", "-", "--json", "--dry-run", stdin=TASK.encode()).json
    assert [one["lesson"]["id"] for one in by_file["lessons"]] == [one["lesson"]["id"] for one in by_stdin["lessons"]]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "give the task"),
        (["a task", "--file", "x"], "give the task"),
        (["  "], "the task is empty"),
        (["a task", "--limit", "0"], "0 is not in the range"),
        (["a task", "--tokens", "10"], "10 is not in the range"),
        (["--file", "nowhere.txt"], "nowhere.txt"),
    ],
)
def test_bad_usage_is_said(senno, arguments, message):
    ran = senno("recall", *arguments)
    assert (ran.code, ran.out) == (2, "")
    assert message in ran.err


def test_an_empty_store_is_no_error(senno):
    ran = senno("recall", TASK)
    assert (ran.code, ran.out) == (0, "")
    assert "no lesson here is relevant enough" in ran.err


def test_a_department_reads_its_own(senno):
    for name in ("finance", "sales"):
        texts = [
            "--what",
            f"{name} x",
            "--why",
            f"because {name} y",
            "--rule",
            f"Swiss invoices of {name} need care z{name}",
        ]
        senno("lessons", "add", "--task-id", name, "--outcome", "failure", "--department", name, *texts)
    own = senno("recall", TASK, "--department", "sales", "--json").json
    assert [one["lesson"]["department"] for one in own["lessons"]] == ["sales"]
    assert len(senno("recall", TASK, "--json").json["lessons"]) == 2


def test_search_finds_whatever_the_relevance_and_records_nothing(senno, two):
    ran = senno("lessons", "search", "header", "--json")
    assert {one["lesson"]["id"] for one in ran.json["lessons"]} == set(two)
    assert events("recall") == []
    assert senno("lessons", "search", " ").code == 2
    assert two[0] in senno("lessons", "search", "currency").out


def digests(root):
    files = [p for p in root.rglob("*") if p.name == "index.db" or p.suffix == ".f32"]
    return sorted((p.name, hashlib.sha256(p.read_bytes()).hexdigest()) for p in files)


def test_reindex_gives_the_same_bytes_here_and_on_a_copy(senno, two, machine, monkeypatch):
    senno("recall", TASK, "--task-id", "T-9")
    assert senno("reindex", "--json").json["vectors_missing"] == 0
    first = digests(machine / "memory")
    assert len(first) == 2
    senno("lessons", "reindex")
    assert digests(machine / "memory") == first
    copy = machine.parent / "copy"
    shutil.copytree(machine / "memory", copy / "memory", ignore=shutil.ignore_patterns(".index"))
    monkeypatch.chdir(copy)
    senno("reindex")
    assert digests(copy / "memory") == first


def test_the_index_may_be_deleted_at_any_time(senno, two):
    shutil.rmtree("memory/.index")
    found = senno("recall", TASK, "--json", "--dry-run").json
    assert found["lessons"][0]["lesson"]["id"] == two[0]

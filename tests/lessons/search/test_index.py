"""The index follows files and log.

A number in the name of a test is that of a group of faults which users of other memories reported: 3 what cannot be
read is taken for deleted · 5 what is deleted is still recalled · 6 parts of it stay in derived tables · 8 a deprecated
lesson blocks the same one from coming back · 9 a number that is used again loses another's vector · 11 a busy database
fails at once · 20 another embedder gives nothing, in silence · 21 the end of a long text is not found · 25 dates ·
27 line ends · 28 languages · 29 halves of surrogate pairs.
"""

import os
import shutil
import threading

import apsw
import numpy as np
import pytest

from index_dump import database, dump
from lesson_drafts import Clock, draft, lesson, numbered
from senno.lessons import DeprecatedEvent, RecallEvent, Store
from senno.lessons.document import to_text
from senno.lessons.search import Index, Where, passage_text
from words_embedder import WordsEmbedder

ALL = Where()


@pytest.fixture
def store(tmp_path):
    made = Store.open(tmp_path / "memory", Clock())
    made.add(numbered(0))
    return made


@pytest.fixture
def index(store):
    made = Index.open(store.root, WordsEmbedder())
    yield made
    made.close()


def found(index, text, where=ALL):
    return [index.entries([hit.key])[hit.key].id for hit in index.lexical(text, 50, where)]


def same_as_rebuilt(root):
    before = dump(root)
    fresh = root.with_name("fresh")
    shutil.copytree(root, fresh, ignore=shutil.ignore_patterns(".index"))
    index = Index.open(fresh, WordsEmbedder())
    index.embed_pending()
    index.close()
    after = dump(fresh)
    shutil.rmtree(fresh)
    return before == after


def recall_of(*ids):
    return RecallEvent(
        recall_id="r", task_id="t", task_type="", department="", agent="", lessons=ids, tokens=0, seconds=0.0
    )


def test_what_is_added_is_found_by_others_at_once(store, index):
    added = store.add(numbered(7)).lesson
    index.refresh()
    (hit, *_) = index.lexical("parameter p7", 5, ALL)
    assert index.lesson(hit.key) == added
    entry = index.entries([hit.key])[hit.key]
    assert (entry.id, entry.path, entry.created_at) == (added.id, added.path, added.created_at)


def test_a_file_that_a_person_wrote_is_found(store, index):
    own = lesson(id="own", path="", rule="Water the ficus on Mondays.")
    path = store.root / "reflexions" / "2026-11" / "30-own.md"
    path.write_text(to_text(own), encoding="utf-8")
    index.refresh()
    assert found(index, "ficus") == ["own"]


def test_what_is_changed_in_place_is_found_by_a_deep_look_and_never_shown_stale(store, index):
    made = store.add(numbered(1)).lesson
    index.refresh()
    file = store.root / made.path
    key = index.key(made.id)
    stamp = file.stat()
    text = file.read_text(encoding="utf-8").replace("Set p1 to w1 before e1.", "Set q1 to w1 before e1.")
    with file.open("r+", encoding="utf-8") as opened:  # the same inode and size; the time of the content set back
        opened.write(text)
    os.utime(file, ns=(stamp.st_atime_ns, stamp.st_mtime_ns))
    assert index.lesson(key).rule == "Set q1 to w1 before e1."
    assert found(index, "q1") == [made.id]
    index.refresh(deep=True)
    assert same_as_rebuilt(store.root) or index.embed_pending()
    assert same_as_rebuilt(store.root)


@pytest.mark.parametrize("how", ["delete", "move", "rename", "folder"])
def test_5_6_what_is_deleted_or_moved_leaves_nothing_behind(store, how, tmp_path):
    made = [store.add(numbered(n)).lesson for n in range(1, 4)]
    first = Index.open(store.root, WordsEmbedder())
    first.embed_pending()
    first.close()
    file = store.root / made[1].path
    if how == "delete":
        file.unlink()
    elif how == "move":
        (store.root / "reflexions" / "2027-01").mkdir()
        file.rename(store.root / "reflexions" / "2027-01" / file.name)
    elif how == "rename":
        file.rename(file.with_name("30-other.md"))
    else:
        shutil.rmtree(file.parent)
    index = Index.open(store.root, WordsEmbedder())  # a process that only ever sees the deletion
    there = found(index, "p2")
    assert (made[1].id in there) == (how in ("move", "rename"))
    assert index.pending() == 0, "a lesson that moves keeps its vector"
    vector = WordsEmbedder().query(passage_text(made[1]))
    assert (index.key(made[1].id) in [hit.key for hit in index.dense(vector, 9, ALL)]) == (how in ("move", "rename"))
    index.close()
    assert same_as_rebuilt(store.root)


def test_5_what_is_deleted_while_the_cache_of_file_times_is_lost_is_found_missing(store):
    made = store.add(numbered(1)).lesson
    Index.open(store.root).close()
    for file in (store.root / ".index").rglob("seen*.json"):
        file.unlink()
    (store.root / made.path).unlink()
    index = Index.open(store.root)
    assert found(index, "p1") == []
    assert len(index) == 1
    index.close()


@pytest.mark.parametrize("deep", [True, False])
def test_5_what_was_deleted_before_anybody_looked_at_its_folder_leaves_no_ghost(store, index, deep):
    made = [store.add(numbered(n)).lesson for n in range(1, 4)]
    index.add([made[0].path])
    for one in made[:2]:
        (store.root / one.path).unlink()
    index.refresh(deep=deep)
    assert (len(index), found(index, "p1"), found(index, "p2")) == (2, [], [])
    index.embed_pending()
    assert same_as_rebuilt(store.root)


def test_5_a_lesson_that_is_gone_is_not_shown_even_before_a_look_around(store, index):
    made = store.add(numbered(1)).lesson
    index.refresh()
    key = index.key(made.id)
    (store.root / made.path).unlink()
    assert index.lesson(key) is None
    assert index.entries([key]) == {}


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads everything")
def test_3_a_folder_without_permission_is_no_deletion(store, index):
    folder = store.root / "reflexions" / "2026-11"
    folder.chmod(0)
    try:
        index.refresh(deep=True)
    finally:
        folder.chmod(0o755)
    assert len(index) == 1


@pytest.mark.parametrize("what", ["folder", "root", "file"])
def test_3_what_cannot_be_looked_at_is_no_deletion(store, index, monkeypatch, what):
    made = store.add(numbered(1)).lesson
    index.refresh()
    scandir, stat = os.scandir, type(store.root).stat
    refused = {"folder": "2026-11", "root": "reflexions", "file": made.path.name}[what]

    def no_entry(path="."):
        if str(path).endswith(refused):
            raise PermissionError(13, "Permission denied", str(path))
        return scandir(path)

    def no_stat(self, **more):
        if self.name == refused:
            raise PermissionError(13, "Permission denied", str(self))
        return stat(self, **more)

    monkeypatch.setattr(os, "scandir", no_entry)
    if what == "file":
        (store.root / made.path).write_bytes(b"changed")
        monkeypatch.setattr(type(store.root), "stat", no_stat)
    index.refresh(deep=True)
    assert len(index) == 2
    assert any("cannot be read (Permission denied)" in note for note in index.notes)
    monkeypatch.undo()
    index.refresh(deep=True)
    assert not any("cannot be read" in note for note in index.notes)


def test_a_file_that_no_longer_parses_is_set_aside_and_comes_back(store, index):
    made = store.add(numbered(1)).lesson
    index.refresh()
    file = store.root / made.path
    whole = file.read_bytes()
    file.write_bytes(b"---\noutcome: [\n")
    index.refresh(deep=True)
    assert found(index, "p1") == []
    assert any("1 file is no lesson" in note for note in index.notes)
    file.write_bytes(whole)
    index.refresh(deep=True)
    assert found(index, "p1") == [made.id]
    assert not any("no lesson" in note for note in index.notes)


def test_of_two_files_with_one_id_the_first_by_path_is_the_lesson_as_in_a_scan(store, index):
    made = store.add(numbered(1)).lesson
    index.refresh()
    file = store.root / made.path
    before, after = file.with_name("01-a.md"), file.with_name("31-z.md")
    for copy in (after, before):
        shutil.copy(file, copy)
        index.refresh()
        (path,) = [one.path for one in store.scan().lessons if one.id == made.id]
        assert index.entries([index.key(made.id)])[index.key(made.id)].path == path
    assert len(index.starting_with(made.id)) == 3
    for gone in (before, file):
        gone.unlink()
        index.refresh()
        (path,) = [one.path for one in store.scan().lessons if one.id == made.id]
        assert index.entries([index.key(made.id)])[index.key(made.id)].path == path
    index.embed_pending()
    assert same_as_rebuilt(store.root)


def test_8_what_a_review_took_out_is_not_found_and_may_be_learned_again(store, index):
    made = store.add(numbered(1)).lesson
    store.events.append(DeprecatedEvent(lesson_id=made.id, reason="obsolete", by="ann"))
    index.refresh()
    index.embed_pending()
    vector = WordsEmbedder().query(passage_text(made))
    assert found(index, "p1") == []
    assert index.key(made.id) not in [hit.key for hit in index.dense(vector, 9, ALL)]
    assert found(index, "p1", Where(deprecated=True)) == [made.id]
    again = store.add(numbered(1))
    assert again.stored == "new"
    index.refresh()
    assert found(index, "p1") == [again.lesson.id]


def test_9_a_key_is_never_given_to_another_lesson(store, index):
    made = store.add(numbered(1)).lesson
    index.refresh()
    key = index.key(made.id)
    (store.root / made.path).unlink()
    index.refresh()
    other = store.add(numbered(2)).lesson
    index.refresh()
    assert index.key(other.id) != key
    assert index.entries([key]) == {}


def test_a_lesson_whose_frontmatter_changes_keeps_its_key_and_its_vector(store, index):
    made = store.add(numbered(1)).lesson
    index.refresh()
    index.embed_pending()
    key = index.key(made.id)
    store.rewrite_frontmatter(made.id, {"tags": ("dates",)})
    index.refresh()
    assert index.key(made.id) == key
    assert found(index, "dates") == [made.id]
    assert index.pending() == 0
    assert same_as_rebuilt(store.root)


def test_departments_are_kept_apart(store, index):
    sales = store.add(draft(department="sales", task_id="a")).lesson
    finance = store.add(draft(department="finance", task_id="b")).lesson
    index.refresh()
    index.embed_pending()
    vector = WordsEmbedder().query("locale")
    for names, expected in (
        ({"sales"}, {sales.id}),
        ({"finance"}, {finance.id}),
        ({"sales", "finance"}, {sales.id, finance.id}),
        ({"x"}, set()),
        (set(), set()),
    ):
        where = Where(departments=frozenset(names))
        assert set(found(index, "locale", where)) == expected
        keys = [hit.key for hit in index.dense(vector, 9, where)]
        assert {entry.id for entry in index.entries(keys).values()} == expected


def test_most_retrieved_first(store, index):
    a, b = (store.add(numbered(n)).lesson for n in (1, 2))
    for ids in ((b.id,), (b.id, a.id), (b.id, b.id)):
        store.events.append(recall_of(*ids))
    index.refresh()
    assert index.top_retrieved(ALL, 2) == [index.key(b.id), index.key(a.id)]
    assert [index.entries([key])[key].retrieval_count for key in index.top_retrieved(ALL, 3)] == [3, 1, 0]


def test_21_a_text_of_megabytes_is_found_to_its_end(store, index):
    body = "word and other words. " * 90_000
    store.add(draft(what=f"{body} zanzibarquux"))
    index.refresh()
    assert len(found(index, "zanzibarquux")) == 1


@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        '"',
        "'",
        "* OR NOT (",
        'NEAR("a" "b", 3)',
        "rule: ^p1",
        "{rule}: p1",
        "-p1",
        "\0",
        "\ud800",
        "\ud83d\ude00",
        "%_",
        "a" * 2_000_000,
        "p1 " * 700_000,
        "日" * 500_000,
    ],
)
def test_29_no_query_is_an_error(store, index, text):
    where = Where(departments=frozenset({text[:50], ""}))
    index.lexical(text, 5, ALL)
    index.lexical(text, 5, where)
    assert index.coverage(text, [0, 99])[99] == 0
    assert index.key(text[:50]) is None
    assert index.starting_with(f"{text[:50]}x") == []
    assert index.of_task(text[:50], "x") == []


def test_25_dates_with_any_offset_are_one_moment(store, index):
    text = to_text(lesson(id="own", path="", rule="Water the ficus."))
    path = store.root / "reflexions" / "2026-11" / "30-own.md"
    path.write_text(text.replace("2026-11-30T12:00:00Z", "2026-11-30T15:00:00+03:00"), encoding="utf-8")
    index.refresh()
    key = index.key("own")
    assert index.entries([key])[key].created_at.isoformat() == "2026-11-30T12:00:00+00:00"


def test_27_marks_and_line_ends_of_other_systems_are_read(store, index):
    text = to_text(lesson(id="own", path="", rule="Water\u2028the ficus.")).replace("\n", "\r\n")
    (store.root / "reflexions" / "2026-11" / "30-own.md").write_bytes(b"\xef\xbb\xbf" + text.encode("utf-8"))
    index.refresh()
    assert found(index, "ficus") == ["own"]


@pytest.mark.parametrize(
    ("rule", "query"),
    [
        ("Controlla la valuta delle fatture svizzere prima di registrarle.", "valute fattura"),
        ("数据库连接超时时要重试。", "数据库"),
        ("データベースの接続を確認する。", "接続"),
        ("머리글에서 청구서의 통화를 읽으십시오.", "청구서 통화"),
        ("ตรวจสอบฐานข้อมูลก่อนเสมอ", "ฐานข้อมูล"),
        ("Проверяйте валюту счетов.", "валюта счёта"),
        ("चालान की मुद्रा जाँचें", "मुद्रा"),
    ],
)
def test_28_lessons_in_any_language_are_found_by_words(store, index, rule, query):
    own = lesson(id="own", path="", what=rule, why=rule, rule=rule)
    (store.root / "reflexions" / "2026-11" / "30-own.md").write_text(to_text(own), encoding="utf-8")
    index.refresh()
    assert found(index, query)[0] == "own"


def test_11_a_writer_is_waited_for(store, index):
    store.add(numbered(1))
    other = apsw.Connection(str(database(store.root)))
    other.execute("BEGIN IMMEDIATE")
    release = threading.Timer(0.3, lambda: other.execute("COMMIT"))
    release.start()
    index.refresh()  # does not fail, and does not leave the lesson out
    release.join()
    other.close()
    assert len(index) == 2


def test_a_folder_that_cannot_be_written_is_searched_all_the_same_and_said(store, monkeypatch):
    touch = type(store.root).touch

    def refuse(self, *args, **more):
        if ".index" in self.parts:
            raise PermissionError(30, "Read-only file system")
        return touch(self, *args, **more)

    monkeypatch.setattr(type(store.root), "touch", refuse)
    index = Index.open(store.root)
    assert len(found(index, "p0")) == 1
    assert any("cannot be written (Read-only file system)" in note for note in index.notes)
    index.close()


def test_a_store_that_is_not_there_yet_is_empty_and_not_made(tmp_path):
    index = Index.open(tmp_path / "none")
    assert (len(index), index.notes, index.lexical("x", 5, ALL)) == (0, (), [])
    assert not (tmp_path / "none").exists()
    Store.open(tmp_path / "none", Clock()).add(numbered(1))
    index.refresh()
    assert len(index) == 1
    assert (tmp_path / "none" / ".index").is_dir()
    index.close()


def test_another_process_that_made_the_index_again_is_noticed(store, index):
    other = Index.open(store.root, WordsEmbedder())
    store.add(numbered(1))
    assert other.rebuild() == 2
    other.close()
    index.refresh()
    assert len(index) == 2
    assert len(found(index, "p1")) == 1


def test_a_key_stands_for_its_lesson_after_another_process_made_the_index_again(store, index):
    made = [store.add(numbered(n)).lesson for n in range(1, 5)]
    index.refresh()
    index.embed_pending()
    (hit,) = index.lexical("p4", 1, ALL)
    row = index.vectors([hit.key])[hit.key]
    (store.root / made[0].path).unlink()
    other = Index.open(store.root, WordsEmbedder())
    other.rebuild()
    other.close()
    index.refresh()
    assert index.lesson(hit.key) == made[3]
    assert index.entries([hit.key])[hit.key].id == made[3].id
    assert np.array_equal(index.vectors([hit.key])[hit.key], row)
    assert "p4" in index.terms([hit.key])[hit.key]
    assert index.lexical("p4", 1, ALL)[0].key == hit.key


def test_the_background_makes_vectors_and_looks_around(store):
    index = Index.open(store.root, WordsEmbedder())
    index.work_in_background(0.05)
    path = store.root / "reflexions" / "2026-11" / "30-own.md"
    path.write_text(to_text(lesson(id="own", path="", rule="Water the ficus.")), encoding="utf-8")
    waited = threading.Event()
    for _ in range(400):
        if len(index) == 2 and not index.pending():
            break
        waited.wait(0.025)
    vector = WordsEmbedder().query("Water the ficus.")
    assert index.key("own") in [hit.key for hit in index.dense(vector, 5, ALL)]
    index.close()


def test_threads_share_an_index(store, index):
    index.embed_pending()
    vector = WordsEmbedder().query("x")
    failures = []

    def work(number):
        try:
            for turn in range(15):
                if number == 0:
                    store.add(numbered(100 + turn))
                index.refresh()
                index.lexical("parameter e", 5, ALL)
                index.dense(vector, 5, ALL)
        except BaseException as error:  # noqa: BLE001 - told below
            failures.append(error)

    threads = [threading.Thread(target=work, args=(n,)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    index.embed_pending()
    assert len(index) == 16
    assert same_as_rebuilt(store.root)


def test_20_another_embedder_is_said_and_words_go_on_until_its_vectors_are_made(store):
    store.add(numbered(1))
    first = Index.open(store.root, WordsEmbedder("old==1"))
    first.embed_pending()
    first.close()
    new = WordsEmbedder("new==2", size=16)
    index = Index.open(store.root, new)
    assert index.dense(new.query("p1"), 5, ALL) == []
    assert found(index, "p1")
    (note,) = index.notes
    assert "of old==1, not of new==2: text search alone until they are made again (0 of 2 done" in note
    index.embed_pending(1)
    assert "(1 of 2 done" in index.notes[0]
    assert index.dense(new.query("p1"), 5, ALL) == []
    index.embed_pending()
    assert index.notes == ()
    assert len(index.dense(new.query("p1"), 5, ALL)) == 2
    index.close()
    back = Index.open(store.root, WordsEmbedder("old==1"))
    assert len(back.dense(WordsEmbedder("old==1").query("p1"), 5, ALL)) == 2, "its vectors are still there"
    back.close()


def test_20_vectors_of_another_size_under_the_same_name_are_made_again(store):
    first = Index.open(store.root, WordsEmbedder())
    first.embed_pending()
    first.close()
    wider = WordsEmbedder(size=48)
    index = Index.open(store.root, wider)
    assert index.dense(wider.query("p0"), 5, ALL) == []
    assert index.pending() == 1
    index.embed_pending()
    assert len(index.dense(wider.query("p0"), 5, ALL)) == 1
    index.close()


def test_without_an_embedder_nothing_is_said_of_vectors(store):
    index = Index.open(store.root)
    assert (index.notes, index.pending(), index.embed_pending()) == ((), 0, 0)
    assert index.dense(np.ones(4, np.float32), 5, ALL) == []
    assert index.vectors([1]) == {}
    index.close()

"""`senno reindex`: the same lessons, log and vectors give the same bytes."""

import hashlib
import shutil

import pytest

from index_dump import dump, generation
from lesson_drafts import Clock, numbered
from senno.lessons import PinnedEvent, Store, agent
from senno.lessons.search import Index
from words_embedder import WordsEmbedder


@pytest.fixture
def store(tmp_path):
    made = Store.open(tmp_path / "memory", Clock())
    lessons = [made.add(numbered(n, department=f"d{n % 3}")).lesson for n in range(12)]
    made.events.append(PinnedEvent(lesson_id=lessons[3].id, by="ann"))
    (made.root / "reflexions" / "2026-11" / "30-broken.md").write_text("no lesson", encoding="utf-8")
    shutil.copy(made.root / lessons[4].path, made.root / "reflexions" / "2026-11" / "31-twin.md")
    return made


def digests(root):
    files = [p for p in generation(root).iterdir() if p.suffix in (".db", ".f32")]
    return {p.name: hashlib.sha256(p.read_bytes()).hexdigest() for p in files}


def reindexed(root):
    index = Index.open(root, WordsEmbedder())
    index.embed_pending()
    count = index.rebuild()
    assert index.pending() == 0
    index.close()
    return count, digests(root)


def test_twice_and_on_a_copy_made_elsewhere_the_bytes_are_the_same(store, tmp_path):
    first = reindexed(store.root)
    assert first[0] == 12
    assert len(first[1]) == 2
    assert reindexed(store.root) == first
    copy = tmp_path / "elsewhere" / "deeper"
    shutil.copytree(store.root, copy, ignore=shutil.ignore_patterns(".index"))
    assert reindexed(copy) == first
    with_index = tmp_path / "whole"
    shutil.copytree(store.root, with_index)
    assert reindexed(with_index) == first


def test_what_was_kept_up_step_by_step_says_what_a_rebuild_says(store):
    index = Index.open(store.root, WordsEmbedder())
    for n in range(20, 26):
        made = store.add(numbered(n)).lesson
        index.refresh()
        if n % 2:
            (store.root / made.path).unlink()
        if n % 3 == 0:
            index.embed_pending()
    index.refresh()
    index.embed_pending()
    before = dump(store.root)
    index.rebuild()
    index.close()
    assert dump(store.root) == before


def test_vectors_are_carried_over_and_not_made_again(store):
    embedder = WordsEmbedder()
    index = Index.open(store.root, embedder)
    made = index.embed_pending()
    assert embedder.passages_made == made == 12
    index.rebuild()
    assert (index.pending(), embedder.passages_made) == (0, 12)
    index.close()


def test_a_rebuild_leaves_out_the_vectors_of_lessons_that_are_gone(store):
    index = Index.open(store.root, WordsEmbedder())
    index.embed_pending()
    (store.root / next(iter(store.lessons())).path).unlink()
    index.rebuild()
    (file,) = generation(store.root).glob("*.f32")
    assert file.stat().st_size == len(index) * 32 * 4
    index.close()


def test_the_index_is_ignored_by_git_and_only_one_generation_stays(store):
    reindexed(store.root)
    reindexed(store.root)
    home = store.root / ".index"
    assert (home / ".gitignore").read_text(encoding="utf-8") == "*\n"
    assert [p.name for p in home.glob("g*")] == [generation(store.root).name]


@pytest.mark.parametrize("command", [["reindex"], ["lessons", "reindex"]])
def test_the_command(senno, tmp_path, command, monkeypatch):
    monkeypatch.setattr(agent, "embedder_of", lambda *_args, **_more: (WordsEmbedder(), ""))
    Store.open(tmp_path / "memory", Clock()).add(numbered(1))
    monkeypatch.chdir(tmp_path)
    done = senno(*command, "--json")
    told = done.json
    assert (told["lessons"], told["vectors_made"], told["vectors_missing"]) == (1, 1, 0)

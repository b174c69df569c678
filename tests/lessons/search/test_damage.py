"""A damaged index is made again: never a crash, never a wrong answer. (12: damaged files crash native code.)"""

import random
import shutil

import apsw
import pytest

from index_dump import database, dump, generation
from lesson_drafts import Clock, numbered
from senno.lessons import Store
from senno.lessons.search import Index, Where
from senno.lessons.search import database as database_module
from words_embedder import WordsEmbedder

ALL = Where()
COUNT = 40


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    root = tmp_path_factory.mktemp("damage") / "memory"
    store = Store.open(root, Clock())
    for _ in store.add_many(numbered(n, department=f"d{n % 3}") for n in range(COUNT)):
        pass
    index = Index.open(root, WordsEmbedder())
    index.embed_pending()
    index.close()
    store.index.close()
    return root


@pytest.fixture
def root(made, tmp_path):
    copy = tmp_path / "memory"
    shutil.copytree(made, copy)
    index = Index.open(copy, WordsEmbedder())  # a copy is checked once
    assert index.notes == ()
    index.close()
    return copy


def right(root, expected):
    """What is found is what a sound index finds, and what it holds is what it held."""
    index = Index.open(root, WordsEmbedder())
    index.embed_pending()
    found = answers(index)
    notes = index.notes
    index.close()
    assert found == expected
    return notes


def answers(index):
    found = []
    for n in (0, 7, COUNT - 1):
        hits = index.lexical(f"parameter p{n} v{n}", 3, ALL)
        near = index.dense(WordsEmbedder().query(f"Set p{n} to w{n}"), 3, ALL)
        found.append(
            [[(index.entries([hit.key])[hit.key].id, round(hit.score, 4)) for hit in side] for side in (hits[:1], near)]
        )
    return found


@pytest.fixture
def expected(root):
    index = Index.open(root, WordsEmbedder())
    found = answers(index)
    index.close()
    return found


@pytest.mark.parametrize("seed", range(40))
def test_12_flipped_bits_anywhere_in_the_tables(root, expected, seed):
    file = database(root)
    data = bytearray(file.read_bytes())
    rng = random.Random(seed)
    for _ in range(1 + seed % 3):
        at = rng.randrange(len(data)) if seed else rng.randrange(100)
        data[at] ^= 1 << rng.randrange(8)
    file.write_bytes(data)
    right(root, expected)
    after = dump(root)
    index = Index.open(root, WordsEmbedder())
    index.rebuild()
    index.close()
    assert dump(root) == after


@pytest.mark.parametrize("seed", range(12))
def test_12_flipped_bits_anywhere_in_the_vectors(root, expected, seed):
    (file,) = generation(root).glob("*.f32")
    data = bytearray(file.read_bytes())
    at = random.Random(seed).randrange(len(data))
    data[at] ^= 1 << (seed % 8)
    file.write_bytes(data)
    index = Index.open(root, WordsEmbedder())
    index.dense(WordsEmbedder().query("x"), 3, ALL)
    index.refresh()
    assert any("1 vectors were damaged" in note for note in index.notes)
    assert index.pending() == 1
    index.close()
    right(root, expected)


@pytest.mark.parametrize("share", [0, 0.01, 0.3, 0.5, 0.999])
@pytest.mark.parametrize("which", ["index.db", "*.f32", "seen.json", "standing.json", "current", "seen-*.json"])
def test_12_files_that_are_cut_or_full_of_garbage(root, expected, which, share):
    for garbage in (False, True):
        for file in [root / ".index" / "current"] if which == "current" else list(generation(root).glob(which)):
            data = file.read_bytes()
            kept = data[: int(len(data) * share)]
            file.write_bytes(kept + random.Random(1).randbytes(len(data) - len(kept)) if garbage else kept)
        right(root, expected)


def test_the_whole_folder_or_any_file_of_it_may_be_deleted(root, expected):
    for file in sorted(p.relative_to(root) for p in (root / ".index").rglob("*") if p.is_file()):
        (root / file).unlink(missing_ok=True)
        right(root, expected)
    shutil.rmtree(root / ".index")
    right(root, expected)


def test_a_write_ahead_log_that_is_lost_or_damaged_loses_nothing(root):
    for n, harm in enumerate(("delete", "garbage", "cut")):
        index = Index.open(root)
        store = Store.open(root, Clock(), index)
        store.add(numbered(100 + n))
        index.refresh()
        wal = database(root).with_name("index.db-wal")
        assert wal.stat().st_size
        copy = root.with_name(f"killed{n}")  # as it stands while a process has it open, or when that was killed
        shutil.copytree(root, copy)
        index.close()
        wal = database(copy).with_name("index.db-wal")
        database(copy).with_name("index.db-shm").unlink(missing_ok=True)
        if harm == "delete":
            wal.unlink()
        elif harm == "garbage":
            wal.write_bytes(random.Random(1).randbytes(wal.stat().st_size))
        else:
            wal.write_bytes(wal.read_bytes()[: wal.stat().st_size // 2])
        again = Index.open(copy)
        assert len(again) == COUNT + n + 1
        assert again.lexical(f"p{100 + n}", 1, ALL)
        again.close()


def test_an_index_of_another_schema_or_other_terms_is_made_again(root, expected, monkeypatch):
    for name in ("SCHEMA", "VERSION"):
        monkeypatch.setattr(database_module, name, "another")
        notes = right(root, expected)
        assert "another version" in notes[0]
        monkeypatch.undo()


def test_damage_while_it_is_in_use_is_mended_and_said(root, expected):
    index = Index.open(root, WordsEmbedder())
    db = apsw.Connection(str(database(root)))
    db.execute("DROP TABLE df")
    db.close()
    assert answers(index) or True
    index.embed_pending()
    assert answers(index) == expected
    assert any("was damaged" in note for note in index.notes)
    index.close()


def test_a_generation_taken_away_under_a_reader_is_made_again(root, expected):
    index = Index.open(root, WordsEmbedder())
    shutil.rmtree(root / ".index")
    index.refresh()
    index.embed_pending()
    assert answers(index) == expected
    index.close()


def test_a_rebuild_that_was_killed_half_way_changes_nothing(root, expected):
    half = root / ".index" / "g99"
    half.mkdir()
    (half / "index.db").write_bytes(b"SQLite format 3\0half")
    right(root, expected)
    index = Index.open(root)
    index.rebuild()
    index.close()
    assert not half.exists()

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from senno.errors import ConfigError, FileFormatError
from senno.judge.measuring import load_history, load_scores, load_texts
from senno.stats import NotMeasured

ROOT = Path(__file__).parents[3]


def written(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


def test_texts_are_lines_or_files(tmp_path):
    path = written(
        tmp_path / "t.jsonl",
        '{"id": "a", "text": ""}\n{"id": "b", "state": {"text": "in it", "x": 1}, "item": "s1", "group": "g"}\n'
        '{"id": "c", "state": "bare"}\n',
    )
    a, b, c = load_texts(path)
    assert (a.item, a.text, a.state) == ("a", "", None)
    assert (b.item, b.text, b.state, b.group) == ("s1", "in it", {"text": "in it", "x": 1}, "g")
    assert (c.text, c.state) == ("bare", "bare")
    folder = tmp_path / "folder"
    (folder / "sub").mkdir(parents=True)
    for name in ("2.md", "1.txt", "no.png"):
        written(folder / name, name)
    assert [(text.id, text.text) for text in load_texts(folder)] == [("1.txt", "1.txt"), ("2.md", "2.md")]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "no text in it"),
        ('{"id": "a", "text": "x"}\n{"id": "a", "text": "y"}', "t.jsonl:2: the id 'a' stands at"),
        ('{"id": "a"}', "one of the two"),
        ('{"id": "a", "text": 3}', "text: found a number"),
        ('{"id": "a", "txt": "x"}', "did you mean 'text'"),
        ('{"id": "a", "state": null}', "found nothing"),
    ],
)
def test_texts_that_are_none_are_refused(tmp_path, text, told):
    with pytest.raises(ConfigError) as refused:
        load_texts(written(tmp_path / "t.jsonl", text))
    assert told in str(refused.value)


def test_an_empty_folder_is_refused(tmp_path):
    with pytest.raises(ConfigError, match="no text in it"):
        load_texts(tmp_path)


LONG = "item,repeat,score\na,1,3\na,2,4\na,3,\nb,1,1\nb,3,2\n"
WIDE = "item,r1,r2,r3\na,3,4,\nb,1,,2\n"


@pytest.mark.parametrize("text", [LONG, WIDE, WIDE.replace(",", ";"), "\ufeff" + LONG.replace("\n", "\r\n")])
def test_long_and_wide_files_say_the_same(tmp_path, text):
    (found,) = load_scores(written(tmp_path / "s.csv", text)).values()
    assert [values for item in found.items.values() for values in item.values()] == [(3, 4, None), (1, None, 2)]
    assert found.failures == {"no score in the file": 2}


def test_sets_are_measured_apart(tmp_path):
    found = load_scores(written(tmp_path / "s.csv", "set,idx,system,score1,score2\nx,1,a,1,2\nx,1,b,2,2\ny,1,a,3,4\n"))
    assert {name: len(each.items) for name, each in found.items()} == {"x": 2, "y": 1}
    assert [each.name for each in found.values()] == ["x", "y"]


def test_answers_are_nested_in_items(tmp_path):
    text = "item,answer,repeat,score\n1,a,1,3\n1,a,2,4\n1,b,1,2\n1,b,2,2\n2,a,1,5\n2,a,2,5\n"
    (found,) = load_scores(written(tmp_path / "s.csv", text)).values()
    assert found.items == {"1": {"a": (3, 4), "b": (2, 2)}, "2": {"a": (5, 5)}}


BAD = {
    "no row": ("item,r1,r2\n", "no row below the head"),
    "empty": ("", "no row"),
    "no item": ("name,r1,r2\na,1,2\n", "a column item"),
    "no scores": ("item,a,b\n1,2,3\n", "r1, r2, r3 (wide)"),
    "no number": ("item,r1,r2\na,1,good\n", "s.csv:2: r2: found 'good'"),
    "infinity": ("item,r1,r2\na,1,inf\n", "s.csv:2: r2: found 'inf'"),
    "a judging twice": ("item,repeat,score\na,1,2\na,1,3\n", "s.csv:3: repeat '1' of item 'a' stands twice"),
    "an item twice": ("item,r1,r2\na,1,2\na,1,2\n", "stands twice"),
    "a cell too many": ("item,r1,r2\na,1,2,3\n", "s.csv:2: another number of cells"),
    "a cell too few": ("item,r1,r2\na,1\n", "s.csv:2: another number of cells"),
    "a column twice": ("item,r1,r1\na,1,2\n", "two columns are named 'r1'"),
    "no name": ("item,r1,r2\n ,1,2\n", "s.csv:2: item: found nothing"),
    "names of calls for repeats": (
        "item,repeat,score\n" + "".join(f"{n // 3},call-{n},1\n" for n in range(60)),
        "repeat has 60 values",
    ),
    "an open quote": ('item,r1,r2\n"a,1,2\n', "a CSV"),
}


@pytest.mark.parametrize(("text", "told"), BAD.values(), ids=BAD)
def test_a_table_that_is_no_table_of_scores_is_refused_with_its_place(tmp_path, text, told):
    with pytest.raises(FileFormatError) as refused:
        load_scores(written(tmp_path / "s.csv", text))
    assert told in str(refused.value)


@settings(deadline=None)
@given(st.text(alphabet='item,r12scoe\n";\t0-9.\x00é', max_size=80))
def test_no_text_whatever_ends_in_anything_but_scores_or_an_error(tmp_path_factory, text):
    path = written(tmp_path_factory.mktemp("s") / "s.csv", text)
    told = ""
    try:
        load_scores(path)
    except ConfigError as error:
        told = str(error)
    assert not told or "s.csv" in told


def test_the_history_that_ships_is_noise_for_69_percent():
    found = load_history(ROOT / "examples" / "judge" / "history.csv")
    assert (round(found.climb, 2), round(found.floor, 2)) == (0.42, 0.29)
    assert f"{found.explained:.0%}" == "69%"
    assert {version: round(moved, 2) for version, moved in found.repeated.items()} == {"1.0.2": 0.29, "1.0.6": 0.12}
    assert found.expected > found.floor
    json.dumps(found.to_json(), allow_nan=False)


@pytest.mark.parametrize(
    "text", ["version,score\na,1\nb,2\n", "version,score\na,1\na,1\nb,2\n", "version,score\na,1\na,1\n"]
)
def test_a_history_without_a_repetition_that_moved_explains_nothing(tmp_path, text):
    found = load_history(written(tmp_path / "h.csv", text))
    assert isinstance(found.explained, NotMeasured)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("a,b\n1,2\n", "version, score"),
        ("version,score\na,x\nb,1\n", "h.csv:2: score: found 'x'"),
        ("version,score\na,nan\nb,1\n", "h.csv:2: score: found 'nan'"),
        ("version,score\n,1\nb,1\n", "h.csv:2: version: found nothing"),
        ("version,score\na\nb,1\n", "h.csv:2: score: found ''"),
        ("version,score\na,1\n", "two at least"),
        ("", "version, score"),
    ],
)
def test_a_history_that_is_none_is_refused(tmp_path, text, told):
    with pytest.raises(FileFormatError) as refused:
        load_history(written(tmp_path / "h.csv", text))
    assert told in str(refused.value)

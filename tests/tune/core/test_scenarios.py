import pytest
from hypothesis import given
from hypothesis import strategies as st

from senno.errors import ConfigError, FileFormatError
from senno.tune import Scenario, load_scenarios, twins


def written(path, data):
    path.write_bytes(data if isinstance(data, bytes) else data.encode("utf-8"))
    return path


def test_json_lines(tmp_path):
    path = written(
        tmp_path / "s.jsonl",
        '\ufeff{"id": "a", "text": "Ciao", "variables": {"tone": "plain"}, "profile": "saver", "stratum": "it"}\r\n'
        "\r\n"
        '{"text": "Привет\u2028мир", "_seen": 3, "note": "n"}\r\n',
    )
    first, second = load_scenarios(path)
    assert first == Scenario("a", "Ciao", {"tone": "plain", "profile": "saver"}, "saver", "it", {}, f"{path}:1")
    assert (second.text, second.profile, second.notes) == ("Привет\u2028мир", None, {"_seen": 3, "note": "n"})
    assert second.id.startswith("s")
    assert second.where == f"{path}:3"


def test_csv_columns_that_are_no_keys_are_variables(tmp_path):
    """Complaint 33: a file that a spreadsheet on Windows saved."""
    path = written(
        tmp_path / "s.csv",
        '\ufefftext,profile,age,_who\r\n"Ho 10.000 euro,\r\ne adesso?",risparmiatore,34,anna\r\n\r\nCiao,,,\r\n',
    )
    first, second = load_scenarios(path)
    assert first.text == "Ho 10.000 euro,\r\ne adesso?"
    assert first.variables == {"age": "34", "profile": "risparmiatore"}
    assert (first.profile, first.notes, first.where) == ("risparmiatore", {"_who": "anna"}, f"{path}:2")
    assert (second.profile, second.variables, second.where) == (None, {"age": ""}, f"{path}:5")


def test_the_cluster_may_be_any_column(tmp_path):
    path = written(tmp_path / "s.csv", "text,persona,lang\nx,anna,it\ny,bob,en\n")
    found = load_scenarios(path, cluster="persona", stratify="lang")
    assert [(s.profile, s.stratum) for s in found] == [("anna", "it"), ("bob", "en")]
    assert found[0].variables == {"persona": "anna", "lang": "it"}


def test_an_id_from_the_content_stays_when_the_file_is_sorted(tmp_path):
    lines = ['{"text": "one"}', '{"text": "two"}', '{"text": "one", "variables": {"a": "b"}}']
    there = load_scenarios(written(tmp_path / "a.jsonl", "\n".join(lines)))
    back = load_scenarios(written(tmp_path / "b.jsonl", "\n".join(reversed(lines))))
    assert {s.id for s in there} == {s.id for s in back}
    assert len({s.id for s in there}) == 3


def test_scenarios_that_say_the_same_are_reported(tmp_path):
    path = written(
        tmp_path / "s.jsonl", '{"text": "Caffè  uno"}\n{"text": "Caffe\u0300 uno"}\n{"id": "c", "text": "due"}\n'
    )
    found = load_scenarios(path)
    assert twins(found) == ((found[0].id, found[1].id),)
    assert found[1].id == f"{found[0].id}-2"


@pytest.mark.parametrize(
    ("name", "data", "told"),
    [
        ("s.jsonl", "", "no scenario in it"),
        ("s.jsonl", '{"text": ""}', "s.jsonl:1: text: found empty text"),
        ("s.jsonl", '{"text": "a"}\n{"txt": "b"}', "s.jsonl:2: txt: unknown key; expected"),
        ("s.jsonl", '{"text": "a", "profil": "b"}', "did you mean 'profile'?"),
        ("s.jsonl", '{"id": "x", "text": "a"}\n{"id": "x", "text": "b"}', "s.jsonl:1 too"),
        ("s.jsonl", '{"text": "a", "variables": {"n": 3}}', "variables.n: found a number; expected text"),
        ("s.jsonl", '{"text": "a", "variables": []}', "variables: found a list"),
        ("s.jsonl", '{"text": "a", "profile": 7}', "profile: found a number"),
        ("s.jsonl", '{"text": NaN}', "NaN is no JSON value"),
        ("s.jsonl", b'{"text": "caff\xe8"}', "not UTF-8"),
        ("s.csv", b"text\ncaff\xe8\n", "not UTF-8"),
        ("s.csv", "", "no scenario in it"),
        ("s.csv", "text\n", "no scenario in it"),
        ("s.csv", "id,testo\n1,a\n", "no column is named text (found: id, testo)"),
        ("s.csv", "text,text\na,b\n", "the column 'text' stands twice"),
        ("s.csv", "text,a\nb\n", "s.csv:2: 1 cells under 2 columns"),
        ("s.csv", "text,profile\n ,p\n", "s.csv:2: text: found nothing"),
        ("s.csv", 'text\n"a" b\n', "s.csv:2:"),
        ("s.tsv", "text\na\n", "ends in .jsonl or .csv"),
    ],
)
def test_what_is_no_file_of_scenarios_is_refused_with_its_place(tmp_path, name, data, told):
    with pytest.raises(ConfigError) as raised:
        load_scenarios(written(tmp_path / name, data))
    assert told in str(raised.value)


def test_a_file_that_is_not_there_is_said(tmp_path):
    with pytest.raises(ConfigError, match="no such file"):
        load_scenarios(tmp_path / "none.jsonl")
    with pytest.raises(ConfigError, match="no such file"):
        load_scenarios(tmp_path / "none.csv")


@given(st.binary(max_size=200), st.sampled_from([".jsonl", ".csv"]))
def test_any_bytes_are_scenarios_or_an_error_of_ours(tmp_path_factory, data, suffix):
    path = written(tmp_path_factory.mktemp("s") / f"s{suffix}", data)
    try:
        said = str(load_scenarios(path))
    except (ConfigError, FileFormatError) as error:
        said = str(error)
    assert str(path) in said

"""`senno runs`: what the ledger says of runs that ended."""

import json

import pytest

from movie_answers import ENIGMA, round_of


@pytest.mark.parametrize("command", [("list",), ("show",), ("show", "abc"), ("export", "--html", "x.html")])
def test_without_a_ledger_the_error_says_how_one_comes_to_be(senno, command, machine):
    ran = senno("runs", *command)
    assert (ran.code, ran.out) == (2, "")
    assert "no ledger here yet" in ran.err
    assert not list(machine.iterdir())


def test_list_has_the_newest_first_and_may_be_narrowed(senno):
    senno("loops", "new", "mine")
    senno("run", "movies", "1 film about boxing")
    senno("run", "mine", "a bakery")
    found = senno("runs", "list", "--json").json["runs"]
    assert [run["name"] for run in found] == ["mine", "movies"]
    assert [run["name"] for run in senno("runs", "list", "--name", "movies", "--json").json["runs"]] == ["movies"]
    assert len(senno("runs", "list", "--limit", "1", "--json").json["runs"]) == 1
    assert senno("runs", "list", "--limit", "0").code == 2
    assert "satisfied" in senno("runs", "list").out


def test_show_tells_what_the_run_told_when_it_ran(senno):
    ran = senno("run", "movies", "2 films about boxing")
    *answer, last = ran.out.splitlines()
    run_id = last.split()[1].rstrip(".")
    for name in ("last", run_id, run_id[:-1]):
        shown = senno("runs", "show", name)
        assert (shown.code, shown.err) == (0, "")
        assert "\n".join(answer[:-2]) in shown.out
        assert "Request: 2 films about boxing" in shown.out


def test_show_says_what_models_used(senno, server):
    server.then(*round_of(ENIGMA, usage=(1000, 50)))
    senno("run", "movies", "x", "--model", f"{server.url}#m")
    told = senno("runs", "show", "last", "--calls").out
    assert "4 calls, ↑ 4000 ↓ 200 tokens" in told
    assert "1,000" in told
    assert "cost in US dollars not known" in told
    assert told.count("received:") == 4


def test_figures_that_a_provider_did_not_give_are_not_zero(senno, server):
    server.then(*round_of(ENIGMA, usage=None))
    senno("run", "movies", "x", "--model", f"{server.url}#m")
    told = senno("runs", "show", "last").out
    assert "↑ not known ↓ not known tokens" in told
    steps = senno("runs", "show", "last", "--json").json["steps"]
    assert [s["tokens_in"] for s in steps if s["calls"]] == [None] * 4


def test_a_run_that_is_not_there_is_an_error(senno):
    senno("run", "movies", "1 film about boxing")
    ran = senno("runs", "show", "20200101")
    assert (ran.code, "no run '20200101'" in ran.err) == (2, True)


def test_export_writes_lines_or_one_page(senno, machine):
    for n in (1, 2):
        senno("run", "movies", f"{n} films about boxing")
    assert senno("runs", "export", "--jsonl", "all.jsonl").code == 0
    rows = [json.loads(line) for line in (machine / "all.jsonl").read_text().splitlines()]
    ids = [row["id"] for row in rows if row["row"] == "run"]
    assert len(ids) == 2
    one = senno("runs", "export", ids[0], "--jsonl", "-")
    assert {json.loads(line).get("run_id", ids[0]) for line in one.out.splitlines()} == {ids[0]}
    assert senno("runs", "export", ids[0], "--html", "one.html").code == 0
    assert ids[0] in (machine / "one.html").read_text()


@pytest.mark.parametrize("wrong", [(), ("--html", "a", "--jsonl", "b"), ("a", "b", "--html", "c")])
def test_export_that_cannot_be_meant_is_refused(senno, wrong):
    senno("run", "movies", "1 film about boxing")
    assert senno("runs", "export", *wrong).code == 2


def test_a_file_that_is_no_ledger_is_left_as_it_is(senno, machine, monkeypatch):
    file = machine / "notes.txt"
    file.write_text("my notes\n" * 100)
    monkeypatch.setenv("SENNO_PATHS_LEDGER", str(file))
    for command in (("runs", "list"), ("run", "movies", "1 film about boxing")):
        ran = senno(*command)
        assert ran.code == 2
        assert str(file) in ran.err
    assert file.read_text() == "my notes\n" * 100

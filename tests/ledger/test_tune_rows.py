from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from senno.errors import ConfigError, LedgerError
from senno.ledger import (
    Ledger,
    VersionRow,
    add_touch,
    add_version,
    adopt_run,
    all_kept,
    find_kept,
    find_versions,
    keep,
    touches,
)

MADE = datetime(2026, 11, 30, 21, 5, 12, tzinfo=UTC)


@pytest.fixture
def run(ledger: Ledger) -> str:
    return ledger.start_run("tune", "finance", "tune tune.toml", {})


def row(run: str, **changes: object) -> VersionRow:
    values = {
        "id": "p1",
        "number": 0,
        "made": MADE,
        "origin": "start",
        "parent": None,
        "template": "",
        "parts": {"a": "x"},
    }
    return VersionRow(run, **(values | changes))  # pyright: ignore[reportArgumentType]


def test_versions_come_back_in_the_order_in_which_they_were_made(ledger: Ledger, run: str) -> None:
    rows = [row(run), row(run, id="p0", number=1, parent="p1", parts={"z": "è", "a": "日本"})]
    for each in rows:
        add_version(ledger, each)
    assert find_versions(ledger, run) == rows
    assert list(find_versions(ledger)[1].parts) == ["z", "a"]


def test_a_version_stands_once_in_a_run_and_again_in_another(ledger: Ledger, run: str) -> None:
    add_version(ledger, row(run))
    add_version(ledger, row(run, origin="rewrite"))
    other = ledger.start_run("tune", "finance", "", {})
    add_version(ledger, row(other))
    assert [each.run_id for each in find_versions(ledger)] == [run, other]
    assert find_versions(ledger, run)[0].origin == "start"


def test_what_is_kept_stays_and_is_given_back(ledger: Ledger, run: str) -> None:
    assert keep(ledger, run, "answer", "k", {"text": "è"}) == {"text": "è"}
    assert keep(ledger, run, "answer", "k", {"text": "another"}) == {"text": "è"}
    assert find_kept(ledger, run, "answer", "k") == {"text": "è"}
    assert find_kept(ledger, run, "judgement", "k") is None
    assert all_kept(ledger, run, "answer") == {"k": {"text": "è"}}


def test_what_is_kept_has_no_secret_and_is_given_back_as_it_is_kept(ledger: Ledger, run: str) -> None:
    kept = keep(ledger, run, "answer", "k", {"text": "the key is sk-proj-" + "a1B2" * 12})
    assert "[redacted" in kept["text"]
    assert kept == find_kept(ledger, run, "answer", "k")


def test_what_is_no_json_is_not_kept(ledger: Ledger, run: str) -> None:
    with pytest.raises(LedgerError, match="no JSON value"):
        keep(ledger, run, "answer", "k", float("nan"))


def test_a_damaged_value_is_an_error_and_not_a_miss(ledger: Ledger, run: str) -> None:
    keep(ledger, run, "answer", "k", 1)
    with ledger.transaction("IMMEDIATE") as connection:
        connection.execute("UPDATE tune_kept SET value = '{'")
    with pytest.raises(LedgerError, match="damaged"):
        find_kept(ledger, run, "answer", "k")


def test_of_two_looks_one_is_the_first(ledger: Ledger, run: str) -> None:
    other = ledger.start_run("tune", "finance", "", {})
    assert add_touch(ledger, "part", run, again=False) == ([], True)
    others, recorded = add_touch(ledger, "part", other, again=False)
    assert ([each.run_id for each in others], recorded) == ([run], False)
    others, recorded = add_touch(ledger, "part", other, again=True)
    assert ([each.run_id for each in others], recorded) == ([run], True)
    assert [each.run_id for each in touches(ledger, "part")] == [run, other]


def test_who_looked_first_may_go_on_with_its_look(ledger: Ledger, run: str) -> None:
    other = ledger.start_run("tune", "finance", "", {})
    add_touch(ledger, "part", run, again=False)
    add_touch(ledger, "part", other, again=True)
    assert add_touch(ledger, "part", run, again=False) == ([], True)
    assert len(touches(ledger, "part")) == 2


def test_a_run_that_ended_is_gone_on_with(ledger: Ledger, run: str) -> None:
    ledger.end_run(run, "budget", {"best": "p1"})
    adopt_run(ledger, run, "tune")
    going = ledger.run(run).run
    assert (going.status, going.stop, going.result) == ("running", None, None)
    ledger.end_run(run, "rounds", None)


def test_a_run_of_another_kind_is_not(ledger: Ledger) -> None:
    loop = ledger.start_run("loop", "movies", "", {})
    with pytest.raises(ConfigError, match="of the kind 'loop'"):
        adopt_run(ledger, loop, "tune")
    with pytest.raises(LedgerError, match="not in the ledger"):
        adopt_run(ledger, "20261130-210512-none", "tune")


def test_an_old_ledger_takes_them(path: Path) -> None:
    import apsw

    connection = apsw.Connection(str(path))
    fixture = Path(__file__).parent / "fixtures" / "v4.sql"
    connection.execute(fixture.read_text(encoding="utf-8"))
    connection.close()
    with Ledger.open(path) as ledger:
        (version,) = find_versions(ledger)
        assert (version.id, version.parts) == ("p0123456789ab", {"system": "Be brief."})
        assert all_kept(ledger, version.run_id, "answer") == {"5e0c": {"text": "Ciao"}}
        assert [each.run_id for each in touches(ledger, "5e0c")] == [version.run_id]

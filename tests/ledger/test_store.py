from __future__ import annotations

import dataclasses
import json
import os
import re
import stat
import sys
import threading
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta, timezone
from decimal import Decimal
from pathlib import Path
from typing import Any

import apsw
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from senno.errors import ConfigError, LedgerError
from senno.ledger import CallRow, Ledger, StepRow, redact, run_ids


def test_a_call_comes_back_as_it_was(ledger: Ledger, make_call: Callable[..., CallRow]) -> None:
    row = make_call(run_id=ledger.start_run("loop", "movie", "films", {}), error="503", outcome="retried")
    number = ledger.add_call(row)
    assert ledger.calls(row.run_id) == [dataclasses.replace(row, id=number)]


def test_ids_of_calls_grow(ledger: Ledger, make_call: Callable[..., CallRow]) -> None:
    first = ledger.add_call(make_call())
    second = ledger.add_call(make_call(id=first))
    assert second > first
    assert [row.id for row in ledger.calls(None)] == [first, second]


def test_a_run_comes_back_with_its_steps_and_calls(
    ledger: Ledger, make_call: Callable[..., CallRow], make_step: Callable[..., StepRow]
) -> None:
    config = {"models": {"actor": "openai:gpt"}, "rounds": 3, "è": ["日本", None, 1.5]}
    run_id = ledger.start_run("loop", "movie", "3 film sulla crittografia", config)
    steps = [make_step(run_id, number=2), make_step(run_id, number=1, cost=None, notes=[], error="re-asked 3 times")]
    for step in steps:
        ledger.add_step(step)
    ledger.add_call(make_call(run_id=run_id))
    ledger.add_call(make_call(run_id=None))
    running = ledger.run(run_id)
    ledger.end_run(run_id, "satisfied", {"films": ["Enigma"]})
    ended = ledger.run(run_id)

    assert running.run.status == "running"
    assert (running.run.stop, running.run.result, running.run.ended) == (None, None, None)
    assert (ended.run.status, ended.run.stop, ended.run.result) == ("ended", "satisfied", {"films": ["Enigma"]})
    assert ended.run.ended is not None
    assert ended.run.ended >= ended.run.started
    assert (ended.run.kind, ended.run.name, ended.run.request) == ("loop", "movie", "3 film sulla crittografia")
    assert ended.run.config == config
    assert ended.steps == (steps[1], steps[0])
    assert [call.run_id for call in ended.calls] == [run_id]


def test_rows_are_there_after_the_file_was_closed(path: Path, make_call: Callable[..., CallRow]) -> None:
    with Ledger.open(path) as ledger:
        ledger.add_call(make_call())
    with Ledger.open(path) as ledger:
        assert len(ledger.calls(None)) == 1


def test_times_of_other_zones_come_back_as_the_same_moment(ledger: Ledger, make_call: Callable[..., CallRow]) -> None:
    moment = datetime(2026, 7, 1, 1, 30, 0, 5, tzinfo=timezone(timedelta(hours=2)))
    ledger.add_call(make_call(started=moment))
    (row,) = ledger.calls(None)
    assert row.started == moment
    assert row.started.utcoffset() == timedelta(0)


@pytest.mark.parametrize("cost", ["0", "0.00130", "1E-9", "123456789012345678901234567890.000000001"])
def test_money_keeps_every_digit(ledger: Ledger, make_call: Callable[..., CallRow], cost: str) -> None:
    ledger.add_call(make_call(cost=Decimal(cost)))
    assert str(ledger.calls(None)[0].cost) == cost


ODD_TEXT = st.text(st.characters(codec=None, exclude_categories=()), max_size=60)
JSON_VALUE = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**53), 2**53)
    | st.floats(allow_nan=False, allow_infinity=False)
    | ODD_TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(ODD_TEXT, inner, max_size=3),
    max_leaves=8,
)
FIGURE = st.none() | st.integers(0, 2**40)


def told(text: str) -> str:
    """What the ledger says it makes of a text."""
    return redact(text).encode("utf-8", "backslashreplace").decode("utf-8")


def without_pairs(value: Any) -> Any:
    """Two lone surrogates side by side are one character in JSON."""
    return json.loads(redact(json.dumps(value)))


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Ledger:
    return Ledger.open(tmp_path_factory.mktemp("ledger") / "ledger.sqlite")


@settings(deadline=None, max_examples=150)
@given(sent=ODD_TEXT, received=st.none() | ODD_TEXT, error=st.none() | ODD_TEXT, role=ODD_TEXT, tokens=FIGURE)
def test_calls_with_odd_texts_come_back(
    shared: Ledger,
    make_call: Callable[..., CallRow],
    sent: str,
    received: str | None,
    error: str | None,
    role: str,
    tokens: int | None,
) -> None:
    number = shared.add_call(make_call(sent=sent, received=received, error=error, role=role, tokens_in=tokens))
    (row,) = shared.calls(None, after=number - 1)
    assert row.sent == told(sent)
    assert row.received == (None if received is None else told(received))
    assert row.error == (None if error is None else told(error))
    assert row.role == role.encode("utf-8", "backslashreplace").decode("utf-8")
    assert row.tokens_in == tokens


@settings(deadline=None, max_examples=150)
@given(config=JSON_VALUE, output=JSON_VALUE, notes=st.lists(ODD_TEXT, max_size=3), request_text=ODD_TEXT)
def test_runs_and_steps_with_odd_values_come_back(
    shared: Ledger,
    make_step: Callable[..., StepRow],
    config: Any,
    output: Any,
    notes: list[str],
    request_text: str,
) -> None:
    run_id = shared.start_run("loop", "odd", request_text, config)
    shared.add_step(make_step(run_id, output=output, notes=notes))
    shared.end_run(run_id, "done", output)
    record = shared.run(run_id)
    assert record.run.request == told(request_text)
    assert record.run.config == without_pairs(config)
    assert record.run.result == without_pairs(output)
    assert record.steps[0].output == without_pairs(output)
    assert record.steps[0].notes == without_pairs(notes)


def test_a_lone_surrogate_is_seen_in_plain_text_and_kept_in_json(
    ledger: Ledger, make_call: Callable[..., CallRow]
) -> None:
    ledger.add_call(make_call(error="bad \ud800 text", sent=json.dumps({"text": "a\ud800b"}, ensure_ascii=False)))
    (row,) = ledger.calls(None)
    assert row.error == "bad \\ud800 text"
    assert json.loads(row.sent) == {"text": "a\ud800b"}


def test_no_secret_reaches_the_file(
    path: Path, make_call: Callable[..., CallRow], make_step: Callable[..., StepRow]
) -> None:
    secret = "sk-proj-" + "aB3dE5fG7hJ9kL1m" * 3
    with Ledger.open(path) as ledger:
        run_id = ledger.start_run("loop", "movie", f"use {secret}", {"header": [secret]})
        ledger.add_call(make_call(run_id=run_id, sent=secret, received=secret, error=secret))
        ledger.add_step(make_step(run_id, output={"x": secret}, notes=[secret], error=secret))
        ledger.end_run(run_id, "done", {"x": secret})
        written = b"".join(file.read_bytes() for file in path.parent.iterdir())
        assert ledger.run(run_id).run.request == "use [redacted:openai-key]"
    assert b"aB3dE5fG7hJ9kL1m" not in written
    assert written.count(b"[redacted:openai-key]") >= 8


def test_an_id_of_a_run_tells_its_time(path: Path) -> None:
    now = datetime(2026, 12, 1, 0, 5, 12, tzinfo=timezone(timedelta(hours=3)))
    with Ledger.open(path, clock=lambda: now) as ledger:
        assert re.fullmatch(r"20261130-210512-[0-9a-hjkmnp-tv-z]{4}", ledger.start_run("loop", "movie", "", {}))


def test_an_id_that_is_taken_is_not_given_again(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    letters = iter("aaaaaaaaaaab")
    monkeypatch.setattr(run_ids.secrets, "choice", lambda _: next(letters))
    now = datetime(2026, 11, 30, tzinfo=UTC)
    with Ledger.open(path, clock=lambda: now) as ledger:
        ids = [ledger.start_run("loop", "movie", "", {}) for _ in range(2)]
    assert [run_id[-4:] for run_id in ids] == ["aaaa", "aaab"]


@pytest.fixture
def three_runs(path: Path) -> Ledger:
    seconds = iter(range(60))
    ledger = Ledger.open(path, clock=lambda: datetime(2026, 11, 30, 21, 5, next(seconds), tzinfo=UTC))
    for kind, name in (("loop", "movie"), ("tune", "movie"), ("loop", "book")):
        ledger.start_run(kind, name, "", {})
    return ledger


@pytest.mark.parametrize(
    ("chosen", "found"),
    [
        ({}, [("loop", "book"), ("tune", "movie"), ("loop", "movie")]),
        ({"limit": 2}, [("loop", "book"), ("tune", "movie")]),
        ({"limit": None}, [("loop", "book"), ("tune", "movie"), ("loop", "movie")]),
        ({"kind": "loop"}, [("loop", "book"), ("loop", "movie")]),
        ({"name": "movie"}, [("tune", "movie"), ("loop", "movie")]),
        ({"kind": "loop", "name": "movie"}, [("loop", "movie")]),
        ({"kind": "gate"}, []),
    ],
)
def test_runs_are_listed_newest_first(three_runs: Ledger, chosen: dict[str, Any], found: list[tuple[str, str]]) -> None:
    with three_runs:
        assert [(run.kind, run.name) for run in three_runs.runs(**chosen)] == found


def test_runs_of_one_moment_are_listed_newest_first(path: Path) -> None:
    with Ledger.open(path, clock=lambda: datetime(2026, 11, 30, tzinfo=UTC)) as ledger:
        ids = [ledger.start_run("loop", str(number), "", {}) for number in range(5)]
        assert [run.id for run in ledger.runs()] == ids[::-1]
        assert ledger.run_ids() == ids
        assert ledger.run("last").run.id == ids[-1]


IDS = ["20261129-101010-aaaa", "20261130-210512-k3f9", "20261130-210513-zz00", "20261201-080000-cccc"]


@pytest.mark.parametrize(
    ("wanted", "found"),
    [
        ("20261130-210512-k3f9", "20261130-210512-k3f9"),
        ("20261129", "20261129-101010-aaaa"),
        ("20261130-210513", "20261130-210513-zz00"),
        ("last", "20261201-080000-cccc"),
    ],
)
def test_a_run_is_found_by_its_id_or_its_beginning(wanted: str, found: str) -> None:
    assert run_ids.find_run_id(wanted, IDS) == found


@pytest.mark.parametrize(
    ("wanted", "message"),
    [
        (
            "20261130",
            "may mean 2 runs: 20261130-210513-zz00, 20261130-210512-k3f9; give more of it, or `last`",
        ),
        ("", "may mean 4 runs: 20261201-080000-cccc, 20261130-210513-zz00, 20261130-210512-k3f9, …"),
        (
            "20261130-210512-k3f8",
            "no run '20261130-210512-k3f8'; the nearest: 20261130-210512-k3f9, 20261130-210513-zz00",
        ),
        ("zebra", "no run 'zebra'; the nearest: "),
    ],
)
def test_a_run_that_is_not_found_is_told_with_the_nearest(wanted: str, message: str) -> None:
    with pytest.raises(ConfigError) as failure:
        run_ids.find_run_id(wanted, IDS)
    assert message in str(failure.value)


@pytest.mark.parametrize("wanted", ["last", "20261130", "\ud800"])
def test_an_empty_ledger_says_that_it_has_no_runs(ledger: Ledger, wanted: str) -> None:
    with pytest.raises(ConfigError, match="the ledger has no runs yet"):
        ledger.run(wanted)


def test_calls_are_read_a_page_at_a_time(ledger: Ledger, make_call: Callable[..., CallRow]) -> None:
    ids = [ledger.add_call(make_call()) for _ in range(5)]
    assert [row.id for row in ledger.calls(None, after=ids[1], limit=2)] == ids[2:4]


def test_threads_share_one_ledger(ledger: Ledger, make_call: Callable[..., CallRow]) -> None:
    ids: list[int] = []

    def write() -> None:
        ids.extend(ledger.add_call(make_call()) for _ in range(25))

    threads = [threading.Thread(target=write) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(ids) == [row.id for row in ledger.calls(None)]
    assert len(set(ids)) == 200


def test_a_failed_write_leaves_nothing_behind(ledger: Ledger, make_call: Callable[..., CallRow]) -> None:
    with pytest.raises(LedgerError):
        ledger.add_call(make_call(run_id="20261130-210512-none"))
    assert ledger.add_call(make_call()) == 1
    assert len(ledger.calls(None)) == 1


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no file modes")
def test_only_the_owner_may_read_a_new_ledger(tmp_path: Path, make_call: Callable[..., CallRow]) -> None:
    path = tmp_path / "new" / "folder" / "ledger.sqlite"
    before = os.umask(0)
    try:
        with Ledger.open(path) as ledger:
            ledger.add_call(make_call())
            modes = {file.name: stat.S_IMODE(file.stat().st_mode) for file in path.parent.iterdir()}
    finally:
        os.umask(before)
    assert modes == dict.fromkeys(["ledger.sqlite", "ledger.sqlite-shm", "ledger.sqlite-wal"], 0o600)


@pytest.fixture
def syncs() -> Iterator[list[str]]:
    """The files that SQLite syncs to the disk, one after the other."""
    synced: list[str] = []
    system = apsw.vfs_names()[0]

    class WatchedFile(apsw.VFSFile):
        def __init__(self, filename: Any, flags: list[int]) -> None:
            self.name = Path(filename.filename() if isinstance(filename, apsw.URIFilename) else filename).name
            super().__init__(system, filename, flags)

        def xSync(self, flags: int) -> None:  # noqa: N802
            synced.append(self.name)
            super().xSync(flags)

    class Watched(apsw.VFS):
        def __init__(self) -> None:
            super().__init__("watched", system, makedefault=True)

        def xOpen(self, name: Any, flags: list[int]) -> WatchedFile:  # noqa: N802
            return WatchedFile(name, flags)

    watched = Watched()
    yield synced
    apsw.set_default_vfs(system)
    watched.unregister()


def test_the_end_of_a_run_is_synced_to_the_disk_and_a_call_is_not(
    syncs: list[str], path: Path, make_call: Callable[..., CallRow]
) -> None:
    with Ledger.open(path) as ledger:
        run_id = ledger.start_run("loop", "movie", "", {})
        syncs.clear()
        ledger.add_call(make_call(run_id=run_id))
        assert syncs == []
        ledger.end_run(run_id, "done", None)
        assert syncs == ["ledger.sqlite-wal"]
        ledger.add_call(make_call())
        assert syncs == ["ledger.sqlite-wal"]
    assert syncs[1:] == ["ledger.sqlite-wal", "ledger.sqlite"]  # what was not synced is when it is closed


def test_a_damaged_row_hides_no_other_run_and_is_named(tmp_path):
    with Ledger.open(tmp_path / "ledger.db") as ledger:
        broken, whole = (ledger.start_run("loop", "movies", "x", {}) for _ in range(2))
        for run_id in (broken, whole):
            ledger.end_run(run_id, "satisfied", {"a": 1})
    file = apsw.Connection(str(tmp_path / "ledger.db"))
    file.execute("UPDATE runs SET result = '{bad' WHERE id = ?", (broken,))
    file.close()
    with Ledger.open(tmp_path / "ledger.db") as ledger:
        assert [run.id for run in ledger.runs()] == [whole]
        assert ledger.damaged() == [broken]
        with pytest.raises(LedgerError, match="damaged"):
            ledger.run(broken)

"""`kill -9` anywhere: a real process, a real server that counts, and nothing paid for twice."""

from __future__ import annotations

import asyncio
import json
import signal
import threading
from collections import Counter
from dataclasses import replace

import pytest

from command_line import process
from openai_server import stalls
from senno import config as settings
from senno.ledger import Ledger
from senno.tune import TuneOptions, load_tuning, resume, tune

SETTINGS = "[calls]\nconcurrency = {concurrency}\nattempts = 1\n"


@pytest.fixture
def file(finance, plain_law, tmp_path):
    path = finance(scenarios=14, rounds="2", answers="1")
    (tmp_path / "senno.toml").write_text(SETTINGS.format(concurrency=1), encoding="utf-8")
    return path


def options(server):
    flags = server.flags()
    roles = [flag.removeprefix("--").removesuffix("-model") for flag in flags[::2]]
    return TuneOptions(dict(zip(roles, flags[1::2], strict=True)))  # pyright: ignore[reportArgumentType]


def whole(file, server, ledger_path):
    """The tuning, not cut off."""
    with Ledger.open(ledger_path) as ledger:
        config = settings.load().config
        return asyncio.run(tune(file, ledger=ledger, config=config, options=options(server)))


def end(result):
    """What a run came to, whichever run it was."""
    told = result if isinstance(result, dict) else result.to_json()
    return {name: value for name, value in told.items() if name not in ("run", "used")}


def asked(requests):
    return Counter(json.dumps(each.body, sort_keys=True) for each in requests)


def killed_at(file, server, number, tmp_path):
    """Kill the process while the server holds its request `number` back; the request, which nobody answered."""
    reached = threading.Event()

    def hold(count, request):
        if count < number:
            return None
        reached.set()
        return stalls()

    server.before = hold
    running = process("tune", file, *server.flags(), "--quiet", cwd=tmp_path)
    try:
        assert reached.wait(60), running.communicate(timeout=5)
        assert running.poll() is None
    finally:
        running.kill()
        running.communicate()
    server.before = lambda count, request: None
    return server.requests[number - 1 :]


@pytest.mark.parametrize("share", [0.02, 0.35, 0.55, 0.7, 0.97])
def test_killed_anywhere_it_comes_to_the_same_end_and_pays_for_nothing_twice(file, server, tmp_path, share) -> None:
    """Complaints 2, 4, 5 and 6: a crash loses the call under way, and no other; nothing is pickled."""
    expected = whole(file, server, tmp_path / "whole.db")
    assert expected.outcome == "better"
    needed = asked(server.requests)
    server.requests.clear()

    lost = killed_at(file, server, max(2, int(share * needed.total())), tmp_path)
    assert len(lost) == 1
    loaded = settings.load()
    with Ledger.open(loaded.ledger) as ledger:
        assert load_tuning(ledger).run.status == "interrupted"
        result = asyncio.run(resume("last", ledger=ledger, config=loaded.config))

    assert end(result) == end(expected)
    assert asked(server.requests) - asked(lost) == needed
    with Ledger.open(loaded.ledger) as ledger:
        assert [run.status for run in ledger.runs(kind="tune")] == ["ended"]


def test_killed_with_many_calls_under_way_only_those_are_asked_again(file, server, tmp_path) -> None:
    (tmp_path / "senno.toml").write_text(SETTINGS.format(concurrency=8), encoding="utf-8")
    expected = whole(file, server, tmp_path / "whole.db")
    needed = asked(server.requests)
    server.requests.clear()

    lost = killed_at(file, server, needed.total() // 2, tmp_path)
    loaded = settings.load()
    with Ledger.open(loaded.ledger) as ledger:
        result = asyncio.run(resume("last", ledger=ledger, config=loaded.config))
    assert end(result) == end(expected)
    twice = asked(server.requests) - needed
    # Up to a slot's worth was under way, answered or not, when the process was killed.
    assert twice.total() <= 8 + len(lost)


def test_killed_twice_it_still_comes_to_the_same_end(file, server, tmp_path) -> None:
    expected = whole(file, server, tmp_path / "whole.db")
    needed = asked(server.requests)
    server.requests.clear()
    lost = killed_at(file, server, needed.total() // 3, tmp_path)

    reached = threading.Event()
    second = len(server.requests) + needed.total() // 3

    def hold(count, request):
        if count < second:
            return None
        reached.set()
        return stalls()

    server.before = hold
    running = process("tune", "resume", "--quiet", cwd=tmp_path)
    try:
        assert reached.wait(60)
    finally:
        running.kill()
        running.communicate()
    server.before = lambda count, request: None
    lost = [*lost, *server.requests[second - 1 :]]
    loaded = settings.load()
    with Ledger.open(loaded.ledger) as ledger:
        result = asyncio.run(resume("last", ledger=ledger, config=loaded.config))
    assert end(result) == end(expected)
    assert asked(server.requests) - asked(lost) == needed


def test_interrupted_it_says_so_and_goes_on_to_the_same_end(file, server, tmp_path) -> None:
    expected = whole(file, server, tmp_path / "whole.db")
    server.requests.clear()
    server.before = lambda count, request: stalls() if count >= 40 else None
    running = process("tune", file, *server.flags(), "--quiet", cwd=tmp_path)
    server.wait_for_requests(40)
    running.send_signal(signal.SIGINT)
    _, errors = running.communicate(timeout=60)
    assert (running.returncode, "interrupted" in errors) == (130, True)
    server.before = lambda count, request: None
    loaded = settings.load()
    with Ledger.open(loaded.ledger) as ledger:
        assert load_tuning(ledger).run.stop == "interrupted"
        result = asyncio.run(resume("last", ledger=ledger, config=loaded.config))
    assert end(result) == end(expected)


def test_a_run_that_another_process_works_on_is_not_gone_on_with(file, server, tmp_path, senno_fails) -> None:
    reached = threading.Event()

    def hold(count, request):
        reached.set()
        return stalls() if count > 5 else None

    server.before = hold
    running = process("tune", file, *server.flags(), "--quiet", cwd=tmp_path)
    try:
        server.wait_for_requests(6)
        assert "goes on in process" in senno_fails("tune", "resume", cwd=tmp_path)
    finally:
        running.kill()
        running.communicate()


@pytest.fixture
def senno_fails():
    def run(*arguments, **rest) -> str:
        ended = process(*arguments, **rest)
        _, errors = ended.communicate(timeout=60)
        assert ended.returncode == 2
        return errors

    return run


def test_two_tunings_at_once_in_one_folder_do_not_mix(file, server, tmp_path) -> None:
    (tmp_path / "senno.toml").write_text(SETTINGS.format(concurrency=4), encoding="utf-8")
    expected = whole(file, server, tmp_path / "whole.db")
    running = [process("tune", file, *server.flags(), "--json", "--quiet", cwd=tmp_path) for _ in range(2)]
    told = [json.loads(each.communicate(timeout=120)[0]) for each in running]
    assert len({each["run"] for each in told}) == 2
    first, second = sorted(told, key=lambda each: each["held_out"]["acceptance"] is None)
    assert first["best"] == second["best"] == expected.best
    assert first["used"]["all"]["calls"] == expected.used["all"]["calls"]
    assert first["held_out"]["acceptance"]
    assert "looked at it meanwhile" in second["held_out"]["reason"], "of two looks at once, one is the first"
    loaded = settings.load()
    with Ledger.open(loaded.ledger) as ledger:
        again = options(server)
        result = asyncio.run(
            resume(second["run"], ledger=ledger, config=loaded.config, options=replace(again, touch_again=True))
        )
    assert result.held_out.touches == 2
    assert result.used["all"]["calls"] == expected.used["all"]["calls"]

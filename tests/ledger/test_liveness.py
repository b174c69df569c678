from __future__ import annotations

import os
import sys
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import apsw
import pytest

from senno.ledger import CallRow, Ledger
from senno.ledger.liveness import Owner, born, is_running, this_process

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
LINUX = Owner(host="box", boot="boot-1", namespace="pid:[1]", pid=100, born="5000")
MAC = Owner(host="mac", boot="", namespace="", pid=100, born="")
WINDOWS = replace(MAC, host="pc", born=None)
JUST_NOW, LONG_AGO = timedelta(minutes=59), timedelta(minutes=61)


@pytest.mark.parametrize(
    ("here", "owner", "there", "silent", "running"),
    [
        pytest.param(LINUX, LINUX, "5000", LONG_AGO, True, id="its process is there"),
        pytest.param(LINUX, LINUX, None, JUST_NOW, False, id="its process is gone"),
        pytest.param(LINUX, LINUX, "9000", JUST_NOW, False, id="its id was used again"),
        pytest.param(LINUX, replace(LINUX, host="renamed"), "5000", LONG_AGO, True, id="the host was renamed"),
        pytest.param(LINUX, replace(LINUX, boot="boot-0"), "5000", JUST_NOW, False, id="the machine was started anew"),
        pytest.param(LINUX, replace(LINUX, namespace="pid:[2]"), "5000", JUST_NOW, True, id="a container, lately"),
        pytest.param(LINUX, replace(LINUX, namespace="pid:[2]"), "5000", LONG_AGO, False, id="a container, silent"),
        pytest.param(LINUX, replace(LINUX, host="b", boot="b"), "5000", JUST_NOW, True, id="another machine, lately"),
        pytest.param(LINUX, replace(LINUX, host="b", boot="b"), "5000", LONG_AGO, False, id="another machine, silent"),
        pytest.param(LINUX, MAC, "5000", LONG_AGO, False, id="a machine of another kind"),
        pytest.param(MAC, MAC, "", LONG_AGO, True, id="no birth times: an id that is there"),
        pytest.param(MAC, MAC, None, JUST_NOW, False, id="no birth times: an id that is not"),
        pytest.param(WINDOWS, WINDOWS, None, JUST_NOW, True, id="cannot be asked, lately"),
        pytest.param(WINDOWS, WINDOWS, None, LONG_AGO, False, id="cannot be asked, silent"),
    ],
)
def test_a_run_without_an_end_is_running_when(
    here: Owner, owner: Owner, there: str | None, silent: timedelta, running: bool
) -> None:
    answer = is_running(owner, NOW - silent, here=here, now=NOW, born_of=lambda _: there)
    assert answer is running


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="reads /proc")
def test_linux_tells_when_a_process_was_born() -> None:
    mine, parents = born(os.getpid()), born(os.getppid())
    assert mine is not None
    assert parents is not None
    assert int(mine) >= int(parents)
    assert this_process().born == mine
    assert this_process().boot


@pytest.mark.skipif(sys.platform == "win32", reason="cannot be asked there")
def test_a_process_that_never_was_has_no_birth() -> None:
    assert born(2**22 + 1) is None  # above the highest id that Linux gives


def test_a_call_is_a_sign_of_life(path: Path, make_call: Callable[..., CallRow]) -> None:
    clock = [NOW]
    with Ledger.open(path, clock=lambda: clock[0]) as ledger:
        run_id = ledger.start_run("loop", "movie", "", {})
        other = apsw.Connection(str(path))
        other.execute("UPDATE runs SET host = 'elsewhere', boot = 'other'")
        other.close()
        clock[0] += timedelta(minutes=90)
        assert ledger.run(run_id).run.status == "interrupted"
        ledger.add_call(make_call(run_id=run_id, started=NOW + timedelta(minutes=45)))
        assert ledger.run(run_id).run.status == "running"

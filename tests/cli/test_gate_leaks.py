"""Secrets in odd places of a change: none leaves this machine, and none stands in what is written or shown."""

from __future__ import annotations

import pytest

from repository import IDENTITY, Repo
from system_one_server import SystemOneServer

SECRET = "ghp_" + "16C7e42F292c6912E7710c838347Ae178B4a"
LINES = "".join(f"    x{n} = {n}\n" for n in range(20))


@pytest.fixture(name="repo")
def _repo(machine, monkeypatch):
    for name, value in IDENTITY.items():
        monkeypatch.setenv(name, value)
    repo = Repo(machine)
    repo.commit(
        {"app.py": f'def f(key="{SECRET}"):\n{LINES}', f"old-{SECRET}.txt": "x\n" * 9, "senno.toml": ""}, "first"
    )
    repo.git("tag", "before")
    return repo


@pytest.mark.parametrize(
    ("files", "message", "moved"),
    [
        pytest.param({"app.py": f'def f(key="{SECRET}"):\n{LINES}    y = 1\n'}, "x", "", id="heading of a hunk"),
        pytest.param(
            {"app.py": f'def f(key="{SECRET}"):\n{LINES}    y = 1\n'.replace("f(key", f"{'long_' * 6}(key")},
            "x",
            "",
            id="heading of a hunk, cut by git",
        ),
        pytest.param({f"{SECRET}.txt": "x\n"}, "x", "", id="name of a file"),
        pytest.param({f"{SECRET}.bin": b"\0\1"}, "x", "", id="name of a binary file"),
        pytest.param({}, "x", f"old-{SECRET}.txt", id="name that a file had"),
        pytest.param({"app.py": "x = 1\n"}, f"Use {SECRET}", "", id="title, and removed lines"),
        pytest.param({"app.py": "x = 1\n"}, f"Use\n\nit: {SECRET}", "", id="description"),
    ],
)
def test_a_secret_anywhere_in_a_change_stands_in_nothing_that_comes_of_it(repo, senno, files, message, moved):
    if moved:
        repo.git("mv", moved, "new.txt")
    repo.commit(files, message)

    with SystemOneServer(touches_auth=0.9) as judge:
        shown = [
            senno("gate", "--model", f"systemone:{judge.url}#jev-1.13.0", "--base", "before", *more)
            for more in ((), ("--json",), ("--sarif", "o.sarif"))
        ]
        asked = str([request.body for request in judge.requests])
    done = senno("gate", "override", "last", "--because", f"{SECRET} is revoked", "--by", "A", "--answer", LABEL)

    assert done.code == (0 if "touches_auth ≥ 0.8" in shown[0].out else 2), done.err
    told = "".join(ran.out + ran.err for ran in shown)
    told += "".join(path.read_text(errors="replace") for path in repo.top.glob("*.sarif"))
    told += "".join(path.read_text() for path in repo.top.glob("gate/labelled.jsonl"))
    kept = b"".join(path.read_bytes() for path in repo.top.glob(".senno/ledger.db*"))
    for text in (told, asked, kept.decode("latin-1")):
        assert text
        assert SECRET[:24] not in text


LABEL = "touches_auth=wrong"


def test_a_secret_in_a_new_name_is_found(repo, senno):
    repo.stage({f"{SECRET}.txt": "x\n"})

    ran = senno("gate", "--staged", "--detectors-only", "--json")

    assert (ran.code, ran.json["rule"]) == (1, "secrets ≥ 1")
    assert ran.json["findings"][0]["path"] == "[redacted:github-pat].txt"

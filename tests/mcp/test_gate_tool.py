"""The tool `gate_diff`, with a real client over stdio."""

import json
import os
from contextlib import asynccontextmanager
from pathlib import Path

import anyio
import pytest
from mcp.client.stdio import StdioServerParameters, stdio_client

from command_line import COMMAND
from mcp import ClientSession
from repository import IDENTITY, Repo
from system_one_server import SystemOneServer

SECRET = "ghp_" + "16C7e42F292c6912E7710c838347Ae178B4a"


@pytest.fixture(name="repo")
def _repo(machine):
    repo = Repo(machine)
    repo.commit({"app.py": "print(1)\n", "test_app.py": "x\n"}, "first")
    return repo


@asynccontextmanager
async def client():
    environment = {**os.environ, **IDENTITY, "SENNO_RECALL_EMBEDDER": "none"}
    parameters = StdioServerParameters(
        command=COMMAND[0], args=[*COMMAND[1:], "mcp"], env=environment, cwd=str(Path.cwd())
    )
    async with stdio_client(parameters) as (read, write), ClientSession(read, write) as session:
        await session.initialize()
        yield session


def gated(**arguments):
    async def ask():
        async with client() as session:
            result = await session.call_tool("gate_diff", arguments)
            return result.is_error, result.structured_content or result.content[0].text

    return anyio.run(ask)


def test_an_agent_asks_what_would_become_of_its_change(repo):
    with SystemOneServer(touches_auth=0.95) as judge:
        repo.commit({"senno.toml": f'[models]\njudge = "systemone:{judge.url}#jev-1.13.0"\n'})
        repo.stage({"app.py": "print(2)\n", "test_app.py": "y\n"})

        failed, told = gated(staged=True, title="Print two", author="anthropic:claude")

    assert not failed
    assert (told["verdict"], told["exit_code"]) == ("SECURITY REVIEW", 3)
    assert told["fired"] == ["touches_auth ≥ 0.8 (it is 0.95)"]
    assert judge.requests[0].body["state"]["title"] == "Print two"


def test_a_diff_is_judged_without_a_model_and_its_secrets_stay_unsaid(repo):
    repo.write({"app.py": f'KEY = "{SECRET}"\n'})

    failed, told = gated(diff=repo.git("diff").stdout, detectors_only=True)

    assert (failed, told["verdict"], told["exit_code"]) == (False, "BLOCK", 1)
    assert told["findings"][-1].startswith("app.py:1: a secret")
    assert SECRET not in json.dumps(told)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({}, "expected exactly one of base, staged and diff"),
        ({"base": "main", "staged": True}, "expected exactly one of base, staged and diff"),
        ({"base": "nowhere"}, "no commit is named 'nowhere'"),
        ({"base": "--output=/tmp/x"}, "no commit is named"),
    ],
)
def test_what_names_no_change_is_an_error_of_the_tool(repo, arguments, said):
    failed, told = gated(**arguments)

    assert failed
    assert said in told

"""A loop in a few lines: what is not given is the smallest that can be."""

from __future__ import annotations

import asyncio

from ruamel.yaml import YAML

from senno.config import Config
from senno.ledger import Ledger
from senno.loop import load_loop, run_loop

ROLES = '''\
from pydantic import BaseModel


class Asked(BaseModel):
    """What is wanted."""

    topic: str = ""
    count: int | None = None
    questions: list[str] = []


class Idea(BaseModel):
    """One idea."""

    text: str
    note: str = ""


class Ideas(BaseModel):
    """Ideas."""

    ideas: list[Idea]


def act(value):
    """Three ideas, new ones each time."""
    taken = {i["text"] for i in value.accepted} | set(value.do_not_repeat)
    return Ideas(ideas=[Idea(text=t) for t in ("one", "two", "three", "four") if t not in taken][: value.wanted])


def search(query: str) -> str:
    """Look something up."""
    return query
'''
CHECKS = '{"short": {"type": "length", "unit": "characters", "max": 4}}'


def described(**over):
    """What `loop.yaml` says, as values."""
    actor = {"output": "roles.py:Ideas", "call": "roles.py:act"}
    whole = {
        "name": "small", "roles": {"actor": actor}, "items": {"field": "ideas", "key": ["text"], "text": "text"},
        "judge": {"checks": "checks.json"},
    }  # fmt: skip
    return {k: v for k, v in {**whole, **over}.items() if v is not None}


def write_loop(folder, data=None, *, roles="", **files):
    """The folder of a loop; `roles` is added to `roles.py`; `files` are further ones, by name with `__` for a dot."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "roles.py").write_text(ROLES + roles)
    (folder / "checks.json").write_text(CHECKS)
    for name, text in files.items():
        (folder / name.replace("__", ".")).write_text(text)
    with (folder / "loop.yaml").open("w") as file:
        YAML().dump(data or described(), file)
    return folder


def run(spec_or_folder, cast=None, *, request="ideas", config=None, **rest):
    """Run a loop; returns its result and its record."""
    spec = load_loop(spec_or_folder)
    with Ledger.open(spec_or_folder / "ledger.db") as ledger:
        result = asyncio.run(run_loop(spec, request, ledger=ledger, config=config or Config(), cast=cast, **rest))
        return result, ledger.run(result.run_id)

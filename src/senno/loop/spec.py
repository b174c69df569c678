"""A loop as it runs: roles, items, bounds. `loopfile.py` makes one from a file."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel

from senno.judge import CheckFile, Policy
from senno.loop.pycode import PythonTool
from senno.models import Budget

RoleName = Literal["refiner", "actor", "critic", "curator"]
ROLES: tuple[RoleName, ...] = ("refiner", "actor", "critic", "curator")


@dataclass(frozen=True, slots=True)
class Role:
    """One role: a prompt for a model, or a Python function, or both (the function then where there is no model)."""

    role: RoleName
    name: str
    """What the loop calls it ("Cinephile")."""
    output: type[BaseModel]
    prompt: str | None = None
    prompt_file: str = ""
    input: type[BaseModel] | None = None
    """Narrows what the role sees; `None`: all of the engine's input."""
    tools: tuple[PythonTool, ...] = ()
    call: Callable[[Any], Any] | None = None
    """Always this function: the role never needs a model."""
    without_model: Callable[[Any], Any] | None = None
    """This function where no model is configured."""
    budget: Budget = field(default_factory=Budget)
    temperature: float | None = None
    max_tokens: int | None = None


@dataclass(frozen=True, slots=True)
class Items:
    """Where the items are in the actor's output, and what makes two of them one."""

    field: str
    """Field of the actor's output; empty: the output as a whole is the one item."""
    key: tuple[str, ...]
    show: tuple[str, ...]
    """Fields that name an item to a person."""
    text: str
    """Field that the deterministic checks read; empty: the whole item as JSON."""

    def name_of(self, value: Mapping[str, Any]) -> str:
        """An item in a few words: `"Enigma (2001)"`."""
        first, *rest = [str(value.get(f, "?")) for f in self.show] or ["the answer"]
        return f"{first} ({', '.join(rest)})" if rest else first


@dataclass(frozen=True, slots=True)
class Wanted:
    """How many items are asked for: a field of the refined request, or the default."""

    field: str
    default: int
    most: int


@dataclass(frozen=True, slots=True)
class LoopSpec:
    """A loop, read and checked: everything it names exists."""

    name: str
    description: str
    path: Path
    roles: Mapping[RoleName, Role]
    items: Items
    wanted: Wanted
    rounds: int
    reasks: int
    """How often a malformed answer is asked again."""
    checks: tuple[str, ...]
    """What the critic reports on."""
    judged: CheckFile
    policy: Policy
    clarify: str
    """Field of the refined request that holds questions for the user; empty: it never asks."""
    evidence: Callable[[Mapping[str, Any], Mapping[str, Any]], Any] | None
    """`evidence(request, item)` → what sources say of the item, run by code for each new item."""
    judge_without_model: Callable[[], Any] | None
    budget: Budget
    digests: Mapping[str, str]
    """SHA-256 of each file the loop is made of, by name: which version of a prompt a run used."""

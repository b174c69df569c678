"""Who plays which role of a tuning: models by name, or Python of the user's beside the tune file.

`file.py:name`, relative to the tune file, is a function without parameters that makes the model. It runs with the
rights of whoever runs the tuning, as any program does.
"""

from __future__ import annotations

import importlib.util
import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any, Literal

from senno.config import Config
from senno.errors import ConfigError
from senno.models import DecisionModel, TextModel, decision_model, text_model
from senno.text import did_you_mean
from senno.threads import as_failure, told
from senno.tune.tunefile import TuneSpec

Role = Literal["answer", "rewrite", "judge", "scenarios"]

_PYTHON = re.compile(r"(?P<file>[^:]+\.py):(?P<name>\w+)")
_FLAGS: Mapping[Role, str] = {
    "answer": "--answer-model",
    "rewrite": "--rewrite-model",
    "judge": "--judge-model",
    "scenarios": "--scenarios-model",
}


@dataclass(frozen=True, slots=True)
class Cast:
    """The players."""

    answer: TextModel
    rewrite: TextModel
    judge: DecisionModel | None
    """`None`: there are no questions."""
    scenarios: TextModel | None
    """`None`: they come from a file."""
    written: Mapping[Role, str]
    """The models as the user wrote them, for who goes on with the run."""

    def names(self) -> dict[str, str]:
        """Role to the model's own name: as it stands in the ledger."""
        players = {"answer": self.answer, "rewrite": self.rewrite, "judge": self.judge, "scenarios": self.scenarios}
        return {role: player.name for role, player in players.items() if player}


def role_names(spec: TuneSpec, config: Config, flags: Mapping[Role, str]) -> dict[Role, str]:
    """The model of each role: by a flag, else by the tune file, else by the settings.

    A model of a role in `models.roles` goes before `models.text`; scenarios are made by the rewriter where no other is
    named.
    """
    own: dict[Role, str] = {
        "answer": spec.models.answer,
        "rewrite": spec.models.rewrite,
        "judge": spec.models.judge,
        "scenarios": spec.models.scenarios,
    }
    found: dict[Role, str] = {}
    for role, named in own.items():
        settings = config.models.judge if role == "judge" else config.models.text
        found[role] = flags.get(role) or named or config.models.roles.get(role) or settings
    if not (flags.get("scenarios") or own["scenarios"] or config.models.roles.get("scenarios")):
        found["scenarios"] = found["rewrite"]
    return found


def cast_tune(spec: TuneSpec, names: Mapping[Role, str], *, asks: bool, samples: int) -> Cast:
    """The models of a tuning.

    Args:
        spec: the tune file; paths to Python are relative to it.
        names: of the models, by role.
        asks: whether there are questions, for which there must be a judge.
        samples: of a chat model that judges without log-probabilities.

    Raises:
        ConfigError: a role has no model, or it cannot be made.
    """
    folder = spec.where.parent
    made: dict[str, TextModel] = {}

    def writes(role: Role) -> TextModel:
        name = _needed(spec, role, names)
        if name not in made:
            own = _of_python(folder, name, TextModel)  # pyright: ignore[reportArgumentType]
            made[name] = own if isinstance(own, TextModel) else text_model(name)
        return made[name]

    judge: DecisionModel | None = None
    if asks:
        name = _needed(spec, "judge", names)
        own = _of_python(folder, name, DecisionModel)  # pyright: ignore[reportArgumentType]
        judge = own if isinstance(own, DecisionModel) else decision_model(name, samples=samples)
    scenarios = writes("scenarios") if spec.scenarios.brief else None
    written: dict[Role, str] = {role: name for role, name in names.items() if name}
    return Cast(writes("answer"), writes("rewrite"), judge, scenarios, written)


def _needed(spec: TuneSpec, role: Role, names: Mapping[Role, str]) -> str:
    name = names.get(role, "")
    if not name:
        kind = "judge" if role == "judge" else "text"
        raise ConfigError(
            f"{spec.where}: models.{role} names no model; expected one there, {_FLAGS[role]} MODEL, or models.{kind} "
            "in senno.toml"
        )
    return name


def _of_python(folder: Path, name: str, kind: type) -> Any:
    """What `file.py:name` makes; `None`: the name is no such thing.

    Raises:
        ConfigError: no such file or function, or it fails, or it makes something else.
    """
    found = _PYTHON.fullmatch(name)
    if found is None:
        return None
    module = _module((folder / found["file"]).resolve(), name)
    make = getattr(module, found["name"], None)
    if not callable(make):
        known = [each for each in vars(module) if not each.startswith("_")]
        raise ConfigError(
            f"model {name!r}: {found['file']} has no function {found['name']!r}" + did_you_mean(found["name"], known)
        )
    try:
        model = make()
    except (Exception, SystemExit) as error:
        raise ConfigError(f"model {name!r}: it raised {told(as_failure(error))}") from error
    if not isinstance(model, kind):
        raise ConfigError(f"model {name!r}: found {type(model).__name__}; expected a senno.models.{kind.__name__}")
    return model


def _module(path: Path, name: str) -> ModuleType:
    if not path.is_file():
        raise ConfigError(f"model {name!r}: there is no file {path}")
    key = f"_senno_tune_{path.stem}_{abs(hash(path))}"
    if key in sys.modules:
        return sys.modules[key]
    spec = importlib.util.spec_from_file_location(key, path)
    if spec is None or spec.loader is None:
        raise ConfigError(f"model {name!r}: {path} is no Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[key] = module
    try:
        spec.loader.exec_module(module)
    except (Exception, SystemExit) as error:
        del sys.modules[key]
        raise ConfigError(f"model {name!r}: {path} does not import: {told(as_failure(error))}") from error
    return module

"""Who plays which role of a loop: a model by name, or what ships with the loop where there is none."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from senno.config import Config
from senno.errors import ConfigError
from senno.loop.spec import ROLES, LoopSpec, Role, RoleName
from senno.models import DecisionModel, TextModel, decision_model, text_model
from senno.text import did_you_mean
from senno.threads import as_failure, told

PYTHON = "python"
"""What stands for a model's name where a role is a Python function."""


@dataclass(frozen=True, slots=True)
class Cast:
    """A model for each role that has one, and the judge's."""

    models: Mapping[RoleName, TextModel]
    judge: DecisionModel | None = None
    judge_is_model: bool = False
    """The judge is a model of the configuration, and not the loop's own Python."""
    allow_same_model: bool = False

    def player(self, role: Role) -> TextModel | None:
        """The model that plays a role; `None`: its Python function does."""
        return None if role.call else self.models.get(role.role)


def cast_loop(spec: LoopSpec, config: Config) -> Cast:
    """The models of the configuration, for the roles of a loop.

    Raises:
        ConfigError: an unknown role or model, or a role that needs a model and has none.
    """
    wanted = config.models
    for role in wanted.roles:
        if role not in ROLES:
            raise ConfigError(
                f"models.roles.{role}: unknown role; expected {', '.join(ROLES)}{did_you_mean(role, ROLES)}"
            )
    named: dict[RoleName, str] = {
        name: wanted.roles.get(name) or wanted.text for name, role in spec.roles.items() if not role.call
    }
    for name, model in named.items():
        role = spec.roles[name]
        if model and role.prompt is None:
            raise ConfigError(f"{spec.path}: roles.{name} has no prompt, so the model {model} cannot play it")
        if not model and role.without_model is None:
            raise ConfigError(
                f"{spec.name}: {role.name} (the {name}) needs a model. Name one: --model openai:…, "
                "--model ollama:llama3.2, --model http://127.0.0.1:8089/v1; or set models.text in senno.toml"
            )
    # One object a name: its connections and what it learnt of its server are shared.
    made = {model: text_model(model) for model in named.values() if model}
    judge: DecisionModel | None = None
    if spec.judged.questions and wanted.judge:
        judge = decision_model(wanted.judge, samples=config.calls.samples)
    elif spec.judged.questions and spec.judge_without_model:
        judge = _python_judge(spec, spec.judge_without_model)
    return Cast(
        {n: made[m] for n, m in named.items() if m},
        judge,
        judge is not None and bool(wanted.judge),
        wanted.allow_same_model,
    )


def _python_judge(spec: LoopSpec, make: Callable[[], Any]) -> DecisionModel:
    at = f"{spec.path}: judge.without_model"
    try:
        judge = make()
    except (Exception, SystemExit) as error:
        raise ConfigError(f"{at} raised {told(as_failure(error))}") from error
    if not isinstance(judge, DecisionModel):
        raise ConfigError(
            f"{at}: {type(judge).__name__} is no decision model; expected an object with name and "
            "async decide(state, questions, *, calls) that returns a senno.models.Decision"
        )
    return judge


def cast_models(spec: LoopSpec, cast: Cast) -> list[str]:
    """The names of the models that a run may call."""
    players = [cast.player(role) for role in spec.roles.values()]
    judge = [cast.judge.name] if cast.judge and cast.judge_is_model else []
    return [*dict.fromkeys([p.name for p in players if p] + judge)]


def cast_names(spec: LoopSpec, cast: Cast) -> dict[str, str]:
    """Role to the name of its model, or `python`: what a run's record says."""
    players = {name: cast.player(role) for name, role in spec.roles.items()}
    names: dict[str, str] = {name: model.name if model else PYTHON for name, model in players.items()}
    if cast.judge:
        names["judge"] = cast.judge.name if cast.judge_is_model else f"{cast.judge.name} ({PYTHON})"
    return names

"""What a tuning stands on: read, and refused where it cannot work, before anything is called."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from senno.config import Config
from senno.errors import ConfigError
from senno.files import read_text
from senno.judge import CheckFile, Judge, Policy, load_check_file, load_policy, refuse_same_model
from senno.models import Budget, check_prices
from senno.tune.cast import Cast, Role, cast_tune, role_names
from senno.tune.engine import holds_secret
from senno.tune.history import digest
from senno.tune.rewriting import check_start
from senno.tune.scenarios import Scenario, load_scenarios
from senno.tune.split import hold_out
from senno.tune.tunefile import TuneSpec, unknown_must
from senno.tune.version import Version

_STATE = ("text", "scenario")
"""What the questions are asked about, beside the variables of the scenario."""


@dataclass(frozen=True, slots=True)
class TuneOptions:
    """What is said beside the tune file."""

    models: Mapping[Role, str] = field(default_factory=dict["Role", str])
    """By role; they go before those of the file."""
    allow_same_model: bool = False
    touch_again: bool = False
    """Look at a held-out part that another run looked at before."""


@dataclass(frozen=True, slots=True)
class Prepared:
    """All that is read before the first call."""

    spec: TuneSpec
    start: Version
    checks: CheckFile
    policy: Policy
    cast: Cast
    judge: Judge
    scenarios: tuple[Scenario, ...]
    """Empty: they are made from the brief."""
    brief: str
    budget: Budget
    """What holds for the whole run."""
    pieces: Mapping[str, str]
    """Digest of each thing that a run stands on, by its name."""


def prepare(spec: TuneSpec, config: Config, options: TuneOptions, names: Mapping[Role, str] | None = None) -> Prepared:
    """Read what a tune file names, and refuse what cannot work, before anything is called.

    Args:
        spec: the tune file.
        config: the settings.
        options: what is said beside it.
        names: of the models, in place of those that file and settings name.

    Raises:
        ConfigError: a file, a name or a constraint is wrong.
        SameModelError: the judge would judge what it wrote.
    """
    checks = load_check_file(spec.judge.checks)
    policy = load_policy(spec.judge.policy, checks)
    if not policy.weights:
        raise ConfigError(f"{spec.judge.policy}: no weights, so there is no score; expected weights that add up to 100")
    unknown_must(spec.judge.must, (*checks.checks, *checks.questions), spec.where)
    start = spec.prompt.read()
    check_start(start, spec.constraints)
    if holds_secret(start):
        raise ConfigError(
            f"{spec.where}: the prompt holds what looks like a secret, which the ledger would not keep; expected a "
            "prompt without: what is secret can be a variable of the scenarios"
        )
    scenarios = load_scenarios(
        spec.scenarios.file, cluster=spec.scenarios.cluster, stratify=spec.scenarios.stratify
    ) if spec.scenarios.file else ()  # fmt: skip
    check_scenarios(spec, start, scenarios)
    named = dict(names or role_names(spec, config, options.models))
    allowed = options.allow_same_model or spec.models.allow_same_model or config.models.allow_same_model
    cast = cast_tune(spec, named, asks=bool(checks.questions), samples=config.calls.samples)
    authors = [cast.answer.name, cast.rewrite.name]
    if cast.judge:
        refuse_same_model(cast.judge.name, authors, allowed)
    judge = Judge(checks, policy, cast.judge, authors=authors, allow_same_model=allowed)
    budget = _budget(spec, config)
    check_prices(config, budget, cast.names().values())
    brief = read_text(spec.scenarios.brief) if spec.scenarios.brief else ""
    pieces = {
        "the prompt": start.id,
        "the scenarios": digest(sorted(each.content for each in scenarios), brief, spec.scenarios.count),
        "the checks": _file_digest(spec.judge.checks),
        "the policy": _file_digest(spec.judge.policy),
        "the models": digest(cast.names()),
        "the settings of the tune file": digest(_settings(spec)),
    }
    return Prepared(spec, start, checks, policy, cast, judge, tuple(scenarios), brief, budget, pieces)


def check_scenarios(spec: TuneSpec, start: Version, scenarios: Sequence[Scenario]) -> None:
    """Refuse scenarios that the prompt cannot be filled for.

    Raises:
        ConfigError: one lacks a variable of the prompt, or has one under a name that is taken.
    """
    for scenario in scenarios:
        where = scenario.where or scenario.id
        taken = next((name for name in scenario.variables if name in _STATE), None)
        if taken:
            raise ConfigError(
                f"{where}: the variable {taken!r} has the name under which the judge gets "
                f"{'the answer' if taken == 'text' else 'what the user says'}; expected another name"
            )
        try:
            start.render(scenario.variables)
        except ConfigError as error:
            raise ConfigError(f"{where}: {error}") from None
    if scenarios:
        hold_out(scenarios, spec.scenarios.test, spec.seed)


def _budget(spec: TuneSpec, config: Config) -> Budget:
    asked = config.budget
    return merged(Budget(asked.tokens, asked.cost, asked.seconds, asked.calls), spec.budget)


def merged(asked: Budget, own: Budget) -> Budget:
    """Each kind as asked; where nothing is, the other's."""
    return Budget(
        asked.tokens or own.tokens, asked.cost or own.cost, asked.seconds or own.seconds, asked.calls or own.calls
    )


def _settings(spec: TuneSpec) -> Any:
    """What of the tune file has a say in the end: all but budgets, paths and models, which are looked at by content."""
    held, judged, scenarios = spec.constraints, spec.judge, spec.scenarios
    return [
        [spec.seed, spec.rounds, spec.candidates, spec.repeats, spec.answers, spec.target, spec.strategy, spec.alpha],
        [list(held.keep), list(held.forbid), list(held.variables), held.max_change, held.leak_words],
        [list(judged.must), judged.min_scored, scenarios.test, scenarios.cluster, scenarios.stratify],
    ]


def _file_digest(path: Path) -> str:
    return hashlib.sha256(read_text(path).encode("utf-8", "surrogatepass")).hexdigest()[:32]

"""The tune file (`tune.toml`): what is tuned, on which scenarios, by which judge, within which bounds.

Every path in it is relative to it, and an unknown key is an error that suggests the one that was meant.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any, Literal, cast

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from senno.errors import ConfigError, FileFormatError
from senno.files import first_fault, format_error, kind_of, read_text
from senno.models import Budget
from senno.text import did_you_mean
from senno.tune.rewriting.constraints import Constraints
from senno.tune.version import Version

STRATEGIES = ("hill-climb", "gepa")


@dataclass(frozen=True, slots=True)
class PromptFiles:
    """Where the prompt to start from is: one file, or a file a part."""

    parts: Mapping[str, Path]
    """Name to file; of a prompt in one file, `prompt` alone."""
    template: Path | None = None
    """How the parts make the system prompt; `None`: joined by blank lines."""

    def read(self) -> Version:
        """The version to start from. Line ends are made line feeds, so that its id is one on every system.

        Raises:
            ConfigError: a file cannot be read, is blank, or a part has no place in the template.
        """
        parts = {name: _prompt_text(path) for name, path in self.parts.items()}
        start = Version(parts, _prompt_text(self.template) if self.template else "")
        start.text  # noqa: B018 - a part that is not there is refused
        lost = [name for name in parts if name not in start.placed()]
        if lost:
            raise ConfigError(
                f"{self.template}: the part {lost[0]!r} has no place in the template, so no model would see it; "
                f"expected {{{{part:{lost[0]}}}}} somewhere in it, or no such part"
            )
        return start


@dataclass(frozen=True, slots=True)
class ScenarioFiles:
    """Where the scenarios are, or what they are made from."""

    file: Path | None = None
    """JSON Lines or CSV; `None`: they are made from `brief`."""
    brief: Path | None = None
    count: int = 10
    """How many are made."""
    test: float = 0.3
    """The share held out."""
    cluster: str = "profile"
    stratify: str = "stratum"


@dataclass(frozen=True, slots=True)
class JudgeFiles:
    """What judges the answers."""

    checks: Path
    policy: Path
    must: tuple[str, ...] = ()
    """Checks and questions that may not regress, whatever the score does."""
    min_scored: float = 0.95
    """Share of the judgements of a version that must have a score before it can be called better or worse."""


@dataclass(frozen=True, slots=True)
class TuneModels:
    """The model of each role, as the user writes it; empty: not named in this file."""

    answer: str = ""
    judge: str = ""
    rewrite: str = ""
    scenarios: str = ""
    allow_same_model: bool = False
    """Let an author (of answers or of prompts) judge."""


@dataclass(frozen=True, slots=True)
class TuneSpec:
    """A tune file, read."""

    name: str
    prompt: PromptFiles
    scenarios: ScenarioFiles
    judge: JudgeFiles
    models: TuneModels
    constraints: Constraints
    budget: Budget
    """Over all roles."""
    seed: int = 1
    rounds: int = 8
    candidates: int = 1
    """Rewrites that are tried in a round."""
    repeats: int = 3
    """How often the incumbent is answered and judged, for the noise floor."""
    answers: int = 1
    """Answers to a scenario in one trial of a version; its score is their mean."""
    target: float | None = None
    """The score at which it stops; `None`: none."""
    strategy: Literal["hill-climb", "gepa"] = "hill-climb"
    alpha: float = 0.05
    """Of the whole tuning, two-sided: shared among the candidates that may be looked at."""
    where: Path = Path()
    """The file."""

    @property
    def looks(self) -> int:
        """The candidates that may be looked at: what `alpha` is shared among, whether they are all made or not."""
        return self.rounds * self.candidates


class _Section(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class _Tune(_Section):
    name: str = Field(min_length=1)
    seed: int = 1
    rounds: int = Field(default=8, ge=1, le=1000)
    candidates: int = Field(default=1, ge=1, le=100)
    repeats: int = Field(default=3, ge=3, le=100)
    answers: int = Field(default=1, ge=1, le=100)
    target: float | None = Field(default=None, gt=0, le=1)
    strategy: Literal["hill-climb", "gepa"] = "hill-climb"
    alpha: float = Field(default=0.05, gt=0, lt=0.5)


class _Prompt(_Section):
    file: str | None = None
    parts: dict[str, str] | None = None
    template: str | None = None
    variables: list[str] = []


class _Scenarios(_Section):
    file: str | None = None
    brief: str | None = None
    count: int = Field(default=10, ge=3, le=10_000)
    test: float = Field(default=0.3, gt=0, lt=1)
    cluster: str = "profile"
    stratify: str = "stratum"


class _Judge(_Section):
    checks: str
    policy: str
    must: list[str] = []
    min_scored: float = Field(default=0.95, gt=0, le=1)


class _Models(_Section):
    answer: str = ""
    judge: str = ""
    rewrite: str = ""
    scenarios: str = ""
    allow_same_model: bool = False


class _Constraints(_Section):
    keep: list[str] = []
    forbid: list[str] = []
    max_change: float = Field(default=0.35, gt=0, le=1)
    leak_words: int = Field(default=6, ge=3, le=100)


class _Budget(_Section):
    tokens: int | None = Field(default=None, ge=1)
    cost: float | str | None = None
    seconds: float | None = Field(default=None, gt=0)
    calls: int | None = Field(default=None, ge=1)


class _File(_Section):
    tune: _Tune
    prompt: _Prompt
    scenarios: _Scenarios
    judge: _Judge
    models: _Models = _Models()
    constraints: _Constraints = _Constraints()
    budget: _Budget = _Budget()


_SECTIONS: Mapping[str, type[_Section]] = {
    "tune": _Tune,
    "prompt": _Prompt,
    "scenarios": _Scenarios,
    "judge": _Judge,
    "models": _Models,
    "constraints": _Constraints,
    "budget": _Budget,
}


def load_tune(path: Path) -> TuneSpec:
    """Read a tune file. The files it names are looked at later: by `PromptFiles.read`, `load_scenarios`, the judge.

    Raises:
        ConfigError: the file cannot be read.
        FileFormatError: it does not parse, has an unknown key, a value of a wrong kind, or says neither or both of
            two things of which it must say one.
    """
    where = str(path)
    try:
        table = tomllib.loads(read_text(path))
    except tomllib.TOMLDecodeError as error:
        raise FileFormatError(where, str(error), "valid TOML") from None
    except RecursionError:
        raise FileFormatError(where, "nested too deeply", "at most a few hundred levels") from None
    try:
        read = _File.model_validate(table)
    except ValidationError as error:
        raise _fault(where, error, table) from None
    return _spec(read, path)


def _fault(where: str, error: ValidationError, table: Mapping[str, Any]) -> FileFormatError:
    place = first_fault(error)["loc"]
    section = str(place[0])
    if len(place) == 1:
        if section in _SECTIONS and section in table:
            return FileFormatError(f"{where}: {section}", f"found {kind_of(table[section])}", "a table of keys")
        return format_error(where, error, cast("Mapping[str, Any]", _SECTIONS))
    return format_error(where, error, _SECTIONS[section].model_fields)


def _spec(read: _File, path: Path) -> TuneSpec:
    where, folder = str(path), path.parent
    tune, judge, limits = read.tune, read.judge, read.constraints
    return TuneSpec(
        name=tune.name,
        prompt=_prompt(read.prompt, where, folder),
        scenarios=_scenarios(read.scenarios, where, folder),
        judge=JudgeFiles(folder / judge.checks, folder / judge.policy, tuple(judge.must), judge.min_scored),
        models=TuneModels(**read.models.model_dump()),
        constraints=Constraints(
            keep=_said(limits.keep, f"{where}: constraints.keep"),
            forbid=_said(limits.forbid, f"{where}: constraints.forbid"),
            variables=_said(read.prompt.variables, f"{where}: prompt.variables"),
            max_change=limits.max_change,
            leak_words=limits.leak_words,
        ),
        budget=_budget(read.budget, where),
        where=path,
        **tune.model_dump(exclude={"name"}),
    )


def _prompt(prompt: _Prompt, where: str, folder: Path) -> PromptFiles:
    at = f"{where}: prompt"
    if (prompt.file is None) == (prompt.parts is None):
        raise FileFormatError(at, "neither file nor parts, or both", 'file = "prompt.md", or parts = { rules = "…" }')
    if prompt.template is not None and prompt.parts is None:
        raise FileFormatError(f"{at}.template", "a template without parts", "parts = { … }, or no template")
    if prompt.parts is not None and not prompt.parts:
        raise FileFormatError(f"{at}.parts", "no part", "one at least")
    for name in prompt.parts or {}:
        if not name or any(letter.isspace() or letter in "{}" for letter in name):
            raise FileFormatError(f"{at}.parts", f"found the name {name!r}", "a name without spaces and braces")
    parts = {name: folder / file for name, file in (prompt.parts or {"prompt": str(prompt.file)}).items()}
    return PromptFiles(parts, folder / prompt.template if prompt.template is not None else None)


def _scenarios(read: _Scenarios, where: str, folder: Path) -> ScenarioFiles:
    if (read.file is None) == (read.brief is None):
        raise FileFormatError(f"{where}: scenarios", "neither file nor brief, or both", "one of the two")
    if read.file is not None and "count" in read.model_fields_set:
        raise FileFormatError(f"{where}: scenarios.count", "a count beside a file", "it beside a brief only")
    return ScenarioFiles(
        folder / read.file if read.file is not None else None,
        folder / read.brief if read.brief is not None else None,
        read.count,
        read.test,
        read.cluster,
        read.stratify,
    )


def _said(texts: list[str], at: str) -> tuple[str, ...]:
    if any(not text.strip() for text in texts):
        raise FileFormatError(at, "an empty text in the list", "texts that say something")
    return tuple(texts)


def _budget(budget: _Budget, where: str) -> Budget:
    at = f"{where}: budget.cost"
    try:
        cost = None if budget.cost is None else Decimal(str(budget.cost))
    except ArithmeticError:
        raise FileFormatError(at, f"found {budget.cost!r}", "US dollars, such as 0.50") from None
    if cost is not None and not (cost.is_finite() and cost > 0):
        raise FileFormatError(at, f"found {budget.cost!r}", "US dollars above zero")
    return Budget(budget.tokens, cost, budget.seconds, budget.calls)


def _prompt_text(path: Path) -> str:
    text = read_text(path).replace("\r\n", "\n").replace("\r", "\n")
    if not text.strip():
        raise ConfigError(f"{path}: the file is blank; expected the text of a prompt")
    return text.strip("\n")


def unknown_must(must: tuple[str, ...], known: tuple[str, ...], where: Path) -> None:
    """Refuse a name in `judge.must` that is no check and no question.

    Raises:
        FileFormatError: there is one.
    """
    for name in must:
        if name not in known:
            hint = did_you_mean(name, known).lstrip("; ")
            raise FileFormatError(f"{where}: judge.must", f"unknown check {name!r}", ", ".join(known), hint)

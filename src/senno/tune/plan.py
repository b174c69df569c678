"""What a tuning will take, and what it can tell: said before the first call."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from statistics import fmean
from typing import Any

from senno.judge import AskedQuestion
from senno.models import Price, Usage
from senno.models.prices import cost
from senno.text import estimate_tokens
from senno.tune.reach import LEAST_CLUSTERS, scenarios_needed, smallest_difference
from senno.tune.scenarios import Scenario, twins
from senno.tune.split import Split, clusters
from senno.tune.tunefile import TuneSpec
from senno.tune.version import Version

ANSWER_TOKENS = 400
"""Of an answer, for want of one."""

GUESSED_SD = 0.2
"""Of a scenario's difference between two versions, on the scale of the score, for want of a run that measured it. Two
judgings of one answer by GPT-4 lie 0.13·√2 apart on that scale (`judge_triples_gpt4.csv`), and answers differ too."""

_REWRITE_OUT = 800
_DIGEST = 1500
"""Tokens of the failed checks and texts that a rewriter is shown, about."""


@dataclass(frozen=True, slots=True)
class Sizes:
    """Tokens and calls of one step of each kind, estimated."""

    system: int
    """Tokens of the system prompt, variables filled."""
    message: int
    """Tokens of what the user says."""
    answer: int
    judge_calls: int
    """To judge one answer."""
    judge_in: int
    """Tokens sent in all of them."""
    judge_out: int


@dataclass(frozen=True, slots=True)
class Load:
    """Calls, tokens and US dollars."""

    calls: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    cost: Decimal | None = Decimal(0)
    """`None`: the price of a model is not known."""

    def times(self, count: int) -> Load:
        """So many of it."""
        dollars = None if self.cost is None else self.cost * count
        return Load(
            self.calls * count, self.tokens_in * count, self.tokens_out * count, dollars if count else Decimal(0)
        )

    def plus(self, other: Load) -> Load:
        """Both together; a cost that is not known makes the sum unknown."""
        dollars = None if self.cost is None or other.cost is None else self.cost + other.cost
        return Load(
            self.calls + other.calls, self.tokens_in + other.tokens_in, self.tokens_out + other.tokens_out, dollars
        )

    def to_json(self) -> dict[str, Any]:
        """As JSON values; the cost is text, or null where it is not known."""
        dollars = None if self.cost is None else str(self.cost)
        return {"calls": self.calls, "tokens_in": self.tokens_in, "tokens_out": self.tokens_out, "cost": dollars}


@dataclass(frozen=True, slots=True)
class Phase:
    """One part of a tuning."""

    name: str
    least: Load
    """Where no candidate is found better."""
    most: Load
    """Where one is found better in every round, and none is dropped in a race."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What will be paid, and what can be seen for it."""

    phases: tuple[Phase, ...]
    least: Load
    most: Load
    candidate: Load
    """One candidate: rewritten, answered, judged."""
    train: int
    test: int
    train_clusters: int
    looks: int
    """Candidates that may be looked at."""
    bought: int | None
    """How many of them the budget buys; `None`: there is no budget of calls, tokens or cost, or it cannot be said."""
    sd: float
    """Of a scenario's difference, that `detectable` is computed with."""
    sd_measured: bool
    """From an earlier run; else guessed."""
    detectable: float | None
    """The smallest true difference that a candidate is found by, four times in five; `None`: none can be."""
    needed: Mapping[str, int]
    """Scenarios (train) that it would take to see a difference: `0.05`, `0.1`, `0.2`."""
    unpriced: tuple[str, ...]
    """Models whose price is not known."""
    warnings: tuple[str, ...]

    def to_json(self) -> dict[str, Any]:
        """The plan as JSON values."""
        phases = [{"name": p.name, "least": p.least.to_json(), "most": p.most.to_json()} for p in self.phases]
        return {
            "phases": phases,
            "least": self.least.to_json(),
            "most": self.most.to_json(),
            "candidate": self.candidate.to_json(),
            "train": self.train,
            "test": self.test,
            "train_clusters": self.train_clusters,
            "looks": self.looks,
            "bought": self.bought,
            "sd": self.sd,
            "sd_measured": self.sd_measured,
            "detectable": self.detectable,
            "needed": dict(self.needed),
            "unpriced": list(self.unpriced),
            "warnings": list(self.warnings),
        }


def sizes_of(
    start: Version,
    scenarios: Sequence[Scenario],
    questions: Mapping[str, AskedQuestion],
    *,
    together: bool,
    samples: int = 1,
    answer: int = ANSWER_TOKENS,
) -> Sizes:
    """Estimate the size of each step from what is there.

    Args:
        start: the prompt to start from.
        scenarios: all of them; one at least.
        questions: that an answer is judged by.
        together: the judge answers all questions in one call (a decision model's service); a chat model answers each
            in a call of its own.
        samples: calls a question takes where the judge gives no logprobs.
        answer: tokens of an answer.
    """
    filled = fmean(sum(estimate_tokens(value) for value in each.variables.values()) for each in scenarios)
    message = fmean(estimate_tokens(each.text) for each in scenarios)
    asked = sum(estimate_tokens(str(each.question)) for each in questions.values())
    about = answer + round(message)
    calls = (1 if together else len(questions)) * samples if questions else 0
    sent = (asked + about if together else asked + about * len(questions)) * samples if questions else 0
    return Sizes(
        estimate_tokens(start.text) + round(filled), round(message), answer, calls, sent, len(questions) * samples
    )


def plan_tuning(
    spec: TuneSpec,
    scenarios: Sequence[Scenario],
    split: Split,
    sizes: Sizes,
    prices: Mapping[str, Price],
    sd: float | None = None,
) -> Plan:
    """Foresee a tuning.

    Args:
        spec: the tune file.
        scenarios: all of them.
        split: of them.
        sizes: of each step.
        prices: the user's, for models whose price no table knows.
        sd: of a scenario's difference between two versions, where an earlier run measured it.
    """
    judged = _answer(spec, sizes, prices).plus(_judgement(spec, sizes, prices))
    trial = judged.times(len(split.train) * spec.answers)
    rewrite = _rewrite(spec, sizes, prices)
    phases = _phases(spec, split, judged, trial, rewrite, _made(spec, prices))
    least, most = Load(), Load()
    for phase in phases:
        least, most = least.plus(phase.least), most.plus(phase.most)
    candidate = rewrite.plus(trial)
    bought = _bought(spec, least, candidate)
    belongs = clusters(scenarios)
    groups = len({belongs[name] for name in split.train})
    spread = GUESSED_SD if sd is None else sd
    each = spec.alpha / spec.looks
    detectable = smallest_difference(spread, len(split.train), groups, each) if spread > 0 else None
    a_cluster = len(split.train) / groups
    aims = (0.05, 0.1, 0.2) if spread > 0 else ()
    return Plan(
        phases=phases,
        least=least,
        most=most,
        candidate=candidate,
        train=len(split.train),
        test=len(split.test),
        train_clusters=groups,
        looks=spec.looks,
        bought=bought,
        sd=spread,
        sd_measured=sd is not None,
        detectable=detectable,
        needed={f"{aim:g}": scenarios_needed(spread, aim, each, a_cluster) for aim in aims},
        unpriced=_unpriced(spec, prices),
        warnings=_warnings(spec, scenarios, split, groups, bought),
    )


def _load(model: str, calls: int, tokens_in: int, tokens_out: int, prices: Mapping[str, Price]) -> Load:
    dollars = cost(model, Usage(tokens_in, tokens_out), prices) if calls else Decimal(0)
    return Load(calls, tokens_in, tokens_out, dollars)


def _answer(spec: TuneSpec, sizes: Sizes, prices: Mapping[str, Price]) -> Load:
    return _load(spec.models.answer, 1, sizes.system + sizes.message, sizes.answer, prices)


def _judgement(spec: TuneSpec, sizes: Sizes, prices: Mapping[str, Price]) -> Load:
    return _load(spec.models.judge, sizes.judge_calls, sizes.judge_in, sizes.judge_out, prices)


def _rewrite(spec: TuneSpec, sizes: Sizes, prices: Mapping[str, Price]) -> Load:
    return _load(spec.models.rewrite, 1, sizes.system + _DIGEST, _REWRITE_OUT, prices)


def _made(spec: TuneSpec, prices: Mapping[str, Price]) -> Load:
    if spec.scenarios.brief is None:
        return Load()
    return _load(spec.models.scenarios, 1, _DIGEST, 60 * spec.scenarios.count, prices)


def _phases(spec: TuneSpec, split: Split, judged: Load, trial: Load, rewrite: Load, made: Load) -> tuple[Phase, ...]:
    incumbent = trial.times(spec.repeats)
    final = judged.times(2 * spec.repeats * spec.answers * len(split.test))
    rewrites, trials = rewrite.times(spec.looks), trial.times(spec.looks)
    phases = [
        Phase("the incumbent, for the noise floor", incumbent, incumbent),
        Phase("rewrites", rewrites, rewrites),
        Phase("candidates", trials, trials),
        Phase("what was found better, answered afresh", Load(), incumbent.times(spec.rounds)),
        Phase("the held-out part, once", Load(), final),
    ]
    if made.calls:
        phases.insert(0, Phase("scenarios, from the brief", made, made))
    return tuple(phases)


def _bought(spec: TuneSpec, least: Load, candidate: Load) -> int | None:
    """How many candidates fit into the budget, after what comes before the first."""
    before = {
        "calls": least.calls - candidate.calls * spec.looks,
        "tokens": _tokens(least) - _tokens(candidate) * spec.looks,
    }
    each = {"calls": candidate.calls, "tokens": _tokens(candidate)}
    counts: list[int] = []
    for kind, limit in (("calls", spec.budget.calls), ("tokens", spec.budget.tokens)):
        if limit is not None:
            counts.append(max(0, limit - before[kind]) // max(1, each[kind]))
    if spec.budget.cost is not None and least.cost is not None and candidate.cost:
        left = spec.budget.cost - (least.cost - candidate.cost * spec.looks)
        counts.append(max(0, int(left / candidate.cost)))
    return min(spec.looks, *counts) if counts else None


def _tokens(load: Load) -> int:
    return load.tokens_in + load.tokens_out


def _unpriced(spec: TuneSpec, prices: Mapping[str, Price]) -> tuple[str, ...]:
    roles = [spec.models.answer, spec.models.judge, spec.models.rewrite]
    if spec.scenarios.brief is not None:
        roles.append(spec.models.scenarios)
    named = dict.fromkeys(model for model in roles if model)
    return tuple(model for model in named if cost(model, Usage(1, 1), prices) is None)


def _warnings(
    spec: TuneSpec, scenarios: Sequence[Scenario], split: Split, groups: int, bought: int | None
) -> tuple[str, ...]:
    told: list[str] = []
    if groups < LEAST_CLUSTERS:
        told.append(
            f"{len(split.train)} scenarios to compare on, in {groups} profiles (or by themselves): no difference, "
            f"however large, can be told from chance with fewer than {LEAST_CLUSTERS}; add scenarios, or hold out less"
        )
    if bought is not None and bought < spec.looks:
        told.append(
            f"the budget buys {bought} of the {spec.looks} candidates that rounds and candidates allow; raise it, or "
            "lower rounds: fewer looks also leave each a smaller difference to find"
        )
    same = sum(len(group) for group in twins(scenarios))
    if same:
        told.append(f"{same} scenarios say the same as another: each group counts as one")
    if split.near:
        first = split.near[0]
        told.append(
            f"{len(split.near)} held-out scenarios are near to one of the training part, as {first.test} to "
            f"{first.train} ({first.overlap:.0%} of its runs of three words): the final figure is then too kind"
        )
    return tuple(told)

"""What a strategy is: from the state of a tuning to the candidates that acceptance looks at next."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from senno.tune.rewriting import Brief, Completes, Constraints, Digest, Dropped, Rejected, digest
from senno.tune.scenarios import Scenario
from senno.tune.trial import Trial
from senno.tune.version import Version

Evaluate = Callable[[Version, Sequence[str]], Awaitable[Trial]]
"""A version answered and judged on some of the training scenarios (ids), for a strategy to search by.

Never the trial that acceptance stands on: what a candidate was chosen by does not count for it a second time. The same
version on the same scenario may be the same answer again. What failed is in the trial as an error.
"""


@dataclass(frozen=True, slots=True)
class TuneState:
    """Where a tuning stands: all that a strategy may look at. A strategy sees no test scenario."""

    incumbent: Version
    """The best that is proved."""
    trial: Trial
    """The incumbent on the training scenarios, all repeats."""
    scenarios: Mapping[str, Scenario]
    """The training scenarios, by id."""
    known: Mapping[str, Version]
    """Every version there is, the incumbent among them, by id."""
    constraints: Constraints
    round: int
    """From 1."""
    rounds_left: int
    """This one included."""
    count: int
    """Candidates that a round may look at."""
    seed: int
    rejected: tuple[Rejected, ...] = ()
    """What was refused or not accepted, the latest last."""
    meanings: Mapping[str, str] = field(default_factory=dict[str, str])
    """What each check and question asks (`senno.tune.rewriting.meanings`)."""
    guarded: tuple[str, ...] = ()
    """Texts that may not be carried into a prompt, those of the test too; compared in code, sent to no model."""
    weights: Mapping[str, float] = field(default_factory=dict[str, float])
    """Of the policy."""

    def told(self, trial: Trial | None = None) -> Digest:
        """What failed in a trial; by default in that of the incumbent."""
        return digest(trial or self.trial, self.scenarios, self.meanings, self.weights)

    def brief(
        self, version: Version, told: Digest, known: Mapping[str, Version], rejected: tuple[Rejected, ...]
    ) -> Brief:
        """What a rewrite of `version` is about."""
        return Brief(version, told, self.constraints, self.guarded, known, rejected)


@dataclass(frozen=True, slots=True)
class Proposal:
    """A candidate, or why there is none in its place."""

    version: Version | None
    refused: str | None = None
    """Why there is no version; `None` where there is one."""
    attempt: str = ""
    """The edits, one a line."""
    dropped: tuple[Dropped, ...] = ()
    """Edits that were not applied: advice against a constraint, or what could not be done."""
    notes: tuple[str, ...] = ()
    """What happened on the way, in words."""


class Strategy(Protocol):
    """A way to look for better prompts.

    Pure but for the models it asks: the same state and the same replies give the same proposals, so that a tuning can
    be resumed by being run again.
    """

    @property
    def name(self) -> str:
        """As it stands in the tune file."""
        ...

    async def propose(self, state: TuneState, *, calls: Completes, evaluate: Evaluate) -> Sequence[Proposal]:
        """The candidates of a round, `state.count` at most; none: there is nothing left to propose.

        Args:
            state: where the tuning stands.
            calls: the gate to the rewriter.
            evaluate: for a strategy that compares candidates on its own before it proposes any.

        Raises:
            MalformedAnswer: the rewriter's answers could not be read, and there is no candidate.
            ModelError: a model could not be asked.
            BudgetExceeded: a budget is used up.
        """
        ...

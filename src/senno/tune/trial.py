"""A trial: one version, answered and judged on scenarios. What failed is an error, never a zero."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from senno.judge import Reading


@dataclass(frozen=True, slots=True)
class Judged:
    """One answer to one scenario, judged once."""

    scenario: str
    repeat: int
    """From 0: the scenario answered again, and judged again."""
    score: float | None
    """By the policy's weights, in code, on [0, 1]; `None`: not scored (a reading is missing, or it failed)."""
    verdict: str = ""
    readings: Mapping[str, Reading] = field(default_factory=dict[str, Reading])
    checks_failed: tuple[str, ...] = ()
    """Names of checks and questions that came out on the bad side."""
    answer: str | None = None
    error: str | None = None
    """Why there is no answer, or no judgement."""


@dataclass(frozen=True, slots=True)
class Trial:
    """A version on scenarios."""

    version: str
    """Its id."""
    judged: tuple[Judged, ...]

    @property
    def scored(self) -> tuple[Judged, ...]:
        """Those with a score."""
        return tuple(each for each in self.judged if each.score is not None)

    @property
    def errors(self) -> tuple[Judged, ...]:
        """Those that failed."""
        return tuple(each for each in self.judged if each.error is not None)

    def by_scenario(self) -> Mapping[str, list[float]]:
        """The scores of each scenario that has one, in the order of the scenarios."""
        found: dict[str, list[float]] = {}
        for each in self.judged:
            if each.score is not None:
                found.setdefault(each.scenario, []).append(each.score)
        return found

    def on(self, scenarios: Iterable[str]) -> Trial:
        """The same, of those scenarios only."""
        kept = frozenset(scenarios)
        return replace(self, judged=tuple(each for each in self.judged if each.scenario in kept))

    def failing(self) -> frozenset[tuple[str, str]]:
        """The checks of a scenario, as (scenario, check), that more than half of its scored answers fail."""
        answers: Counter[str] = Counter()
        failed: Counter[tuple[str, str]] = Counter()
        for each in self.scored:
            answers[each.scenario] += 1
            failed.update((each.scenario, name) for name in set(each.checks_failed))
        return frozenset(key for key, times in failed.items() if 2 * times > answers[key[0]])

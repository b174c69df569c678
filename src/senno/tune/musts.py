"""The checks that may not regress, whatever the score does."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from senno.tune.trial import Judged, Trial


@dataclass(frozen=True, slots=True)
class Regressed:
    """A check that fails more often in the candidate than in any repeat of the incumbent."""

    name: str
    share: float
    """Of the candidate's answers, how many fail it."""
    most: float
    """The same of the repeat of the incumbent that failed it most."""
    p: float
    """How often chance, dealing each scenario's answers out again, would give the candidate as many failures."""

    def __str__(self) -> str:
        return (
            f"{self.name} fails in {self.share:.1%} of the answers, and in {self.most:.1%} at most of the incumbent's "
            f"(chance alone: {self.p:.2g})"
        )


def regressed(
    must: Sequence[str], incumbent: Trial, candidate: Trial, control: Sequence[Trial]
) -> tuple[Regressed, ...]:
    """The checks of `must` that regressed.

    The burden is on the candidate: one answer that fails what the incumbent never failed is a regression. Where the
    incumbent fails it too now and then, a candidate that is no worse is stopped one time in four at most, since it
    would have to fail it more often than each of three repeats.

    Args:
        must: names of checks and questions.
        incumbent: all its repeats pooled.
        candidate: on the same scenarios.
        control: the repeats, each a trial; without any, the incumbent is its own.
    """
    found: list[Regressed] = []
    for name in must:
        share = _share(candidate.scored, name)
        most = max(_share(each.scored, name) for each in (control or (incumbent,)))
        if share > most + 1e-12:
            found.append(Regressed(name, share, most, _chance(incumbent.scored, candidate.scored, name)))
    return tuple(found)


def _share(rows: Sequence[Judged], name: str) -> float:
    return sum(name in each.checks_failed for each in rows) / len(rows) if rows else 0.0


def _chance(old: Sequence[Judged], new: Sequence[Judged], name: str) -> float:
    """The exact one-sided test over strata (Birch 1964): within a scenario, who failed is a draw without replacement.

    A scenario where all answers fail, or none does, says nothing.
    """
    theirs = _failures(old, name)
    seen = 0
    ways = [1.0]
    for scenario, (answers, failed) in _failures(new, name).items():
        others, others_failed = theirs.get(scenario, (0, 0))
        seen += failed
        if failed + others_failed:
            ways = _summed(ways, _dealt(answers, others, failed + others_failed))
    return min(1.0, math.fsum(ways[seen:]))


def _failures(rows: Sequence[Judged], name: str) -> dict[str, tuple[int, int]]:
    """By scenario: how many answers, and how many of them fail."""
    found: dict[str, tuple[int, int]] = {}
    for each in rows:
        answers, failed = found.get(each.scenario, (0, 0))
        found[each.scenario] = answers + 1, failed + (name in each.checks_failed)
    return found


def _dealt(ours: int, theirs: int, failures: int) -> list[float]:
    """The chance of 0, 1, … failures among ours, when so many failures fall on all alike."""
    whole = math.comb(ours + theirs, failures)
    return [math.comb(ours, k) * math.comb(theirs, failures - k) / whole for k in range(min(ours, failures) + 1)]


def _summed(one: Sequence[float], other: Sequence[float]) -> list[float]:
    both = [0.0] * (len(one) + len(other) - 1)
    for i, a in enumerate(one):
        for j, b in enumerate(other):
            both[i + j] += a * b
    return both

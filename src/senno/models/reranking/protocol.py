"""What senno asks of a reranker."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Protocol

_SAME = 1e-6
"""Scores closer together than this are one score."""


@dataclass(frozen=True, slots=True)
class Unscored:
    """No score for this passage: never a zero, never a half. `reason` says why."""

    reason: str


@dataclass(frozen=True, slots=True)
class Reranked:
    """How relevant each passage is."""

    scores: tuple[float | Unscored, ...]
    """In the order of the passages, comparable with each other only."""
    method: str = ""
    """How the scores were had: `cross-encoder`, `logprobs`, `samples:5`, …; empty: there are none."""
    notes: tuple[str, ...] = ()
    """What did not go as it should, in words."""

    @property
    def usable(self) -> tuple[float, ...] | None:
        """The scores, where they tell the passages apart; `None`: one is missing, or all are one.

        A reranker that gives one score to all has told nothing: the order before it stands.
        """
        whole = [score for score in self.scores if not isinstance(score, Unscored)]
        if len(whole) < len(self.scores) or not whole or _constant(whole):
            return None
        return tuple(whole)


class Reranker(Protocol):
    """Reads a query beside each passage, and says how relevant it is. Threads may share it."""

    @property
    def name(self) -> str:
        """The name as the user wrote it."""
        ...

    def scores(self, query: str, passages: Sequence[str], *, seconds: float | None = None) -> Reranked:
        """A score for each passage. A failure is a missing score with a note, never a number, and never an error.

        Args:
            query: the task.
            passages: the candidates, data to be judged.
            seconds: how long it may take; what is not there by then is missing. `None`: as long as it takes.
        """
        ...


def checked(
    name: str, scores: Sequence[float | Unscored], method: str, notes: Sequence[str] = (), *, count: int
) -> Reranked:
    """The scores, with a note where they tell nothing.

    Args:
        name: of the reranker.
        scores: as they came; one that is not finite is none.
        method: how they were had.
        notes: what else is to be said.
        count: how many passages there were; with another number of scores nobody knows whose is whose.
    """
    if len(scores) != count:
        return failed(name, count, f"it gave {len(scores)} scores for {count} passages")
    found = tuple(
        score if isinstance(score, Unscored) or isfinite(score) else Unscored(f"its score is {score}")
        for score in scores
    )
    whole = [score for score in found if not isinstance(score, Unscored)]
    told = list(notes)
    missing = next((score for score in found if isinstance(score, Unscored)), None)
    if missing is not None:
        told.append(f"{name}: no score for {count - len(whole)} of {count} candidates: {missing.reason}")
    elif _constant(whole):
        told.append(f"{name} gave all {count} candidates the score {whole[0]:g}: that tells nothing")
    return Reranked(found, method if whole else "", tuple(told))


def failed(name: str, count: int, reason: str) -> Reranked:
    """There is no score at all."""
    return Reranked((Unscored(reason),) * count, notes=(f"{name}: {reason}",))


def late(name: str, count: int, seconds: float | None) -> Reranked:
    """No score was there in time."""
    return failed(name, count, f"no answer within {(seconds or 0.0) * 1000:.0f} ms")


def _constant(scores: Sequence[float]) -> bool:
    return len(scores) > 1 and max(scores) - min(scores) < _SAME

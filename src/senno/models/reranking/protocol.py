"""What senno asks of a reranker."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

_SAME = 1e-6
"""Scores closer together than this are one score."""


@dataclass(frozen=True, slots=True)
class Reranked:
    """How relevant each passage is."""

    scores: tuple[float | None, ...]
    """In the order of the passages, comparable with each other only; `None`: there is no score."""
    notes: tuple[str, ...] = ()
    """What did not go as it should, in words."""

    @property
    def usable(self) -> tuple[float, ...] | None:
        """The scores, where they tell the passages apart; `None`: one is missing, or all are one.

        A reranker that gives one score to all has told nothing: the order before it stands.
        """
        whole = [score for score in self.scores if score is not None]
        if len(whole) < len(self.scores) or not whole:
            return None
        if len(whole) > 1 and max(whole) - min(whole) < _SAME:
            return None
        return tuple(whole)


class Reranker(Protocol):
    """Reads a query beside each passage, and says how relevant it is."""

    @property
    def name(self) -> str:
        """The name as the user wrote it."""
        ...

    def scores(self, query: str, passages: Sequence[str], *, seconds: float | None = None) -> Reranked:
        """A score for each passage. A failure is a missing score with a note, never a number.

        Args:
            query: the task.
            passages: the candidates, data to be judged.
            seconds: how long it may take; what is not there by then is missing.
        """
        ...


def checked(name: str, scores: Sequence[float | None], notes: Sequence[str] = ()) -> Reranked:
    """The scores, with a note where they tell nothing."""
    found = Reranked(tuple(scores), tuple(notes))
    whole = [score for score in scores if score is not None]
    if len(whole) > 1 and len(whole) == len(scores) and found.usable is None:
        note = f"{name} gave all {len(whole)} candidates the score {whole[0]:g}: that tells nothing"
        return Reranked(found.scores, (*found.notes, note))
    return found


def late(name: str, count: int, seconds: float) -> Reranked:
    """No score was there in time."""
    return Reranked((None,) * count, (f"{name}: no answer within {seconds * 1000:.0f} ms",))

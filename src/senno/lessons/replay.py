"""The decay policy played over one's own log, with other settings: what would it have archived, and was that missed?"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from senno.lessons.decay import archivable, is_suspect, promotable
from senno.lessons.fold import Folded, LessonState
from senno.lessons.settings import Settings


@dataclass(frozen=True, slots=True)
class Replay:
    """Where a policy would stand now, had it always held. What a person decided (pins, reviews) is as it is."""

    active: int
    archived: int
    promoted: int
    protected: int
    """Old and idle, but not archived: their mistake goes on being made."""
    suspects: int
    woken: int
    """Retrievals of a lesson that would have been archived by then: the policy would have put it behind others."""
    woken_lessons: int
    """Lessons to which that happened: still wanted, and put behind others."""


def replay(folded: Folded, settings: Callable[[str], Settings]) -> Replay:
    """Play the policy over a fold.

    A lesson's state is a function of its moment and its retrievals until then, so no day has to be lived through: it
    is looked at now, and just before each of its retrievals.
    """
    archived = promoted = protected = echoes = woken = woken_lessons = 0
    open_states = [state for state in folded.states.values() if state.deprecated is None]
    for state in open_states:
        own = settings(state.department)
        if state.pinned:
            archived += state.archived
            promoted += state.promoted
            continue
        archive = archivable(state, folded.as_of, own)[0]
        archived += archive
        promoted += not archive and promotable(state, folded.as_of, own)[0]
        protected += not archive and archivable(replace(state, recurrences=()), folded.as_of, own)[0]
        echoes += is_suspect(state, own)
        times = _woken(state, own)
        woken += times
        woken_lessons += times > 0
    return Replay(len(open_states) - archived, archived, promoted, protected, echoes, woken, woken_lessons)


def _woken(state: LessonState, settings: Settings) -> int:
    """How many retrievals found the lesson archived."""
    times = 0
    for index, at in enumerate(state.retrievals):
        then = replace(
            state,
            last_retrieved=state.retrievals[index - 1] if index else None,
            recurrences=tuple(moment for moment in state.recurrences if moment < at),
        )
        times += archivable(then, at, settings)[0]
    return times

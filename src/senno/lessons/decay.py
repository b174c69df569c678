"""How lessons are forgotten: the policy, and nothing but the policy. Values in, values out.

A lesson is archived or promoted exactly as long as its condition holds, so that what is due depends on the moment and
on the log alone: running it twice, or not at all for a week, ends in the same state.

The source (§44): archived where created more than 90 days ago and last retrieved more than 30 days ago; promoted where
last retrieved less than 7 days ago and retrieved at least 5 times in the last 30. Days are 24 hours.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Literal

from senno.lessons.fold import LessonState
from senno.lessons.settings import Settings

Kind = Literal["archived", "unarchived", "promoted", "unpromoted"]


@dataclass(frozen=True, slots=True)
class Change:
    """Something that the policy asks for, and why."""

    lesson_id: str
    kind: Kind
    reason: str


@dataclass(frozen=True, slots=True)
class Suspect:
    """A lesson that may be an echo: often shown, and no task succeeded after it."""

    lesson_id: str
    known: int
    """Tasks for which it was shown and whose outcome is known."""
    partials: int


def due(state: LessonState, now: datetime, settings: Settings) -> tuple[Change, ...]:
    """What the policy changes about one lesson at a moment.

    Nothing where a person pinned it, or undid a run on it in the last `archive_idle_days`. A deprecated lesson is
    never promoted, and otherwise left to its review.

    Args:
        state: of the lesson, as of `now`.
        now: an aware moment.
        settings: of its department.
    """
    now = now.astimezone(UTC)
    if state.pinned or _held(state, now, settings):
        return ()
    if state.deprecated is not None:
        return (Change(state.id, "unpromoted", "deprecated"),) if state.promoted else ()
    archive, archive_reason = archivable(state, now, settings)
    promote, promote_reason = promotable(state, now, settings)
    if archive and promote:  # only where the settings let both hold
        promote, promote_reason = False, "archived"
    changes: list[Change] = []
    if state.promoted != promote:
        changes.append(Change(state.id, "promoted" if promote else "unpromoted", promote_reason))
    if state.archived != archive:
        changes.append(Change(state.id, "archived" if archive else "unarchived", archive_reason))
    return tuple(changes)


def all_due(states: Iterable[LessonState], now: datetime, settings: Callable[[str], Settings]) -> tuple[Change, ...]:
    """`due` for every lesson, each by the settings of its department."""
    return tuple(change for state in states for change in due(state, now, settings(state.department)))


def archivable(state: LessonState, now: datetime, settings: Settings) -> tuple[bool, str]:
    """Whether a lesson is to be archived, and why or why not."""
    if now - state.created <= _days(settings.archive_after_days):
        return False, f"created {_ago(now, state.created)}, not more than {settings.archive_after_days} days"
    last = state.last_retrieved
    if last is not None and now - last <= _days(settings.archive_idle_days):
        return False, f"retrieved {_ago(now, last)}, not more than {settings.archive_idle_days} days"
    again = _recurred(state, now, settings)
    if settings.protect_recurrences and again >= settings.protect_recurrences:
        return False, f"its mistake was made again {again} times in {settings.archive_after_days} days"
    retrieved = "never retrieved" if last is None else f"last retrieved {_ago(now, last)}"
    return True, f"created {_ago(now, state.created)}, {retrieved}"


def promotable(state: LessonState, now: datetime, settings: Settings) -> tuple[bool, str]:
    """Whether a lesson is to be promoted, and why or why not."""
    if is_suspect(state, settings):
        return False, f"echo chamber? shown for {state.credit.known} tasks, none succeeded"
    window, least = settings.promote_window_days, settings.promote_retrievals
    if settings.promote_rule == "ever":
        most = most_in_a_window(state.retrievals, _days(window))
        return most >= least, f"at most {most} retrievals in {window} days; it takes {least}"
    count = sum(now - at <= _days(window) for at in state.retrievals)
    last = state.last_retrieved
    if last is None:
        return False, "never retrieved"
    late = now - last < _days(settings.promote_within_days)
    reason = f"{count} retrievals in {window} days (it takes {least}), the last {_ago(now, last)}"
    return late and count >= least, reason


def is_suspect(state: LessonState, settings: Settings) -> bool:
    """Whether a lesson was shown often, and no task succeeded after it."""
    return bool(settings.echo_shown) and state.credit.known >= settings.echo_shown and not state.credit.successes


def suspects(states: Iterable[LessonState], settings: Callable[[str], Settings]) -> tuple[Suspect, ...]:
    """The lessons that may be echoes, the most often shown first; deprecated ones have been looked at already."""
    found = [s for s in states if s.deprecated is None and is_suspect(s, settings(s.department))]
    found.sort(key=lambda s: (-s.credit.known, s.id))
    return tuple(Suspect(s.id, s.credit.known, s.credit.partials) for s in found)


def most_in_a_window(moments: Sequence[datetime], window: timedelta) -> int:
    """The most of `moments` (oldest first) that lie in any span of `window`, both ends included."""
    most = start = 0
    for end, at in enumerate(moments):
        while at - moments[start] > window:
            start += 1
        most = max(most, end - start + 1)
    return most


def _held(state: LessonState, now: datetime, settings: Settings) -> bool:
    """Whether a person undid a change to it of late: the next run must not make it again at once."""
    return state.undone_at is not None and now - state.undone_at <= _days(settings.archive_idle_days)


def _recurred(state: LessonState, now: datetime, settings: Settings) -> int:
    return sum(now - at <= _days(settings.archive_after_days) for at in state.recurrences)


def _days(count: int) -> timedelta:
    return timedelta(days=count)


def _ago(now: datetime, then: datetime) -> str:
    """`45 days ago`, or in smaller units within two days."""
    hours = (now - then).total_seconds() / 3600
    if hours < 48:
        return f"{hours:.0f} hours ago" if hours >= 1 else "within the hour"
    return f"{hours / 24:.0f} days ago"

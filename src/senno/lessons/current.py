"""Lessons as the log has them now: their files say what it said when the daily job ran last."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from senno.lessons.decay_job import frontmatter
from senno.lessons.fold import Folded
from senno.lessons.lesson import Lesson


def current(lessons: Iterable[Lesson], folded: Folded) -> tuple[Lesson, ...]:
    """The lessons with the fields that the log decides (retrievals, archived, promoted, deprecated, salience) from it.

    Args:
        lessons: as their files have them.
        folded: the log, folded over these lessons; one that it does not have stays as it is.
    """
    return tuple(
        replace(lesson, **frontmatter(folded.states[lesson.id])) if lesson.id in folded.states else lesson
        for lesson in lessons
    )

"""What the store has already: near-duplicates of a draft, and the earlier lesson of a task that is tried again."""

from __future__ import annotations

from senno.lessons.lesson import NOT_RECORDED, Draft, Lesson
from senno.lessons.likeness import near


def says_the_same(draft: Draft | Lesson, lesson: Lesson) -> bool:
    """Whether a draft is a near-duplicate: of the same department, the whole and the rule alone at `NEAR` or more.

    The rule is compared by itself because one word of it (`never` for `always`, 30 for 300) changes it all, and hardly
    shows in the whole.
    """
    return (
        draft.department == lesson.department and near(draft.rule, lesson.rule) and near(_whole(draft), _whole(lesson))
    )


def is_retry(draft: Draft, lesson: Lesson) -> bool:
    """Whether the draft is of another failed try at the task of the lesson."""
    same_task = (draft.department, draft.task_id) == (lesson.department, lesson.task_id)
    return same_task and "success" not in (draft.outcome, lesson.outcome)


def same_reason(draft: Draft, lesson: Lesson) -> bool:
    """Whether the draft gives the reason that the lesson gives; where none was recorded, the rule stands for it."""
    return near(_reason(draft), _reason(lesson))


def _reason(text: Draft | Lesson) -> str:
    return text.rule if any(text.why == why for _, why in NOT_RECORDED.values()) else text.why


def _whole(text: Draft | Lesson) -> str:
    return "\n".join((text.what, text.why, text.rule))

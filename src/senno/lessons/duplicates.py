"""What the store has already: near-duplicates of a draft, and the earlier lesson of a task that is tried again."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from senno.lessons.lesson import Draft, Lesson
from senno.lessons.likeness import filter_runs, near, shingles


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


def _whole(text: Draft | Lesson) -> str:
    return "\n".join((text.what, text.why, text.rule))


@dataclass(slots=True)
class Known:
    """Where to look for duplicates: paths by runs of words and by task. The files decide; this narrows the search."""

    _by_run: dict[int, list[Path]] = field(default_factory=lambda: defaultdict[int, list[Path]](list))
    _by_task: dict[tuple[str, str], list[Path]] = field(default_factory=lambda: defaultdict(list))

    def add(self, lesson: Lesson) -> None:
        """Take a lesson in."""
        for run in filter_runs(shingles(_whole(lesson)))[0]:
            self._by_run[run].append(lesson.path)
        self._by_task[lesson.department, lesson.task_id].append(lesson.path)

    def maybe_near(self, draft: Draft) -> Iterator[Path]:
        """All lessons that could be near-duplicates, each once."""
        runs, least = filter_runs(shingles(_whole(draft)))
        shared = Counter(path for run in runs for path in self._by_run.get(run, ()))
        return (path for path, count in shared.items() if count >= least)

    def of_task(self, draft: Draft) -> list[Path]:
        """The lessons of the same task and department."""
        return self._by_task.get((draft.department, draft.task_id), [])

"""Many lessons made durable at once: written under temporary names, synced together, then named."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path

from senno.lessons.document import to_text
from senno.lessons.durable import give_name, sync_files, sync_folder, written_beside
from senno.lessons.lesson import Lesson
from senno.lessons.names import free_name, same_name


@dataclass(slots=True)
class NewFiles:
    """Files that are on their way. Whatever is killed when, each is whole, or not there under its name."""

    root: Path
    _made: list[tuple[Lesson, Path]] = field(default_factory=list[tuple[Lesson, Path]])

    def add(self, lesson: Lesson) -> None:
        """Write the file of a lesson under a temporary name.

        Raises:
            OSError: it cannot be written.
        """
        # In the root: so the folders of lessons, which others watch, change once.
        self._made.append((lesson, written_beside(self.root, to_text(lesson).encode("utf-8"), sync=False)))

    def publish(self, names_in: Callable[[Path], set[str]]) -> dict[str, Lesson]:
        """Give all files their names; when this returns, they are on disk.

        Args:
            names_in: the names that are taken in a folder, each as `same_name` has it.

        Returns:
            Lessons that got another name since another writer was quicker, by id.

        Raises:
            OSError: the disk is full, or a name cannot be given.
        """
        sync_files([temporary for _, temporary in self._made])
        moved: dict[str, Lesson] = {}
        folders: set[Path] = set()
        for lesson, temporary in self._made:
            named = lesson
            while True:
                try:
                    give_name(temporary, self.root / named.path)
                    break
                except FileExistsError:
                    folder = named.path.parent
                    taken = names_in(folder)
                    name = free_name(named.created_at, named.task_id, taken | {same_name(named.path.name)})
                    taken.add(same_name(name))
                    named = moved[lesson.id] = replace(named, path=folder / name)
            folders.add(named.path.parent)
        for folder in sorted(folders):
            sync_folder(self.root / folder)
        return moved

    def clear(self) -> None:
        """Take the temporary names away."""
        for _, temporary in self._made:
            temporary.unlink(missing_ok=True)

"""What lies in the folders of a store: every file with a name of a lesson, and what could not be looked at."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from senno.errors import FileFormatError
from senno.files import MOST_BYTES
from senno.lessons.document import from_bytes
from senno.lessons.lesson import Lesson
from senno.lessons.names import FOLDER, same_name


@dataclass(frozen=True, slots=True)
class SetAside:
    """A file or a folder that gives no lesson. It stays as it is, and nothing is concluded from it."""

    path: Path
    problem: str
    line: int | None = None
    """From 1; `None`: no line in particular."""

    def __str__(self) -> str:
        return f"{self.path}{'' if self.line is None else f':{self.line}'}: {self.problem}"


@dataclass(frozen=True, slots=True)
class Scan:
    """All of a store, read once."""

    lessons: tuple[Lesson, ...]
    """By path; no two have the same id."""
    set_aside: tuple[SetAside, ...]
    twins: tuple[tuple[Path, Path], ...]
    """Files whose names are one where case is ignored: on macOS or Windows only one of two can be checked out."""
    complete: bool
    """False: a folder or a file could not be read, so a lesson that is not here may still be there."""

    @property
    def clean(self) -> bool:
        """Nothing set aside, no twins."""
        return not self.set_aside and not self.twins


def paths(root: Path, unread: list[SetAside]) -> Iterator[Path]:
    """The files of lessons, relative to the root, in one order; folders that cannot be read go to `unread`."""

    def failed(error: OSError) -> None:
        if not isinstance(error, FileNotFoundError):
            folder = Path(error.filename or root)
            unread.append(SetAside(folder, f"this folder cannot be read ({error.strerror or error})"))

    for folder, inside, names in os.walk(root / FOLDER, onerror=failed):
        inside[:] = sorted(name for name in inside if not name.startswith("."))
        here = Path(folder).relative_to(root)
        for name in sorted(names):
            if is_lesson_name(name):
                yield here / name


def is_lesson_name(name: str) -> bool:
    """Whether a file is meant as a lesson: Markdown, and not hidden."""
    return name.lower().endswith(".md") and not name.startswith(".")


def read_bytes(root: Path, path: Path) -> bytes:
    """All of a lesson's file.

    Raises:
        FileFormatError: it is larger than any lesson.
        OSError: it cannot be read.
    """
    file = root / path
    size = file.stat().st_size
    if size > MOST_BYTES:
        raise FileFormatError(str(file), f"{size:,} bytes", f"at most {MOST_BYTES:,}")
    return file.read_bytes()


def read_lesson(root: Path, path: Path) -> Lesson:
    """The lesson in a file.

    Raises:
        FileFormatError: it does not parse.
        OSError: it cannot be read.
    """
    return from_bytes(path, read_bytes(root, path), str(root / path))


@dataclass(slots=True)
class _Found:
    lessons: list[Lesson] = field(default_factory=list[Lesson])
    set_aside: list[SetAside] = field(default_factory=list[SetAside])
    twins: list[tuple[Path, Path]] = field(default_factory=list[tuple[Path, Path]])
    by_id: dict[str, Path] = field(default_factory=dict[str, Path])
    by_name: dict[str, Path] = field(default_factory=dict[str, Path])
    complete: bool = True

    def take(self, root: Path, path: Path) -> None:
        other = self.by_name.setdefault(same_name(path.as_posix()), path)
        if other != path:
            self.twins.append((other, path))
        try:
            lesson = read_lesson(root, path)
        except FileFormatError as error:
            self.set_aside.append(_aside(root / path, error))
            return
        except OSError as error:
            self.complete = False
            self.set_aside.append(SetAside(root / path, f"cannot be read ({error.strerror or error})"))
            return
        first = self.by_id.setdefault(lesson.id, path)
        if first != path:
            self.set_aside.append(SetAside(root / path, f"the id {lesson.id} is that of {first.as_posix()} too"))
            return
        self.lessons.append(lesson)


def _aside(file: Path, error: FileFormatError) -> SetAside:
    line, _, key = error.where.removeprefix(str(file)).lstrip(": ").partition(": ")
    number = int(line) if line.isdecimal() else None
    about = key if number else line
    told = str(error).removeprefix(f"{error.where}: ")
    return SetAside(file, f"{about}: {told}" if about else told, number)


def scan(root: Path) -> Scan:
    """Read all lessons; what gives none is reported, and left as it is."""
    found = _Found()
    unread: list[SetAside] = []
    for path in paths(root, unread):
        found.take(root, path)
    return Scan(
        tuple(found.lessons),
        (*unread, *found.set_aside),
        tuple(found.twins),
        complete=found.complete and not unread,
    )

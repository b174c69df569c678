"""Numbers for lessons, as searches give them."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Sequence


class Keys:
    """A number for each id that was found, the same for as long as the process lives.

    Not the numbers of the tables: another process may make the index again between a search and the question what was
    found, and in the new one they stand for other lessons.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._keys: dict[str, int] = {}
        self._ids: list[str] = []

    def of(self, ids: Iterable[str]) -> list[int]:
        """The keys of lessons."""
        found: list[int] = []
        with self._lock:
            for lesson_id in ids:
                key = self._keys.get(lesson_id)
                if key is None:
                    key = self._keys[lesson_id] = len(self._ids)
                    self._ids.append(lesson_id)
                found.append(key)
        return found

    def ids(self, keys: Sequence[int]) -> dict[str, int]:
        """The lessons that keys stand for, each with its key; without those that are none."""
        count = len(self._ids)
        return {self._ids[key]: key for key in keys if 0 <= key < count}

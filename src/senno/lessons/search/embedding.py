"""Vectors for lessons that have none yet: some at a time, by one process at a time, and in the background."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from senno.errors import FileFormatError
from senno.lessons.document import from_bytes
from senno.lessons.durable import locked
from senno.lessons.listing import read_bytes
from senno.lessons.search.generation import Generation
from senno.lessons.search.rows import digest, passage_text

if TYPE_CHECKING:
    from senno.models.embedding import Embedder

_LOCK = ".embedding.lock"


def embed_some(generation: Generation, home: Path, embedder: Embedder, most: int) -> int:
    """Make at most so many vectors; how many were made.

    Args:
        generation: the index.
        home: the folder of the index, for a lock: another process that has it is waited for.
        embedder: makes them.
        most: of the vectors.

    Raises:
        ModelError: the embedder failed.
    """
    vectors = generation.vectors
    if vectors is None:
        return 0
    vectors.refresh()  # finds those that are damaged
    with locked(home / _LOCK):
        with generation.database.reading() as db:
            rows = vectors.pending(db, most)
        texts: dict[bytes, str] = {}
        for passage, path in rows:
            with contextlib.suppress(OSError, FileFormatError):  # it is gone, or changed: the next look says so
                text = passage_text(from_bytes(Path(path), read_bytes(generation.root, Path(path))))
                if digest(text.encode("utf-8", "surrogatepass")) == passage:
                    texts[passage] = text
        if texts:
            vectors.add(list(texts), embedder.passages(list(texts.values())))
        return len(texts)


class Background:
    """A thread that works whenever there is something to do, and looks around when there was nothing for a while.

    Args:
        work: what is to be done.
        look: after so many seconds in which nobody called `wake`.
        seconds: between two looks.
    """

    def __init__(self, work: Callable[[Callable[[], bool]], None], look: Callable[[], None], seconds: float) -> None:
        self._work, self._look, self._seconds = work, look, seconds
        self._stop, self._wake = threading.Event(), threading.Event()
        self._thread = threading.Thread(target=self._run, name="senno index", daemon=True)
        self._thread.start()

    def _run(self) -> None:
        while not self._stop.is_set():
            self._wake.clear()
            self._work(self._stop.is_set)
            if not self._wake.wait(self._seconds):
                self._look()

    def wake(self) -> None:
        """There is something to do."""
        self._wake.set()

    def stop(self) -> None:
        """End after what is being done now; that is waited for, but not for long."""
        self._stop.set()
        self._wake.set()
        self._thread.join(5)

"""What the configuration names: the embedder, and the ledger for calls to those behind a server."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from senno.config import Loaded
from senno.errors import ConfigError
from senno.ledger import CallRow, Ledger
from senno.models.embedding import embedder

if TYPE_CHECKING:
    from senno.models.embedding import Embedder
    from senno.models.journal import CallRecorder

KEY = "recall.embedder"


def embedder_of(loaded: Loaded, ledger: CallRecorder | None = None) -> tuple[Embedder | None, str]:
    """The embedder, or none; and why there is none, where nobody chose that.

    The default one has wheels for one system alone: where nobody named it and it cannot be loaded, words find the
    lessons, and that is said. One that somebody named is an error.

    Args:
        loaded: the configuration.
        ledger: keeps a row for each call to a server.

    Raises:
        ConfigError: the embedder that somebody named is unknown, or cannot be loaded.
    """
    try:
        return embedder(loaded.config.recall.embedder, loaded.config, ledger=ledger), ""
    except ConfigError as error:
        if loaded.origin[KEY] != "default":
            raise
        return None, f"lessons are found by words alone: {error}"


class CallLedger:
    """The ledger, opened when a model behind a server is called for the first time: local ones leave no rows."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._ledger: Ledger | None = None

    def add_call(self, row: CallRow) -> object:
        """See `Ledger.add_call`."""
        if self._ledger is None:
            self._ledger = Ledger.open(self._path)
        return self._ledger.add_call(row)

    def close(self) -> None:
        """Close it, where it was opened."""
        if self._ledger is not None:
            self._ledger.close()

"""What the ledger uses of `apsw.Connection`, with types: apsw's own stubs name `collections.abc.Buffer`, which
Python 3.11 does not have.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Protocol

Column = None | int | float | str


class Cursor(Protocol):
    """The rows of a statement."""

    def fetchall(self) -> list[tuple[Any, ...]]: ...  # noqa: D102

    def __iter__(self) -> Iterator[tuple[Any, ...]]: ...


class Connection(Protocol):
    """One connection to one file. https://rogerbinns.github.io/apsw/connection.html."""

    in_transaction: bool

    def execute(self, statements: str, bindings: Sequence[Column] = ()) -> Cursor: ...  # noqa: D102
    def pragma(self, name: str, value: Column = None) -> Any: ...  # noqa: D102
    def last_insert_rowid(self) -> int: ...  # noqa: D102
    def changes(self) -> int: ...  # noqa: D102
    def close(self) -> None: ...  # noqa: D102

"""What commands print with: data on stdout, progress on stderr, one JSON object with `--json`."""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from typing import IO, TYPE_CHECKING, Any

import click

from senno.text import shown

if TYPE_CHECKING:
    from rich.console import Console

PLAIN_WIDTH = 118
"""Columns of a table where the output is no terminal."""

json_option = click.option("--json", "as_json", is_flag=True, help="One JSON object on stdout.")


def print_json(value: dict[str, Any]) -> None:
    """One object, indented."""
    print_data(json.dumps(value, ensure_ascii=False, indent=2) + "\n")


def print_data(text: str) -> None:
    """JSON text, in UTF-8 whatever the terminal's encoding is; half of a surrogate pair as its escape."""
    click.echo(text.encode("utf-8", "backslashreplace"), nl=False)


@contextmanager
def reader_may_leave() -> Generator[None]:
    """The reader of our output may go away (`senno … | head`): then nothing is left to say, and no harm is done."""
    try:
        yield
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def read_stdin() -> str:
    """All of standard input, as UTF-8.

    Raises:
        UsageError: it is not UTF-8; the message names the byte.
    """
    try:
        return sys.stdin.buffer.read().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise click.UsageError(f"standard input, byte {error.start}: not UTF-8") from None


def console(stream: IO[str] | None = None) -> Console:
    """A console on stdout (or `stream`): colours only on a terminal, `NO_COLOR` honoured."""
    from rich.console import Console

    class Told(Console):
        """Rich would end the process with code 1, which here means that the answer is no."""

        def on_broken_pipe(self) -> None:
            raise BrokenPipeError

    out = stream or sys.stdout
    width = None if out.isatty() else min(PLAIN_WIDTH, shutil.get_terminal_size((PLAIN_WIDTH, 24)).columns)
    return Told(file=out, width=width, highlight=False, markup=False, emoji=False, soft_wrap=False)


def print_table(
    title: str, columns: Sequence[str], rows: Sequence[Sequence[str]], right: Sequence[str] = (), wrap: str = ""
) -> None:
    """A table on stdout.

    Args:
        title: above it.
        columns: headings.
        rows: cells, made safe for a terminal here.
        right: columns aligned right.
        wrap: the column that takes what width is left.
    """
    console().print(table(title, columns, rows, right, wrap))


def table(
    title: str, columns: Sequence[str], rows: Sequence[Sequence[str]], right: Sequence[str] = (), wrap: str = ""
) -> Any:
    """`print_table`, not yet printed."""
    from rich import box
    from rich.table import Table
    from rich.text import Text

    made = Table(
        title=Text(title) if title else None,
        title_justify="left",
        title_style="bold",
        box=box.SIMPLE_HEAD,
        pad_edge=False,
    )
    for name in columns:
        made.add_column(
            shown(name),
            justify="right" if name in right else "left",
            overflow="fold",
            no_wrap=name != wrap and name not in columns[-1:],
            ratio=1 if name == wrap else None,
        )
    for row in rows:
        made.add_row(*(Text(shown(cell)) for cell in row))
    return made


def progress(text: str) -> None:
    """A line on stderr."""
    click.echo(shown(text), err=True)


@contextmanager
def progress_bar(what: str) -> Generator[Callable[[int, int], None]]:
    """A bar on stderr, on a terminal, for work that takes more than a second; told how much is done of how much."""
    import time

    from rich.progress import Progress

    began = time.monotonic()
    bar = Progress(console=console(sys.stderr), transient=True, disable=not sys.stderr.isatty())
    task = bar.add_task(what, total=None)

    def told(done: int, of: int) -> None:
        if time.monotonic() - began > 1:
            bar.start()
        bar.update(task, completed=done, total=of)

    try:
        yield told
    finally:
        bar.stop()

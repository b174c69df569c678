"""Both files of a teaching are written, or neither."""

from __future__ import annotations

import json
from pathlib import Path

from senno.errors import ConfigError, SennoError
from senno.files import read_text, write_text
from senno.judge.labelled import append_case
from senno.judge.teaching.teaching import Teaching


def write(teaching: Teaching) -> None:
    """Write both files, or neither.

    The labelled set goes first: a process that is killed between the two leaves a case marked as taught whose example
    is not in the criteria yet, and the same command completes it.

    Raises:
        ConfigError: a file cannot be written, or was changed since it was read.
    """
    path = teaching.checks_path.resolve()
    if read_text(path) != teaching.old_text:
        raise ConfigError(f"{teaching.checks_path}: changed while it was being taught; nothing was written. Try again")
    set_path = teaching.labelled_path.resolve()
    before = read_text(set_path) if set_path.exists() else None
    _label(teaching, set_path, before)
    try:
        mark = "\ufeff" if path.read_bytes().startswith(b"\xef\xbb\xbf") else ""
        write_text(path, mark + teaching.new_text)
    except BaseException:
        _take_back(set_path, before)
        raise


def _label(teaching: Teaching, path: Path, before: str | None) -> None:
    if teaching.labelling == "append":
        append_case(path, teaching.case, teaching.old)
    elif teaching.labelling == "mark" and before is not None:
        number = int(teaching.case.where.rpartition(":")[2])
        lines = before.split("\n")
        lines[number - 1] = json.dumps(teaching.case.to_json(), ensure_ascii=False)
        write_text(path, "\n".join(lines))


def _take_back(path: Path, before: str | None) -> None:
    try:
        if before is None:
            path.unlink(missing_ok=True)
        else:
            write_text(path, before)
    except (OSError, SennoError) as error:
        raise ConfigError(f"{path}: holds the case, and the criteria do not ({error}); run the command again") from None

"""A change as text again: the lines of a unified diff."""

from __future__ import annotations

import json

from senno.gate.diff.change import FileChange, Hunk, Line


def rendered_names(file: FileChange) -> str:
    """The two lines above the hunks of a file."""
    old = "/dev/null" if file.status == "added" else f"a/{file.old_path or file.path}"
    new = "/dev/null" if file.status == "deleted" else f"b/{file.path}"
    return f"--- {_plain(old)}\n+++ {_plain(new)}\n"


def _plain(path: str) -> str:
    """A name that stays on its line."""
    return path if path.isprintable() and not path.startswith('"') else json.dumps(path, ensure_ascii=False)


def rendered_hunk(hunk: Hunk) -> str:
    """A hunk, header and lines."""
    return rendered_header(hunk) + "".join(map(rendered_line, hunk.lines))


def rendered_header(hunk: Hunk) -> str:
    """The first line of a hunk."""
    behind = f" {hunk.header}" if hunk.header else ""
    return f"@@ -{hunk.old_start},{hunk.old_lines} +{hunk.new_start},{hunk.new_lines} @@{behind}\n"


def rendered_line(line: Line) -> str:
    """One line of a hunk."""
    return f"{line.kind}{line.text}\n" + ("\\ No newline at end of file\n" if line.no_newline else "")

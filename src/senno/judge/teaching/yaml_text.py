"""YAML as text: one value replaced or made longer, or one member added, comments and style around it untouched."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any, cast

from senno.errors import FileFormatError

_BLANK = re.compile(r"[ \t]*\r?$")


def with_line(text: str, path: Sequence[str], line: str, where: str) -> str:
    """`text` (valid YAML) with `line` added to the text at `path`, or standing there alone where there is none.

    Args:
        text: of the file.
        path: keys, and numbers of elements as text; `true` names the key true as well.
        line: one line.
        where: the file, for errors.

    Raises:
        FileFormatError: what is at `path` is shared by an alias: a change there would change another place too.
    """
    from ruamel.yaml import YAML

    node = cast("Any", YAML(typ="safe", pure=True)).compose(text)
    shared = _shared(node)
    for depth, name in enumerate(path):
        found = _child(node, name)
        if id(node) in shared or (found is not None and id(found) in shared):
            at = f"{where}: {'.'.join(path)}"
            raise FileFormatError(
                at, "this part is an alias of another", "criteria of its own", "Write it out, then teach"
            )
        if found is None:
            return _added(text, node, name, _nested(path[depth + 1 :], line))
        node = found
        if node.id == "scalar" and depth < len(path) - 1:
            return _replaced(text, node, _nested(path[depth + 1 :], line))
    if node.style in ("|", ">"):
        return _longer_block(text, node, line)
    old = "" if node.tag.endswith(":null") else node.value.rstrip()
    return _replaced(text, node, _quoted(f"{old}\n{line}" if old else line))


def _quoted(value: str) -> str:
    return json.dumps(value, ensure_ascii=False)  # a JSON string is a YAML one


def _nested(rest: Sequence[str], value: str) -> str:
    inner: object = value
    for name in reversed(rest):
        inner = {name: inner}
    return json.dumps(inner, ensure_ascii=False)


def _child(node: Any, name: str) -> Any:
    if node.id == "sequence":
        return node.value[int(name)]
    for key, value in node.value:
        # Only a bare true is the side of that name; "True" in quotes is another key, which the loader refuses.
        if key.value == name or (key.tag.endswith(":bool") and key.value.lower() == name):
            return value
    return None


def _shared(root: Any) -> set[int]:
    """The nodes that stand in more than one place."""
    seen: set[int] = set()
    twice: set[int] = set()
    todo: list[Any] = [root]
    while todo:
        node = todo.pop()
        if id(node) in seen:
            twice.add(id(node))
            continue
        seen.add(id(node))
        if node.id == "mapping":
            todo += [part for pair in node.value for part in pair]
        elif node.id == "sequence":
            todo += node.value
    return twice


def _replaced(text: str, node: Any, value: str) -> str:
    start, end = node.start_mark.index, node.end_mark.index
    if start == end and node.id == "scalar":  # nothing is there, and its place is only known to be behind the colon
        start = end = text.rindex(":", 0, start) + 1
        return f"{text[:start]} {value}{text[end:]}"
    return text[:start] + value + text[end:]


def _added(text: str, node: Any, name: str, value: str) -> str:
    """Before the last member: its beginning is certain, where the end of a block is not."""
    member = f"{json.dumps(name)}: {value}"
    if not node.value:
        return _replaced(text, node, f"{{{member}}}")
    at = node.value[-1][0].start_mark
    between = ", " if node.flow_style else _line_end(text) + " " * at.column
    return text[: at.index] + member + between + text[at.index :]


def _longer_block(text: str, node: Any, line: str) -> str:
    """A line at the end of a block scalar, indented as its first."""
    start, end = node.start_mark.index, node.end_mark.index
    lines = text[start:end].splitlines(keepends=True)
    full = [n for n, each in enumerate(lines) if n and not _BLANK.match(each.rstrip("\n"))]
    if not full:
        return _replaced(text, node, _quoted(line) + _line_end(text))
    indent = len(lines[full[0]]) - len(lines[full[0]].lstrip(" "))
    last = full[-1]
    own_end = "" if lines[last].endswith("\n") else _line_end(text)
    lines[last] += f"{own_end}{' ' * indent}{line}{'' if own_end else _line_end(text)}"
    return text[:start] + "".join(lines) + text[end:]


def _line_end(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"

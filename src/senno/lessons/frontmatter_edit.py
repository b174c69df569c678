"""The YAML before a body, written so that any YAML reads it back, and edited in place.

An edit replaces the value of the keys that change, and no other byte: order, comments, quotes and indents of what a
person wrote stay because they are never written again.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any, cast

from senno.errors import FileFormatError
from senno.lessons.frontmatter import MANGLED, WORD, Entry, Plain, entries


def write(values: Mapping[str, Any]) -> str:
    """Lines of `key: value`, each value on one line: `None`, booleans, numbers, text, lists and mappings of these."""
    return "".join(f"{key}: {scalar(value)}\n" for key, value in values.items())


def scalar(value: Any) -> str:
    """A value as flow YAML 1.2 that YAML 1.1 reads alike: text that could be read as something else has quotes."""
    if value is None or isinstance(value, (bool, int, float)):
        return json.dumps(value, allow_nan=False)
    if isinstance(value, Plain):
        return str(value)
    if isinstance(value, str):
        plain = len(value) <= 60 and WORD.fullmatch(value) and value.casefold() not in MANGLED
        return value if plain else quoted(value)
    if isinstance(value, Mapping):
        pairs = cast("Mapping[str, Any]", value).items()
        return "{" + ", ".join(f"{key}: {scalar_in_flow(inner)}" for key, inner in pairs) + "}"
    return "[" + ", ".join(scalar_in_flow(item) for item in cast("Sequence[Any]", value)) + "]"


def scalar_in_flow(value: Any) -> str:
    """`scalar` within a list or a mapping: text always has quotes there."""
    return quoted(value) if isinstance(value, str) and not isinstance(value, Plain) else scalar(value)


# YAML takes no control characters, and breaks lines at these others; a byte order mark may not stand inside.
_ESCAPED = re.compile(r"[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff\ud800-\udfff]")


def quoted(text: str) -> str:
    """`text` in double quotes, on one line, as JSON and YAML both read it."""
    return _ESCAPED.sub(lambda m: f"\\u{ord(m[0]):04x}", json.dumps(text, ensure_ascii=False))


def edit(where: str, yaml: str, changes: Mapping[str, Any], newline: str = "\n") -> str:
    """`yaml` with other values for some keys; a key that is not there yet is added at the end.

    A block list keeps the lines, and so the comments, of the items that stay.

    Args:
        where: the file, for errors.
        yaml: the text of the frontmatter.
        changes: values as `scalar` takes them.
        newline: what ends a line that is added.

    Raises:
        FileFormatError: it does not parse, or a value cannot be replaced where it stands (an alias, an anchor in use).
    """
    before = entries(where, yaml)
    cuts: list[_Cut] = []
    added = ""
    for key, value in changes.items():
        entry = before.get(key)
        if entry is None:
            added += f"{key}: {scalar(value)}{newline}"
        elif entry.start < 0:
            raise FileFormatError(f"{where}:{entry.line}", f"{key} is an alias", "a value of its own: write it out")
        else:
            cuts += _cuts(yaml, entry, value, newline)
    text = yaml
    for start, end, new in sorted(cuts, reverse=True):
        text = text[:start] + new + text[end:]
    if added and text and not text.endswith("\n"):
        text += newline
    text += added
    _check_edit(where, yaml, before, text, changes)
    return text


_Cut = tuple[int, int, str]


def _cuts(yaml: str, entry: Entry, value: Any, newline: str) -> list[_Cut]:
    if yaml.find("\n", entry.colon, entry.start) < 0:
        space = "" if yaml[entry.start - 1] in " \t" else " "
        return [(entry.start, entry.end, space + scalar(value))]
    if isinstance(value, (list, tuple)) and entry.items:
        cuts = _item_cuts(yaml, entry, cast("Sequence[Any]", value), newline)
        if cuts is not None:
            return cuts
    # A block below the key: the value moves up beside the key, the lines of the block go.
    return [(entry.colon, entry.colon, " " + scalar(value)), (*_lines(yaml, entry.start, entry.end), "")]


def _item_cuts(yaml: str, entry: Entry, value: Sequence[Any], newline: str) -> list[_Cut] | None:
    """Lines out for items that go, lines in for items that come; `None`: the list is another, or would be empty."""
    kept = [item for item in entry.items if item[0] in value]
    come = list(value[len(kept) :])
    if not kept or [str(item[0]) for item in kept] != list(value[: len(kept)]):
        return None
    cuts: list[_Cut] = [(*_lines(yaml, start, end), "") for text, start, end in entry.items if text not in value]
    dash = yaml[yaml.rfind("\n", 0, entry.start) + 1 : entry.start] + "- "
    last = _lines(yaml, *kept[-1][1:])[1]
    return [*cuts, (last, last, "".join(f"{dash}{scalar_in_flow(item)}{newline}" for item in come))]


def _lines(yaml: str, start: int, end: int) -> tuple[int, int]:
    """From the beginning of the line of `start` to the end of that of the character before `end`."""
    line_end = yaml.find("\n", end - 1)
    return yaml.rfind("\n", 0, start) + 1, len(yaml) if line_end < 0 else line_end + 1


def _check_edit(where: str, yaml: str, before: Mapping[str, Entry], text: str, changes: Mapping[str, Any]) -> None:
    """A second reading must find what was asked for, and all else as it was: an edit is never a guess."""
    after = entries(where, text)
    kept = [key for key in before if key not in changes]
    same = list(after) == [*before, *(key for key in changes if key not in before)] and all(
        yaml[before[k].start : before[k].end] == text[after[k].start : after[k].end] for k in kept
    )
    asked = entries(where, write(changes))
    if not same or any(_words(after[key].value) != _words(asked[key].value) for key in changes):
        wrong = ", ".join(changes)
        raise FileFormatError(where, f"{wrong} cannot be changed without touching what is beside it", "simpler YAML")


def _words(value: Any) -> Any:
    return str(value) if isinstance(value, str) else value

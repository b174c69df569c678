"""The YAML before a body, read key by key, each with its place."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any, cast

from senno.errors import FileFormatError


class Plain(str):
    """A scalar without quotes, as it was written: `no`, `1e3`, `2026-01-01`, or nothing. Its key says what it means."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Entry:
    """One key of the frontmatter."""

    value: Any
    """`str`, `Plain`, a list or a mapping of these."""
    line: int
    """In the file, from 1."""
    start: int
    """Where in the text of the frontmatter the value begins."""
    end: int
    """Where the last character of the value is, plus 1; comments after it do not belong to it."""
    colon: int
    """Where the colon after the key is, plus 1."""
    items: tuple[tuple[str, int, int], ...] = ()
    """Of a block list of scalars: each with its place."""


@dataclass(frozen=True, slots=True)
class Split:
    """A file with a frontmatter."""

    opening: str
    """The first line, with a byte order mark where there is one."""
    yaml: str
    """What stands between the two `---`."""
    rest: str
    """From the closing `---` on."""
    body_line: int
    """The line of the file on which the body begins, from 1."""

    @property
    def body(self) -> str:
        """What comes after the line of the closing `---`."""
        return self.rest.partition("\n")[2]


_FENCE = re.compile(r"^(?:---|\.\.\.)[ \t]*\r?$", re.MULTILINE)
_OPENING = re.compile(r"\ufeff?---[ \t]*\r?\n")
FIRST_LINE = 2
"""The line of the file on which the YAML begins."""


def split(where: str, text: str) -> Split:
    """Take a file apart.

    Raises:
        FileFormatError: it does not begin with `---`, or there is no second one.
    """
    opening = _OPENING.match(text)
    if opening is None:
        found = "an empty file" if not text.strip("\ufeff \t\r\n") else f"found {text[:40].splitlines()[0]!r}"
        raise FileFormatError(f"{where}:1", found, "a line of three dashes (---), and the frontmatter after it")
    at = opening.end()
    closing = _FENCE.search(text, at)
    if closing is None:
        raise FileFormatError(f"{where}:1", "the frontmatter has no end", "a second line of three dashes (---)")
    end = closing.start()
    return Split(text[:at], text[at:end], text[end:], text.count("\n", 0, closing.end()) + 2)


_SIMPLE_LINE = re.compile(r"(?P<key>[A-Za-z_][A-Za-z0-9_]*):(?: (?P<value>\S.*?))?\r?")
WORD = re.compile(r"[A-Za-z_](?:[A-Za-z0-9_./@+-]| (?=[A-Za-z0-9_]))*")
"""A scalar that means itself without quotes in every YAML, unless it is one of `MANGLED`."""
MANGLED = frozenset({"null", "true", "false", "yes", "no", "on", "off", "y", "n"})
_MOMENT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,6})?Z", re.ASCII)
_NUMBER = re.compile(r"-?(?:0|[1-9]\d*)(?:\.\d+)?", re.ASCII)


def entries(where: str, yaml: str) -> dict[str, Entry]:
    """The keys of a frontmatter, in their order.

    Raises:
        FileFormatError: it is no YAML, no mapping, a key is no text or stands twice; with the line.
    """
    return _simple_entries(yaml) or _yaml_entries(where, yaml)


def _simple_entries(yaml: str) -> dict[str, Entry] | None:
    """What `write` writes, and much of what people write, at 30 times the speed; `None`: it takes a YAML parser."""
    found: dict[str, Entry] = {}
    at = 0
    *lines, rest = yaml.split("\n")
    if rest:  # no line end after the last line: none that `split` cuts out is so
        return None
    for number, line in enumerate(lines, FIRST_LINE):
        match = _SIMPLE_LINE.fullmatch(line)
        if match is None or match["key"] in found or match["key"] in MANGLED:
            return None
        start, end = match.span("value") if match["value"] else (match.end("key") + 1, match.end("key") + 1)
        value = _simple_value(line[start:end])
        if value is None:
            return None
        found[match["key"]] = Entry(value, number, at + start, at + end, at + match.end("key") + 1)
        at += len(line) + 1
    return found or None


def _simple_value(text: str) -> Any:
    if not text or _NUMBER.fullmatch(text) or _MOMENT.fullmatch(text) or WORD.fullmatch(text):
        return Plain(text)
    if text[0] == "{":
        return _simple_mapping(text)
    if text[0] not in '"[' or "\t" in text:
        return None
    try:
        value: Any = json.loads(text)
    except (ValueError, RecursionError):
        return None
    if isinstance(value, str):
        return None if _has_surrogates(value) else value
    items = cast("list[Any]", value)
    return items if all(isinstance(i, str) and not _has_surrogates(i) for i in items) else None


_PAIR = re.compile(r'([a-z_]+): ("(?:[^"\\\t]|\\.)*"|[0-9][0-9T:.Z-]*)(, (?=[a-z])|$)')


def _simple_mapping(text: str) -> dict[str, Any] | None:
    if text[-1] != "}":
        return None
    inner, at, found = text[1:-1], 0, dict[str, Any]()
    while match := _PAIR.match(inner, at):
        value = _simple_value(match[2])
        if value is None or match[1] in found or match[1] in MANGLED:
            return None
        found[match[1]] = value
        at = match.end()
    return found if found and at == len(inner) else None


def _has_surrogates(text: str) -> bool:
    return not text.isascii() and any("\ud800" <= c <= "\udfff" for c in text)


def _yaml_entries(where: str, yaml: str) -> dict[str, Entry]:
    node = _composed(where, yaml)
    if node is None:
        return {}
    if node.id != "mapping":
        raise FileFormatError(f"{where}:{FIRST_LINE}", "the frontmatter is no mapping", "lines such as `key: value`")
    found: dict[str, Entry] = {}
    for key, value in node.value:
        line = key.start_mark.line + FIRST_LINE
        if key.id != "scalar":
            raise FileFormatError(f"{where}:{line}", "a key that is no text", "a name before the colon")
        if key.value in found:
            raise FileFormatError(f"{where}:{line}", f"the key {key.value!r} stands twice", "it once")
        start, colon = value.start_mark.index, yaml.find(":", key.end_mark.index) + 1
        if start < key.end_mark.index:  # an alias stands elsewhere: it is neither followed nor edited
            found[key.value] = Entry(None, line, -1, -1, colon)
            continue
        end = _last_end(value, yaml)
        if start == end:  # a key with nothing after it: YAML puts the nothing where it stopped looking
            start = end = colon
        found[key.value] = Entry(_tree(value), line, start, end, colon, _items(value))
    return found


def _composed(where: str, yaml: str) -> Any:
    from ruamel.yaml import YAML
    from ruamel.yaml.error import MarkedYAMLError, YAMLError

    try:
        return cast("Any", YAML(typ="safe", pure=True)).compose(yaml)
    except MarkedYAMLError as error:
        mark = cast("Any", error).problem_mark
        line = FIRST_LINE + (mark.line if mark else 0)
        problem = str(cast("Any", error).problem or "does not parse").splitlines()[0]
        hint = "Text with `: ` in it needs quotes" if problem.startswith("mapping values") else ""
        raise FileFormatError(f"{where}:{line}", problem, "valid YAML", hint) from None
    except (YAMLError, ValueError) as error:
        raise FileFormatError(f"{where}:{FIRST_LINE}", str(error).splitlines()[0], "valid YAML") from None
    except RecursionError:
        raise FileFormatError(f"{where}:{FIRST_LINE}", "nested too deeply", "at most a few levels") from None


def _tree(node: Any, depth: int = 0) -> Any:
    if depth > 8 or (depth and node.anchor):  # no field is that deep; an anchor may stand for anything, itself too
        return None
    if node.id == "scalar":
        return node.value if node.style else Plain(node.value)
    if node.id == "sequence":
        return [_tree(item, depth + 1) for item in node.value]
    return {str(key.value): _tree(value, depth + 1) for key, value in node.value}


def _items(node: Any) -> tuple[tuple[str, int, int], ...]:
    if node.id != "sequence" or node.flow_style or any(item.id != "scalar" for item in node.value):
        return ()
    return tuple((item.value, item.start_mark.index, item.end_mark.index) for item in node.value)


def _last_end(node: Any, yaml: str) -> int:
    """The end of a value without the comments and blank lines that come after a block."""
    end = node.end_mark.index
    if node.id == "scalar" and node.style in (None, "'", '"'):
        return end
    if node.id != "scalar" and node.flow_style:
        return end
    if node.id == "scalar" or not node.value:
        return node.start_mark.index + len(yaml[node.start_mark.index : end].rstrip())
    last = node.value[-1]
    child = last[1] if node.id == "mapping" else last
    if child.start_mark.index < node.start_mark.index:
        return end  # an alias
    return max(_last_end(child, yaml), last[0].end_mark.index + 1 if node.id == "mapping" else 0)

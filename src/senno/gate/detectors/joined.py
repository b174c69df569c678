r"""A text with the pieces of its strings put together, so that a secret that was cut in two is whole again.

Put together are strings that a programming language would (`"AK" + "IA"`, `"AK" \` and `"IA"` below it, two strings
side by side), lines that end in a backslash, and blocks of YAML (`key: >-`) whose lines are one word each.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass, field

_OPERATOR = r"(?:\+|\.{1,2}|&(?:[ \t]*_)?|\|\||<>)"
_SEAM = re.compile(
    rf"""
    ["'`] [ \t]*+ {_OPERATOR}? [ \t]*+ (?: \\? \r? \n [ \t]*+ ){{0,3}} {_OPERATOR}? [ \t]*+ [fFbBrRuU@$]{{0,2}} ["'`]
    | \\ \r? \n [ \t]*+
    | (?<=[=:]) [ \t]*+ \( \s*+ (?=["'`])
    """,
    re.VERBOSE,
)
_BLOCK = re.compile(r":[ \t]*(?P<head>[>|][+-]?[0-9]?[ \t]*\r?\n)(?P<body>(?:[ \t]+[^\s:#]+[ \t]*(?:\r?\n|\Z)){1,200})")
_BLANK = re.compile(r"\s+")


@dataclass(frozen=True, slots=True)
class Joined:
    """A text without its seams, and where its pieces come from."""

    text: str = field(repr=False)
    starts: tuple[int, ...]
    """Where each piece starts in `text`."""
    origins: tuple[int, ...]
    """Where each piece starts in the text that it was made of."""

    def origin(self, at: int) -> int:
        """The place in the first text of a place in this one."""
        piece = bisect_right(self.starts, at) - 1
        return self.origins[piece] + at - self.starts[piece]

    def has_seam(self, start: int, end: int) -> bool:
        """Whether `text[start:end]` was put together of two pieces or more."""
        return bisect_right(self.starts, start) != bisect_right(self.starts, end - 1)


def joined(text: str) -> Joined | None:
    """The text with its pieces put together; `None`: it has none."""
    seams = [match.span() for match in _SEAM.finditer(text)]
    for block in _BLOCK.finditer(text):
        seams.append(block.span("head"))
        seams += [blank.span() for blank in _BLANK.finditer(text, *block.span("body"))][:-1]
    if not seams:
        return None
    pieces: list[str] = []
    starts: list[int] = []
    origins: list[int] = []
    at = length = 0
    for start, end in [*sorted(seams), (len(text), len(text))]:
        if start > at:
            pieces.append(text[at:start])
            starts.append(length)
            origins.append(at)
            length += start - at
        at = max(at, end)
    return Joined("".join(pieces), tuple(starts), tuple(origins)) if pieces else None

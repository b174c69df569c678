r"""Paths as git writes them: plain, or between quotes with escapes as in C (`"b/caf\303\251 \"x\".txt"`)."""

from __future__ import annotations

import re

_ESCAPE = re.compile(rb"\\([0-3][0-7]{2}|.)", re.DOTALL)
_LETTERS = {b"a": b"\a", b"b": b"\b", b"f": b"\f", b"n": b"\n", b"r": b"\r", b"t": b"\t", b"v": b"\v"}
_QUOTED = re.compile(rb'"((?:[^"\\]|\\.)*+)"', re.DOTALL)

PREFIX_PAIRS = frozenset(
    (old, new)
    for one, other in ((b"a/", b"b/"), (b"i/", b"w/"), (b"c/", b"i/"), (b"c/", b"w/"), (b"o/", b"w/"), (b"1/", b"2/"))
    for old, new in ((one, other), (other, one))
)
"""What stands before the old and the new path: git's own, and those of `diff.mnemonicPrefix`; swapped by `-R`."""


def unquoted(name: bytes) -> bytes:
    """A path without its quotes and escapes; without quotes it is as it stands, up to a tab (a time stamp follows)."""
    quoted = _QUOTED.match(name)
    if quoted is None:
        return name.partition(b"\t")[0]
    return _ESCAPE.sub(_escaped, quoted[1])


def _escaped(match: re.Match[bytes]) -> bytes:
    letter = match[1]
    return bytes([int(letter, 8)]) if len(letter) == 3 else _LETTERS.get(letter, letter)


def split_names(rest: bytes) -> tuple[bytes, bytes] | None:
    """The two paths behind `diff --git `, prefixes and all; `None`: where the first one ends cannot be told.

    Paths with spaces are not quoted. Two that are the same but for prefixes of one length meet in the middle; two that
    are not (a rename) are told by lines of their own further down.
    """
    first = _QUOTED.match(rest)
    if first and rest[first.end() : first.end() + 1] == b" ":
        return unquoted(first[0]), unquoted(rest[first.end() + 1 :])
    second = rest.find(b' "')
    if second > 0 and rest.endswith(b'"'):
        return rest[:second], unquoted(rest[second + 1 :])
    middle = len(rest) // 2
    if rest[middle : middle + 1] == b" " and same_below(rest[:middle], rest[middle + 1 :]):
        return rest[:middle], rest[middle + 1 :]
    return _uneven(rest)


def _uneven(rest: bytes) -> tuple[bytes, bytes] | None:
    """Two paths behind prefixes of different lengths (`diff.srcPrefix`): the same below their first folder."""
    at = rest.find(b" ")
    while at > 0:
        old, new = rest[:at], rest[at + 1 :]
        if b"/" in old and old.partition(b"/")[2] == new.partition(b"/")[2]:
            return old, new
        at = rest.find(b" ", at + 1)
    return None


def same_below(old: bytes, new: bytes) -> bool:
    """Whether two paths are one, but for a known pair of prefixes."""
    return old == new or ((old[:2], new[:2]) in PREFIX_PAIRS and old[2:] == new[2:])


def without_prefixes(old: bytes, new: bytes) -> tuple[bytes, bytes]:
    """Both paths without what was put before them to tell old from new, if anything was.

    `a/x b/x` is `x` twice; `a/x a/x` is a folder `a`; `old/x new/x` (`diff -r old new`) is `x` twice.
    """
    if (old[:2], new[:2]) in PREFIX_PAIRS:
        return old[2:], new[2:]
    old_top, _, old_rest = old.partition(b"/")
    new_top, _, new_rest = new.partition(b"/")
    if old_rest and old_rest == new_rest and old_top != new_top:
        return old_rest, new_rest
    return old, new


def path_text(path: bytes) -> str:
    r"""A path as text; a byte that is not UTF-8 becomes `\xNN`."""
    return path.decode("utf-8", "backslashreplace")

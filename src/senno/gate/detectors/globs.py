"""Globs over the paths of a change, as in `.gitignore`."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from functools import lru_cache

_SET = re.compile(r"\[([!^]?)(\]?[^]]*)\]")


def matches(path: str, globs: Sequence[str]) -> bool:
    """Whether one of `globs` is `path`, or a folder that it is in; whatever the case of letters.

    Paths are compared in Unicode NFC: on some systems two spellings are one file.
    """
    if not globs:
        return False
    return _pattern(tuple(globs)).match(unicodedata.normalize("NFC", path)) is not None


@lru_cache(maxsize=64)
def _pattern(globs: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile("|".join(map(_one, globs)), re.IGNORECASE | re.DOTALL)


def _one(glob: str) -> str:
    glob = unicodedata.normalize("NFC", glob).rstrip("/")
    anchored = "/" in glob
    body = "".join(_pieces(glob.lstrip("/")))
    return rf"{'' if anchored else '(?:.*/)?'}{body}(?:/.*)?\Z"


def _pieces(glob: str) -> list[str]:
    pieces: list[str] = []
    at = 0
    while at < len(glob):
        found = _SET.match(glob, at)
        if glob.startswith("**/", at) and (at == 0 or glob[at - 1] == "/"):
            piece, step = "(?:.*/)?", 3
        elif glob.startswith("**", at):
            piece, step = ".*", 2
        elif found:
            piece, step = _set(found[1], found[2]), len(found[0])
        else:
            piece, step = {"*": "[^/]*", "?": "[^/]"}.get(glob[at], re.escape(glob[at])), 1
        pieces.append(piece)
        at += step
    return pieces


def _set(negation: str, members: str) -> str:
    inside = members.replace("\\", r"\\").replace("[", r"\[").replace("]", r"\]").replace("^", r"\^")
    inside = inside.replace("&&", r"&\&").replace("~~", r"~\~").replace("||", r"|\|").replace("--", r"-\-")
    try:
        re.compile(f"[{inside}]")
    except re.error:
        return re.escape(f"[{negation}{members}]")
    return f"(?!/)[{'^' if negation else ''}{inside}]"

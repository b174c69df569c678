"""The body of a lesson: three headings in their order, an answer under each."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from typing import NamedTuple

from senno.errors import FileFormatError
from senno.lessons.lesson import HEADINGS, Language, well_formed


class Body(NamedTuple):
    """The three answers, and the language of the headings above them."""

    language: Language
    what: str
    why: str
    rule: str


_HEADING = re.compile(r" {0,3}#{1,6}[ \t]+(?P<text>.*?)[ \t]*#*[ \t]*\r?")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
# What Markdown takes for a heading (ATX, setext) or a rule; the backslashes are those of an escape made here.
_MARK = re.compile(r"( {0,3})(\\*)(#{1,6}(?=[ \t]|$)|=+(?=[ \t]*$)|-+(?=[ \t]*$))")


def answer_text(text: str) -> str:
    """An answer as a body holds it: `well_formed`, and a code block that was left open closed."""
    plain = well_formed(text)
    fence = ""
    for line in plain.split("\n"):
        fence = _fence_after(line, fence)
    return f"{plain}\n{fence}" if fence else plain


def write_body(language: Language, what: str, why: str, rule: str) -> str:
    """The three headings, with the answers (as `answer_text` gives them) under them.

    A line of an answer that Markdown would take for a heading gets a backslash, which `read_body` takes away; so the
    body has these three headings and no other. Lines of a code block stay as they are.
    """
    parts = zip(HEADINGS[language], (what, why, rule), strict=True)
    return "\n" + "\n".join(f"## {heading}\n\n{_marked(answer, _escaped)}\n" for heading, answer in parts)


def read_body(where: str, body: str, first_line: int) -> Body:
    """The answers in a body.

    Args:
        where: the file, for errors.
        body: what comes after the frontmatter, with any line ends.
        first_line: the line of the file on which it begins, from 1.

    Raises:
        FileFormatError: a heading is missing, out of order or there twice, or a merge of git was left half-way.
    """
    lines = [line.removesuffix("\r") for line in body.split("\n")]
    at: list[int] = []
    language: Language | None = None
    for number, line in enumerate(lines):
        if line.startswith("<<<<<<< "):
            raise FileFormatError(f"{where}:{first_line + number}", "a merge conflict of git", "it to be resolved")
        found = _our_heading(line)
        if found is None:
            continue
        language = language or found[0]
        if found != (language, len(at)):
            raise FileFormatError(
                f"{where}:{first_line + number}", f"found the heading {line.strip()!r}", _expected(language, len(at))
            )
        at.append(number)
    if language is None or len(at) < 3:
        raise FileFormatError(f"{where}:{first_line + len(lines) - 1}", "the body ends", _expected(language, len(at)))
    ends = [*at[1:], len(lines)]
    what, why, rule = (_answer(lines[a + 1 : b]) for a, b in zip(at, ends, strict=True))
    return Body(language, what, why, rule)


def _expected(language: Language | None, index: int) -> str:
    if index > 2:
        return "nothing after the third answer: each heading once"
    names = [HEADINGS[language][index]] if language else [headings[index] for headings in HEADINGS.values()]
    return " or ".join(f"the heading '## {name}'" for name in names)


_OURS: dict[str, tuple[Language, int]] = {
    heading.casefold(): (language, index) for language, three in HEADINGS.items() for index, heading in enumerate(three)
}


def _our_heading(line: str) -> tuple[Language, int] | None:
    """Language and index of one of the six headings; any level, upper or lower case, in bold or not."""
    match = _HEADING.fullmatch(line)
    if match is None:
        return None
    return _OURS.get(unicodedata.normalize("NFC", match["text"]).strip("* \t").casefold())


def _answer(lines: list[str]) -> str:
    return _marked("\n".join(lines), _unescaped).strip()


def _marked(text: str, change: Callable[[re.Match[str], str], str]) -> str:
    """`text` with `change` made to the lines that are marks of Markdown, or are such a mark behind backslashes."""
    lines: list[str] = []
    fence = ""
    for line in text.split("\n"):
        fence = _fence_after(line, fence)
        match = _MARK.match(line)
        rest = line[match.end(2) :] if match else ""
        touched = match and not (fence and _our_heading(rest) is None)
        lines.append(change(match, rest) if match and touched else line)
    return "\n".join(lines)


def _escaped(match: re.Match[str], rest: str) -> str:
    return f"{match[1]}{match[2]}\\{rest}"


def _unescaped(match: re.Match[str], rest: str) -> str:
    return f"{match[1]}{match[2][1:]}{rest}"


def _fence_after(line: str, fence: str) -> str:
    """The fence of the code block that is open after `line`; empty: none is (CommonMark, section 4.5)."""
    match = _FENCE.match(line)
    if match is None:
        return fence
    if not fence:
        info = line[match.end() :]
        return "" if match[1][0] == "`" and "`" in info else match[1]
    closes = match[1].startswith(fence) and not line[match.end() :].strip()
    return "" if closes else fence

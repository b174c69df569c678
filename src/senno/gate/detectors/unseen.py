"""Characters that do not show, or show as others: what a reviewer sees is not what a compiler reads.

Bidirectional controls and look-alike letters: Boucher and Anderson, "Trojan Source: Invisible Vulnerabilities" (2021,
CVE-2021-42574 and CVE-2021-42694). Tag characters and variation selectors carry whole texts that no reader sees.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from senno.gate.detectors.finding import Severity

_UNSEEN = re.compile(
    r"""
    (?P<bidi> [\u202a-\u202e\u2066-\u2069] )
    | (?P<flag> \U0001f3f4 [\U000e0030-\U000e0039\U000e0061-\U000e007a]{1,6} \U000e007f )
    | (?P<tag> [\U000e0000-\U000e007f]+ )
    | (?P<selector> [\ufe00-\ufe0f\U000e0100-\U000e01ef]{2,} | (?<=[ -~])[\U000e0100-\U000e01ef]+ )
    | (?P<direction> [\u200e\u200f\u061c] )
    | (?P<blank> [\u200b\u2060-\u2064\u206a-\u206f\ufeff\u180e\u115f\u1160\u3164\uffa0\u17b4\u17b5]+
        | (?<=\w)\u00ad(?=\w) )
    | (?P<joiner> (?<=[A-Za-z0-9_])[\u200c\u200d]+ | [\u200c\u200d]+(?=[A-Za-z0-9_]) )
    | (?P<line_break> [\r\x0b\x1c-\x1e\x85\u2028\u2029] )
    | (?P<control> [\x00-\x08\x0e-\x1b\x1f\x7f\x80-\x84\x86-\x9f]+ )
    """,
    re.VERBOSE,
)
"""A flag (of England, of Texas) is spelled in tags, and is seen. A form feed is a page break of old sources."""

_RIGHT_TO_LEFT = re.compile("[\u0590-\u061b\u061d-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]")

# Cyrillic, Greek and Armenian letters that look like Latin ones.
_LOOKS_LATIN = "аеорсухіјѕһԁԛԝԍАВЕЅІЈКМНОРСТУХԌοΑΒΕΖΗΙΚΜΝΟΡΤΥΧνօոս"
_LOOK_ALIKE = re.compile(
    rf"(?<![^\W_])(?=[{_LOOKS_LATIN}]*[A-Za-z])(?=[A-Za-z]*[{_LOOKS_LATIN}])[A-Za-z{_LOOKS_LATIN}]++(?![^\W_])"
)

_SAID: dict[str, tuple[Severity, str]] = {
    "bidi": ("error", "a control character that changes the direction of text"),
    "tag": ("error", "tag characters, which are not shown and spell a text"),
    "selector": ("error", "a run of variation selectors, which are not shown and may spell a text"),
    "direction": ("warning", "a mark of direction, which is not shown"),
    "blank": ("warning", "a character that is not shown"),
    "joiner": ("warning", "a joiner beside Latin letters, which is not shown"),
    "line_break": ("warning", "a line break that some programs heed and others do not show"),
    "control": ("warning", "a control character"),
    "look_alike": ("warning", "letters of two alphabets that look alike, in one word"),
}


class Unseen(NamedTuple):
    """`text[start:end]` does not show, or shows as something else."""

    start: int
    end: int
    what: str
    severity: Severity
    said: str


def unseen_in(text: str, *, first_line: bool = False) -> Iterator[Unseen]:
    """What does not show in one line.

    Args:
        text: the line.
        first_line: it is the first one of its file, where a byte order mark may stand.
    """
    if text.isascii() and text.isprintable():
        return
    for match in _UNSEEN.finditer(text):
        kind = match.lastgroup or ""
        byte_order_mark = first_line and match.start() == 0 and match[0] == "\ufeff"
        in_its_place = byte_order_mark or (kind == "direction" and _RIGHT_TO_LEFT.search(text))
        if kind in _SAID and not in_its_place:
            yield Unseen(*match.span(), kind, *_SAID[kind])
    if not text.isascii():
        for match in _LOOK_ALIKE.finditer(text):
            yield Unseen(*match.span(), "look_alike", *_SAID["look_alike"])


def escaped(text: str) -> str:
    r"""The text with `\u{…}` for each character that does not show."""
    return _UNSEEN.sub(lambda match: "".join(rf"\u{{{ord(each):x}}}" for each in match[0]), text)

"""Text as people write it: compared, suggested, shown."""

from __future__ import annotations

import difflib
import math
import re
import unicodedata
from collections.abc import Iterable

_NOT_WORD = re.compile(r"[^\w+#]|_")
_FRACTION = re.compile(r"(?<=\d)(?=[¼-¾⅐-⅞])")
_LATIN_MARKS = re.compile(r"(?<=[a-z0-9])[\u0300-\u036f]+")
_CONTROL = re.compile(
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\ud800-\udfff]"
)


def folded(text: str) -> str:
    """The form in which two writings of one name are equal.

    Unicode NFKC, case folded, accents of Latin letters dropped, every run of anything but letters, digits, `+` and `#`
    one space: `"Cry, the Beloved Country"` and `"cry the beloved country"` are one name, so are `"Amélie"` and
    `"Amelie"`; `"C"`, `"C++"` and `"C#"` are three, and marks that make another letter in another script stay.
    """
    apart = _FRACTION.sub(" ", text)  # NFKC makes "81⁄2" of "8½", which people also write "8 1/2"
    plain = unicodedata.normalize("NFKD", unicodedata.normalize("NFKC", apart).casefold())
    if not plain.isascii():
        plain = unicodedata.normalize("NFC", _LATIN_MARKS.sub("", plain))
    return " ".join(_NOT_WORD.sub(_kept_mark, plain).split())


def _kept_mark(match: re.Match[str]) -> str:
    """A vowel sign of Hindi is no letter to Python, and yet not a break between words."""
    return match[0] if unicodedata.category(match[0]).startswith("M") else " "


def exact(text: str) -> str:
    """The form in which two texts are the same text: Unicode NFC, every run of white space one space."""
    return " ".join(unicodedata.normalize("NFC", text).split())


_BYTES_PER_TOKEN = 3.5
"""Of UTF-8 text, for want of each model's tokenizer."""


def estimate_tokens(text: str) -> int:
    """How many tokens `text` has, roughly: its bytes by 3.5, rounded up."""
    return math.ceil(len(text.encode("utf-8", "surrogatepass")) / _BYTES_PER_TOKEN)


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """`"; did you mean 'x'?"` where one of `known` is near to `word`, else an empty string."""
    near = difflib.get_close_matches(word, list(known), n=1, cutoff=0.6)
    return f"; did you mean {near[0]!r}?" if near else ""


def shown(text: str, limit: int | None = None) -> str:
    """`text` made safe for a terminal: control characters and direction marks become `�`.

    Text of a model or of a file may carry escape sequences that rewrite the screen; tabs and line ends stay.

    Args:
        text: what is to be shown.
        limit: most characters; a longer text is cut and ends in `…`.
    """
    safe = _CONTROL.sub("\ufffd", text.replace("\r\n", "\n").replace("\r", "\n"))
    return safe if limit is None or len(safe) <= limit else safe[: limit - 1] + "…"


def one_line(text: str, limit: int) -> str:
    """`shown`, with every run of white space one space: for a cell of a table, or for an error."""
    return shown(" ".join(text.split()), limit)

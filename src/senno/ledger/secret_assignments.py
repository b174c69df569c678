r"""Secrets that are known by the name they are given to: `password=…`, `"api_key": "…"`, `Authorization: Bearer …`.

The text may be JSON, and may hold JSON in its strings, to any depth. A quote is then told apart by the backslashes
before it: `"` is a quote of the text itself, `\"` of JSON inside, `\\\"` of JSON inside that. A value ends at the
next quote of its own level, and never spans a quote of a level further out; so JSON stays JSON.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from senno.ledger.secret_shapes import is_placeholder
from senno.ledger.spans import Span

_LONGEST_QUOTED = 512
_LONGEST_CODE = 64

# The marks of Chinese and Japanese end a value too: there, no space comes after it.
_BARE = r"""[^\s"'\\,;&<>(){}\[\]|`\u3001-\u303f\uff01\uff08\uff09\uff0c\uff0e\uff1b\uff1f]"""
_QUOTE = re.compile(r'(\\*)"|\n')
_SINGLE_QUOTED = re.compile(rf"(?:[^'\"\\\n]|\\+[^'\"\\]){{1,{_LONGEST_QUOTED}}}+(?=\\*')")
_CLOSES_A_STRING = re.compile(r"[\s,:;)}\]\\]|$")
_WORD_WITH_DIGIT = re.compile(r"(?=\D*[0-9])\S+")

_SEPARATOR = r"""
    (?P<close>\\*["'])?
    [ \t]{0,8} (?: => | := | :[ \t]{0,4}\w{1,24}[ \t]{0,4}= | [:=：＝] ) (?!=) [ \t]{0,8}
    (?P<open>\\*["'])?
"""


@dataclass(frozen=True, slots=True)
class _Name:
    """A name that tells of a secret, and what its values look like."""

    kind: str
    word: bytes
    """The literal that is looked for first, in lower case."""
    after: tuple[bytes, ...]
    """What must come before `word` (`_`, `-` and spaces between left aside), one of them."""
    assigned: re.Pattern[str]
    """From `word` up to where the value starts, behind its opening quote."""
    quoted: re.Pattern[str]
    """A value between quotes."""
    bare: re.Pattern[str]
    """A value without."""


def _name(kind: str, word: str, least: int, *, after: tuple[bytes, ...] = (b"",)) -> _Name:
    """A name with values of one word, `least` characters or more, a digit among them."""
    return _Name(
        kind,
        word.encode(),
        after,
        assigned=re.compile(rf"{word}{_SEPARATOR}(?=[^\s\"']{{{least}}})", re.IGNORECASE | re.VERBOSE),
        quoted=_WORD_WITH_DIGIT,
        bare=re.compile(rf"(?={_BARE}{{0,64}}?[0-9]){_BARE}{{{least},}}+"),
    )


_PASSWORD = _Name(
    "password",
    b"pass",
    (b"",),
    assigned=re.compile(rf"pass(?:word|wd|phrase){_SEPARATOR}", re.IGNORECASE | re.VERBOSE),
    quoted=re.compile(r".+", re.DOTALL),
    # `password: required`, `password=password` and `password: swordfish` look alike: all three are left.
    bare=re.compile(rf"(?={_BARE}{{0,64}}?[0-9@#$^*+~]){_BARE}{{6,}}+"),
)
_NAMES = (
    _PASSWORD,
    _name("secret", "secret", 8),
    _name("key", "key", 8, after=(b"api", b"access", b"secret", b"private", b"auth", b"account")),
    # Records of calls are full of `"token": "…"`: only a long one is a secret.
    _name("token", "token", 16),
)
_AUTHORIZATION = re.compile(
    r"""authorization (?:\\*["'])? [ \t]{0,8}[:=,：＝][ \t]{0,8} (?:\\*["'])?
        (?:bearer|basic|token|digest|apikey)[ \t]{1,8} (?P<secret>[A-Za-z0-9._~+/=:-]{6,}+)""",
    re.IGNORECASE | re.VERBOSE,
)
_BEARER = re.compile(r"bearer[ \t]{1,8}(?P<secret>[A-Za-z0-9._~+/=:-]{16,}+)", re.IGNORECASE)
_RANDOM = re.compile(r"[0-9]|[a-z][A-Z]")


def assignment_spans(text: str, flat: bytes) -> Iterator[Span]:
    """The values in `text` that are assigned to a telling name.

    Args:
        text: any text; JSON text stays JSON when these spans are replaced.
        flat: `text` with one ASCII byte a character (`?` for the others).
    """
    lower = flat.lower()
    yield from _header_spans(text, lower, b"authorization", _AUTHORIZATION)
    yield from _header_spans(text, lower, b"bearer", _BEARER)
    for name in _NAMES:
        at = lower.find(name.word)
        while at >= 0:
            match = name.assigned.match(text, at)
            told = match and lower[max(0, at - 8) : at].rstrip(b"_- ").endswith(name.after)
            span = _value(text, match, name) if match and told else None
            if span:
                yield span
            at = lower.find(name.word, span.end if span else at + len(name.word))


def _header_spans(text: str, lower: bytes, word: bytes, pattern: re.Pattern[str]) -> Iterator[Span]:
    at = lower.find(word)
    while at >= 0:
        match = pattern.match(text, at)
        if match and _RANDOM.search(match["secret"]):
            yield Span(*match.span("secret"), word.decode())
        at = lower.find(word, match.end() if match else at + len(word))


def _value(text: str, assigned: re.Match[str], name: _Name) -> Span | None:
    start, opened = assigned.end(), assigned["open"]
    if opened is None:
        # A quoted name with a bare value is JSON's number, list or object: no place for a text without quotes.
        return None if assigned["close"] else _bare(text, start, name)
    if opened != assigned["close"] and opened[-1] == '"' and _CLOSES_A_STRING.match(text, start):
        return None  # `"… password=", …`: the quote ends a string
    end = _quoted_end(text, start, opened)
    if end is None:
        return _bare(text, start, name)
    value = text[start:end]
    return Span(start, end, name.kind) if name.quoted.fullmatch(value) and not is_placeholder(value) else None


def _bare(text: str, start: int, name: _Name) -> Span | None:
    match = name.bare.match(text, start)
    if match is None or is_placeholder(match[0]):
        return None
    calls = text[match.end() : match.end() + 1] in ("(", "[") and len(match[0]) <= _LONGEST_CODE
    return None if calls else Span(start, match.end(), name.kind)  # `password=sha256(…)` is code, not a value


def _quoted_end(text: str, start: int, opened: str) -> int | None:
    """Where the value ends that starts at `start`, after the quote `opened`; `None`: its end is not to be found."""
    if opened[-1] == "'":
        match = _SINGLE_QUOTED.match(text, start)
        return match.end() if match else None
    level = _level(len(opened) - 1)
    for quote in _QUOTE.finditer(text, start, start + _LONGEST_QUOTED):
        # A line break ends the search, and so does a quote of a string that this one is in.
        found = -1 if quote[1] is None else _level(len(quote[1]))
        if found <= level:
            return quote.end() - 1 - level if found == level else None
    return None


def _level(backslashes: int) -> int:
    """How many of the backslashes before a quote belong to it: 0, 1, 3, 7, … at depth 0, 1, 2, 3, …

    The others are backslashes of the value, escaped: that is the lowest bit that is set in their number plus one.
    """
    return ((backslashes + 1) & -(backslashes + 1)) - 1

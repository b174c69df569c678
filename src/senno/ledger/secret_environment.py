"""The secrets of this very process: values of environment variables, wherever they turn up in a text."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence

from senno.ledger.spans import Span

_SECRET_NAMES = ("_KEY", "_TOKEN", "_SECRET", "_PASSWORD")
_SHORTEST = 8
_KIND = re.compile(r"[A-Za-z0-9_]+")


_JSON_STRING = re.compile(r'"([^"\\]*+(?:\\.[^"\\]*+)*+)"\s*+(:)?', re.DOTALL)
_MAY_BE_JSON = re.compile(r'\s*+[{\["]')


def secrets_of(environ: Mapping[str, str]) -> dict[str, str]:
    """The variables that are named as secrets: read once for many texts, since an environment is slow to read."""
    return {name: environ[name] for name in environ if name.endswith(_SECRET_NAMES)}


def environment_spans(text: str, environ: Mapping[str, str], *, json_text: bool = False) -> Iterator[Span]:
    """Where `text` has the value of a variable that is named as a secret, as it is or escaped as in JSON.

    In JSON only string values are looked at: a secret may be equal to a number, a literal or a key (`12345678`, `null`,
    `messages`), and what reads the text afterwards needs those. The kind is the name of the variable.

    Args:
        text: any text.
        environ: the variables.
        json_text: `text` is known to be JSON; else it is taken for JSON if it parses as an object, a list or a string.
    """
    places: list[tuple[int, int]] | None = None
    for name in environ:
        if not name.endswith(_SECRET_NAMES):
            continue
        value = environ[name]
        if len(value) < _SHORTEST:
            continue
        kind = name if _KIND.fullmatch(name) else "environment"
        forms = [form for form in _forms(value) if form in text]
        if not forms:
            continue
        if places is None:
            json_text = json_text or _is_json(text)
            places = _string_values(text) if json_text else [(0, len(text))]
        for form in forms:
            # Quotes and backslashes that are the value's own are escaped in JSON.
            if form != value or not json_text or json.dumps(value, ensure_ascii=False)[1:-1] == value:
                yield from _occurrences(text, form, kind, places)


def _forms(value: str) -> list[str]:
    """The value, and what it becomes inside a JSON string, and inside a JSON string in a JSON string."""
    forms = [value]
    for _ in range(2):
        forms += [json.dumps(form, ensure_ascii=ascii_only)[1:-1] for form in forms for ascii_only in (False, True)]
        forms = list(dict.fromkeys(forms))
    return forms


def _is_json(text: str) -> bool:
    # A bare number or literal is a text like any other.
    if not _MAY_BE_JSON.match(text):
        return False
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def _string_values(text: str) -> list[tuple[int, int]]:
    """Where the strings of a JSON text are that are no keys, without their quotes."""
    return [string.span(1) for string in _JSON_STRING.finditer(text) if string[2] is None]


def _occurrences(text: str, form: str, kind: str, places: Sequence[tuple[int, int]]) -> Iterator[Span]:
    for start, stop in places:
        at = text.find(form, start, stop)
        while at >= 0:
            end = at + len(form)
            yield Span(_after_escape(text, at), end, kind)
            at = text.find(form, end, stop)


def _after_escape(text: str, at: int) -> int:
    r"""`at`, or the end of the JSON escape that `at` is inside of: the `n` of `\n` must stay."""
    start = text.rfind("\\", max(at - 5, 0), at)
    if start < 0 or _backslashes_before(text, start) % 2:
        return at
    return max(at, start + (6 if text[start + 1] == "u" else 2))


def _backslashes_before(text: str, at: int) -> int:
    count = 0
    while count < at and text[at - count - 1] == "\\":
        count += 1
    return count

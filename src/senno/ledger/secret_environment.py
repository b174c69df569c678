"""The secrets of this very process: values of environment variables, wherever they turn up in a text."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping

from senno.ledger.spans import Span

_SECRET_NAMES = ("_KEY", "_TOKEN", "_SECRET", "_PASSWORD")
_SHORTEST = 8
_KIND = re.compile(r"[A-Za-z0-9_]+")


def environment_spans(text: str, environ: Mapping[str, str]) -> Iterator[Span]:
    """Where `text` has the value of a variable that is named as a secret, as it is or escaped as in JSON.

    The kind is the name of the variable.
    """
    for name in environ:
        if not name.endswith(_SECRET_NAMES):
            continue
        value = environ[name]
        if len(value) < _SHORTEST:
            continue
        kind = name if _KIND.fullmatch(name) else "environment"
        for form in _forms(value):
            if form in text and (form != value or _may_stand_raw(value, text)):
                yield from _occurrences(text, form, kind)


def _forms(value: str) -> list[str]:
    """The value, and what it becomes inside a JSON string, and inside a JSON string in a JSON string."""
    forms = [value]
    for _ in range(2):
        forms += [json.dumps(form, ensure_ascii=ascii_only)[1:-1] for form in forms for ascii_only in (False, True)]
        forms = list(dict.fromkeys(forms))
    return forms


def _may_stand_raw(value: str, text: str) -> bool:
    """Whether its quotes and backslashes can be the value's own: in JSON text they would be a piece of the syntax."""
    return json.dumps(value, ensure_ascii=False)[1:-1] == value or not _is_json(text)


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def _occurrences(text: str, form: str, kind: str) -> Iterator[Span]:
    at = text.find(form)
    while at >= 0:
        end = at + len(form)
        yield Span(_after_escape(text, at), end, kind)
        at = text.find(form, end)


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

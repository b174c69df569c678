"""Secrets never reach the ledger: `redact` replaces what looks like one before a text is written.

Three finders look at the text as it came, and what they find is replaced in one go:

- the values of this process's own secrets (`secret_environment.py`),
- shapes that only a secret has (`secret_shapes.py`),
- values given to a telling name (`secret_assignments.py`).

A finder looks for a literal and tries its pattern only there; a pattern that fails has looked a bounded way ahead,
or up to where the next one starts. So time grows with the length of the text, whatever the text is.
"""

from __future__ import annotations

import os
from collections.abc import Mapping

from senno.ledger.secret_assignments import assignment_spans
from senno.ledger.secret_environment import environment_spans
from senno.ledger.secret_shapes import shape_spans
from senno.ledger.spans import replace_spans


def redact(text: str, environ: Mapping[str, str] | None = None, *, json_text: bool = False) -> str:
    """`text` with `[redacted:KIND]` in the place of each secret.

    Text that is JSON (an object, a list or a string) is JSON afterwards, of the same form: its numbers and literals
    stay, and so do its keys, but for one that has the shape of a secret.

    What is not seen: a secret of no known shape that no telling name precedes, one cut into pieces or encoded (base64,
    URL), a bare value without a digit (`password: swordfish`, which cannot be told from `password: required`).

    Args:
        text: any text, lone surrogates and NUL included.
        environ: where the process's own secrets are looked up: variables whose name ends in `_KEY`, `_TOKEN`,
            `_SECRET` or `_PASSWORD`, with a value of 8 characters or more. `None`: `os.environ`.
        json_text: `text` is known to be JSON, perhaps a bare number or literal.
    """
    if not text:
        return text
    # One byte a character, so that a place in it is a place in the text, and fast to search.
    flat = text.encode("ascii", "replace")
    spans = [
        *environment_spans(text, os.environ if environ is None else environ, json_text=json_text),
        *shape_spans(text, flat),
        *assignment_spans(text, flat),
    ]
    return replace_spans(text, spans) if spans else text

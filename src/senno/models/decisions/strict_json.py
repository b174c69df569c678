"""JSON that came over a wire or out of a record: what says one thing twice says nothing."""

from __future__ import annotations

import json
from typing import Any

from senno.text import one_line


class NotJson(ValueError):
    """A text is no JSON, or an object in it has a key twice.

    Args:
        problem: what is wrong.
        cut: whether it may be the beginning of something longer.
    """

    def __init__(self, problem: str, *, cut: bool) -> None:
        self.cut = cut
        super().__init__(problem)


def strict_json(text: str) -> Any:
    """The value of a JSON text. `NaN` and infinities are read as such, for who checks the numbers to refuse.

    Raises:
        NotJson: it is none.
    """
    try:
        return json.loads(text, object_pairs_hook=_no_twins)
    except json.JSONDecodeError as error:
        place = f"line {error.lineno}, column {error.colno}"
        raise NotJson(f"{error.msg} at {place}", cut=True) from None
    except RecursionError:
        raise NotJson("it is nested too deeply", cut=False) from None
    except NotJson:
        raise
    except ValueError as error:  # a whole number of thousands of digits
        raise NotJson(one_line(str(error), 100), cut=False) from None


def _no_twins(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        keys = [key for key, _ in pairs]
        twin = next(key for key in keys if keys.count(key) > 1)
        raise NotJson(f"the key {one_line(repr(twin), 60)} stands twice in one object", cut=False)
    return found

"""The edits out of what a model wrote. Pure."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Annotated

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from senno.tune.rewriting.edits import Edit, Op

MOST_EDITS = 20
_FENCED = re.compile(r"```(?:json)?\s*\n(.*?)\n?```", re.DOTALL)


def _or_empty(value: object) -> object:
    return "" if value is None else value


_Text = Annotated[str, BeforeValidator(_or_empty)]


class _Edit(BaseModel):
    model_config = ConfigDict(extra="ignore")

    op: Op
    part: str
    anchor: _Text = ""
    text: _Text = ""
    failure: str
    why: _Text = ""


class _Edits(BaseModel):
    model_config = ConfigDict(extra="ignore")

    edits: Annotated[list[_Edit], Field(min_length=1, max_length=MOST_EDITS)]


def read_edits(text: str) -> tuple[Edit, ...]:
    """The edits in an answer: in the whole text, in its first fenced block, or from its first brace to its last.

    Raises:
        ValueError: there are none, or they have another form; the message says what to mend.
    """
    problem = "it holds no JSON object"
    for candidate in _candidates(text):
        try:
            found = _Edits.model_validate(json.loads(candidate, strict=False))
        except json.JSONDecodeError as error:
            problem = f"no valid JSON: {error.msg} at line {error.lineno}, column {error.colno}"
        except RecursionError:
            problem = "nested too deeply"
        except ValidationError as error:
            raise ValueError(_told(error)) from None
        else:
            return tuple(Edit(e.op, e.part, e.anchor, e.text, e.failure, e.why) for e in found.edits)
    raise ValueError(problem)


def _candidates(text: str) -> Iterator[str]:
    start, end = text.find("{"), text.rfind("}")
    fenced = _FENCED.search(text)
    for candidate in (text.strip(), fenced[1].strip() if fenced else "", text[start : end + 1] if start >= 0 else ""):
        if candidate.startswith("{"):
            yield candidate


def _told(error: ValidationError) -> str:
    faults = [f"{'.'.join(map(str, f['loc'])) or 'the answer'}: {f['msg']}" for f in error.errors(include_url=False)]
    more = f" (and {len(faults) - 3} more)" if len(faults) > 3 else ""
    return "; ".join(faults[:3]) + more

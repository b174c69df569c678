"""The case that is taught, as it stands in the labelled set, and what is to become of it there."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal, cast

from senno.errors import ConfigError, FileFormatError
from senno.judge.labelled import Case, Expected
from senno.models import Json
from senno.text import did_you_mean

Labelling = Literal["append", "mark", "there"]
"""What becomes of the labelled set: a new case, a mark on one that is there, or nothing (it says so already)."""


def labelled(case: Case, question: str, cases: Sequence[Case]) -> tuple[Case, Labelling]:
    """A case held against those of the set: new, to be marked as taught, or marked already.

    Args:
        case: whose content is taught; its id does not matter.
        question: that it is taught to.
        cases: of the set.

    Raises:
        FileFormatError: the set expects another answer of this content (with its line).
    """
    same = [other for other in cases if other.content == case.content and question in other.expect]
    if not same:
        return replace(case, id=_free_id(case, question, cases)), "append"
    there = same[0]
    if there.expect[question] != case.expect[question]:
        told, asked = (json.dumps(each.expect[question], ensure_ascii=False) for each in (there, case))
        raise FileFormatError(
            f"{there.where}: expect.{question}",
            f"case {there.id} is this text, and is labelled {told}, not {asked}",
            "one right answer for one content",
            "Correct the one that is wrong; if both can be meant, the question asks two things",
        )
    if question in there.taught:
        return there, "there"
    return replace(there, taught=(*there.taught, question), notes={**case.notes, **there.notes}), "mark"


def _free_id(case: Case, question: str, cases: Sequence[Case]) -> str:
    taken = {other.id for other in cases}
    stem = f"{question}-{case.content[:8]}"
    return next(name for n in range(len(taken) + 1) if (name := f"{stem}-{n}" if n else stem) not in taken)


def case_of_id(id_: str, question: str, cases: Sequence[Case], where: str) -> Case:
    """The labelled case of an id.

    Raises:
        ConfigError: there is none, or it expects no answer of the question.
    """
    found = next((case for case in cases if case.id == id_), None)
    if found is None:
        raise ConfigError(f"{where}: there is no case {id_!r}{did_you_mean(id_, (case.id for case in cases))}")
    if question not in found.expect:
        known = ", ".join(found.expect)
        raise ConfigError(f"{found.where}: case {id_} says nothing of {question}; expected one of {known}")
    return found


def key_of_answer(expected: Expected) -> str:
    """The key of the criteria that an answer belongs to."""
    return str(expected).lower() if isinstance(expected, bool) else str(expected)


def told_by(case: Case) -> str:
    """The text that stands for a case: its text, what a diff adds, or the first text of its state."""
    if case.state is None:
        return case.text or ""
    if isinstance(case.state, Mapping):
        diff = cast("Mapping[str, Json]", case.state).get("diff")
        if isinstance(diff, str):
            added = [line[1:] for line in diff.splitlines() if line.startswith("+") and not line.startswith("+++")]
            return "\n".join(added) or diff
    return _first_text(case.state)


def _first_text(value: Json) -> str:
    if isinstance(value, str):
        return value
    inner: list[Any] = []
    if isinstance(value, Mapping):
        inner = list(cast("Mapping[str, Any]", value).values())
    elif isinstance(value, list):
        inner = value
    texts = (_first_text(each) for each in inner)
    return next((text for text in texts if text), "")

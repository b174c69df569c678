"""The labelled set: cases whose right answers are known, one JSON object a line.

    {"id": "c1", "text": "Your money will grow.", "expect": {"promises_return": true, "clarity": 1, "topic": "tax"}}

`state` stands in place of `text` where the questions are asked about more than a text. What is expected is `true` or
`false` of a noul (and of a deterministic check), a level from 0 of a score, the name of an option of a choice. A case
that stands in the criteria of a question says so (`"taught": ["promises_return"]`): it is no evidence that the judge
knows better, and calibration counts it apart. `group` names what several cases have in common (one author, one
document): the cluster of the intervals. Keys that begin with `_`, and `note`, are for people.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

from senno.errors import FileFormatError
from senno.files import kind_of, read_text, write_text
from senno.judge.checkfile import CheckFile
from senno.judge.json_lines import JsonLine, json_lines
from senno.judge.questions import AskedQuestion
from senno.models import Choice, Json, Noul
from senno.text import did_you_mean, exact

Expected = bool | int | str
"""The right answer: yes or no of a noul or a check, the level of a score, the option of a choice."""

_KEYS = ("id", "text", "state", "expect", "taught", "group", "note")


@dataclass(frozen=True, slots=True)
class Case:
    """One labelled case."""

    id: str
    expect: Mapping[str, Expected]
    """By question; one at least."""
    text: str | None = None
    state: Json = None
    """What the questions are asked about; `None`: `{"text": text}`."""
    taught: tuple[str, ...] = ()
    """The questions whose criteria hold this case."""
    group: str | None = None
    notes: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """Keys for people: `note`, and those that begin with `_`."""
    where: str = ""
    """`cases.jsonl:12`; empty: not from a file."""

    @property
    def about(self) -> Json:
        """The state that the questions are asked about."""
        return {"text": self.text} if self.state is None else self.state

    @property
    def content(self) -> str:
        """Digest of what is judged: equal for two writings of one text (white space, Unicode composition)."""
        same: Any = exact(self.text) if self.state is None and self.text is not None else self.state
        told = json.dumps(same, ensure_ascii=True, sort_keys=True)
        return hashlib.sha256(told.encode("ascii")).hexdigest()

    def to_json(self) -> dict[str, Any]:
        """The case as it stands in a file."""
        about: dict[str, Any] = {"text": self.text} if self.state is None else {"state": self.state}
        taught = {"taught": list(self.taught)} if self.taught else {}
        group = {"group": self.group} if self.group is not None else {}
        return {"id": self.id, **about, "expect": dict(self.expect), **taught, **group, **self.notes}


def load_labelled(path: Path, checks: CheckFile) -> tuple[Case, ...]:
    """Read a labelled set and hold it against the questions that it answers.

    Args:
        path: of the file.
        checks: the checks and questions that a case may name.

    Raises:
        ConfigError: the file cannot be read.
        FileFormatError: with file and line: a line that is no case, an unknown question, an answer that the question
            does not have, an id that stands twice, two cases of one content that contradict each other, or no case.
    """
    cases: list[Case] = []
    held = _Held()
    for line in json_lines(path):
        case = _case(line, checks)
        held.refuse(case, again=True)
        held.add(case)
        cases.append(case)
    if not cases:
        raise FileFormatError(str(path), "no case in it", 'lines such as {"id": …, "text": …, "expect": {…}}')
    return tuple(cases)


def append_case(path: Path, case: Case, checks: CheckFile) -> None:
    """Add a case at the end of a labelled set; the file is made if it is not there.

    The file is written whole or not at all, and of several processes that add cases at once (on a system with
    `flock`) none loses one. Lines that are there stay byte for byte.

    Args:
        path: of the file.
        case: what is added; its `where` is not looked at.
        checks: the checks and questions that a case may name.

    Raises:
        FileFormatError: the case, or the file, is not as `load_labelled` wants it; the case is there already, under
            this or another id (with its line).
        ConfigError: the file cannot be read or written.
    """
    path = path.resolve()  # a link stays a link
    line = json.dumps(case.to_json(), ensure_ascii=False)
    checked = _case(JsonLine(f"case {case.id!r}", json.loads(line)), checks)
    with _alone(path.parent):
        held = _Held()
        before = ""
        if path.exists():
            before = read_text(path)
            for each in load_labelled(path, checks) if before.strip() else ():
                held.add(each)
        held.refuse(checked, again=False)
        if before and not before.endswith("\n"):
            before += "\n"
        write_text(path, f"{before}{line}\n")


class _Held:
    """The cases seen so far, by id and by content."""

    def __init__(self) -> None:
        self._ids: dict[str, Case] = {}
        self._contents: dict[str, list[Case]] = {}

    def add(self, case: Case) -> None:
        self._ids[case.id] = case
        self._contents.setdefault(case.content, []).append(case)

    def refuse(self, case: Case, *, again: bool) -> None:
        """Refuse a case that those held rule out; `again`: the same content, with the same answer, may come again."""
        twin = self._ids.get(case.id)
        if twin:
            raise FileFormatError(case.where, f"the id {case.id!r} stands at {twin.where} too", "an id of its own")
        for other in self._contents.get(case.content, ()):
            for name in case.expect.keys() & other.expect.keys():
                here, there = case.expect[name], other.expect[name]
                if here != there:
                    raise FileFormatError(
                        f"{case.where}: expect.{name}",
                        f"found {_told(here)}, and {other.where} ({other.id}) expects {_told(there)}",
                        "one right answer for one content",
                        "Correct the one that is wrong; if both can be meant, the question asks two things",
                    )
                if not again:
                    raise FileFormatError(
                        f"{case.where}: expect.{name}",
                        f"this content with this answer is at {other.where} already ({other.id})",
                        "a case that is not there yet",
                    )


def _case(line: JsonLine, checks: CheckFile) -> Case:
    line.refuse_other_keys(_KEYS)
    values = line.values
    if ("text" in values) == ("state" in values):
        raise FileFormatError(line.where, "neither text nor state, or both", "one of the two")
    text = line.text("text", may_be_empty=True) if "text" in values else None
    if text is None and values["state"] is None:
        raise FileFormatError(f"{line.where}: state", "found nothing", "what the questions are asked about")
    expect = values.get("expect")
    if not isinstance(expect, dict) or not expect:
        found = "an empty mapping" if expect == {} else kind_of(expect)
        raise FileFormatError(f"{line.where}: expect", f"found {found}", "a mapping of question to its right answer")
    answers = cast("dict[str, object]", expect)
    return Case(
        line.text("id"),
        {name: expected_answer(name, value, checks, f"{line.where}: expect") for name, value in answers.items()},
        text,
        values.get("state"),
        _taught(line, answers),
        line.text("group") if "group" in values else None,
        {key: value for key, value in values.items() if key not in _KEYS or key == "note"},
        line.where,
    )


def _taught(line: JsonLine, expect: Mapping[str, object]) -> tuple[str, ...]:
    names = line.values.get("taught", [])
    expected = "a list of questions that the case expects an answer of: " + ", ".join(expect)
    if not isinstance(names, list):
        raise FileFormatError(f"{line.where}: taught", f"found {kind_of(names)}", expected)
    for name in cast("list[object]", names):
        if name not in expect:
            raise FileFormatError(f"{line.where}: taught", f"found {name!r}", expected)
    return tuple(cast("list[str]", names))


def expected_answer(name: str, value: object, checks: CheckFile, where: str) -> Expected:
    """The right answer to one question or check, held against what it can answer.

    Args:
        name: of the question or check.
        value: as a file or a command states it.
        checks: what is asked.
        where: the place, for errors; the name is added to it.

    Raises:
        FileFormatError: no such question, or no such answer.
    """
    known = (*checks.questions, *checks.checks)
    at = f"{where}.{name}"
    if name not in known:
        hint = did_you_mean(name, known).lstrip("; ")
        raise FileFormatError(at, "unknown question", ", ".join(known), hint)
    asked = checks.questions.get(name)
    if asked is None or isinstance(asked.question, Noul):
        if not isinstance(value, bool):
            raise FileFormatError(at, f"found {_told(value)}", "true or false")
        return value
    return _of_options(value, asked, at)


def _of_options(value: object, asked: AskedQuestion, at: str) -> Expected:
    if isinstance(asked.question, Choice):
        if not isinstance(value, str) or value not in asked.question.options:
            raise FileFormatError(at, f"found {_told(value)}", "one of " + ", ".join(asked.question.options))
        return value
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= asked.top:
        raise FileFormatError(at, f"found {_told(value)}", f"a level, a whole number from 0 to {asked.top:g}")
    return value


def _told(value: object) -> str:
    """A value as JSON writes it: what the user has before their eyes."""
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 60 else f"{text[:59]}…"


@contextmanager
def _alone(folder: Path) -> Generator[None]:
    """No other process that asks for it is inside at the same time; where the system has no `flock`, all are."""
    try:
        import fcntl
    except ImportError:
        yield
        return
    import os

    folder.mkdir(parents=True, exist_ok=True)
    handle = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)

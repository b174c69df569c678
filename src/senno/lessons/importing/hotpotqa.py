"""Logs of Reflexion on HotpotQA: text, one episode after the other, the reflections inside the prompt."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from senno.errors import ConfigError
from senno.files import read_text
from senno.lessons.importing.found import Bad

_BEGIN = re.compile(r"^BEGIN TRIAL \d+", re.MULTILINE)
_EPISODE_END = re.compile(r"^Correct answer:.*$", re.MULTILINE)
# In runs of ReAct the header of the reflections stands on the line of the question.
_QUESTION = re.compile(r"^Question: *(.+?)(?:You have attempted to answer .*)?$", re.MULTILINE)
_REFLECTIONS = re.compile(r"^Reflections:\n((?:- .*(?:\n|\Z))+)", re.MULTILINE)

_LOOKED_AT = 10_000


@dataclass(frozen=True, slots=True)
class Reflection:
    """What was written after a trial that had failed."""

    question: str
    text: str


def is_trials_log(file: Path) -> bool:
    """Whether a text file begins as such a log does."""
    try:
        with file.open("rb") as handle:
            return _BEGIN.search(handle.read(_LOOKED_AT).decode("utf-8", "replace").replace("\r\n", "\n")) is not None
    except OSError:
        return True  # reading it says what is wrong


def trials_log(file: Path) -> Iterator[Reflection | Bad]:
    """The reflections in a log; one that is shown again in the next trial comes once."""
    try:
        text = read_text(file).replace("\r\n", "\n")
    except ConfigError as error:
        yield Bad(str(file), str(error).removeprefix(f"{file}: "))
        return
    if not _BEGIN.search(text):
        yield Bad(str(file), "expected a log of trials, as BEGIN TRIAL 1")
        return
    seen: set[Reflection | Bad] = set()
    line, start = 1, 0
    for end in [*(match.end() for match in _EPISODE_END.finditer(text)), len(text)]:
        episode = text[start:end]
        for found in _reflections(f"{file}:{line}", episode):
            if found not in seen:
                seen.add(found)
                yield found
        line += episode.count("\n")
        start = end


def _reflections(where: str, episode: str) -> Iterator[Reflection | Bad]:
    written = _REFLECTIONS.search(episode)
    if not written:
        return
    questions = _QUESTION.findall(episode)
    if not questions:
        yield Bad(where, "reflections of no question")
        return
    for line in written[1].split("\n"):
        if line[2:].strip():
            yield Reflection(questions[-1].strip(), line[2:].strip())

"""A lesson: what an agent wrote after a task, as a value; and the draft it is made from."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from types import MappingProxyType
from typing import Literal

Outcome = Literal["success", "partial", "failure"]
Language = Literal["en", "it"]

OUTCOMES: tuple[Outcome, ...] = ("success", "partial", "failure")

HEADINGS: Mapping[Language, tuple[str, str, str]] = MappingProxyType(
    {
        "en": ("What happened?", "Why?", "What rule should I remember?"),
        "it": ("Che cosa è successo?", "Perché?", "Quale regola devo ricordare?"),
    }
)
"""The three headings of a body, in their order, by language."""

NOT_RECORDED: Mapping[Language, tuple[str, str]] = MappingProxyType(
    {
        "en": ("Not recorded in the log.", "The log gives no cause beside the rule."),
        "it": ("Non registrato nel log.", "Il log non dà una causa oltre alla regola."),
    }
)
"""What stands for what happened, and for why, in a lesson from elsewhere that does not tell."""

CRITERIA = ("specificity", "actionability", "transferability", "accuracy")


@dataclass(frozen=True, slots=True)
class Quality:
    """A rating by the four criteria, each in [0, 1]."""

    specificity: float
    actionability: float
    transferability: float
    accuracy: float

    @property
    def mean(self) -> float:
        """The aggregate: the mean of the four."""
        return (self.specificity + self.actionability + self.transferability + self.accuracy) / len(CRITERIA)


@dataclass(frozen=True, slots=True)
class Deprecation:
    """Why a lesson is recalled no more."""

    reason: str
    """`echo_chamber`, `obsolete` or `duplicate`; empty: nobody said."""
    by: str = ""
    at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """What a writer hands in. The store makes a `Lesson` of it, or refuses it with the reason."""

    task_id: str
    outcome: Outcome
    what: str
    """What happened?"""
    why: str
    """Why?"""
    rule: str
    """What rule should I remember?"""
    task: str = ""
    """The text of the task."""
    task_type: str = ""
    confidence_at_start: float | None = None
    """In [0, 1]; `None`: it was not asked."""
    model_used: str = ""
    department: str = ""
    agent: str = ""
    related_skills: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    skill_gap: str | None = None
    """The tool or the skill that was missing."""
    quality: Quality | None = None
    language: Language = "en"
    """Of the headings; the three answers are in the language of their task."""
    created_at: datetime | None = None
    """Aware; `None`: now. Given for a lesson that was written elsewhere before."""
    id: str = ""
    """Empty: one is made. Given for a lesson that was written elsewhere before: it is stored once."""
    deprecated: Deprecation | None = None
    """This and the next three only for a lesson that was written elsewhere before: what became of it there."""
    supersedes: str | None = None
    """`None`: the last lesson of an earlier try, where there is one."""
    last_retrieved: datetime | None = None
    retrieval_count: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Lesson:
    """One lesson as its file has it. The body never changes; the last six fields are folded in from the events."""

    id: str
    created_at: datetime
    """Aware, UTC."""
    task_id: str
    task: str
    task_type: str
    outcome: Outcome
    confidence_at_start: float | None
    model_used: str
    department: str
    agent: str
    related_skills: tuple[str, ...]
    tags: tuple[str, ...]
    skill_gap: str | None
    quality: Quality | None
    what: str
    why: str
    rule: str
    language: Language
    path: Path
    """Relative to the root of the store."""
    supersedes: str | None = None
    """The id of the lesson of an earlier try at the same task, which failed for another reason."""
    injection_suspect: str | None = None
    """The words in it that read like an instruction to the reader; the lesson is data all the same."""
    salience_score: float | None = None
    """`None`: not computed yet."""
    last_retrieved: datetime | None = None
    retrieval_count: int = 0
    archived: bool = False
    promoted: bool = False
    deprecated: Deprecation | None = None


# Crockford's base 32, in the order of ASCII: no letter that is taken for another, or for a digit.
_LETTERS = "0123456789abcdefghjkmnpqrstvwxyz"


def new_id(at: datetime) -> str:
    """An id such as `20261130-210512-3v8rk3f9a2bq`: second, microsecond (4 letters), 40 random bits (8 letters).

    Ids sort by time; two made in one microsecond by any processes differ, but for one chance in 10¹².

    Args:
        at: aware; the id has it in UTC.
    """
    moment = at.astimezone(UTC)
    micro = "".join(_LETTERS[moment.microsecond >> shift & 31] for shift in (15, 10, 5, 0))
    return f"{moment:%Y%m%d-%H%M%S}-{micro}" + "".join(secrets.choice(_LETTERS) for _ in range(8))


def well_formed(text: str) -> str:
    r"""`text` as a file can hold it: one kind of line end, no surrogates, no white space around.

    Two halves of a surrogate pair become their character; a lone half becomes its escape (`\ud800`), for all to see.
    """
    return without_halves(text).replace("\r\n", "\n").replace("\r", "\n").strip()


def without_halves(text: str) -> str:
    r"""`text` without halves of surrogate pairs: two that belong together are joined, a lone one becomes its escape."""
    if text.isascii() or not any("\ud800" <= c <= "\udfff" for c in text):
        return text
    joined = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")
    return joined.encode("utf-8", "backslashreplace").decode("utf-8")

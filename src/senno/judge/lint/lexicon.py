"""What a language's word list consists of. Patterns run over text as `Wording` prepares it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass


def words(*alternatives: str) -> re.Pattern[str]:
    """A pattern of whole words, whatever their case; a space stands for one white space, as `plain` leaves them."""
    joined = "|".join(alternatives).replace(" ", r"\s")
    return re.compile(rf"(?<!\w)(?:{joined})(?!\w)", re.IGNORECASE)


def pattern(expression: str) -> re.Pattern[str]:
    """A pattern as it stands, whatever the case; a space stands for one white space, as `plain` leaves them."""
    return re.compile(expression.replace(" ", r"\s"), re.IGNORECASE)


def listed(text: str, between: str | None = None) -> frozenset[str]:
    """The words of a text, or what stands between the signs `between`."""
    return frozenset(text.split(between))


@dataclass(frozen=True, slots=True)
class Lexicon:
    """How one language says what the rules look for."""

    code: str
    """`en`, `it`: also what `Stemmer` knows it by."""
    two_questions: Sequence[re.Pattern[str]]
    """A second question, or a second predicate, in one sentence."""
    relative: re.Pattern[str]
    """What opens a clause inside the sentence: a verb after it is no second predicate."""
    counting: re.Pattern[str]
    dates: re.Pattern[str]
    writing: re.Pattern[str]
    """An order to write something, at the beginning of a sentence."""
    also_write: re.Pattern[str] | None
    """The same inside a sentence, where the grammar tells it from a statement."""
    open_question: re.Pattern[str]
    """The beginning of a question that yes and no do not answer."""
    negation: re.Pattern[str]
    not_negation: re.Pattern[str]
    """What has a negation's form and is none."""
    concord: re.Pattern[str] | None
    """Words that do not negate again after a negation of the same clause (Italian *non … mai*)."""
    privative: re.Pattern[str]
    """Adjectives with a negative prefix: a second negation beside a first, none alone."""
    lacking: re.Pattern[str]
    """Words by which a question asks for something absent or removed, in the positive."""
    vague: re.Pattern[str]
    indirection: re.Pattern[str]
    other_question: re.Pattern[str]
    declares_data: re.Pattern[str]
    """A sentence that says that the judged text is data, not orders."""
    says_no: re.Pattern[str]
    says_yes: re.Pattern[str]
    """The first word of a criterion, where it is a plain no or yes."""
    stop_words: frozenset[str]
    """Words that say nothing of what a question is about."""

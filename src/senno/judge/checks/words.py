"""Phrases that must, or must not, be in a text."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from pydantic import AfterValidator

from senno.judge.checks.phrases import find_phrases
from senno.judge.checks.reading import fold
from senno.judge.checks.result import CheckContext, CheckResult, Span
from senno.judge.checks.spec import CheckSpec, Example, ListOf, Phrase


def _visible(phrase: str) -> str:
    if not fold(phrase).text.strip():
        raise ValueError(f"{phrase!r} has no visible character")
    return phrase


_Phrases = ListOf[Annotated[Phrase, AfterValidator(_visible)]]


class _PhraseCheck(CheckSpec):
    substring: bool = False
    """Match inside words too: `garantito` in `garantitore`."""
    case_sensitive: bool = False
    """Tell upper and lower case apart."""

    def _found(self, text: str, phrases: tuple[str, ...]) -> list[Span]:
        reading, places = find_phrases(text, phrases, substring=self.substring, case_sensitive=self.case_sensitive)
        return [reading.span(start, end) for start, end in places]


class Contains(_PhraseCheck):
    """All of the phrases are in the text, or any of them.

    Compared after Unicode normalization, as words unless `substring`; see `phrase_pattern`.
    """

    type: Literal["contains"]
    phrases: _Phrases
    """What must be there."""
    match: Literal["all", "any"] = "all"
    """Whether every phrase must be there, or one of them."""
    example: ClassVar[Example] = Example(
        {"type": "contains", "phrases": ["codice fiscale", "l'importo"]},
        "Indichi il Codice  fiscale e l’importo.",
        "Indichi il codice fiscale.",
    )

    def examine(self, text: str, context: CheckContext) -> CheckResult:  # noqa: ARG002
        """Pass with the first place of each phrase."""
        first = {phrase: self._found(text, (phrase,))[:1] for phrase in self.phrases}
        there = tuple(sorted((p for places in first.values() for p in places), key=lambda p: (p.start, p.end)))
        missing = [phrase for phrase, places in first.items() if not places]
        if self.match == "any":
            return CheckResult(bool(there), _which(first, missing, any_will_do=True), there)
        return CheckResult(not missing, _which(first, missing, any_will_do=False), there)


def _which(first: dict[str, list[Span]], missing: list[str], *, any_will_do: bool) -> str:
    named = ", ".join(repr(phrase) for phrase in missing)
    if len(missing) == len(first):
        return f"none of {named} is there" if len(first) > 1 else f"{named} is not there"
    if not missing or any_will_do:
        return "found " + ", ".join(repr(phrase) for phrase, places in first.items() if places)
    return f"missing: {named}"


class ForbiddenWords(_PhraseCheck):
    """None of the words or phrases is in the text.

    Compared after Unicode normalization. A word fires as a word: `garantito` not inside `garantitore`, unless
    `substring`; see `phrase_pattern`.
    """

    type: Literal["forbidden_words"]
    words: _Phrases
    """What must not be there: words, or phrases of several."""
    example: ClassVar[Example] = Example(
        {"type": "forbidden_words", "words": ["garantito", "senza rischi"]},
        "Il garantitore non ha firmato.",
        "Un rendimento GARANTITO e senza\nrischi.",
    )

    def examine(self, text: str, context: CheckContext) -> CheckResult:  # noqa: ARG002
        """Fail with every place."""
        found = self._found(text, self.words)
        if not found:
            return CheckResult(True, "none of the forbidden words is there")
        named = ", ".join(dict.fromkeys(repr(place.text) for place in found))
        return CheckResult(False, f"forbidden: {named}", tuple(found))

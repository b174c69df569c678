"""Whether a measurement still holds: for the version that answers, and for the questions as they are now."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from senno.judge.measuring.digests import question_digests
from senno.judge.questions import AskedQuestion
from senno.ledger import Measurement
from senno.stats import NotMeasured


@dataclass(frozen=True, slots=True)
class Measured:
    """Every question was measured as it is now, with this version."""

    by: Mapping[str, Measurement]
    """The newest measurement that holds, by question."""


@dataclass(frozen=True, slots=True)
class Void:
    """Some question was measured, but as it was then, or with another version: what was found does not hold now."""

    reason: str


def standing(
    measurements: Sequence[Measurement], model: str | None, questions: Mapping[str, AskedQuestion]
) -> Measured | Void | NotMeasured:
    """What past measurements say of the questions as they are now, answered by that version.

    Args:
        measurements: of one kind, newest first.
        model: the version that answered; `None`: nobody did.
        questions: as they are asked now; deterministic checks need no measurement.
    """
    if model is None:
        return NotMeasured("no version is known: nothing was answered")
    if not questions:
        return NotMeasured("there are no questions")
    digests = question_digests(questions)
    found = {name: _of_question(measurements, model, name, digest) for name, digest in digests.items()}
    void = [f"{name}: {each.reason}" for name, each in found.items() if isinstance(each, Void)]
    if void:
        return Void("; ".join(void))
    never = [name for name, each in found.items() if each is None]
    if never:
        return NotMeasured(f"never measured: {', '.join(never)}")
    return Measured({name: each for name, each in found.items() if isinstance(each, Measurement)})


def _of_question(measurements: Sequence[Measurement], model: str, name: str, digest: str) -> Measurement | Void | None:
    """The measurement that holds; or why those that there are do not; or `None`: there is none."""
    of_it = [each for each in measurements if name in each.questions]
    holds = next((each for each in of_it if each.model == model and each.questions[name] == digest), None)
    if holds or not of_it:
        return holds
    newest = of_it[0]
    day = f"{newest.created:%Y-%m-%d}"
    if newest.questions[name] != digest:
        return Void(f"its wording has changed since it was measured on {day}")
    return Void(f"{newest.model} was measured on {day}, and {model} answers now")

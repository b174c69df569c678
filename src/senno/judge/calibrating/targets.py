"""What is true and what was answered, as yes or no with a probability: one target a noul, an option, a level."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from senno.judge.checkfile import CheckFile
from senno.judge.labelled import Case
from senno.models import Answer, Choice, Distribution, Probability, Score, Unanswered

Answers = Mapping[str, Answer]
"""What was answered of one case, by question or check; a check is a probability of 1 or 0."""


@dataclass(frozen=True, slots=True)
class Seen:
    """One case of one target."""

    case: str
    true: bool
    p: float
    """The probability that was answered."""


@dataclass(frozen=True, slots=True)
class Target:
    """One yes or no: a noul, a check, "this option" of a choice, "this level or higher" of a score."""

    name: str
    """`tone`, `topic=tax`, `clarity ≥ 2`."""
    question: str
    option: str | None
    seen: tuple[Seen, ...]
    missing: Mapping[str, int] = field(default_factory=dict[str, int])
    """Cases without an answer, by why."""
    taught: int = 0
    """Cases left out since they stand in the criteria of the question: the judge has been told their answer."""
    is_check: bool = False
    """A deterministic check: it has no probability."""
    is_level: bool = False
    """Of a score: a rule of a policy compares its expected level, and not this."""


@dataclass(frozen=True, slots=True)
class Graded:
    """The answers to a score or a choice as a whole: (true, most probable) of each case."""

    question: str
    options: tuple[str, ...]
    ordered: bool
    pairs: tuple[tuple[str, str], ...]


def targets_of(cases: Sequence[Case], answers: Mapping[str, Answers], checks: CheckFile) -> list[Target]:
    """Every target that some case expects an answer of, in the order of the file of checks.

    Args:
        cases: the labelled set.
        answers: by the id of the case.
        checks: the questions and checks.
    """
    found: list[Target] = []
    for name in (*checks.questions, *checks.checks):
        concerned = [case for case in cases if name in case.expect]
        if not concerned:
            continue
        asked = checks.questions.get(name)
        question = asked.question if asked else None
        if isinstance(question, Choice):
            found += [_target(f"{name}={o}", name, o, concerned, answers) for o in question.options]
        elif isinstance(question, Score):
            levels = range(1, len(question.levels))
            found += [_target(f"{name} ≥ {k}", name, str(k), concerned, answers, level=k) for k in levels]
        else:
            found.append(_target(name, name, None, concerned, answers, is_check=asked is None))
    return found


def graded_of(cases: Sequence[Case], answers: Mapping[str, Answers], checks: CheckFile) -> list[Graded]:
    """Each score and choice that some case expects an answer of, as a whole; cases without an answer are left out."""
    found: list[Graded] = []
    for name, asked in checks.questions.items():
        if not isinstance(asked.question, (Score, Choice)):
            continue
        ordered = isinstance(asked.question, Score)
        options = tuple(asked.question.options) if isinstance(asked.question, Choice) else _levels(asked.question)
        pairs: list[tuple[str, str]] = []
        for case in cases:
            answer = answers.get(case.id, {}).get(name)
            if name in case.expect and name not in case.taught and isinstance(answer, Distribution):
                shares = answer.probabilities
                pairs.append((str(case.expect[name]), max(options, key=lambda option: shares[option])))
        if any(name in case.expect for case in cases):
            found.append(Graded(name, options, ordered, tuple(pairs)))
    return found


def _levels(question: Score) -> tuple[str, ...]:
    return tuple(str(level) for level in range(len(question.levels)))


def _target(
    told: str,
    name: str,
    option: str | None,
    cases: Sequence[Case],
    answers: Mapping[str, Answers],
    *,
    level: int | None = None,
    is_check: bool = False,
) -> Target:
    seen: list[Seen] = []
    missing: Counter[str] = Counter()
    taught = 0
    for case in cases:
        if name in case.taught:
            taught += 1
            continue
        found = _probability(answers.get(case.id, {}).get(name), option, level)
        if isinstance(found, Unanswered):
            missing[found.reason] += 1
        else:
            seen.append(Seen(case.id, _is_true(case.expect[name], option, level), found))
    return Target(told, name, option, tuple(seen), dict(missing), taught, is_check, level is not None)


def _is_true(expected: bool | int | str, option: str | None, level: int | None) -> bool:
    if level is not None:
        return int(expected) >= level
    return expected == option if option is not None else bool(expected)


def _probability(answer: Answer | None, option: str | None, level: int | None) -> float | Unanswered:
    match answer:
        case None:
            return Unanswered("no answer")
        case Unanswered():
            return answer
        case Probability(yes):
            return yes
        case Distribution(shares):
            # Shares are rounded by whoever answers: their sum may be a little above 1.
            if level is not None:
                return min(1.0, math.fsum(p for name, p in shares.items() if int(name) >= level))
            return shares[option or ""]

"""A lesson written by a model: asked, read, stored or refused, with one more try."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace

from senno.errors import LessonRefused
from senno.lessons.lesson import Draft
from senno.lessons.reflection.questions import Facts, request
from senno.lessons.reflection.reading import read_answers
from senno.lessons.store import Added
from senno.models import Calls, TextModel

ROLE = "reflection"

TRIES = 2
"""A refusal is told to the model once; what is refused again stays so."""


@dataclass(frozen=True, slots=True)
class Written:
    """A lesson that a model wrote."""

    added: Added
    tokens: int | None
    """Of all tries; `None`: the provider did not say."""
    seconds: float


@dataclass(frozen=True, slots=True)
class Refused:
    """What the model wrote was no lesson, each time."""

    reasons: tuple[str, ...]
    """One for each try."""
    tokens: int | None
    seconds: float


async def reflect_with(
    model: TextModel,
    facts: Facts,
    draft: Draft,
    store: Callable[[Draft, int | None, float], Added],
    *,
    calls: Calls,
    clock: Callable[[], float] = time.monotonic,
) -> Written | Refused:
    """Let a model write the lesson of a task.

    Args:
        model: that writes.
        facts: what it is told.
        draft: what is known of the lesson beside its three answers, which are filled in.
        store: stores a draft, given the tokens and the seconds it took.
        calls: the gate; each try is a call in the role `reflection`.
        clock: monotonic seconds.

    Raises:
        ModelError: the model could not be asked.
        BudgetExceeded: a budget refused the call.
    """
    began = clock()
    through = calls.as_role(ROLE)
    tried: list[tuple[str, str]] = []
    tokens: int | None = 0
    for _ in range(TRIES):
        reply = await through.complete(model, request(facts, tuple(tried)))
        tokens = _sum(tokens, reply.usage.tokens_in, reply.usage.tokens_out)
        try:
            answers = read_answers(reply.text)
            whole = replace(
                draft,
                what=answers.what,
                why=answers.why,
                rule=answers.rule,
                skill_gap=draft.skill_gap or answers.skill_gap,
                model_used=draft.model_used or reply.model,
            )
            added = store(whole, tokens, clock() - began)
        except (ValueError, LessonRefused) as error:
            cut = " (it was cut: shorter)" if reply.finish == "length" else ""
            tried.append((reply.text, f"{error}{cut}"))
            continue
        return Written(added, tokens, clock() - began)
    return Refused(tuple(reason for _, reason in tried), tokens, clock() - began)


def _sum(*counts: int | None) -> int | None:
    return None if None in counts else sum(count for count in counts if count is not None)

"""A prompt rewritten by a model: asked, read, applied in code, held against the constraints; or refused, with why."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from senno.errors import MalformedAnswer
from senno.models import Reply, Request, TextModel
from senno.text import exact, one_line
from senno.tune.rewriting.asking import Brief, request
from senno.tune.rewriting.change import measure
from senno.tune.rewriting.edits import Applied, Dropped, Guard, apply_edits, with_parts
from senno.tune.rewriting.reading import read_edits

if TYPE_CHECKING:
    from senno.tune.version import Version

ROLE = "rewrite"

TRIES = 3
"""Answers for one rewrite: what is malformed or refused is told to the model, and it may answer again."""


class Completes(Protocol):
    """The gate to the rewriter: `senno.models.Calls`, or what keeps its replies."""

    async def complete(self, model: TextModel, request: Request, *, role: str) -> Reply:
        """One request: see `Calls.complete`."""
        ...


@dataclass(frozen=True, slots=True)
class Rewrite:
    """What came of asking for a rewrite."""

    version: Version | None
    """The new version, a child of the old one; `None`: none could be taken."""
    refused: str | None
    """Why not; `None` where there is a version."""
    attempt: str
    """The edits of the last readable answer, one a line: those applied, and those dropped with the reason."""
    dropped: tuple[Dropped, ...] = ()
    """Edits that were left out, of every answer."""
    notes: tuple[str, ...] = ()
    """What happened on the way: malformed answers, refused ones."""


async def rewrite(model: TextModel, brief: Brief, *, calls: Completes) -> Rewrite:
    """Let a model rewrite a prompt.

    Each answer is read as edits and applied in code. An edit that breaks a constraint is dropped and recorded, the
    rest is taken. A whole that changes too much, that leaves nothing, or that says what a known version says is
    refused, and the model may answer again; what it is told is bounded, however often it fails.

    Args:
        model: the rewriter.
        brief: what it is about.
        calls: the gate; each answer is a call in the role `rewrite`.

    Raises:
        MalformedAnswer: no answer could be read.
        ModelError: the model could not be asked.
        BudgetExceeded: a budget refused the call.
    """
    dropped: list[Dropped] = []
    notes: list[str] = []
    refused = attempt = ""
    last: tuple[str, str] | None = None
    for _ in range(TRIES):
        reply = await calls.complete(model, request(brief, last), role=ROLE)
        try:
            edits = read_edits(reply.text)
        except ValueError as error:
            cut = " (the answer was cut off: answer with fewer edits)" if reply.finish == "length" else ""
            notes.append(f"malformed answer: {one_line(f'{error}{cut}', 200)}")
            last = (reply.text, f"{error}{cut}")
            continue
        applied = apply_edits(brief.version, edits, _guard(brief))
        dropped += applied.dropped
        attempt = _attempt(applied)
        taken = _taken(brief, applied)
        if not isinstance(taken, str):
            return Rewrite(taken, None, attempt, tuple(dropped), tuple(notes))
        refused = taken
        notes.append(f"refused: {one_line(refused, 200)}")
        last = (reply.text, refused)
    if not refused:
        problem = last[1] if last else ""
        raise MalformedAnswer(f"{ROLE} ({model.name}): malformed in {TRIES} answers: {one_line(problem, 300)}")
    return Rewrite(None, refused, attempt, tuple(dropped), tuple(notes))


def _guard(brief: Brief) -> Guard:
    return Guard(brief.constraints, brief.guarded, brief.digest.names)


def _taken(brief: Brief, applied: Applied) -> Version | str:
    """The version that the edits make, or why it is refused."""
    if not applied.edits:
        return "no edit could be applied: " + "; ".join(map(str, applied.dropped))
    old, new = brief.version, with_parts(brief.version, applied.parts)
    change = measure(old.text, new.text, brief.constraints.max_change)
    if change.too_much:
        return f"it changes too much ({change}): propose fewer or smaller edits"
    same = same_as(new, brief.known or {old.id: old})
    if same is not None:
        tried = next((one.why for one in brief.rejected if one.version == same), None)
        became = "the prompt as it is" if same == old.id else f"{same}, tried before"
        return f"it makes the same prompt as {became}" + (f" ({tried})" if tried else "")
    return new


def same_as(version: Version, known: Mapping[str, Version]) -> str | None:
    """The id of a known version that says the same, white space aside; `None`: it is new."""
    if version.id in known:
        return version.id
    text = exact(version.text)
    return next((id_ for id_, other in known.items() if exact(other.text) == text), None)


def _attempt(applied: Applied) -> str:
    lines = [str(edit) for edit in applied.edits]
    return "\n".join([*lines, *(f"[dropped] {one}" for one in applied.dropped)])

"""Edits of a prompt as values: what a rewriter proposes, and code applies. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from senno.text import one_line, shown
from senno.tune.rewriting.constraints import Broken, Constraints, Kind, broken
from senno.tune.rewriting.leak import leaked

if TYPE_CHECKING:
    from senno.tune.version import Version

Op = Literal["replace", "add", "delete", "rewrite"]
"""`replace` and `delete` what the anchor quotes; `add` after it, or at the end of the part; `rewrite` a whole part."""


@dataclass(frozen=True, slots=True)
class Edit:
    """One edit of one part of a prompt."""

    op: Op
    part: str
    anchor: str
    """Text of the part, quoted; it must stand there once. Empty: none (`add` at the end, `rewrite`)."""
    text: str
    """What is put there; empty for `delete`."""
    failure: str
    """The failed check or question that it is for."""
    why: str = ""

    def __str__(self) -> str:
        place = f" at {one_line(self.anchor, 80)!r}" if self.anchor else ""
        put = f": {one_line(self.text, 200)!r}" if self.text else ""
        return f"{self.op} in {self.part}{place}{put} (for {self.failure})"


@dataclass(frozen=True, slots=True)
class Dropped:
    """An edit that was not applied, and why: advice against a constraint, or an edit that cannot be done."""

    edit: Edit
    kind: Kind
    why: str

    def __str__(self) -> str:
        return f"{self.edit}: {self.why}"


@dataclass(frozen=True, slots=True)
class Applied:
    """What became of a list of edits."""

    parts: Mapping[str, str]
    """The parts of the new version."""
    edits: tuple[Edit, ...]
    """Those that were applied."""
    dropped: tuple[Dropped, ...]


@dataclass(frozen=True, slots=True)
class Guard:
    """What edits are held against."""

    constraints: Constraints
    scenarios: Sequence[str]
    """Texts that may not be carried into the prompt."""
    failures: tuple[str, ...]
    """What an edit may be for."""


def apply_edits(version: Version, edits: Sequence[Edit], guard: Guard) -> Applied:
    """Apply edits in their order, each on what the ones before it left.

    All are tried together first, since one may put right what another breaks. Where the whole breaks a constraint,
    they are applied one by one, and one that breaks a constraint is dropped with the reason.
    """
    together = _apply(version, edits, guard, one_by_one=False)
    if not _faults(version, together.parts, guard):
        return together
    return _apply(version, edits, guard, one_by_one=True)


def _apply(version: Version, edits: Sequence[Edit], guard: Guard, *, one_by_one: bool) -> Applied:
    parts = dict(version.parts)
    applied: list[Edit] = []
    dropped: list[Dropped] = []
    for edit in edits:
        after = _edited(parts, edit, guard)
        if isinstance(after, str) and one_by_one:
            after = next(iter(_faults(version, {**parts, edit.part: after}, guard)), after)
        if isinstance(after, Broken):
            dropped.append(Dropped(edit, after.kind, after.what))
        else:
            parts[edit.part] = after
            applied.append(edit)
    return Applied(parts, tuple(applied), tuple(dropped))


def _faults(version: Version, parts: Mapping[str, str], guard: Guard) -> list[Broken]:
    new = with_parts(version, parts)
    texts = leaked(version.text, new.text, guard.scenarios, guard.constraints.leak_words)
    leaks = [Broken("leak", f"{text!r} is copied from a scenario") for text in texts]
    nothing = [] if new.text.strip() else [Broken("empty", "it leaves no prompt")]
    return [*broken(new, guard.constraints, version), *leaks, *nothing]


def _edited(parts: Mapping[str, str], edit: Edit, guard: Guard) -> str | Broken:
    """The part after the edit, or why it cannot be done."""
    if edit.part not in parts:
        return Broken("part", f"the prompt has no part {edit.part!r}; it has {', '.join(parts)}")
    if edit.failure not in guard.failures:
        return Broken("check", f"{edit.failure!r} did not fail; what failed: {', '.join(guard.failures)}")
    text = "" if edit.op == "delete" else edit.text.replace("\r\n", "\n").strip("\n")
    if shown(text) != text:
        return Broken("characters", "it holds control characters, direction marks or halves of pairs; use plain text")
    if edit.op != "delete" and not text.strip():
        return Broken("empty", "it puts nothing there")
    return _put(parts[edit.part], edit, text)


def _put(part: str, edit: Edit, text: str) -> str | Broken:
    if edit.op == "rewrite":
        return text
    if edit.op == "add" and not edit.anchor.strip():
        return f"{part.rstrip()}\n{text}" if part.strip() else text
    place = _place(part, edit.anchor)
    if isinstance(place, Broken):
        return place
    start, end = place
    if edit.op == "add":
        return part[:end] + _joint(part, end) + text + part[end:]
    return part[:start] + text + part[end:]


def _place(part: str, anchor: str) -> tuple[int, int] | Broken:
    """Where the anchor stands: letter for letter, else with any white space between its words."""
    if not anchor.strip():
        return Broken("anchor", "it quotes no text of the part")
    for pattern in (re.escape(anchor), r"\s+".join(map(re.escape, anchor.split()))):
        places = [match.span() for match in re.finditer(pattern, part)]
        if len(places) == 1:
            return places[0]
        if places:
            return Broken("anchor", f"{one_line(anchor, 80)!r} stands {len(places)} times in the part; quote more")
    return Broken(
        "anchor", f"{one_line(anchor, 80)!r} does not stand in the part of the prompt; quote it letter for letter"
    )


def _joint(part: str, end: int) -> str:
    """What stands between an anchor and what is added after it: the end of a line, where the anchor ends one."""
    return "\n" if end == len(part) or part[end] == "\n" else " "


def with_parts(version: Version, parts: Mapping[str, str], origin: str = "rewrite") -> Version:
    """The version with other texts in its parts, as a child of it."""
    return replace(version, parts=dict(parts), parent=version.id, origin=origin)

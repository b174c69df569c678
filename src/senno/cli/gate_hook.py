"""The hook of a coding agent: what its command would do is judged first, within a deadline of its own."""

from __future__ import annotations

import asyncio
import json
import os
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, cast

from senno.errors import SennoError
from senno.gate import (
    GateOptions,
    GitCommand,
    HookAnswer,
    WorkTree,
    answered,
    commands_in,
    gate_change_sync,
    git_aliases,
    staged_by,
)
from senno.text import shown
from senno.threads import in_daemon_thread


def answer_hook(text: str, deadline: float, detectors_only: bool) -> HookAnswer | None:
    """What the agent is told; `None`: nothing, its command goes on.

    Args:
        text: the hook's JSON, with `tool_name`, `tool_input.command` and `cwd`.
        deadline: seconds after which a person is asked.
        detectors_only: ask no model.
    """
    try:
        return _answer(text, time.monotonic() + deadline, deadline, detectors_only)
    except Exception as error:  # noqa: BLE001 - a hook that fails lets the command go on, whatever it failed at
        said = shown(f"{type(error).__name__}: {error}", 300)
        return HookAnswer("ask", f"senno gate: not judged, it failed ({said}). Do you want to go on without?")


def _answer(text: str, end: float, deadline: float, detectors_only: bool) -> HookAnswer | None:
    try:
        told: object = json.loads(text)
    except (ValueError, RecursionError):
        return HookAnswer("ask", "senno gate: the hook's input is no JSON, so nothing was judged")
    if not isinstance(told, dict):
        return HookAnswer("ask", "senno gate: the hook's input is no object, so nothing was judged")
    data = cast("dict[str, Any]", told)
    if isinstance(data.get("tool_name"), str) and data["tool_name"] != "Bash":
        return None
    given = data.get("tool_input")
    command = cast("dict[str, Any]", given).get("command") if isinstance(given, dict) else None
    if data.get("tool_name") != "Bash" or not isinstance(command, str):
        expected = 'expected {"tool_name": "Bash", "tool_input": {"command": TEXT}}'
        return HookAnswer("ask", f"senno gate: the hook's input names no command, so nothing was judged; {expected}")
    folder = Path(data["cwd"]) if isinstance(data.get("cwd"), str) else Path.cwd()
    aliases = git_aliases(folder) if "git" in command and folder.is_dir() else {}
    for found in commands_in(command, aliases):
        answer = _judged(folder, found, end, deadline, detectors_only)
        if answer:
            return answer
    return None


def _judged(folder: Path, found: GitCommand, end: float, deadline: float, detectors_only: bool) -> HookAnswer | None:
    if found.what == "override":
        return HookAnswer("ask", "senno gate: an override is a person's word. Do you want to let this change through?")
    if found.what == "unseen":
        return HookAnswer("ask", f"senno gate: not judged: {shown(' '.join(found.words), 300)}. Go on without?")
    try:
        os.chdir((folder / found.folder).expanduser())

        async def within() -> HookAnswer | None:
            left = max(end - time.monotonic(), 0.0)
            return await asyncio.wait_for(in_daemon_thread(_gate, Path.cwd(), found, detectors_only), left)

        return asyncio.run(within())
    except TimeoutError:
        return HookAnswer("ask", f"senno gate: not judged within {deadline:g} s. Do you want to go on without?")
    except (SennoError, OSError, RuntimeError, ValueError) as error:
        return HookAnswer("ask", f"senno gate: not judged: {shown(str(error), 600)}. Do you want to go on without?")


def _gate(folder: Path, found: GitCommand, detectors_only: bool) -> HookAnswer | None:
    tree = WorkTree.around(folder)
    if tree is None:
        return None  # git itself refuses the command
    if found.what == "commit":
        return _told(folder, GateOptions(staged=True, detectors_only=detectors_only))
    if found.what == "commit_all":
        with staged_by(tree, folder, found.words) as index:
            return _told(folder, GateOptions(staged=True, index=index, detectors_only=detectors_only))
    for base, head in _compared(tree, found):
        if base is None:
            return HookAnswer("ask", "senno gate: no upstream to compare with, so nothing was judged. Go on?")
        answer = _told(folder, GateOptions(base=base, head=head, detectors_only=detectors_only))
        if answer:
            return answer
    return None


def _told(folder: Path, options: GateOptions) -> HookAnswer | None:
    return answered(gate_change_sync(folder, options))


def _compared(tree: WorkTree, found: GitCommand) -> Iterator[tuple[str | None, str]]:
    """What is compared with what, as base and head: for each branch that is pushed, or merged."""
    if found.what == "merge":
        for head in found.words or ("@{upstream}",):
            # What is published was judged where it was pushed, and is judged with what is pushed next.
            if tree.repository.commit(f"refs/remotes/{head}") is None:
                yield "HEAD", head
    elif found.what == "request":
        named = [f"refs/remotes/origin/{base}" for base in found.words]
        yield _first(tree, [*named, *found.words, *_defaults("origin")]), "HEAD"
    else:
        remote, *pushed = found.words or ("",)
        for each in pushed or ("HEAD",):
            source, _, target = each.partition(":")
            target = (target or source).removeprefix("refs/heads/")
            upstream = "@{upstream}" if source == "HEAD" else f"{source}@{{upstream}}"
            there = [f"refs/remotes/{remote or 'origin'}/{target}"] if pushed and target != "HEAD" else []
            yield _first(tree, [*there, upstream, *_defaults(remote or "origin"), *_defaults("origin")]), source


def _defaults(remote: str) -> list[str]:
    return [f"refs/remotes/{remote}/{name}" for name in ("HEAD", "main", "master")]


def _first(tree: WorkTree, names: Sequence[str]) -> str | None:
    return next((name for name in names if tree.repository.commit(name)), None)

"""The hook of a coding agent: what its command would do is judged first, within a deadline of its own."""

from __future__ import annotations

import asyncio
import json
import os
from pathlib import Path
from typing import Any, cast

from senno.errors import SennoError
from senno.gate import GateOptions, HookAnswer, WorkTree, answered, commands_in, gate_change_sync, staged_by
from senno.gate.agent_hook import GitCommand
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
        told: object = json.loads(text)
    except ValueError:
        return HookAnswer("ask", "senno gate: the hook's input is no JSON, so nothing was judged")
    if not isinstance(told, dict):
        return HookAnswer("ask", "senno gate: the hook's input is no object, so nothing was judged")
    data = cast("dict[str, Any]", told)
    given = cast("dict[str, Any]", data["tool_input"]) if isinstance(data.get("tool_input"), dict) else {}
    command = given.get("command")
    if data.get("tool_name") != "Bash" or not isinstance(command, str):
        return None
    folder = Path(data["cwd"]) if isinstance(data.get("cwd"), str) else Path.cwd()
    for found in commands_in(command):
        answer = _judged(folder, found, deadline, detectors_only)
        if answer:
            return answer
    return None


def _judged(folder: Path, found: GitCommand, deadline: float, detectors_only: bool) -> HookAnswer | None:
    if found.what == "override":
        return HookAnswer("ask", "senno gate: an override is a person's word. Do you want to let this change through?")
    try:
        os.chdir((folder / found.folder).expanduser())

        async def within() -> HookAnswer | None:
            return await asyncio.wait_for(in_daemon_thread(_gate, Path.cwd(), found, detectors_only), deadline)

        return asyncio.run(within())
    except TimeoutError:
        return HookAnswer("ask", f"senno gate: not judged within {deadline:g} s. Do you want to go on without?")
    except (SennoError, OSError, RuntimeError) as error:
        return HookAnswer("ask", f"senno gate: not judged: {shown(str(error))}. Do you want to go on without?")


def _gate(folder: Path, found: GitCommand, detectors_only: bool) -> HookAnswer | None:
    tree = WorkTree.around(folder)
    if tree is None:
        return None  # git itself refuses the command
    if found.what == "push":
        base = _upstream(tree)
        if base is None:
            return HookAnswer("ask", "senno gate: no upstream to compare with, so nothing was judged. Go on?")
        return answered(gate_change_sync(folder, GateOptions(base=base, detectors_only=detectors_only)))
    if found.what == "commit":
        return answered(gate_change_sync(folder, GateOptions(staged=True, detectors_only=detectors_only)))
    with staged_by(tree) as index:
        options = GateOptions(staged=True, index=index, detectors_only=detectors_only)
        return answered(gate_change_sync(folder, options))


def _upstream(tree: WorkTree) -> str | None:
    names = ("@{upstream}", "origin/HEAD", "origin/main", "origin/master")
    return next((name for name in names if tree.repository.commit(name)), None)

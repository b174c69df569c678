"""What the hook of a coding agent answers.

Claude Code asks its hooks before it runs a shell command. A hook of the gate lets every command go on but those that
commit, push or merge, and those that would override the gate. It answers in words and never fails: a gate that could
not judge in time asks the person.
"""

from __future__ import annotations

import shlex
import tempfile
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from senno.errors import SennoError
from senno.gate.result import GateResult
from senno.gate.work_tree import WorkTree


@dataclass(frozen=True, slots=True)
class HookAnswer:
    """What the agent is told."""

    decision: Literal["deny", "ask"]
    reason: str

    def to_json(self) -> dict[str, Any]:
        """The answer as Claude Code reads it."""
        return {
            "hookSpecificOutput": {
                "hookEventName": "PreToolUse",
                "permissionDecision": self.decision,
                "permissionDecisionReason": self.reason,
            }
        }


@contextmanager
def staged_by(tree: WorkTree, folder: Path, forced: Sequence[str] = ()) -> Generator[Path]:
    """An index of all that is in the work tree and not ignored, as `git add -A` would leave it; the real one stays.

    Args:
        tree: the checkout.
        folder: what `forced` is told from.
        forced: paths that are staged though they are ignored.

    Raises:
        SennoError: git could not make it.
    """
    with tempfile.TemporaryDirectory(prefix="senno-index-") as place:
        index = Path(place) / "index"
        asked = tree.repository.ask("rev-parse", "--git-path", "index").stdout.decode("utf-8", "replace").strip()
        real = tree.repository.folder / asked
        if real.is_file():
            index.write_bytes(real.read_bytes())
        adding = [(tree.top, ("--all", "--", "."))]
        adding += [(folder, ("--force", "--", path)) for path in forced]
        for where, words in adding:
            done = tree.repository.ask("-C", str(where), "add", *words, environment={"GIT_INDEX_FILE": str(index)})
            if done.returncode:
                said = done.stderr.decode("utf-8", "replace").strip()
                raise SennoError(f"{tree.top}: git could not stage what is there ({shlex.join(words)}): {said}")
        yield index


def git_aliases(folder: Path) -> dict[str, str]:
    """What git's configuration has other names for, by name."""
    tree = WorkTree.around(folder)
    told = tree.repository.ask("config", "-z", "--get-regexp", r"^alias\.").stdout if tree else b""
    pairs = (entry.partition("\n") for entry in told.decode("utf-8", "replace").split("\0"))
    return {name.removeprefix("alias."): meaning for name, _, meaning in pairs if meaning}


def answered(result: GateResult) -> HookAnswer | None:
    """What the agent is told of a result; `None`: nothing, the command goes on."""
    if result.exit_code == 0:
        return None
    verdict = result.lane.verdict
    said = [f"senno gate: {verdict.name}"]
    said += [f"- {rule} (it is {value:.3g})" for rule, value in verdict.fired]
    said += [f"- {reason}" for reason in verdict.reasons]
    places = (f"{each.path}:{each.line}" if each.line else each.path for each in result.detected.findings)
    said += [f"- {place}: {each.message}" for place, each in zip(places, result.detected.findings, strict=True)][:10]
    said.append(f"A person may let it through: senno gate override {result.run_id} --because TEXT --by NAME")
    return HookAnswer("deny" if verdict.exit_code == 1 else "ask", "\n".join(said))

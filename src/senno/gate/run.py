"""A gate from end to end: the change read, the rules found, the settings loaded, the judge asked, the run recorded."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from senno import config as settings
from senno.errors import ConfigError, SennoError
from senno.gate.before import Before
from senno.gate.detectors import name_without_secrets, without_secrets
from senno.gate.diff import Diff, parse_diff, read_base, read_staged
from senno.gate.engine import run_gate
from senno.gate.origins import Held, Language, held
from senno.gate.record import begun, recorded
from senno.gate.result import GateResult
from senno.gate.work_tree import WorkTree
from senno.ledger import Ledger
from senno.models import Cached, Calls, DecisionModel, calls_from, decision_model
from senno.text import one_line
from senno.threads import in_daemon_thread


@dataclass(frozen=True, slots=True)
class GateOptions:
    """What is judged, and by what. Exactly one of `base`, `staged` and `diff` is given."""

    base: str | None = None
    """A revision: the change is what HEAD adds to the place where it left it."""
    head: str = "HEAD"
    """With `base`: another revision in the place of HEAD."""
    staged: bool = False
    """The change is what is staged."""
    index: Path | None = None
    """With `staged`: another index than the repository's own."""
    diff: bytes | None = None
    """The change is this diff."""
    checks: Path | None = None
    policy: Path | None = None
    language: Language = "en"
    """Of the rules that ship."""
    judge_model: str | None = None
    author: str | None = None
    """The model that wrote the change."""
    allow_same_model: bool | None = None
    detectors_only: bool = False
    """The questions are not asked."""
    title: str | None = None
    """`None`: what the commits say."""
    description: str | None = None


async def gate_change(
    folder: Path, options: GateOptions, *, model: DecisionModel | None = None, environ: Mapping[str, str] | None = None
) -> GateResult:
    """Judge a change and record what came of it.

    Settings and rules that the change touches hold as they were before it.

    Args:
        folder: where the change is: a repository, or a folder with a diff.
        options: what is judged, and by what.
        model: who answers the questions, in place of what the settings name.
        environ: the environment, for settings and keys; the process's own by default.

    Raises:
        ConfigError: no such revision, a file of rules that cannot be read, a ledger that is under version control, …
        SameModelError: the judge wrote the change.
    """
    ready = await in_daemon_thread(_prepared, folder, options, os.environ if environ is None else environ)
    loaded, rules = ready.loaded, ready.rules
    asked = not options.detectors_only and bool(rules.rules.checks.questions or rules.proposed)
    named: DecisionModel | None = None
    if asked and model is None and loaded.config.models.judge:
        samples = loaded.config.calls.samples
        named = decision_model(loaded.config.models.judge, samples=samples, environ=environ or os.environ)
    with Ledger.open(loaded.ledger) as ledger:
        if named:
            model = Cached.of(named, ledger, loaded.config.calls.samples)
        run_id = begun(
            ledger, _name(options), without_secrets(ready.title) or _short(ready.diff), _config(ready, model)
        )
        calls = calls_from(loaded.config, ledger=ledger, run_id=run_id) if model else Calls()
        try:
            result = await run_gate(
                ready.diff,
                rules,
                model=model,
                calls=calls,
                ask=not options.detectors_only,
                authors=[options.author] if options.author else [],
                allow_same_model=loaded.config.models.allow_same_model,
                title=ready.title,
                description=ready.description,
            )
        except SennoError as error:
            ledger.end_run(run_id, "error", {"error": str(error), "exit_code": error.exit_code})
            raise
        return recorded(result, ledger, run_id)


def gate_change_sync(
    folder: Path, options: GateOptions, *, model: DecisionModel | None = None, environ: Mapping[str, str] | None = None
) -> GateResult:
    """`gate_change`, for code that is not asynchronous."""
    return asyncio.run(gate_change(folder, options, model=model, environ=environ))


@dataclass(frozen=True, slots=True)
class _Ready:
    """All that is read before anybody is asked."""

    diff: Diff
    rules: Held
    loaded: settings.Loaded
    as_before: tuple[str, ...]
    """Files of settings that the change touches: they hold as they were."""
    title: str
    description: str


def _prepared(folder: Path, options: GateOptions, environ: Mapping[str, str]) -> _Ready:
    tree = WorkTree.around(folder)
    diff = _read(folder, options)
    # A branch goes into what its base is by now, not into what it was when the branch left it.
    before = Before(tree, diff, tree.repository.commit(options.base or "HEAD")) if tree else None
    rules = held(before, checks=options.checks, policy=options.policy, language=options.language)
    flags = {"models.judge": options.judge_model, "models.allow_same_model": options.allow_same_model}
    instead = before.settings(folder.resolve()) if before else {}
    loaded = settings.load(folder, flags=flags, environ=environ, instead=instead)
    if tree and tree.tracks(loaded.ledger):
        raise ConfigError(
            f"{loaded.ledger} is under version control: whoever writes a change could write what was judged of it; "
            "expected a ledger of your own. Take it out: git rm --cached, and a line in .gitignore"
        )
    as_before = tuple(sorted(str(path) for path in instead))
    if as_before:
        note = f"{', '.join(as_before)}: touched by the change, or not committed: its settings hold as they were before"
        rules = replace(rules, notes=(*rules.notes, note))
    return _Ready(diff, rules, loaded, as_before, *_told(tree, diff, options))


def _read(folder: Path, options: GateOptions) -> Diff:
    if options.base is not None:
        return read_base(folder, options.base, options.head)
    if options.staged:
        return read_staged(folder, index=options.index)
    if options.diff is None:
        raise ConfigError("nothing to judge was named; expected a base, what is staged, or a diff")
    return parse_diff(options.diff, "standard input")


def _told(tree: WorkTree | None, diff: Diff, options: GateOptions) -> tuple[str, str]:
    title, description = "", ""
    if tree and diff.base and diff.head:
        title, description = tree.messages(diff.base, diff.head)
    return (
        title if options.title is None else options.title,
        description if options.description is None else options.description,
    )


def _name(options: GateOptions) -> str:
    return f"base {options.base}" if options.base is not None else "staged" if options.staged else "diff"


def _short(diff: Diff) -> str:
    names = ", ".join(name_without_secrets(file.path) for file in diff.files[:3])
    return one_line(f"{len(diff.files)} files: {names}", 120)


def _config(ready: _Ready, model: DecisionModel | None) -> dict[str, object]:
    return {
        "rules": ready.rules.origin,
        "judge": model.name if model else None,
        "as_before": list(ready.as_before),
    }

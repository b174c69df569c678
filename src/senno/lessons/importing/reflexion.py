"""Run logs of Reflexion (Shinn et al., arXiv:2303.11366) as they are published: ALFWorld and WebShop, programming."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any, cast

from senno.lessons.importing.found import Bad, Found, made_id, parted, text_of
from senno.lessons.importing.hotpotqa import is_trials_log, trials_log
from senno.lessons.importing.reading import files_in, items, rows
from senno.lessons.lesson import Draft

_TRIAL = re.compile(r"env_results_trial_(\d+)\.json")
_MODEL = re.compile(r"gpt-3\.5[a-z-]*|gpt-4[a-z-]*|text-davinci-\d+|starchat[a-z-]*", re.IGNORECASE)
_HUMANEVAL = re.compile(r"HumanEval[/_](\d+)(?:_\w+)?", re.IGNORECASE)
_ENVIRONMENTS = ("alfworld", "webshop")
_PICKLES = frozenset({".joblib", ".pkl", ".pickle"})


def from_reflexion(path: Path, department: str, created_at: datetime | None = None) -> Iterator[Found]:
    """The lessons in a file, or in all files of a folder. The logs have no dates: they get one.

    One reflection is one lesson: what it says to do is the rule, what comes before it the cause. Its outcome is a
    failure, since it was written after a trial that had failed. Base runs, which show memories of a shared first trial,
    give none.

    Args:
        path: `env_results_trial_*.json`, `*.jsonl` of programming runs, `*.txt` of HotpotQA, or a folder of them.
        department: of the lessons.
        created_at: their date; by default the moment of the import.
    """
    trials: dict[Path, list[tuple[int, Path]]] = {}
    others: list[Path] = []
    for file in files_in(path):
        match = None if isinstance(file, Bad) else _TRIAL.fullmatch(file.name)
        if isinstance(file, Bad):
            yield file
        elif match is None:
            others.append(file)
        elif "base_run" not in file.parent.name:
            trials.setdefault(file.parent, []).append((int(match[1]), file))
    for folder in sorted(trials):
        yield from _trials(folder, [file for _, file in sorted(trials[folder])], department, created_at)
    for file in others:
        yield from _other(file, department, created_at, named=file == path)


def _other(file: Path, department: str, created_at: datetime | None, *, named: bool) -> Iterator[Found]:
    """What a file holds that is no trial; one that was not named, but lies in a folder, may hold anything else."""
    suffix = file.suffix.lower()
    if suffix == ".jsonl":
        yield from _programming(file, department, created_at)
    elif suffix in _PICKLES:
        yield Bad(str(file), "a pickle can run anything when it is read: not read; export it as JSON")
    elif suffix == ".txt" and (named or is_trials_log(file)):
        for found in trials_log(file):
            if isinstance(found, Bad):
                yield found
                continue
            task_id = f"hotpotqa/{made_id(found.question).removeprefix('import-')[:8]}"
            run = f"{file.parent.name}/{file.stem}"
            yield _draft(found.text, run, "hotpotqa", task_id, found.question, "", department, created_at)
    elif named:
        yield Bad(str(file), "expected env_results_trial_N.json, a .jsonl of a programming run, or a .txt of HotpotQA")


def _trials(folder: Path, files: list[Path], department: str, created_at: datetime | None) -> Iterator[Found]:
    """The memories of each environment, in the order in which they came; each text once."""
    named = (suite for part in reversed(folder.resolve().parts) for suite in _ENVIRONMENTS if suite in part.lower())
    suite = next(named, _ENVIRONMENTS[0])
    seen: set[tuple[str, str]] = set()
    for file in files:
        for number, (where, row) in enumerate(items(file)):
            if isinstance(row, Bad):
                yield row
                continue
            memories = row.get("memory")
            if not isinstance(memories, list):
                yield Bad(where, "expected an object with name, memory and is_success")
                continue
            task_id = f"{suite}/{text_of(row, 'name') or number}"
            for memory in cast("list[Any]", memories):
                if not isinstance(memory, str) or not memory.strip():
                    yield Bad(where, "a memory is no text")
                elif (task_id, memory.strip()) not in seen:
                    seen.add((task_id, memory.strip()))
                    yield _draft(memory, folder.name, suite, task_id, "", "", department, created_at)


def _programming(file: Path, department: str, created_at: datetime | None) -> Iterator[Found]:
    model = _MODEL.search(file.name)
    for where, row in rows(file):
        if isinstance(row, Bad):
            yield row
            continue
        if not row.get("reflections"):
            continue  # a task that was solved at once, a run without reflection, or what a run left beside it
        name = text_of(row, "task_id", "name")
        reflections = row["reflections"]
        texts = cast("list[Any]", reflections) if isinstance(reflections, list) else []
        if not name or not isinstance(reflections, list) or not all(isinstance(text, str) for text in texts):
            yield Bad(where, "expected an object with task_id or name, and a list of reflections as texts")
            continue
        suite, task_id = _task(name, file)
        prompt = text_of(row, "prompt", "problem", "description")
        for text in dict.fromkeys(text.strip() for text in texts if text.strip()):
            yield _draft(text, file.stem, suite, task_id, prompt, model[0] if model else "", department, created_at)


def _task(name: str, file: Path) -> tuple[str, str]:
    """The suite and the id of a task: `HumanEval/0` and `HumanEval_0_has_close_elements` are one."""
    match = _HUMANEVAL.fullmatch(name)
    if match:
        return "humaneval", f"humaneval/HumanEval/{match[1]}"
    known = ("mbpp", "leetcode", "humaneval", "hotpotqa")
    suite = next((one for one in known if one in f"{name} {file.name}".lower()), "programming")
    return suite, f"{suite}/{name}"


def _draft(
    text: str,
    run: str,
    suite: str,
    task_id: str,
    task: str,
    model: str,
    department: str,
    created_at: datetime | None,
) -> Draft:
    what, why, rule = parted(text)
    return Draft(
        id=made_id("reflexion", task_id, text.strip()),
        task_id=task_id,
        outcome="failure",
        what=what,
        why=why,
        rule=rule,
        task=task,
        task_type=suite,
        model_used=model,
        department=department,
        agent=run,
        tags=("imported", "reflexion"),
        created_at=created_at,
    )

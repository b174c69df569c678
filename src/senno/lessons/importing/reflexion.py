"""Run logs of Reflexion (Shinn et al., arXiv:2303.11366) as they are published: ALFWorld and WebShop, programming."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any, cast

from senno.errors import FileFormatError
from senno.files import read_text
from senno.lessons.importing.found import Bad, Found, Unusable, json_of, made_id, parted, rows, text_of
from senno.lessons.lesson import Draft

_TRIAL = re.compile(r"env_results_trial_(\d+)\.json")
_MODEL = re.compile(r"gpt-3\.5[a-z-]*|gpt-4[a-z-]*|text-davinci-\d+|starchat[a-z-]*", re.IGNORECASE)
_HUMANEVAL = re.compile(r"HumanEval[/_](\d+)(?:_\w+)?", re.IGNORECASE)
_PICKLES = frozenset({".joblib", ".pkl", ".pickle"})


def from_reflexion(path: Path, department: str, created_at: datetime | None = None) -> Iterator[Found]:
    """The lessons in a file, or in all files of a folder. The logs have no dates: they get one.

    One reflection is one lesson: what it says to do is the rule, what comes before it the cause. Its outcome is a
    failure, since it was written after a trial that had failed. Base runs, which show memories of a shared first trial,
    give none.

    Args:
        path: `env_results_trial_*.json`, `*.jsonl` of programming runs, or a folder of them.
        department: of the lessons.
        created_at: their date; by default the moment of the import.
    """
    files = sorted(p for p in path.rglob("*") if p.is_file()) if path.is_dir() else [path]
    trials: dict[Path, list[tuple[int, Path]]] = {}
    for file in files:
        match = _TRIAL.fullmatch(file.name)
        if match and "base_run" not in file.parent.name:
            trials.setdefault(file.parent, []).append((int(match[1]), file))
    for folder in sorted(trials):
        yield from _trials(folder, [file for _, file in sorted(trials[folder])], department, created_at)
    for file in files:
        if file.suffix == ".jsonl":
            yield from _programming(file, department, created_at)
        elif file.suffix in _PICKLES:
            yield Bad(str(file), "a pickle can run anything when it is read: not read; export it as JSON")
        elif not path.is_dir() and not _TRIAL.fullmatch(file.name):
            yield Bad(str(file), "expected env_results_trial_N.json, or a .jsonl of a programming run")


def _trials(folder: Path, files: list[Path], department: str, created_at: datetime | None) -> Iterator[Found]:
    """The memories of each environment, in the order in which they came; each text once."""
    suite = "webshop" if "webshop" in str(folder).lower() else "alfworld"
    seen: set[tuple[str, str]] = set()
    for file in files:
        try:
            value = json_of(read_text(file))
            if not isinstance(value, list):
                raise Unusable(f"found {type(value).__name__}; expected a list of environments")
        except (Unusable, FileFormatError) as error:
            yield Bad(str(file), str(error))
            continue
        for number, item in enumerate(cast("list[Any]", value)):
            where = f"{file}[{number}]"
            if not isinstance(item, dict) or not isinstance(cast("dict[str, Any]", item).get("memory"), list):
                yield Bad(where, "expected an object with name, memory and is_success")
                continue
            row = cast("dict[str, Any]", item)
            task_id = f"{suite}/{text_of(row, 'name') or number}"
            for memory in row["memory"]:
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
        name = text_of(row, "task_id", "name")
        if not name or not isinstance(row.get("reflections", []), list):
            yield Bad(where, "expected an object with task_id or name, and a list of reflections")
            continue
        reflections = cast("list[Any]", row.get("reflections") or [])
        for text in dict.fromkeys(str(one).strip() for one in reflections if isinstance(one, str) and one.strip()):
            suite, task_id = _task(name, file)
            prompt = text_of(row, "prompt", "problem", "description")
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
        id=made_id("reflexion", run, task_id, text.strip()),
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

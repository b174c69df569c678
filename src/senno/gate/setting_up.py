"""The files that a gate in a repository stands on: its rules, a hook of git, a step of CI."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from senno.errors import ConfigError
from senno.files import read_text, write_text
from senno.gate.origins import FOLDER, Language, shipped
from senno.gate.work_tree import WorkTree

_MARK = "# senno gate"

HOOK = f"""#!/bin/sh
{_MARK}: judges what is staged before it is committed. Remove this file to switch it off.
exec senno gate --staged
"""

WORKFLOW = f"""{_MARK}: judges a pull request before it is merged.
name: senno gate
on: pull_request
permissions:
  contents: read
  security-events: write
jobs:
  gate:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v5
        with:
          fetch-depth: 0
          persist-credentials: false
      - uses: actions/setup-python@v6
        with:
          python-version: "3.12"
      - run: pip install senno
      # A pull request from a fork has no secrets: there the questions stay unanswered, and the gate says so (exit 4).
      - run: senno gate --base "refs/remotes/origin/$BASE" --sarif senno.sarif
        env:
          BASE: ${{{{ github.base_ref }}}}
          SENNO_MODELS_JUDGE: ${{{{ vars.SENNO_MODELS_JUDGE }}}}
          TYPESAFE_API_KEY: ${{{{ secrets.TYPESAFE_API_KEY }}}}
      - uses: github/codeql-action/upload-sarif@v4
        if: always()
        with:
          sarif_file: senno.sarif
"""


@dataclass(frozen=True, slots=True)
class Written:
    """A file that was written, or that is there already and stays as it is."""

    path: Path
    there: bool


def set_up(
    tree: WorkTree, *, language: Language = "en", hook: bool = False, ci: bool = False, dry_run: bool = False
) -> tuple[Written, ...]:
    """Write the rules of a gate into a repository, and what runs it there. A file that is there stays as it is.

    Args:
        tree: the checkout.
        language: of the questions.
        hook: a hook of git before each commit.
        ci: a workflow of GitHub for pull requests.
        dry_run: nothing is written.

    Raises:
        ConfigError: a hook of somebody else's is there, or a file cannot be written.
    """
    wanted = {
        tree.top / FOLDER / "checks.json": shipped("checks", language).text,
        tree.top / FOLDER / "policy.json": shipped("policy", language).text,
    }
    if ci:
        wanted[tree.top / ".github" / "workflows" / "senno-gate.yml"] = WORKFLOW
    hook_file = _hook_file(tree) if hook else None
    if hook_file:
        if hook_file.exists() and _MARK not in read_text(hook_file):
            raise ConfigError(
                f"{hook_file}: another hook is there; expected none. Add a line to it yourself: senno gate --staged"
            )
        wanted[hook_file] = HOOK
    done: list[Written] = []
    for path, text in wanted.items():
        there = path.exists()
        if not there and not dry_run:
            write_text(path, text)
            if path == hook_file:
                path.chmod(0o755)
        done.append(Written(path, there))
    return tuple(done)


def _hook_file(tree: WorkTree) -> Path:
    told = os.fsdecode(tree.repository.ask("config", "--path", "--get-all", "core.hooksPath").stdout).splitlines()
    # The runner switches hooks off for itself, on the command line; the rest is what the user's files say.
    own = [folder for folder in told if folder and folder != os.devnull]
    if own:
        return tree.top / own[-1] / "pre-commit"
    common = os.fsdecode(tree.repository.ask("rev-parse", "--git-common-dir").stdout).removesuffix("\n")
    return (tree.repository.folder / common / "hooks" / "pre-commit").resolve()

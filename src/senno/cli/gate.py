"""`senno gate`: a change before it is merged."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import click

from senno.cli.output import json_option, print_data, print_json, progress, reader_may_leave

_FILE = click.Path(path_type=Path)


@click.group(invoke_without_command=True)
@click.option("--base", metavar="REF", help="Judge what HEAD adds since it left REF (the merge base to HEAD).")
@click.option("--staged", is_flag=True, help="Judge what is staged.")
@click.option(
    "--diff", "diff_file", type=click.Path(path_type=Path, allow_dash=True), help="Judge this diff (- for stdin)."
)
@click.option("--checks", type=_FILE, help="Questions and checks; default: gate/checks.json, or those that ship.")
@click.option("--policy", type=_FILE, help="Lanes and thresholds; default: gate/policy.json, or those that ship.")
@click.option("--language", type=click.Choice(["en", "it"]), default="en", help="Of the rules that ship.")
@click.option("--judge-model", "--model", "judge_model", help="The model that answers the questions.")
@click.option("--author", help="The model that wrote the change, if one did: it must not be the one that judges.")
@click.option("--allow-same-model", is_flag=True, default=None, help="Let the author judge.")
@click.option("--detectors-only", is_flag=True, help="Ask no model: the deterministic detectors alone.")
@click.option("--title", help="The title of the change; default: the subject of its newest commit.")
@click.option("--description", type=_FILE, help="A file with what the change says it does; default: its commits.")
@click.option("--sarif", type=click.Path(path_type=Path, allow_dash=True), help="SARIF 2.1.0 too, in this file.")
@json_option
@click.pass_context
def gate(
    context: click.Context,
    base: str | None,
    staged: bool,
    diff_file: Path | None,
    description: Path | None,
    sarif: Path | None,
    as_json: bool,
    **rest: Any,
) -> int | None:
    """Judge a diff before it is merged: detectors, closed questions, a policy of lanes.

    \b
    senno gate --staged --detectors-only            no model, no key
    senno gate --base origin/main --model typesafe:jev-1.13.0
    senno gate --diff change.diff

    Exits with the lane's code: 0 for the closing lane (MERGE) and 1 for others unless the policy says otherwise, 3
    where a rule that matters has no reading, or a part of the change was not judged, 4 where a model failed.
    """
    if context.invoked_subcommand:
        return None
    from senno.files import read_text
    from senno.gate import GateOptions, gate_change_sync, to_sarif

    if str(sarif) == "-" and as_json:
        raise click.UsageError("--json and --sarif - both write to standard output; give --sarif a file")
    diff = _diff(base, staged, diff_file)
    told = read_text(description) if description else None
    result = gate_change_sync(Path.cwd(), GateOptions(base=base, staged=staged, diff=diff, description=told, **rest))
    if sarif:
        _write_sarif(sarif, to_sarif(result))
    with reader_may_leave():  # the exit code is the lane's all the same
        if as_json:
            print_json({"schema_version": 1, **result.to_json()})
        elif str(sarif) != "-":
            from senno.cli.gate_view import print_gate

            print_gate(result.to_json())
    return result.exit_code


def _diff(base: str | None, staged: bool, diff_file: Path | None) -> bytes | None:
    """The diff on standard input or in a file; `None`: the change is in the repository."""
    named = sum((base is not None, staged, diff_file is not None))
    if named > 1:
        raise click.UsageError("--base, --staged and --diff name different changes; expected one of them")
    if named == 1 and diff_file is None:
        return None
    if diff_file is not None and str(diff_file) != "-":
        from senno.errors import ConfigError

        try:
            return diff_file.read_bytes()
        except OSError as error:
            raise ConfigError(f"{diff_file}: cannot be read ({error.strerror or error})") from None
    if diff_file is None and sys.stdin.isatty():
        raise click.UsageError("say what to judge: --base REF, --staged, or a diff on standard input")
    found = sys.stdin.buffer.read()
    if diff_file is None and not found.strip():
        raise click.UsageError("standard input is empty; say what to judge: --base REF, --staged, or --diff - for it")
    return found


def _write_sarif(path: Path, log: dict[str, Any]) -> None:
    from senno.files import write_text

    text = json.dumps(log, ensure_ascii=True, indent=2) + "\n"
    if str(path) == "-":
        print_data(text)
    else:
        write_text(path, text)


@gate.command()
@click.option("--language", type=click.Choice(["en", "it"]), default="en", help="Of the questions.")
@click.option("--hook", is_flag=True, help="A hook of git too, that judges what is staged before each commit.")
@click.option("--ci", is_flag=True, help="A workflow of GitHub too, that judges pull requests.")
@click.option("--dry-run", is_flag=True, help="Say what would be written.")
def init(language: Any, hook: bool, ci: bool, dry_run: bool) -> None:
    """Write gate/checks.json and gate/policy.json into this repository, to be made your own.

    \b
    senno gate init --hook
    senno gate init --language it --ci
    """
    from senno.errors import ConfigError
    from senno.gate import WorkTree, set_up

    tree = WorkTree.around(Path.cwd())
    if tree is None:
        raise ConfigError(f"{Path.cwd()}: not in a git repository; expected one: git init")
    for each in set_up(tree, language=language, hook=hook, ci=ci, dry_run=dry_run):
        word = "there already" if each.there else "would write" if dry_run else "written"
        progress(f"{word}: {each.path}")
    if not dry_run:
        progress("Try it: senno gate --staged --detectors-only")


@gate.command()
@click.argument("run_id")
@click.option("--because", required=True, help="Why it may pass, in your words.")
@click.option("--by", help="Who says so; default: the name that git knows.")
@click.option(
    "--answer",
    "answers",
    multiple=True,
    metavar="QUESTION=ANSWER",
    help="What is right: right, wrong, or the answer itself. It becomes a labelled case.",
)
@click.option("--labelled", type=_FILE, help="The labelled set; default: gate/labelled.jsonl.")
@click.option("--checks", type=_FILE, help="The questions; default: gate/checks.json, or those that ship.")
@json_option
def override(
    run_id: str, because: str, by: str | None, answers: tuple[str, ...], labelled: Path | None, checks: Path | None,
    as_json: bool,
) -> None:  # fmt: skip
    """Let a change through that the gate refused, and say why: it is recorded, and the judge learns from it.

    It holds for this change alone, in this ledger. RUN_ID may be cut short, or `last`.

    \b
    senno gate override last --because "the key is a test fixture" --answer hardcoded_secret=wrong
    """
    from senno import config as settings
    from senno.errors import ConfigError
    from senno.gate import FOLDER, WorkTree, asked_in, refused_run
    from senno.gate import override as record
    from senno.judge import append_case
    from senno.ledger import Ledger

    tree = WorkTree.around(Path.cwd())
    top = tree.top if tree else Path.cwd()
    target = labelled or top / FOLDER / "labelled.jsonl"
    questions = _questions(top, checks)
    with Ledger.open(settings.load().ledger) as ledger:
        row = refused_run(ledger, run_id)
        told = dict(_pair(answer) for answer in answers)
        if sys.stdin.isatty():
            told |= _asked(asked_in(row), told)
        who = by or (tree and _git_name(tree)) or ""
        if not who:
            raise ConfigError("git knows no name of yours; expected --by NAME")
        done = record(ledger, row, questions, by=who, because=because, answers=told)
    for case in done.cases:
        append_case(target, case, questions)
    if as_json:
        names = [case.id for case in done.cases]
        print_json({"schema_version": 1, "run": done.run_id, "verdict": done.verdict, "by": who, "cases": names})
        return
    progress(f"recorded: {who} lets {done.run_id} ({done.verdict}) through")
    for case in done.cases:
        progress(f"labelled: {case.id} in {target}")
    if done.cases:
        progress("Teach the judge where it erred: senno judge teach --help")
    for finding in done.findings:
        progress(f"found by a detector: {finding} (for good: detectors.allow_fingerprints in the policy)")


def _questions(top: Path, checks: Path | None) -> Any:
    from senno.files import parse_mapping
    from senno.gate import FOLDER, shipped
    from senno.judge import load_check_file, parse_check_file

    names = [top / FOLDER / f"checks.{suffix}" for suffix in ("json", "yaml", "yml")]
    own = checks or next((path for path in names if path.is_file()), None)
    if own is not None:
        return load_check_file(own)
    text = shipped("checks")
    return parse_check_file(parse_mapping(text.where, text.text), text.where, top)


def _pair(answer: str) -> tuple[str, str]:
    name, sign, value = answer.partition("=")
    if not sign or not name or not value:
        raise click.UsageError(f"--answer {answer!r}: expected QUESTION=right, =wrong, or the answer itself")
    return name, value


def _asked(fired: dict[str, dict[str, Any]], told: dict[str, str]) -> dict[str, str]:
    """At a terminal, each question that made the verdict is asked about; an empty answer leaves it unlabelled."""
    found: dict[str, str] = {}
    for name, each in fired.items():
        if name not in told:
            question = f"{each['rule']} (it is {each['value']:.3g}): right or wrong? (empty: not said)"
            said = click.prompt(question, default="", show_default=False, err=True)
            found |= {name: said} if said else {}
    return found


def _git_name(tree: Any) -> str:
    return tree.repository.ask("config", "--get", "user.name").stdout.decode("utf-8", "replace").strip()


@gate.command()
@click.option("--deadline", type=click.FloatRange(min=0.1), default=25.0, help="Seconds; then a person is asked.")
@click.option("--detectors-only", is_flag=True, help="Ask no model: the deterministic detectors alone.")
def hook(deadline: float, detectors_only: bool) -> None:
    """Answer a coding agent's hook: its JSON on stdin, the answer on stdout. Always exits 0.

    For Claude Code (PreToolUse on Bash): commands that commit, push or merge are judged first; one that would override
    the gate is put to the person. See plugins/claude-code.
    """
    from senno.cli.gate_hook import answer_hook

    text = sys.stdin.buffer.read().decode("utf-8", "replace")
    answer = answer_hook(text, deadline, detectors_only)
    if answer:
        print_data(json.dumps(answer.to_json(), ensure_ascii=True) + "\n")

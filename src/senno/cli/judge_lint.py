"""`senno judge lint`: what makes answers unreliable, found by reading the files."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from senno.cli.output import json_option, print_json, print_table, reader_may_leave
from senno.text import shown

if TYPE_CHECKING:
    from senno.judge import Policy
    from senno.judge.lint import Finding, Linted, LintedFile


@click.command()
@click.argument("checks", required=False, type=click.Path(path_type=Path))
@click.option("--policy", type=click.Path(path_type=Path), help="Thresholds, held against CHECKS.")
@click.option("--state", type=click.Path(path_type=Path), help="An example of what is asked about (JSON or YAML).")
@click.option("--was", type=click.Path(path_type=Path), help="The policy before it was edited.")
@click.option("--labelled", type=click.Path(path_type=Path), help="Labelled cases, for thresholds that moved since.")
@click.option("--predictions", type=click.Path(path_type=Path), help="What the judge gives for those cases.")
@click.option("--reading", "readings", multiple=True, help="A name in the policy that a caller of the judge provides.")
@click.option("--strict", is_flag=True, help="Exit with 1 on warnings too.")
@click.option("--rules", is_flag=True, help="List the rules.")
@json_option
def lint(
    checks: Path | None,
    policy: Path | None,
    state: Path | None,
    was: Path | None,
    labelled: Path | None,
    predictions: Path | None,
    readings: tuple[str, ...],
    strict: bool,
    rules: bool,
    as_json: bool,
) -> int:
    """Find what makes answers unreliable in CHECKS and its policy. No model is asked.

    \b
    senno judge lint checks.json --policy policy.json
    senno judge lint checks.json --policy policy.json --was old.json --labelled cases.jsonl --predictions p.jsonl
    senno judge lint request.json       a System One request; a record of them (.jevl) as well
    senno judge lint --rules

    A question sets a rule aside with "_lint": {"ignore": ["SJ006"], "why": "…"}. Exits with 1 if there is an error
    (with --strict, or a warning).
    """
    if rules:
        return _list_rules(as_json)
    if checks is None:
        raise click.UsageError("CHECKS is missing: the file to look at (--rules lists the rules)")
    _refuse_half(policy, was, labelled, predictions)
    from senno.files import read_mapping
    from senno.judge.lint import joined, lint_questions, read_linted

    files = read_linted(checks)
    about = read_mapping(state) if state else None
    parts = [lint_questions(file, about) for file in files]
    notes: list[str] = []
    if policy:
        parts += _policy(policy, was, labelled, predictions, readings, files[0], notes)
    whole = joined(parts)
    with reader_may_leave():
        if as_json:
            print_json({"schema_version": 1, "file": str(checks), **whole.to_json(), "notes": notes})
        else:
            _print(whole, notes)
    counts = whole.count()
    return 1 if counts["error"] or (strict and counts["warning"]) else 0


def _refuse_half(policy: Path | None, was: Path | None, labelled: Path | None, predictions: Path | None) -> None:
    if was and not (policy and labelled):
        raise click.UsageError("--was needs --policy (as it is now) and --labelled (the cases it is held against)")
    if not was and (labelled or predictions):
        raise click.UsageError("--labelled and --predictions need --was: the policy before it was edited")


def _policy(
    path: Path,
    was: Path | None,
    labelled: Path | None,
    predictions: Path | None,
    readings: Sequence[str],
    file: LintedFile,
    notes: list[str],
) -> list[Linted]:
    from senno.errors import ConfigError
    from senno.files import read_mapping
    from senno.judge.lint import Linted, lint_policy, moved_findings

    if file.checks is None:
        raise ConfigError(f"{file.where}: --policy needs a file of checks; a request alone has no policy")
    policy = read_policy(path, file, readings)
    key = "lanes" if "lanes" in read_mapping(path) else "verdicts"
    found = [lint_policy(policy, str(path), file, key)]
    if was and labelled:
        from senno.judge import load_labelled
        from senno.judge.calibrating import load_predictions

        old = read_policy(was, file, readings)
        cases = load_labelled(labelled, file.checks)
        given = load_predictions(predictions, file.checks) if predictions else None
        if given is None:
            notes += _moved_unread(old, policy)
        else:
            found.append(Linted(tuple(moved_findings(old, policy, cases, given, str(path), key))))
            unread = sum(case.id not in given for case in cases)
            notes += [f"{unread} of {len(cases)} labelled cases have no prediction: not held against"] if unread else []
    return found


def read_policy(path: Path, file: LintedFile, readings: Sequence[str] = ()) -> Policy:
    """A policy held against a file of checks; one of a gate has keys, and names of detectors, that no other has."""
    from senno.files import read_text
    from senno.gate import RuleText, parse_rules
    from senno.judge import load_policy

    assert file.checks is not None
    if file.for_gate and not readings:
        return parse_rules(
            RuleText(file.where, read_text(Path(file.where))), RuleText(str(path), read_text(path))
        ).policy
    return load_policy(path, file.checks, tuple(readings))


def _moved_unread(old: Policy, new: Policy) -> list[str]:
    from senno.judge.lint import moved_thresholds

    moved = moved_thresholds(old, new)
    told = "; ".join(f"{m.old} → {m.new}" for m in moved)
    return [f"moved: {told}. Past which cases is not known without --predictions"] if moved else []


def _list_rules(as_json: bool) -> int:
    from senno.judge.lint import RULES

    if as_json:
        print_json({"schema_version": 1, "rules": [rule.to_json() for rule in RULES.values()]})
    else:
        rows = [[r.id, r.severity, r.name, f"{r.why} Instead: {r.instead}"] for r in RULES.values()]
        print_table("", ["id", "severity", "name", "why, and what to write instead"], rows)
    return 0


def _print(whole: Linted, notes: Sequence[str]) -> None:
    for finding in whole.findings:
        _print_finding(finding)
    for note in notes:
        click.echo(shown(f"note: {note}"))
    counts = whole.count()
    aside = f", {len(whole.suppressed)} set aside by the file" if whole.suppressed else ""
    click.echo(f"{counts['error']} errors, {counts['warning']} warnings, {counts['info']} notes{aside}")


def _print_finding(finding: Finding) -> None:
    rule = finding.rule
    click.echo(shown(f"{rule.severity} {rule.id} {rule.name}: {finding.place}"))
    words = f"“{finding.words}”" if finding.words else ""
    said = " · ".join(part for part in (words, finding.detail) if part)
    if said:
        click.echo(shown(f"    {said}"))
    click.echo(f"    {rule.why}\n    Instead: {rule.instead}")

"""`senno judge teach`: a case that the judge got wrong becomes an example, and a labelled case."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from senno.cli.judge_lint import read_policy
from senno.cli.output import json_option, print_json, print_table, read_stdin, reader_may_leave
from senno.text import one_line, shown

if TYPE_CHECKING:
    from senno.judge import Policy
    from senno.judge.teaching import CaseChange, Outcome, Teaching

_TOLD = 20
"""Cases that changed, shown one by one."""


@click.command()
@click.argument("checks", type=click.Path(path_type=Path))
@click.option("--question", required=True, help="The question that erred.")
@click.option("--case", type=click.Path(path_type=Path, allow_dash=True), help="The text (or diff) it erred on.")
@click.option("--expect", help="The right answer: true, false, the number of a level, an option.")
@click.option("--id", "case_id", help="A case of the labelled set, in place of --case and --expect.")
@click.option("--labelled", type=click.Path(path_type=Path), help="Default: labelled.jsonl beside CHECKS.")
@click.option(
    "--policy", type=click.Path(path_type=Path), help="Says where yes begins; without it at 0.5. Never edited."
)
@click.option("--judge-model", "--model", "judge_model", help="The model that answers the questions.")
@click.option("--note", default="", help="What the case shows, in place of an excerpt of it.")
@click.option("--dry-run", is_flag=True, help="Show what would change, write nothing.")
@json_option
def teach(
    checks: Path,
    question: str,
    case: Path | None,
    expect: str | None,
    case_id: str | None,
    labelled: Path | None,
    policy: Path | None,
    judge_model: str | None,
    note: str,
    dry_run: bool,
    as_json: bool,
) -> int:
    """Add a case that the judge got wrong to the criteria of a question in CHECKS, on the right side.

    \b
    senno judge teach checks.json --question promises_return --case letter.txt --expect true
    senno judge teach checks.json --question tone --case - --expect 2 --note "polite form, cold content"
    senno judge teach checks.json --question tone --id c17

    The case goes to the labelled set too, and the labelled cases of the question are judged again, with the old
    criteria and with the new, if a model is named. No threshold is ever moved: it is the cost you accept for an error.

    Exits with 1 if a case that was right is wrong now, or this one is still wrong; with 3 if one was not answered.
    """
    from senno import config
    from senno.files import read_text
    from senno.judge.lint import read_linted
    from senno.judge.teaching import prepare, prepare_labelled, write

    loaded = config.load(flags={"models.judge": judge_model})
    cases = labelled or checks.parent / "labelled.jsonl"
    if case_id and not (case or expect):
        teaching = prepare_labelled(checks, question, case_id, cases, note)
    elif case and expect and not case_id:
        text = read_stdin() if str(case) == "-" else read_text(case)
        teaching = prepare(checks, question, text, expect, cases, note)
    else:
        raise click.UsageError("expected --case and --expect, or --id alone")
    rules = read_policy(policy, read_linted(checks)[0]) if policy else None
    outcome = asyncio.run(_judged(loaded, teaching, rules)) if loaded.config.models.judge else None
    if not dry_run:
        write(teaching)
    with reader_may_leave():
        if as_json:
            print_json(_as_json(teaching, outcome, dry_run))
        else:
            _print(teaching, outcome, dry_run)
    return _code(teaching, outcome)


async def _judged(loaded: Any, teaching: Teaching, policy: Policy | None) -> Outcome:
    from senno.judge.teaching import judged_again
    from senno.ledger import Ledger
    from senno.models import calls_from, decision_model

    settings = loaded.config
    model = decision_model(settings.models.judge, samples=settings.calls.samples)
    with Ledger.open(loaded.ledger) as ledger:
        return await judged_again(teaching, model, calls_from(settings, ledger=ledger), policy)


def _code(teaching: Teaching, outcome: Outcome | None) -> int:
    if outcome is None:
        return 0
    counts = outcome.counts()
    own = next(each.change for each in outcome.changes if each.case.id == teaching.case.id)
    if counts["broken"] or own == "wrong":
        return 1
    return 3 if counts["unanswered"] else 0


def _as_json(teaching: Teaching, outcome: Outcome | None, dry_run: bool) -> dict[str, Any]:
    return {
        "schema_version": 1,
        "written": not dry_run,
        "checks": str(teaching.checks_path),
        "key": f"{teaching.question}.criteria.{teaching.key}",
        "line": teaching.line,
        "labelled": str(teaching.labelled_path),
        "case": teaching.case.to_json(),
        "labelling": teaching.labelling,
        "notes": list(teaching.notes),
        "lint": [finding.to_json() for finding in teaching.findings],
        "judged": outcome.to_json() if outcome else None,
    }


def _print(teaching: Teaching, outcome: Outcome | None, dry_run: bool) -> None:
    click.echo(shown(teaching.difference), nl=False)
    done = {"append": "added", "mark": "marked as taught", "there": "there already"}[teaching.labelling]
    click.echo(shown(f"{teaching.labelled_path}: case {teaching.case.id} {done}"))
    for note in teaching.notes:
        click.echo(shown(f"note: {note}"))
    for finding in teaching.findings:
        rule = finding.rule
        click.echo(
            shown(f"{rule.severity} {rule.id} {rule.name}: {finding.place} {finding.detail}\n    {rule.instead}")
        )
    if outcome:
        _print_outcome(outcome)
    else:
        click.echo("not judged again: no model was named (--judge-model, or models.judge)")
    click.echo("nothing written: this was a dry run" if dry_run else "No threshold was moved.")


def _print_outcome(outcome: Outcome) -> None:
    changed = [each for each in outcome.changes if each.change in ("fixed", "broken", "unanswered")]
    rows = [
        [each.change, each.case.id, str(each.expected).lower(), _told(each, "before"), _told(each, "after")]
        for each in changed[:_TOLD]
    ]
    if rows:
        print_table("", ["change", "case", "expected", "before", "after"], rows)
    if len(changed) > _TOLD:
        click.echo(f"… and {len(changed) - _TOLD} more: --json names all")
    counts = outcome.counts()
    told = f"fixed {counts['fixed']}, broken {counts['broken']}, right as before {counts['right']}, "
    told += f"wrong as before {counts['wrong']}, unanswered {counts['unanswered']}"
    click.echo(shown(f"{outcome.question} on {len(outcome.changes)} labelled cases ({outcome.cut}): {told}"))
    click.echo(
        shown(f"answered by {outcome.model or 'nobody'}; other questions were not asked: their text did not change")
    )


def _told(each: CaseChange, when: str) -> str:
    from senno.judge import answer_json

    answer = answer_json(each.before if when == "before" else each.after)
    if "yes" in answer:
        return f"{answer['yes']:.2f}"
    if "probabilities" in answer:
        return ", ".join(f"{option} {p:.2f}" for option, p in answer["probabilities"].items())
    return one_line(answer["unanswered"], 60)

"""`senno judge`: a text before the judge."""

from __future__ import annotations

import asyncio
import sys
from contextlib import redirect_stdout
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from senno.cli.output import json_option, print_json, print_table, read_stdin, reader_may_leave
from senno.text import one_line, shown

if TYPE_CHECKING:
    from senno.judge import Judgement


@click.group()
def judge() -> None:
    """Judge a text: checks, closed questions, policy → verdict."""


@judge.command()
@click.argument("file", type=click.Path(path_type=Path, allow_dash=True))
@click.option("--checks", required=True, type=click.Path(path_type=Path), help="Checks and questions (JSON or YAML).")
@click.option("--policy", required=True, type=click.Path(path_type=Path), help="Thresholds → verdict (JSON or YAML).")
@click.option("--judge-model", "--model", "judge_model", help="The model that answers the questions.")
@click.option("--author", help="The model that wrote the text, if one did: it must not be the one that judges.")
@click.option("--allow-same-model", is_flag=True, default=None, help="Let the author judge.")
@click.option(
    "--prompt", "prompt_file", type=click.Path(path_type=Path), help="What the text answers, for checks that compare."
)
@json_option
def run(
    file: Path,
    checks: Path,
    policy: Path,
    judge_model: str | None,
    author: str | None,
    allow_same_model: bool | None,
    prompt_file: Path | None,
    as_json: bool,
) -> int:
    """Judge the text in FILE (- for standard input).

    \b
    senno judge run answer.txt --checks checks.json --policy policy.json
    senno judge run answer.txt --checks … --policy … --model ollama:llama3.2

    Exits with the verdict's code: 0 for the closing verdict and 1 for others unless the policy says otherwise, 3 where
    a rule that matters has no reading, 4 where a check or a model failed.
    """
    from senno import config as settings
    from senno.files import read_text
    from senno.judge import load_check_file, load_policy

    loaded = settings.load(flags={"models.judge": judge_model, "models.allow_same_model": allow_same_model})
    asked = load_check_file(checks)
    rules = load_policy(policy, asked)
    text = read_stdin() if str(file) == "-" else read_text(file)
    prompt = read_text(prompt_file) if prompt_file else ""
    with redirect_stdout(sys.stderr):  # what a check of the user's own prints is no part of the verdict
        judgement = asyncio.run(_judge(loaded, asked, rules, text, prompt, author))
    with reader_may_leave():  # the exit code is the verdict's all the same
        if as_json:
            print_json({"schema_version": 1, "file": str(file), **judgement.to_json()})
        else:
            _print(judgement)
    return judgement.verdict.exit_code


async def _judge(loaded: Any, asked: Any, rules: Any, text: str, prompt: str, author: str | None) -> Judgement:
    from senno.judge import Judge
    from senno.ledger import Ledger
    from senno.models import Calls, calls_from, decision_model

    settings = loaded.config
    named = settings.models.judge if asked.questions else ""
    model = decision_model(named, samples=settings.calls.samples) if named else None
    judge_ = Judge(
        asked, rules, model, authors=[author] if author else [], allow_same_model=settings.models.allow_same_model
    )
    if model is None:
        return await judge_.judge(text, calls=Calls(), prompt=prompt)
    with Ledger.open(loaded.ledger) as ledger:
        return await judge_.judge(text, calls=calls_from(settings, ledger=ledger), prompt=prompt)


def _print(judgement: Judgement) -> None:
    shown_readings = judgement.to_json()
    rows = [
        [name, "error" if c["passed"] is None else "pass" if c["passed"] else "fail", _detail(c)]
        for name, c in shown_readings["checks"].items()
    ]
    rows += [[name, _answer(a), a.get("unanswered", "")] for name, a in shown_readings["answers"].items()]
    print_table("", ["check", "result", "what shows it"], rows, wrap="what shows it")
    verdict = judgement.verdict
    by = f": {verdict.rule} (it is {verdict.value:.3g})" if verdict.rule and verdict.value is not None else ""
    click.echo(shown(f"{verdict.name}{by}"))
    for reason in verdict.reasons:
        click.echo(shown(f"  no verdict: {reason}"))
    if verdict.score is not None:
        click.echo(f"score {verdict.score:.3f} (weights of the policy)")
    elif verdict.score_missing:
        click.echo(shown(f"score not measured: no reading for {', '.join(verdict.score_missing)}"))
    if judgement.decision:
        decision = judgement.decision
        click.echo(shown(f"answered by {decision.model or 'nobody'} ({decision.method}), {judgement.seconds:.2f} s"))


def _detail(check: dict[str, Any]) -> str:
    if check["passed"] is None:
        return check["error"]
    spans = "; ".join(f"{s['start']}–{s['end']} {one_line(s['text'], 40)!r}" for s in check["spans"][:3])
    return f"{check['detail']}{f' · at {spans}' if spans else ''}"


def _answer(answer: dict[str, Any]) -> str:
    if "yes" in answer:
        return f"{answer['yes']:.2f}"
    if "probabilities" in answer:
        return ", ".join(f"{k} {p:.2f}" for k, p in answer["probabilities"].items())
    return "error"


@judge.command()
@json_option
def checks(as_json: bool) -> None:
    """The kinds of deterministic check: name, what it tests, parameters, an example."""
    from senno.judge.checks import kinds

    found = kinds()
    if as_json:
        print_json({"schema_version": 1, "kinds": [asdict(k) for k in found]})
        return
    rows = [[k.name, k.summary, ", ".join(p.name for p in k.parameters)] for k in found]
    print_table("", ["type", "what it tests", "parameters"], rows, wrap="what it tests")

"""`senno judge`: a text before the judge."""

from __future__ import annotations

import asyncio
import sys
from contextlib import redirect_stdout
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from senno.cli.judge_calibrate import calibrate
from senno.cli.judge_lint import lint
from senno.cli.judge_measure import measure
from senno.cli.judge_standing import print_standings, standings
from senno.cli.judge_teach import teach
from senno.cli.output import json_option, print_json, print_table, read_stdin, reader_may_leave
from senno.text import one_line, shown

if TYPE_CHECKING:
    from senno.judge import Judgement
    from senno.ledger import Ledger
    from senno.models import DecisionModel


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
@click.option("--record", "record_file", type=click.Path(path_type=Path), help="Append the answers to this .jevl file.")
@click.option(
    "--replay", "replay_file", type=click.Path(path_type=Path), help="Answer from this .jevl file: no key, no network."
)
@click.option("--no-cache", is_flag=True, help="Ask again what a pinned model has answered before.")
@json_option
def run(
    file: Path,
    checks: Path,
    policy: Path,
    judge_model: str | None,
    author: str | None,
    allow_same_model: bool | None,
    prompt_file: Path | None,
    record_file: Path | None,
    replay_file: Path | None,
    no_cache: bool,
    as_json: bool,
) -> int:
    """Judge the text in FILE (- for standard input).

    \b
    senno judge run answer.txt --checks checks.json --policy policy.json
    senno judge run answer.txt --checks … --policy … --model typesafe:jev-1.13.0 --record judged.jevl
    senno judge run answer.txt --checks … --policy … --replay judged.jevl

    Exits with the verdict's code: 0 for the closing verdict and 1 for others unless the policy says otherwise, 3 where
    a rule that matters has no reading, 4 where a check or a model failed.
    """
    from senno import config as settings
    from senno.files import read_text
    from senno.judge import load_check_file, load_policy

    if record_file and replay_file:
        raise click.UsageError("--record and --replay: what is replayed is recorded already; give one of them")
    loaded = settings.load(flags={"models.judge": judge_model, "models.allow_same_model": allow_same_model})
    asked = load_check_file(checks)
    rules = load_policy(policy, asked)
    text = read_stdin() if str(file) == "-" else read_text(file)
    prompt = read_text(prompt_file) if prompt_file else ""
    with redirect_stdout(sys.stderr):  # what a check of the user's own prints is no part of the verdict
        answering = _Answering(record_file, replay_file, no_cache)
        judgement = asyncio.run(_judge(loaded, asked, rules, text, prompt, author, answering))
    measured = standings(loaded.ledger, asked, judgement)
    with reader_may_leave():  # the exit code is the verdict's all the same
        if as_json:
            notes = list(judgement.decision.notes) if judgement.decision else []
            print_json({"schema_version": 1, "file": str(file), **judgement.to_json(), "notes": notes, **measured})
        else:
            _print(judgement)
            print_standings(measured)
    return judgement.verdict.exit_code


@dataclass(frozen=True, slots=True)
class _Answering:
    """Where answers come from, and where they go."""

    record: Path | None
    replay: Path | None
    no_cache: bool


async def _judge(
    loaded: Any, asked: Any, rules: Any, text: str, prompt: str, author: str | None, answering: _Answering
) -> Judgement:
    from senno.judge import Judge
    from senno.ledger import Ledger
    from senno.models import Calls, Replayed, calls_from, decision_model

    settings = loaded.config

    def judge_by(model: DecisionModel | None) -> Judge:
        authors = [author] if author else []
        return Judge(asked, rules, model, authors=authors, allow_same_model=settings.models.allow_same_model)

    named = settings.models.judge if asked.questions else ""
    if answering.replay and asked.questions:
        return await judge_by(Replayed(answering.replay, named)).judge(text, calls=Calls(), prompt=prompt)
    if answering.record and not named:
        raise click.UsageError(
            "--record: no model answers anything; name one with --judge-model, for a file of questions"
        )
    if not named:
        return await judge_by(None).judge(text, calls=Calls(), prompt=prompt)
    model = decision_model(named, samples=settings.calls.samples)
    judge_by(model)  # refuses an author before the ledger is made
    with Ledger.open(loaded.ledger) as ledger:
        kept = _kept(model, ledger, settings.calls.samples, answering)
        return await judge_by(kept).judge(text, calls=calls_from(settings, ledger=ledger), prompt=prompt)


def _kept(model: DecisionModel, ledger: Ledger, samples: int, answering: _Answering) -> DecisionModel:
    """The model with what was asked for around it: answers kept for another time, answers written down."""
    from senno.models import Cached, Recorder

    if not answering.no_cache:
        model = Cached.of(model, ledger, samples)
    return Recorder(model, answering.record) if answering.record else model


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
        for note in decision.notes:
            click.echo(shown(f"  {note}"))


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


judge.add_command(measure)
judge.add_command(calibrate)
judge.add_command(lint)
judge.add_command(teach)

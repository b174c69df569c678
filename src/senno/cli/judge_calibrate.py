"""`senno judge calibrate`: the judge held against cases whose right answers are known."""

from __future__ import annotations

import asyncio
import sys
from contextlib import redirect_stdout
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from senno.cli.judge_calibration import print_calibration
from senno.cli.output import json_option, print_json, progress, progress_bar, reader_may_leave
from senno.text import shown

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from senno.config import Loaded
    from senno.judge import Case, CheckFile, Policy
    from senno.judge.calibrating import Answers, Calibrated, Cut, Target
    from senno.judge.measuring import Judgings
    from senno.models import Answer


@click.command()
@click.argument("labelled", type=click.Path(path_type=Path))
@click.option("--checks", required=True, type=click.Path(path_type=Path), help="Checks and questions (JSON or YAML).")
@click.option("--policy", type=click.Path(path_type=Path), help="Whose thresholds are tried; else 0.5 is.")
@click.option("--judge-model", "--model", "judge_model", help="The model that answers the questions.")
@click.option("--predictions", type=click.Path(path_type=Path), help="Answers recorded elsewhere (JSON Lines).")
@click.option("--rate", "rates", multiple=True, metavar="[QUESTION=]YES/N", help="Unlabelled cases answered yes.")
@click.option("--unlabelled", type=click.Path(path_type=Path), help="Answers to unlabelled cases (JSON Lines).")
@click.option("--diagram", type=click.Path(path_type=Path), help="Write a reliability diagram (.svg or .png).")
@click.option("--seed", default=1, show_default=True, help="Of the resampling, and of the halves.")
@click.option("--no-cache", is_flag=True, help="Ask again what a pinned model has answered before.")
@json_option
def calibrate(
    labelled: Path,
    checks: Path,
    policy: Path | None,
    judge_model: str | None,
    predictions: Path | None,
    rates: tuple[str, ...],
    unlabelled: Path | None,
    diagram: Path | None,
    seed: int,
    no_cache: bool,
    as_json: bool,
) -> int:
    """How often the judge is right on the LABELLED cases, on which side it errs, and whether to believe it.

    \b
    senno judge calibrate labelled.jsonl --checks checks.json --policy policy.json --judge-model ollama:llama3.2
    senno judge calibrate labelled.jsonl --checks checks.json --predictions answers.jsonl --diagram out.svg

    LABELLED has a case a line: {"id", "text" or "state", "expect": {question: true, false, a level or an option}};
    --predictions and --unlabelled {"id", "answers": {question: probability}}. Thresholds are proposed, never changed.

    Exits 0 where all is measured, 3 where there are too few cases of a side, 4 where the model did not answer.
    """
    from senno import config as settings
    from senno.judge import load_check_file, load_labelled, load_policy
    from senno.judge.calibrating import check_picture, load_predictions, targets_of

    if predictions and judge_model:
        raise click.UsageError("--judge-model has no use with --predictions")
    if diagram:
        check_picture(diagram)
    asked = load_check_file(checks)
    rules = load_policy(policy, asked) if policy else None
    cases = load_labelled(labelled, asked)
    more = load_predictions(unlabelled, asked) if unlabelled else {}
    stated = dict(_rate(text, [target.name for target in targets_of(cases, {}, asked)]) for text in rates)
    loaded = settings.load(flags={"models.judge": judge_model})
    said = load_predictions(predictions, asked) if predictions else None
    strangers = said.keys() - {case.id for case in cases} if said else ()
    if strangers:
        progress(f"{predictions}: {len(strangers)} answers are of no labelled case ({min(strangers)}, …): left out")
    with redirect_stdout(sys.stderr):  # what a check of the user's own prints is no part of the report
        answers, judgings = asyncio.run(_answers(loaded, asked, cases, said, cached=not no_cache))
    targets = targets_of(cases, answers, asked)
    cuts = [_cut(target, rules) for target in targets]
    given = stated | _rates(more, targets, cuts, stated)
    found = _calibrated(targets, cuts, given, seed)
    return _report(loaded, labelled, asked, rules, cases, answers, judgings, found, diagram, seed, as_json)


def _calibrated(
    targets: Sequence[Target], cuts: Sequence[Cut], given: Mapping[str, tuple[int, int]], seed: int
) -> list[Calibrated]:
    from senno.judge.calibrating import calibrate

    return [
        calibrate(target, cut, seed=seed, unlabelled=given.get(target.name))
        for target, cut in zip(targets, cuts, strict=True)
    ]


async def _answers(
    loaded: Loaded,
    asked: CheckFile,
    cases: Sequence[Case],
    said: Mapping[str, Mapping[str, Answer]] | None,
    *,
    cached: bool,
) -> tuple[dict[str, Answers], Judgings | None]:
    """What was answered of each case; with the judgings where a model was asked."""
    from senno.errors import ConfigError
    from senno.judge import Judge, Policy, PolicyVerdict
    from senno.judge.measuring import Text, judge_again, models_of_repeats
    from senno.ledger import Ledger
    from senno.models import Calls, calls_from

    config = loaded.config
    concerned = [name for name in asked.questions if any(name in case.expect for case in cases)]
    checks = replace(asked, questions={name: asked.questions[name] for name in concerned})
    texts = [Text(case.id, case.id, _text(case), case.state) for case in cases]
    rules = Policy((PolicyVerdict("JUDGED", ()),))  # a version is calibrated before a policy can name it
    if said is not None or not concerned:
        judge = Judge(replace(checks, questions={}), rules)
        judgings = await judge_again([judge], texts, Calls(), concurrency=config.calls.concurrency)
        own = _by_case(judgings)
        return {case.id: {**own[case.id], **(said or {}).get(case.id, {})} for case in cases}, None
    if not config.models.judge:
        raise ConfigError("no model was named to answer the questions; expected --judge-model, or --predictions")
    with Ledger.open(loaded.ledger) as ledger, progress_bar("judged") as told:
        (model,) = models_of_repeats(config.models.judge, 1, config.calls.samples, ledger if cached else None)
        calls = calls_from(config, ledger=ledger)
        judgings = await judge_again(
            [Judge(checks, rules, model)], texts, calls, concurrency=config.calls.concurrency, told=told
        )
    return _by_case(judgings), judgings


def _text(case: Case) -> str:
    if case.text is not None:
        return case.text
    inside = case.state.get("text") if isinstance(case.state, dict) else case.state
    return inside if isinstance(inside, str) else ""


def _by_case(judgings: Judgings) -> dict[str, Answers]:
    from senno.judge import CheckError
    from senno.models import Probability, Unanswered

    found: dict[str, Answers] = {}
    for id_, (judgement,) in judgings.judgements.items():
        answers: dict[str, Answer] = {}
        for name, result in judgement.checks.items() if judgement else ():
            failed = isinstance(result, CheckError)
            answers[name] = Unanswered(str(result)) if failed else Probability(float(result.passed))
        if judgement and judgement.decision:
            answers |= judgement.decision.answers
        found[id_] = answers
    return found


def _cut(target: Target, rules: Policy | None) -> Cut:
    """The first threshold of the policy on this target, read as "yes from here on"."""
    from senno.judge.calibrating import Cut
    from senno.judge.measuring import thresholds_of

    if rules is None or target.is_level:
        return Cut()
    found = thresholds_of(rules, target.question, target.option)
    return Cut(found[0].value, found[0].op in ("gt", "lte"), of_policy=True) if found else Cut()


def _rates(
    more: Mapping[str, Mapping[str, Answer]],
    targets: Sequence[Target],
    cuts: Sequence[Cut],
    stated: Mapping[str, tuple[int, int]],
) -> dict[str, tuple[int, int]]:
    """Of each target: how many unlabelled cases were answered yes, of how many."""
    from senno.models import Distribution, Probability

    found: dict[str, tuple[int, int]] = {}
    for target, cut in zip(targets, cuts, strict=True):
        ps: list[float] = []
        for answers in more.values():
            answer = answers.get(target.question)
            if isinstance(answer, Probability):
                ps.append(answer.yes)
            elif isinstance(answer, Distribution) and not target.is_level:
                ps.append(answer.probabilities[target.option or ""])
        if not ps:
            continue
        if target.name in stated:
            raise click.UsageError(shown(f"--rate and --unlabelled both speak of {target.name}; expected one of them"))
        found[target.name] = (sum(p > cut.value if cut.above else p >= cut.value for p in ps), len(ps))
    return found


def _rate(text: str, names: Sequence[str]) -> tuple[str, tuple[int, int]]:
    name, _, share = text.rpartition("=")
    said, _, whole = share.partition("/")
    if not name and len(names) == 1:
        name = names[0]
    if not (said.isdecimal() and whole.isdecimal() and 0 <= int(said) <= int(whole) > 0):
        raise click.UsageError(f"--rate {text}: expected YES/N, such as 30/200, or QUESTION=YES/N")
    if name not in names:
        raise click.UsageError(shown(f"--rate {text}: unknown question {name!r}; expected one of {', '.join(names)}"))
    return name, (int(said), int(whole))


def _report(
    loaded: Loaded,
    labelled: Path,
    asked: CheckFile,
    rules: Policy | None,
    cases: Sequence[Case],
    answers: Mapping[str, Answers],
    judgings: Judgings | None,
    found: Sequence[Calibrated],
    diagram: Path | None,
    seed: int,
    as_json: bool,
) -> int:
    from senno.judge.calibrating import calibrated_json, graded_json, graded_of, reliability_svg, write_picture

    graded = graded_of(cases, answers, asked)
    grouped = len({case.group for case in cases if case.group is not None})
    report = {
        "labelled": str(labelled),
        "cases": len(cases),
        "groups": grouped,
        "seed": seed,
        "versions": judgings.versions if judgings else {},
        "stopped": judgings.stopped if judgings else None,
        "targets": [calibrated_json(each) for each in found],
        "graded": [graded_json(each) for each in graded],
    }
    if diagram:
        write_picture(diagram, reliability_svg(found))
        progress(f"diagram: {diagram}")
    kept = _keep(loaded, asked, rules, judgings, found, report)
    with reader_may_leave():
        if as_json:
            print_json({"schema_version": 1, **report, **kept})
        else:
            print_calibration(found, graded, kept, grouped)
    return _exit_code(found, judgings)


def _keep(
    loaded: Loaded,
    asked: CheckFile,
    rules: Policy | None,
    judgings: Judgings | None,
    found: Sequence[Calibrated],
    report: dict[str, Any],
) -> dict[str, Any]:
    """What was kept in the ledger, or why nothing was."""
    from senno.judge.measuring import policy_digest, question_digests
    from senno.ledger import Ledger, Measurement, add_measurement
    from senno.stats import NotMeasured

    measured = {each.target.question for each in found if not isinstance(each.youden, NotMeasured)}
    questions = {name: digest for name, digest in question_digests(asked.questions).items() if name in measured}
    reason = None
    if judgings is None:
        reason = "no model was asked"
    elif judgings.stopped:
        reason = judgings.stopped
    elif len(judgings.versions) != 1:
        answered = ", ".join(judgings.versions) or "none"
        reason = f"{len(judgings.versions)} versions answered ({answered}): a calibration holds for one"
    elif not questions:
        reason = "no question has enough cases of both sides"
    if reason or judgings is None:
        return {"kept": None, "model": None, "not_kept": reason}
    version = next(iter(judgings.versions))
    policy = policy_digest(rules) if rules else None
    row = Measurement("calibrate", version, questions, policy, datetime.now(UTC), report)
    with Ledger.open(loaded.ledger) as ledger:
        return {"kept": add_measurement(ledger, row), "model": version, "questions": questions}


def _exit_code(found: Sequence[Calibrated], judgings: Judgings | None) -> int:
    from senno.stats import NotMeasured

    unanswered = sum(sum(each.target.missing.values()) for each in found)
    if (judgings and judgings.stopped) or (unanswered and not any(each.n for each in found)):
        return 4
    few = [each.youden if each.target.is_check else each.ece for each in found]
    return 3 if any(isinstance(each, NotMeasured) for each in few) else 0

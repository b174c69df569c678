"""`senno judge measure`: how far the judge's own numbers move on texts that do not change."""

from __future__ import annotations

import asyncio
import math
import sys
from contextlib import redirect_stdout
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from senno.cli.judge_noise import print_figures, print_history, print_measured, sentences
from senno.cli.output import json_option, print_json, progress_bar, reader_may_leave

if TYPE_CHECKING:
    from collections.abc import Sequence

    from senno.config import Loaded
    from senno.judge import CheckFile, Policy
    from senno.judge.measuring import Judgings, Noise, Text
    from senno.models import Spent

_MOST_TEXTS = 10_000
"""In one comparison: of more, the floor is all but nothing."""


@click.command()
@click.argument("texts", required=False, type=click.Path(path_type=Path))
@click.option("--checks", type=click.Path(path_type=Path), help="Checks and questions (JSON or YAML).")
@click.option("--policy", type=click.Path(path_type=Path), help="Thresholds → verdict (JSON or YAML).")
@click.option("--judge-model", "--model", "judge_model", help="The model that answers the questions.")
@click.option("--repeats", default=5, show_default=True, help="How often each text is judged; 3 at least.")
@click.option("--scores", type=click.Path(path_type=Path), help="Scores recorded elsewhere (CSV) in place of TEXTS.")
@click.option("--history", type=click.Path(path_type=Path), help="Versions and their scores (CSV: version, score).")
@click.option("--pass", "passes", type=float, multiple=True, help="With --scores: a score from which a text passes.")
@click.option("--n", "n", type=click.IntRange(1, _MOST_TEXTS), help="Texts in one comparison; default: those measured.")
@click.option("--seed", default=1, show_default=True, help="Of the resampling.")
@click.option("--no-cache", is_flag=True, help="Ask again what a pinned model has answered before.")
@json_option
def measure(
    texts: Path | None,
    checks: Path | None,
    policy: Path | None,
    judge_model: str | None,
    repeats: int,
    scores: Path | None,
    history: Path | None,
    passes: tuple[float, ...],
    n: int | None,
    seed: int,
    no_cache: bool,
    as_json: bool,
) -> int:
    """How noisy the judge is: the same TEXTS judged again and again.

    \b
    senno judge measure texts.jsonl --checks checks.json --policy policy.json --judge-model ollama:llama3.2
    senno judge measure --scores scores.csv --n 12 --pass 4
    senno judge measure --history history.csv

    TEXTS is a folder of .txt and .md files, or JSON Lines: {"id", "text"} or {"id", "state"}, "item" where several
    texts answer one scenario, "group" for figures of each group. What is measured is kept, and holds for that version
    and those questions alone.

    Exits 0 where all is measured, 3 where something could not be (too few repeats of it), 4 where nothing could.
    """
    given = [name for name, value in (("TEXTS", texts), ("--scores", scores), ("--history", history)) if value]
    if len(given) != 1:
        raise click.UsageError(f"{', '.join(given) or 'nothing'} given; expected one of TEXTS, --scores, --history")
    if texts is None:
        unused = [("--checks", checks), ("--policy", policy), ("--judge-model", judge_model)]
        _refuse_unused([name for name, value in unused if value], given[0])
    if scores is None:
        _refuse_unused(["--pass"] if passes else [], given[0])
    if not all(map(math.isfinite, passes)):
        raise click.UsageError("--pass is no number; expected the lowest score that passes")
    if history:
        return _history(history, as_json)
    if scores:
        return _recorded(scores, n, passes, seed, as_json)
    if checks is None:
        raise click.UsageError("--checks is missing: the questions that TEXTS are judged by")
    assert texts is not None
    judgings = _Judging(texts, checks, policy, judge_model, repeats, not no_cache)
    return _live(judgings, n, seed, as_json)


def _refuse_unused(names: list[str], given: str) -> None:
    if names:
        raise click.UsageError(f"{', '.join(names)} has no use with {given}")


def _history(path: Path, as_json: bool) -> int:
    from senno.judge.measuring import load_history
    from senno.stats import NotMeasured

    found = load_history(path)
    with reader_may_leave():
        if as_json:
            print_json({"schema_version": 1, "history": str(path), **found.to_json()})
        else:
            print_history(found)
    return 3 if isinstance(found.explained, NotMeasured) else 0


def _recorded(path: Path, n: int | None, passes: tuple[float, ...], seed: int, as_json: bool) -> int:
    from senno.errors import FileFormatError
    from senno.judge.measuring import LEAST_REPEATS, Threshold, load_scores, noise_json, noise_of

    found: list[Noise] = []
    for name, repeats in load_scores(path).items():
        most_answers = max(map(len, repeats.items.values()))
        if max(repeats.wanted, most_answers) < LEAST_REPEATS:
            where = f"{path}: set {name}" if name else str(path)
            problem = f"{repeats.wanted} scores of an answer"
            raise FileFormatError(where, problem, f"{LEAST_REPEATS} at least: two give one difference, and no floor")
        cuts = [Threshold("gte", value) for value in passes]
        size = n or min(len(repeats.items), _MOST_TEXTS)
        found.append(noise_of(repeats, n=size, seed=seed, thresholds=cuts))
    with reader_may_leave():
        if as_json:
            figures = [noise_json(each) for each in found]
            print_json({"schema_version": 1, "scores": str(path), "seed": seed, "figures": figures})
        else:
            print_figures(found)
            for each in found:
                sentences(each)
    return _exit_code(found)


def _exit_code(found: Sequence[Noise]) -> int:
    from senno.stats import NotMeasured

    missing = [isinstance(each.sd, NotMeasured) and isinstance(each.fresh, NotMeasured) for each in found]
    return 4 if all(missing) else 3 if any(missing) else 0


@dataclass(frozen=True, slots=True)
class _Judging:
    """What is judged by whom, as the command line says it."""

    texts: Path
    checks: Path
    policy: Path | None
    model: str | None
    repeats: int
    cached: bool


def _live(judging: _Judging, n: int | None, seed: int, as_json: bool) -> int:
    from senno import config as settings
    from senno.errors import ConfigError
    from senno.judge import load_check_file, load_policy
    from senno.judge.measuring import LEAST_REPEATS, load_texts

    if judging.repeats < LEAST_REPEATS:
        raise ConfigError(
            f"--repeats is {judging.repeats}; expected {LEAST_REPEATS} at least: a floor from one difference lets a "
            "quarter of false winners through"
        )
    loaded = settings.load(flags={"models.judge": judging.model})
    asked = load_check_file(judging.checks)
    if not asked.questions:
        raise ConfigError(f"{judging.checks}: no question for a model; a deterministic check has no noise to measure")
    if not loaded.config.models.judge:
        raise ConfigError("no model was named to answer the questions; expected --judge-model, or models.judge")
    rules = load_policy(judging.policy, asked) if judging.policy else None
    found = load_texts(judging.texts)
    with redirect_stdout(sys.stderr):  # what a check of the user's own prints is no part of the report
        judgings, spent = asyncio.run(_judge(loaded, asked, rules, found, judging))
    return _report(loaded, judging.texts, asked, rules, judgings, spent, n, seed, as_json)


async def _judge(
    loaded: Loaded, asked: CheckFile, rules: Policy | None, texts: tuple[Text, ...], judging: _Judging
) -> tuple[Judgings, Spent]:
    from senno.judge import Judge, Policy, PolicyVerdict
    from senno.judge.measuring import judge_again, models_of_repeats
    from senno.ledger import Ledger
    from senno.models import calls_from

    config = loaded.config
    # A version is measured before a policy can name it: here, answers of any are readings.
    rules = replace(rules, model=None) if rules else Policy((PolicyVerdict("JUDGED", ()),))
    with Ledger.open(loaded.ledger) as ledger, progress_bar("judged") as told:
        kept_in = ledger if judging.cached else None
        models = models_of_repeats(config.models.judge, judging.repeats, config.calls.samples, kept_in)
        judges = [Judge(asked, rules, model) for model in models]
        calls = calls_from(config, ledger=ledger)
        found = await judge_again(judges, texts, calls, concurrency=config.calls.concurrency, told=told)
        return found, calls.spent()


def _report(
    loaded: Loaded,
    path: Path,
    asked: CheckFile,
    rules: Policy | None,
    judgings: Judgings,
    spent: Spent,
    n: int | None,
    seed: int,
    as_json: bool,
) -> int:
    from senno.judge.measuring import figures_of, flips_json, noise_json, verdict_flips

    size = n or min(len({text.item for text in judgings.texts}), _MOST_TEXTS)
    found = figures_of(judgings, asked, rules, n=size, seed=seed)
    groups = {g: figures_of(each, asked, rules, n=size, seed=seed) for g, each in judgings.by_group().items()}
    verdicts = verdict_flips(judgings.verdicts()) if rules else None
    report = {
        "texts": str(path),
        "versions": judgings.versions,
        "methods": list(judgings.methods),
        "stopped": judgings.stopped,
        "seed": seed,
        "figures": [noise_json(each) for each in found],
        "groups": {group: [noise_json(each) for each in figures] for group, figures in groups.items()},
        "verdict": flips_json(verdicts) if verdicts else None,
        "tokens_in": spent.tokens_in,
        "tokens_out": spent.tokens_out,
        "cost": None if spent.cost is None else str(spent.cost),
    }
    kept = _keep(loaded, asked, rules, judgings, found, report)
    with reader_may_leave():
        if as_json:
            print_json({"schema_version": 1, **report, **kept})
        else:
            print_measured(found, groups, verdicts, judgings, kept)
    return 4 if judgings.stopped else _exit_code(found)


def _keep(
    loaded: Loaded,
    asked: CheckFile,
    rules: Policy | None,
    judgings: Judgings,
    found: Sequence[Noise],
    report: dict[str, Any],
) -> dict[str, Any]:
    """What was kept in the ledger, or why nothing was."""
    from senno.judge.measuring import policy_digest, question_digests
    from senno.ledger import Ledger, Measurement, add_measurement
    from senno.stats import NotMeasured

    unmeasured = {each.name.partition("=")[0] for each in found if isinstance(each.sd, NotMeasured)}
    questions = {name: d for name, d in question_digests(asked.questions).items() if name not in unmeasured}
    versions = judgings.versions
    reason = None
    if judgings.stopped:
        reason = judgings.stopped
    elif len(versions) != 1:
        reason = f"{len(versions)} versions answered ({', '.join(versions) or 'none'}): a floor holds for one"
    elif not questions:
        reason = "no question was measured"
    if reason:
        return {"kept": None, "model": None, "not_kept": reason}
    version = next(iter(versions))
    policy = policy_digest(rules) if rules else None
    row = Measurement("measure", version, questions, policy, datetime.now(UTC), report)
    with Ledger.open(loaded.ledger) as ledger:
        return {"kept": add_measurement(ledger, row), "model": version, "questions": questions}

"""`senno tune compare`: two versions side by side."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import click

from senno.cli.output import json_option, print_data, print_json, print_table
from senno.cli.tune_history import open_ledger
from senno.text import shown

if TYPE_CHECKING:
    from senno.tune import Found


@click.command()
@click.argument("a")
@click.argument("b")
@json_option
def compare(a: str, b: str, as_json: bool) -> None:
    """Two versions, or one version in two runs: what changed, what each scored, scenario by scenario.

    \b
    senno tune compare start best
    senno tune compare 7kqa/p1b2a 9m2c/p1b2a       one version in two runs
    """
    from senno.tune import find_version

    with open_ledger() as ledger:
        one, other = find_version(ledger, a)[0], find_version(ledger, b)[0]
    told = _compared(one, other)
    if as_json:
        print_json({"schema_version": 1, **told})
        return
    print_data(f"{shown(told['diff']) or 'the text is the same'}\n\n")
    rows = [[name, *(_cell(row[side]) for side in ("a", "b")), _gap(row)] for name, row in told["scenarios"].items()]
    columns = ["scenario", told["a"]["label"], told["b"]["label"], "difference"]
    print_table("", columns, rows, right=columns[1:])
    for line in told["words"]:
        click.echo(shown(line))


def _compared(one: Found, other: Found) -> dict[str, Any]:
    from senno.tune import accept, diff, in_words, plain, score_of

    sides = {"a": one, "b": other}
    trials = {side: each.tuning.training(each.version.id) for side, each in sides.items()}
    means = {
        side: {name: sum(found) / len(found) for name, found in trial.by_scenario().items()} if trial else {}
        for side, trial in trials.items()
    }
    told: dict[str, Any] = {"diff": diff(one.version, other.version), "words": []}
    for side, each in sides.items():
        trial = trials[side]
        score = score_of(trial, each.tuning.clusters) if trial else None
        label = f"{each.version.id} ({each.tuning.run.id})"
        told[side] = {"version": each.version.id, "run": each.tuning.run.id, "label": label, "score": plain(score)}
        told["words"].append(f"{label}: {_words(score)}")
    names = list(dict.fromkeys((*means["a"], *means["b"])))
    told["scenarios"] = {name: {side: means[side].get(name) for side in sides} for name in names}
    told["acceptance"] = None
    control = _repeats(one)
    if trials["a"] and trials["b"] and control:
        found = accept(trials["a"], trials["b"], control, one.tuning.clusters, _rules(one), 1, wired=True)
        told["acceptance"] = found.to_json()
        told["words"].append(f"second against first, as one look: {in_words(found)}")
    else:
        told["words"].append(
            "no noise floor: the first version was not answered three times and more (an incumbent is)"
        )
    return told


def _rules(found: Found) -> Any:
    from senno.tune import Rules

    config = found.tuning.run.config
    return Rules(alpha=config["alpha"], seed=config["seed"])


def _repeats(found: Found) -> list[Any]:
    """The repeats of a version that was an incumbent, each as a trial."""
    from senno.tune import Trial

    trial = found.tuning.trials.get((found.version.id, "control"))
    if trial is None:
        return []
    config = found.tuning.run.config
    return [
        Trial(trial.version, tuple(each for each in trial.judged if each.repeat // config["answers"] == repeat))
        for repeat in range(config["repeats"])
    ]


def _words(score: Any) -> str:
    from senno.cli.tune_view import mean

    return "not tried on the training part" if score is None else mean(score)


def _cell(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}"


def _gap(row: Mapping[str, float | None]) -> str:
    before, after = row["a"], row["b"]
    return "–" if before is None or after is None else f"{after - before:+.3f}"

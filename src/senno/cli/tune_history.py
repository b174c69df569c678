"""What was tuned, out of the ledger: `senno tune history`, `show`, `compare`, `report`, `export`."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from senno.cli.output import json_option, print_data, print_json, print_table, progress, reader_may_leave
from senno.errors import ConfigError
from senno.text import one_line, shown

if TYPE_CHECKING:
    from senno.ledger import Ledger
    from senno.tune import Found, Tuning

_FILE = click.Path(path_type=Path)


def open_ledger() -> Ledger:
    """The ledger of this place, which must be there."""
    from senno import config
    from senno.ledger import Ledger

    path = config.load().ledger
    if not path.exists():
        raise ConfigError(f"{path}: no ledger here yet; a first tuning makes it: senno tune tune.toml")
    return Ledger.open(path)


@click.command()
@click.argument("run_id", required=False)
@click.option("--limit", type=click.IntRange(1), default=20, show_default=True, help="How many runs, newest first.")
@json_option
def history(run_id: str | None, limit: int, as_json: bool) -> None:
    """The tunings, newest first; or the rounds and versions of one."""
    from senno.tune import load_tuning, tunings

    with open_ledger() as ledger:
        if run_id is not None:
            tuning = load_tuning(ledger, run_id)
            _one_run(tuning, as_json)
            return
        found = [load_tuning(ledger, run.id) for run in tunings(ledger, limit)]
    if as_json:
        print_json({"schema_version": 1, "runs": [_run_json(each) for each in found]})
        return
    rows = [
        [
            each.run.id,
            each.run.name,
            each.run.stop or each.run.status,
            each.result.get("outcome", "–"),
            each.start or "–",
            each.best or "–",
            str(len(each.rounds)),
            f"{each.used['all']['calls']:,}",
        ]
        for each in found
    ]
    columns = ["run (UTC)", "of", "stopped", "outcome", "from", "to", "rounds", "calls"]
    print_table("", columns, rows, right=("rounds", "calls"), wrap="outcome")


def _one_run(tuning: Tuning, as_json: bool) -> None:
    from senno.cli.tune_view import held_out, mean, print_rounds, spent

    if as_json:
        rounds = {"rounds": list(tuning.rounds), "held_out": tuning.result.get("held_out")}
        print_json({"schema_version": 1, **_run_json(tuning), **rounds, "versions": _versions_json(tuning)})
        return
    print_rounds(tuning)
    rows = [
        [row.id, row.origin, row.parent or "–", mean(score)]
        for row, version in tuning.versions
        for score in [_best_score(tuning, version.id)]
        if score is not None
    ]
    print_table("Versions", ["version", "made by", "from", "score"], rows, wrap="score")
    lines = [f"{tuning.run.id}: {tuning.run.stop or tuning.run.status}; {spent(tuning.used)}"]
    lines += held_out(tuning.result["held_out"]) if tuning.result.get("held_out") else []
    for line in lines:
        click.echo(shown(line))


def _best_score(tuning: Tuning, version: str) -> Any:
    scores = tuning.scores(version)
    return scores.get("control") or scores.get("look") or scores.get("search")


def _run_json(tuning: Tuning) -> dict[str, Any]:
    run = tuning.run
    return {
        "run": run.id,
        "name": run.name,
        "started": run.started.isoformat(),
        "status": run.status,
        "stop": run.stop,
        "outcome": tuning.result.get("outcome"),
        "start": tuning.start,
        "best": tuning.best,
        "rounds_done": len(tuning.rounds),
        "asked": run.config["models"],
        "answered": dict(tuning.models),
        "seed": run.config["seed"],
        "used": dict(tuning.used),
    }


def _versions_json(tuning: Tuning) -> list[dict[str, Any]]:
    from senno.tune import plain

    return [
        {
            "id": version.id,
            "origin": version.origin,
            "parent": version.parent,
            "made": row.made.isoformat(),
            "scores": {purpose: plain(score) for purpose, score in tuning.scores(version.id).items()},
        }
        for row, version in tuning.versions
    ]


@click.command()
@click.argument("version")
@click.option("--answers", is_flag=True, help="Its answers too.")
@json_option
def show(version: str, answers: bool, as_json: bool) -> None:
    """A version: its text, where it came from, what it scored, in each run that had it.

    VERSION is an id or the beginning of one, `best` or `start`; RUN/VERSION is that of one run.
    """
    from senno.tune import find_version

    with open_ledger() as ledger:
        found = find_version(ledger, version)
    if as_json:
        print_json({"schema_version": 1, **_shown_json(found, answers)})
        return
    first = found[0].version
    print_data(f"{shown(first.text)}\n\n")
    rows = [
        [each.tuning.run.id, purpose, *_score_cells(score)]
        for each in found
        for purpose, score in each.tuning.scores(first.id).items()
    ]
    columns = ["run", "tried as", "score", "scenarios", "scored", "verdicts", "failed"]
    title = f"{first.id}, made by {first.origin}" + (f" from {first.parent}" if first.parent else "")
    print_table(title, columns, rows, right=("score", "scenarios", "scored"), wrap="failed")
    if answers:
        for each in found:
            _print_answers(each)


def _score_cells(score: Any) -> list[str]:
    return [
        "–" if score.mean is None else f"{score.mean:.3f}",
        str(score.n),
        f"{score.scored}/{score.asked}",
        _counted(score.verdicts),
        _counted(score.failed),
    ]


def _counted(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{name} {count}" for name, count in sorted(counts.items(), key=lambda each: -each[1])) or "–"


def _print_answers(found: Found) -> None:
    from senno.tune import KeptScenario

    for answer in found.tuning.answers:
        if answer.version != found.version.id:
            continue
        scenario: KeptScenario = found.tuning.scenarios[answer.scenario]
        click.echo(
            shown(f"{found.tuning.run.id} {answer.scenario} ({answer.purpose} {answer.repeat}): {scenario.text}")
        )
        click.echo(shown(f"  {one_line(answer.text, 2000)}"))


def _shown_json(found: list[Found], answers: bool) -> dict[str, Any]:
    from senno.tune import plain

    version = found[0].version
    runs: list[dict[str, Any]] = []
    for each in found:
        scores = {purpose: plain(score) for purpose, score in each.tuning.scores(version.id).items()}
        told: dict[str, Any] = {"run": each.tuning.run.id, "scores": scores}
        if answers:
            mine = [answer for answer in each.tuning.answers if answer.version == version.id]
            told["answers"] = [plain(answer) for answer in mine]
        runs.append(told)
    return {
        "version": version.id,
        "origin": version.origin,
        "parent": version.parent,
        "parts": dict(version.parts),
        "text": version.text,
        "runs": runs,
    }


@click.command()
@click.argument("run_id", default="last")
@click.option("--output", "-o", type=_FILE, help="The file; default: tune-RUN.html here.")
@json_option
def report(run_id: str, output: Path | None, as_json: bool) -> None:
    """One HTML page of a tuning: scores with error bars and the noise band, verdicts per scenario, diffs."""
    from senno.tune import load_tuning, write_page

    with open_ledger() as ledger:
        tuning = load_tuning(ledger, run_id)
    path = output or Path(f"tune-{tuning.run.id}.html")
    write_page(tuning, path)
    if as_json:
        print_json({"schema_version": 1, "run": tuning.run.id, "file": str(path)})
    else:
        progress(f"written: {path}")


@click.command()
@click.argument("version", default="best")
@click.option("--part", help="One part alone.")
@click.option("--output", "-o", type=_FILE, help="Into this file.")
@json_option
def export(version: str, part: str | None, output: Path | None, as_json: bool) -> None:
    """The prompt of a version as plain text, its variables open; default: the best of the newest tuning."""
    from senno.files import write_text
    from senno.text import did_you_mean
    from senno.tune import find_version

    with open_ledger() as ledger:
        found = find_version(ledger, version)[0].version
    if part is not None and part not in found.parts:
        hint = did_you_mean(part, found.parts)
        raise ConfigError(f"{found.id} has no part {part!r}; expected one of {', '.join(found.parts)}{hint}")
    text = found.text if part is None else found.parts[part]
    if output:
        write_text(output, text + "\n")
        progress(f"written: {output} ({found.id})")
    if as_json:
        print_json({"schema_version": 1, "version": found.id, "text": text, "parts": dict(found.parts)})
    elif not output:
        with reader_may_leave():
            print_data(text + "\n")

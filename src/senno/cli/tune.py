"""`senno tune`: a better prompt, or the words "no measurable difference"."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable, Coroutine
from contextlib import redirect_stdout
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from senno.cli.output import json_option, print_json, progress, reader_may_leave
from senno.cli.run import Money
from senno.cli.tune_compare import compare
from senno.cli.tune_history import export, history, report, show

if TYPE_CHECKING:
    from senno.config import Loaded
    from senno.ledger import Ledger
    from senno.tune import TuneOptions, TuneResult, Watch

    _Begin = Callable[[Ledger, Watch], Coroutine[Any, Any, TuneResult]]

_FILE = click.Path(path_type=Path)


class _FileFirst(click.Group):
    """A group whose first argument may be a tune file: that is tuned."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Take what is no command for the file of `tune run`."""
        if args and args[0] not in self.commands and not args[0].startswith("-"):
            args = ["run", *args]
        return super().resolve_command(ctx, args)


@click.group(cls=_FileFirst)
def tune() -> None:
    """Tune a prompt: scenarios, verdicts, rewrites, acceptance on evidence, a held-out part looked at once.

    \b
    senno tune tune.toml                    tune the prompt that it names
    senno tune plan tune.toml               calls, tokens, cost, the smallest difference it can see
    senno tune examples/finance/en/tune.toml     with no key: models that follow a known law

    Exits with 0 where a better prompt is found (or the target met), 3 for no measurable difference, 1 for worse (or the
    target missed), 4 where it could not.
    """


def _said(function: Any) -> Any:
    """The options of what begins or goes on with a tuning."""
    options = [
        click.option("--answer-model", help="The model that the prompt is for."),
        click.option("--rewrite-model", help="The model that rewrites the prompt."),
        click.option("--judge-model", help="The model that answers the closed questions; none of the others."),
        click.option("--scenarios-model", help="The model that makes scenarios from a brief; default: the rewriter."),
        click.option("--allow-same-model", is_flag=True, help="Let a model that wrote also judge."),
        click.option("--touch-again", is_flag=True, help="Look at a held-out part that another run looked at before."),
        click.option("--max-tokens", type=click.IntRange(1), help="Budget of the run: tokens, in and out."),
        click.option("--max-cost", type=Money(), help="Budget of the run: US dollars."),
        click.option("--max-seconds", type=click.FloatRange(0, min_open=True), help="Budget of the run: seconds."),
        click.option("--max-calls", type=click.IntRange(1), help="Budget of the run: calls to models, in all roles."),
        json_option,
    ]
    for option in reversed(options):
        function = option(function)
    return function


@tune.command()
@click.argument("file", type=_FILE)
@_said
@click.option("--html", type=_FILE, help="Also write the run as one HTML page.")
@click.option("--quiet", is_flag=True, help="No progress on stderr.")
def run(file: Path, html: Path | None, quiet: bool, as_json: bool, **said: Any) -> int:
    """Tune the prompt that FILE (a tune.toml) names. `run` may be left out."""
    from senno.tune import tune as tune_prompt

    loaded, options = _settings(said)

    async def begin(ledger: Ledger, watch: Watch) -> TuneResult:
        return await tune_prompt(file, ledger=ledger, config=loaded.config, options=options, watch=watch)

    return _ended(loaded, begin, html, quiet, as_json)


@tune.command()
@click.argument("run_id", default="last")
@_said
@click.option("--html", type=_FILE, help="Also write the run as one HTML page.")
@click.option("--quiet", is_flag=True, help="No progress on stderr.")
def resume(run_id: str, html: Path | None, quiet: bool, as_json: bool, **said: Any) -> int:
    """Go on with a tuning that was cut off or stopped: to the same end, with nothing paid twice.

    RUN_ID may be cut short, or `last`. One that has come to its end is shown as it is.
    """
    from senno.ledger import Ledger
    from senno.tune import load_tuning
    from senno.tune import resume as go_on

    loaded, options = _settings(said)
    with Ledger.open(loaded.ledger) as ledger:
        found = load_tuning(ledger, run_id).run

    async def begin(ledger: Ledger, watch: Watch) -> TuneResult:
        return await go_on(found.id, ledger=ledger, config=loaded.config, options=options, watch=watch)

    return _ended(loaded, begin, html, quiet, as_json)


def _settings(said: dict[str, Any]) -> tuple[Loaded, TuneOptions]:
    from senno import config as settings
    from senno.tune import TuneOptions

    flags = {f"budget.{kind}": said[f"max_{kind}"] for kind in ("tokens", "cost", "seconds", "calls")}
    models: dict[Any, str] = {
        role: said[f"{role}_model"] for role in ("answer", "rewrite", "judge", "scenarios") if said[f"{role}_model"]
    }
    return settings.load(flags=flags), TuneOptions(models, said["allow_same_model"], said["touch_again"])


def _ended(loaded: Loaded, begin: _Begin, html: Path | None, quiet: bool, as_json: bool) -> int:
    from senno.cli.tune_view import print_result, watching
    from senno.ledger import Ledger
    from senno.tune import load_tuning, write_page

    with Ledger.open(loaded.ledger) as ledger:
        with redirect_stdout(sys.stderr):  # what a model in Python, or a check, prints is no part of the result
            result: TuneResult = asyncio.run(begin(ledger, watching(quiet)))
        tuning = load_tuning(ledger, result.run_id)
    if html:
        write_page(tuning, html)
        progress(f"written: {html}")
    with reader_may_leave():
        if as_json:
            print_json({"schema_version": 1, **result.to_json()})
        else:
            print_result(tuning, result)
    return result.exit_code


@tune.command()
@click.argument("file", type=_FILE)
@_said
def plan(file: Path, as_json: bool, **said: Any) -> None:
    """What tuning FILE will take, and the smallest difference it can see; nothing is called."""
    from senno.cli.tune_view import print_plan
    from senno.ledger import Ledger
    from senno.tune import foresee, load_tune, prepare

    loaded, options = _settings(said)
    ready = prepare(load_tune(file), loaded.config, options)
    if loaded.ledger.exists():
        with Ledger.open(loaded.ledger) as ledger:
            foreseen = foresee(ready, loaded.config, ledger)
    else:
        foreseen = foresee(ready, loaded.config)
    with reader_may_leave():
        if as_json:
            print_json({"schema_version": 1, "name": ready.spec.name, **foreseen.to_json()})
        else:
            print_plan(ready.spec.name, foreseen)


for _command in (history, show, compare, report, export):
    tune.add_command(_command)

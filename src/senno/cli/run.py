"""`senno run`: a loop on a request."""

from __future__ import annotations

import signal
import sys
from collections.abc import Sequence
from contextlib import redirect_stdout
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from senno.cli.output import json_option, print_json, progress, read_stdin, reader_may_leave
from senno.text import one_line, shown

if TYPE_CHECKING:
    from senno.ledger import RunRecord


class Money(click.ParamType[Decimal]):
    """US dollars, exact."""

    name = "dollars"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Decimal:
        """A decimal number above 0."""
        try:
            amount = Decimal(value)
        except InvalidOperation:
            self.fail(f"{value!r} is no amount; expected dollars such as 0.50", param, ctx)
        if not amount.is_finite() or amount <= 0:
            self.fail(f"{value} is not above 0", param, ctx)
        return amount


@click.command()
@click.argument("loop")
@click.argument("request_text", metavar="REQUEST")
@click.option("--model", help="The model that writes, in every role: openai:…, ollama:…, http://HOST/v1, gguf:FILE.")
@click.option("--judge-model", help="The model that answers the closed questions; not the one that writes.")
@click.option(
    "--role-model", "role_models", multiple=True, metavar="ROLE=MODEL", help="A model for one role (critic=…)."
)
@click.option("--allow-same-model", is_flag=True, default=None, help="Let the model that wrote also judge.")
@click.option("--rounds", type=click.IntRange(1, 100), help="Bound on rounds, instead of the loop's own.")
@click.option("--max-tokens", type=click.IntRange(1), help="Budget of the run: tokens, in and out.")
@click.option("--max-cost", type=Money(), help="Budget of the run: US dollars.")
@click.option("--max-seconds", type=click.FloatRange(0, min_open=True), help="Budget of the run: seconds.")
@click.option("--max-calls", type=click.IntRange(1), help="Budget of the run: calls to models.")
@click.option("--html", type=click.Path(path_type=Path), help="Also write the run as one HTML page.")
@click.option("--quiet", is_flag=True, help="No progress on stderr.")
@json_option
def run(
    loop: str,
    request_text: str,
    model: str | None,
    judge_model: str | None,
    role_models: tuple[str, ...],
    allow_same_model: bool | None,
    rounds: int | None,
    max_tokens: int | None,
    max_cost: Decimal | None,
    max_seconds: float | None,
    max_calls: int | None,
    html: Path | None,
    quiet: bool,
    as_json: bool,
) -> int:
    """Run LOOP (a name, or the path of a loop.yaml) on REQUEST; - reads the request from standard input.

    \b
    senno run movies "3 films about cryptography"
    senno run movies "tre commedie italiane degli anni 60" --json
    senno run movies "…" --model ollama:llama3.2 --judge-model openai:gpt-5-mini

    Exit code: 0 all that was asked for was found · 1 fewer · 3 some unverified, or a question to you · 4 it failed.
    """
    from senno import config as settings
    from senno.ledger import Ledger
    from senno.loop import find_loop, load_loop, run_loop_sync

    flags = {
        "models.text": model,
        "models.judge": judge_model,
        "models.allow_same_model": allow_same_model,
        "budget.tokens": max_tokens,
        "budget.cost": max_cost,
        "budget.seconds": max_seconds,
        "budget.calls": max_calls,
    }
    loaded = settings.load(flags=flags)
    own = dict(_role_model(pair) for pair in role_models)
    if own:
        roles = {**loaded.config.models.roles, **own}
        loaded = settings.load(flags={**flags, "models.roles": roles})
    spec = load_loop(find_loop(loop, loaded.loops))
    text = read_stdin() if request_text == "-" else request_text
    names = {key: role.name for key, role in spec.roles.items()}
    with Ledger.open(loaded.ledger) as ledger, _Live(names, off=quiet or as_json) as live:
        try:
            # What a loop's own Python prints is no part of the answer.
            with redirect_stdout(sys.stderr):
                result = run_loop_sync(
                    spec,
                    text,
                    ledger=ledger,
                    config=loaded.config,
                    rounds=rounds,
                    on_step=live.step,
                    ask_user=live.ask if sys.stdin.isatty() and not as_json else None,
                )
        except KeyboardInterrupt:
            if live.run_id and not as_json:
                _print(ledger.run(live.run_id), None)
            raise
        record = ledger.run(result.run_id)
    with reader_may_leave():  # the exit code is the run's all the same
        if as_json:
            print_json({**result.to_json(), "html": str(html) if html else None})
        else:
            _print(record, html)
    if html:
        from senno.loop.page import write_page

        write_page(record, html)
    return result.exit_code


def _role_model(pair: str) -> tuple[str, str]:
    role, equals, name = pair.partition("=")
    if not (role and equals and name):
        raise click.BadParameter(
            f"{pair!r}; expected ROLE=MODEL, such as critic=ollama:llama3.2", param_hint="--role-model"
        )
    return role, name


def _print(record: RunRecord, html: Path | None) -> None:
    from senno.cli.run_view import print_result

    run_id = record.run.id
    print_result(record.run)
    click.echo(f"Run {run_id}. Again: senno runs show {run_id}" + (f". Page: {shown(str(html))}" if html else ""))


class _Live:
    """Progress on stderr: a table that grows on a terminal, a line a step elsewhere."""

    def __init__(self, names: dict[str, str], off: bool) -> None:
        self._names = names
        self._off = off
        self._rows: list[list[str]] = []
        self._live: Any = None
        self.run_id: str | None = None
        """Known when the first step has ended."""

    def __enter__(self) -> _Live:
        return self

    def __exit__(self, *_: object) -> None:
        self._stop()

    def step(self, step: Any) -> None:
        """A step has ended."""
        self.run_id = step.run_id
        if self._off:
            return
        from senno.cli.run_view import step_line, step_row, steps_table

        self._rows.append(step_row(step, self._names))
        if not sys.stderr.isatty():
            progress(step_line(self._rows[-1]))
            return
        if self._live is None:
            from rich.live import Live

            from senno.cli.output import console

            self._live = Live(console=console(sys.stderr), refresh_per_second=4)
            self._live.start()
        self._live.update(steps_table(self._rows))

    def ask(self, questions: Sequence[str]) -> list[str]:
        """Ask the user; the table waits."""
        # asyncio takes Ctrl-C for itself and lets the prompt go on: here it ends the run.
        handler = signal.signal(signal.SIGINT, signal.default_int_handler)
        try:
            self._stop()
            return [click.prompt(one_line(question, 500), err=True) for question in questions]
        except click.Abort:
            raise KeyboardInterrupt from None
        finally:
            signal.signal(signal.SIGINT, handler)

    def _stop(self) -> None:
        if self._live is not None:
            self._live.stop()
            self._live = None

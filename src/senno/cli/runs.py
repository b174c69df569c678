"""`senno runs`: what was run, from the ledger."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, cast

import click

from senno.cli.output import json_option, print_data, print_json, print_table, progress
from senno.errors import ConfigError
from senno.text import one_line, shown

if TYPE_CHECKING:
    from senno.ledger import RunRow


@click.group()
def runs() -> None:
    """What was run: list, show, export."""


def _ledger() -> Path:
    from senno import config

    path = config.load().ledger
    if not path.exists():
        raise ConfigError(f'{path}: no ledger here yet; a first run makes it: senno run movies "3 films about …"')
    return path


@runs.command("list")
@click.option("--limit", type=click.IntRange(1), default=20, show_default=True, help="How many, newest first.")
@click.option("--name", help="Only runs of this loop.")
@json_option
def list_(limit: int, name: str | None, as_json: bool) -> None:
    """The last runs, newest first."""
    from senno.ledger import Ledger, row_json

    with Ledger.open(_ledger()) as ledger:
        found, damaged = ledger.runs(limit=limit, name=name), ledger.damaged()
    for run_id in damaged:
        progress(f"senno: run {run_id} is damaged in the ledger, and is not listed")
    if as_json:
        print_json({"schema_version": 1, "runs": [row_json(run) for run in found]})
        return
    rows = [
        [run.id, _name(run), run.started.strftime("%Y-%m-%d %H:%M"), run.stop or run.status, one_line(run.request, 60)]
        for run in found
    ]
    print_table("", ["run", "of", "started (UTC)", "stopped", "request"], rows, wrap="request")


@runs.command()
@click.argument("run_id", default="last")
@click.option("--calls", "with_calls", is_flag=True, help="Every call too: text sent, text received.")
@json_option
def show(run_id: str, with_calls: bool, as_json: bool) -> None:
    """One run: its steps, its answer. RUN_ID may be cut short, or `last`."""
    from senno.ledger import Ledger, row_json

    with Ledger.open(_ledger()) as ledger:
        record = ledger.run(run_id)
    if as_json:
        calls = {"calls": [row_json(call) for call in record.calls]} if with_calls else {}
        print_json(
            {"schema_version": 1, "run": row_json(record.run), "steps": [row_json(s) for s in record.steps], **calls}
        )
        return
    from senno.cli.run_view import print_calls, print_evidence, print_result, print_run_head, print_steps

    if record.run.kind == "loop":
        print_run_head(record)
        print_steps(record.steps, record.run.config.get("names", {}))
        print_result(record.run)
        print_evidence(record.run.result or {})
    elif record.run.kind == "gate" and "verdict" in (record.run.result or {}):
        from senno.cli.gate_view import print_gate

        print_gate(record.run.result)
    else:
        run = record.run
        result = cast("dict[str, str]", run.result or {})
        click.echo(shown(f"{_name(run)} · run {run.id} · {run.started:%Y-%m-%d %H:%M} UTC · {run.stop or run.status}"))
        click.echo(shown(result.get("error") or run.request))
    if with_calls:
        print_calls(record.calls)


def _name(run: RunRow) -> str:
    """Loops by their own name; anything else by what it is, too."""
    return run.name if run.kind == "loop" else f"{run.kind}: {run.name}"


@runs.command()
@click.argument("run_ids", nargs=-1)
@click.option("--html", type=click.Path(path_type=Path), help="One run as one HTML page, in this file.")
@click.option(
    "--jsonl", type=click.Path(path_type=Path, allow_dash=True), help="Runs, steps and calls, a JSON object a line."
)
def export(run_ids: tuple[str, ...], html: Path | None, jsonl: Path | None) -> None:
    """Write runs to a file: one as a page, or any number (all, if none is named) as JSON Lines; - is stdout."""
    if (html is None) == (jsonl is None):
        raise click.UsageError("say where to: --html FILE, or --jsonl FILE (- for stdout)")
    if html and len(run_ids) > 1:
        raise click.UsageError("a page holds one run; name one (default: the last)")
    from senno.ledger import Ledger, export_jsonl

    with Ledger.open(_ledger()) as ledger:
        if html:
            from senno.loop.page import write_page

            record = ledger.run(run_ids[0] if run_ids else "last")
            if record.run.kind != "loop":
                raise ConfigError(f"run {record.run.id} is of the {record.run.kind}; expected a run of a loop")
            write_page(record, html)
            click.echo(f"written: {html}", err=True)
        elif jsonl:
            names = [ledger.run(run_id).run.id for run_id in run_ids] or None
            import io

            from senno.files import write_text

            text = io.StringIO()
            export_jsonl(ledger, names, text)
            if str(jsonl) == "-":
                print_data(text.getvalue())
                return
            write_text(jsonl, text.getvalue())
            click.echo(f"written: {jsonl}", err=True)

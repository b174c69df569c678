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
from senno.gate.before import Before
from senno.gate.rules import Rules, RuleText, parse_rules

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
    """One of the two files, before the change and by now."""

    path: str
    before: str | None
    now: str | None
    why: str = ""
    """Why the two may differ, in words; empty: they do not."""

    @property
    def touched(self) -> bool:
        """Whether it is not what it was before the change."""
        return bool(self.why)


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
    pair = _pair(before, checks, policy)
    ship = (shipped("checks", language), shipped("policy", language))
    texts = [RuleText(one.path, one.before) for one in pair if one and one.before is not None]
    if len(texts) == 1 and not any(one and one.touched for one in pair):
        raise ConfigError(f"{texts[0].where} is there alone; expected checks and policy beside each other in {FOLDER}/")
    given = len(texts) == 2
    rules = parse_rules(*(texts if given else ship))
    origin = f"{texts[0].where}, {texts[1].where}" if given else f"the rules that ship with senno ({language})"
    touched = [one for one in pair if one and one.touched]
    notes = tuple(
        f"{one.path} {one.why}: what held before the change holds; what is new can only be stricter" for one in touched
    )
    brought = [RuleText(one.path, one.now) for one in pair if one and one.now is not None]
    if not touched or len(brought) < 2:
        return Held(rules, origin, None, notes)
    try:
        return Held(rules, origin, parse_rules(*brought), notes)
    except ConfigError as error:
        raise ConfigError(f"the rules that the change brings cannot be read: {error}") from None


def _pair(before: Before | None, checks: Path | None, policy: Path | None) -> tuple[_File | None, _File | None]:
    if before is None:
        return _outside("checks", checks), _outside("policy", policy)
    names = (_names(before, "checks", checks), _names(before, "policy", policy))
    were = before.texts([name for some in names for name in some])
    return _of(before, names[0], were, checks), _of(before, names[1], were, policy)


def _names(before: Before, kind: _Kind, given: Path | None) -> list[str]:
    """Where one of the two files may be in the repository; nowhere: the operator names one that is elsewhere."""
    if given is None:
        return [f"{FOLDER}/{kind}.{suffix}" for suffix in _SUFFIXES]
    inside = before.tree.inside(given)
    return [] if inside is None else [inside]


def _of(before: Before, names: list[str], were: dict[str, str], given: Path | None) -> _File | None:
    there = [one for name in names if (one := _in_repository(before, name, were.get(name)))]
    if given and not any(one.before is not None or before.touches(one.path) for one in there):
        if there and before.tree.tracks(given):
            raise ConfigError(f"{given}: this is part of another repository, or behind a link; expected a file")
        return _on_disk(str(given), given)
    if sum(one.before is not None for one in there) > 1:
        raise ConfigError(f"{there[0].path} and {there[1].path} are both there; expected one of them")
    # Of two, the one that was there before the change: a second one beside it takes nothing over.
    return next((one for one in there if one.before is not None), there[0] if there else None)


def _outside(kind: _Kind, given: Path | None) -> _File | None:
    for path in [given] if given else [Path(FOLDER) / f"{kind}.{suffix}" for suffix in _SUFFIXES]:
        if given or path.is_file():
            return _on_disk(str(path), path)
    return None


def _in_repository(before: Before, name: str, was: str | None) -> _File | None:
    if before.touches(name):
        return _File(name, was, before.now(name), "is touched by the change")
    path = before.tree.top / name
    if was is None and any(part.is_symlink() for part in (path, path.parent)):
        raise ConfigError(f"{path}: this is a link; expected a file, since a change could move what it points at")
    if was is None:
        return _File(name, None, read_text(path), "is not committed") if path.is_file() else None
    here = path.is_file() and read_text(path) != was.removeprefix("\ufeff")
    return _File(name, was, read_text(path), "is not what is committed") if here else _File(name, was, was)


def _on_disk(name: str, path: Path) -> _File:
    text = read_text(path)
    return _File(name, text, text)

"""The files of a gate: what is asked of a change, and what is made of the answers."""

from __future__ import annotations

import dataclasses
import reprlib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

from senno.errors import FileFormatError
from senno.files import kind_of, parse_mapping
from senno.gate.detectors import DETECTORS, DetectorSettings
from senno.gate.lanes import PARTIAL
from senno.gate.near import BAND
from senno.judge import CheckFile, Policy, parse_check_file, parse_policy
from senno.text import did_you_mean

LIMIT_TOKENS = 24_000
"""Of one request's state: with the questions it stays below the 32 thousand of a decision model's state."""

LEAST_TOKENS = 4_000
"""Below it there is no room for long lines beside a title and a description."""

MOST_TOKENS = 1_000_000
"""No model has room for more."""

_KEYS = ("band", "limit_tokens", "detectors")


@dataclass(frozen=True, slots=True)
class RuleText:
    """A file of rules: its name, and what it says."""

    where: str
    text: str


@dataclass(frozen=True, slots=True)
class Rules:
    """All that a gate goes by."""

    checks: CheckFile
    policy: Policy
    detectors: DetectorSettings = field(default_factory=DetectorSettings)
    band: float = BAND
    limit_tokens: int = LIMIT_TOKENS


def parse_rules(checks: RuleText, policy: RuleText) -> Rules:
    """Read the two files of a gate.

    A policy of a gate has beside the lanes `band` (`{"delta_logit": …}`), `limit_tokens` and `detectors`.

    Raises:
        FileFormatError: with file, key, what was expected.
    """
    asked = parse_check_file(parse_mapping(checks.where, checks.text), checks.where, Path(checks.where).parent)
    where = policy.where
    code = next((name for name, check in asked.checks.items() if check.runs_code), None)
    if code:
        raise FileFormatError(
            f"{checks.where}: {code}", "a check in Python", "none in a gate: it runs no code it judges"
        )
    own = next((name for name in (*asked.questions, *asked.checks) if name in (*DETECTORS, PARTIAL)), None)
    if own:
        raise FileFormatError(f"{checks.where}: {own}", "this is the name of a detector", "another name")
    data = parse_mapping(where, policy.text)
    lanes = {key: value for key, value in data.items() if key not in _KEYS}
    return Rules(
        asked,
        parse_policy(lanes, where, asked, (*DETECTORS, PARTIAL)),
        _detectors(data.get("detectors"), where),
        _band(data.get("band"), where),
        _limit(data.get("limit_tokens", LIMIT_TOKENS), where),
    )


def _band(value: object, where: str) -> float:
    if value is None:
        return BAND
    expected = '{"delta_logit": 0.62}, a number of log-odds from 0 to 10'
    if not isinstance(value, dict) or set(cast("dict[str, Any]", value)) != {"delta_logit"}:
        raise FileFormatError(f"{where}: band", f"found {reprlib.repr(cast('object', value))}", expected)
    width: object = cast("dict[str, Any]", value)["delta_logit"]
    if not isinstance(width, (int, float)) or isinstance(width, bool) or not 0 <= width <= 10:
        raise FileFormatError(f"{where}: band.delta_logit", f"found {reprlib.repr(width)}", expected)
    return float(width)


def _limit(value: object, where: str) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not LEAST_TOKENS <= value <= MOST_TOKENS:
        expected = f"a whole number from {LEAST_TOKENS} to {MOST_TOKENS}"
        raise FileFormatError(f"{where}: limit_tokens", f"found {reprlib.repr(value)}", expected)
    return value


def _detectors(value: object, where: str) -> DetectorSettings:
    if value is None:
        return DetectorSettings()
    if not isinstance(value, dict):
        raise FileFormatError(f"{where}: detectors", f"found {kind_of(value)}", "a mapping of settings")
    known = [each.name for each in dataclasses.fields(DetectorSettings)]
    read: dict[str, Any] = {}
    for key, setting in cast("dict[str, Any]", value).items():
        if key.startswith("_"):
            continue
        at = f"{where}: detectors.{key}"
        if key not in known:
            raise FileFormatError(at, "unknown key", ", ".join(known), did_you_mean(key, known).lstrip("; "))
        read[key] = _setting(key, setting, at)
    return DetectorSettings(**read)


def _setting(key: str, value: object, at: str) -> object:
    default: object = getattr(DetectorSettings(), key)
    if isinstance(default, (tuple, frozenset)):
        names = _texts(value, at)
        odd = next((name for name in names if key == "off" and name not in DETECTORS), None)
        if odd:
            raise FileFormatError(at, f"unknown detector {odd!r}", ", ".join(DETECTORS))
        return frozenset(names) if isinstance(default, frozenset) else tuple(names)
    if value is None and key != "max_line_length":
        return None
    if not isinstance(value, int) or isinstance(value, bool) or value < 1:
        raise FileFormatError(at, f"found {reprlib.repr(value)}", "a whole number from 1, or null for no limit")
    return value


def _texts(value: object, at: str) -> list[str]:
    items = cast("list[object]", value) if isinstance(value, list) else None
    if items is None or not all(isinstance(item, str) and item for item in items):
        raise FileFormatError(at, f"found {kind_of(value)}", "a list of texts")
    return cast("list[str]", items)

"""Reading a policy file: what it may not say is refused here, with file, key and what was expected."""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

from senno.errors import FileFormatError
from senno.files import kind_of, read_mapping
from senno.judge.checkfile import CheckFile
from senno.judge.policy import Policy, PolicyVerdict, Rule
from senno.judge.questions import AskedQuestion
from senno.models import Choice, Score
from senno.text import did_you_mean

_OPS = ("gte", "gt", "lte", "lt")


def load_policy(path: Path, checks: CheckFile, extra: tuple[str, ...] = ()) -> Policy:
    """Read a policy and hold it against the checks and questions it decides on.

    Args:
        path: a JSON or YAML file with `verdicts` (or `lanes`) and, where a score is wanted, `weights`.
        checks: the names it may use.
        extra: further names with a value in [0, 1], which a caller reads by itself.

    `on_error` names the verdict that stands where there is none, `model` the version the thresholds were set on.

    Raises:
        FileFormatError: unknown check, no closing verdict, a verdict that cannot be reached, a threshold out of
            range, weights that do not add up, an unknown key, …
    """
    return parse_policy(read_mapping(path), str(path), checks, extra)


def parse_policy(data: Mapping[str, Any], where: str, checks: CheckFile, extra: tuple[str, ...] = ()) -> Policy:
    """`load_policy`, from a mapping already read."""
    return _Reader(where, checks, extra).policy(data)


class _Reader:
    """Holds what every refusal needs: the file and the names that exist."""

    def __init__(self, where: str, checks: CheckFile, extra: tuple[str, ...]) -> None:
        self._where = where
        self._questions = checks.questions
        self._names = (*checks.checks, *checks.questions, *extra)

    def _refuse(self, key: str, problem: str, expected: str, hint: str = "") -> FileFormatError:
        return FileFormatError(f"{self._where}: {key}" if key else self._where, problem, expected, hint)

    def _keys(self, at: str, data: Mapping[str, Any], known: tuple[str, ...]) -> None:
        for key in data:
            if key not in known and not key.startswith("_"):
                hint = did_you_mean(key, known).lstrip("; ")
                raise self._refuse(f"{at}.{key}".lstrip("."), "unknown key", ", ".join(known), hint)

    def policy(self, data: Mapping[str, Any]) -> Policy:
        self._keys("", data, ("verdicts", "lanes", "weights", "on_error", "model"))
        if "verdicts" in data and "lanes" in data:
            raise self._refuse("lanes", "both verdicts and lanes", "one of the two: they mean the same")
        key = "lanes" if "lanes" in data else "verdicts"
        entries = data.get(key)
        if not isinstance(entries, list) or not entries:
            found = "an empty list" if entries == [] else kind_of(entries)
            raise self._refuse(key, f"found {found}", "a list of verdicts")
        rows = cast("list[object]", entries)
        verdicts = tuple(self._verdict(f"{key}.{n}", row, n == len(rows) - 1) for n, row in enumerate(rows))
        names = [v.name for v in verdicts]
        twin = next((n for n in names if names.count(n) > 1), None)
        if twin:
            raise self._refuse(key, f"two verdicts are named {twin!r}", "a name of its own for each")
        weights = self._weights(data.get("weights"))
        return Policy(verdicts, weights, self._on_error(data.get("on_error"), verdicts), self._model(data.get("model")))

    def _on_error(self, name: object, verdicts: tuple[PolicyVerdict, ...]) -> str | None:
        if name is None:
            return None
        stop = [verdict.name for verdict in verdicts[:-1] if verdict.exit_code]
        if name not in stop:
            hint = "A failure is no pass" if name in [verdict.name for verdict in verdicts] else ""
            expected = "one of " + ", ".join(stop) if stop else "none: every verdict here exits with 0"
            raise self._refuse("on_error", f"found {name!r}", expected, hint)
        return cast("str", name)

    def _model(self, name: object) -> str | None:
        if name is not None and not (isinstance(name, str) and name.strip()):
            raise self._refuse("model", f"found {name!r}", "the version that answers, such as jev-1.13.0")
        return name

    def _verdict(self, at: str, row: object, last: bool) -> PolicyVerdict:
        if not isinstance(row, dict):
            raise self._refuse(at, f"found {kind_of(row)}", "a mapping with name and rules")
        data = cast("dict[str, Any]", row)
        self._keys(at, data, ("name", "rules", "match", "exit_code", "color"))
        name = data.get("name")
        if not (isinstance(name, str) and name.strip()) or name in ("ERROR", "UNDECIDED"):
            raise self._refuse(f"{at}.name", f"found {name!r}", "a name, not ERROR nor UNDECIDED: those are senno's")
        rules = data.get("rules")
        if not isinstance(rules, list):
            raise self._refuse(
                f"{at}.rules", f"found {kind_of(rules)}", "a list of rules; an empty one closes the file"
            )
        if last and rules:
            raise self._refuse(f"{at}.rules", f"{name} is last and has rules", "a closing verdict: one with no rules")
        if not last and not rules:
            raise self._refuse(
                f"{at}.rules", f"{name} always matches, so nothing below it can be reached", "it to be the last verdict"
            )
        match = data.get("match", "any")
        if match not in ("any", "all"):
            raise self._refuse(f"{at}.match", f"found {match!r}", '"any" or "all"')
        code = data.get("exit_code", 0 if last else 1)
        if not isinstance(code, int) or isinstance(code, bool) or not 0 <= code <= 125:
            raise self._refuse(f"{at}.exit_code", f"found {code!r}", "a whole number from 0 to 125")
        read = tuple(self._rule(f"{at}.rules.{n}", r) for n, r in enumerate(cast("list[object]", rules)))
        return PolicyVerdict(name, read, match, code)

    def _rule(self, at: str, row: object, nested: bool = False) -> Rule:
        if not isinstance(row, dict):
            raise self._refuse(at, f"found {kind_of(row)}", "a mapping with check, op and value")
        data = cast("dict[str, Any]", row)
        self._keys(
            at, data, ("check", "op", "value", "option") if nested else ("check", "op", "value", "option", "unless")
        )
        check = data.get("check")
        if check not in self._names:
            hint = did_you_mean(str(check), self._names).lstrip("; ")
            raise self._refuse(f"{at}.check", f"unknown check {check!r}", ", ".join(self._names), hint)
        op = data.get("op")
        if op not in _OPS:
            raise self._refuse(f"{at}.op", f"found {op!r}", ", ".join(_OPS))
        option = self._option(at, check, data.get("option"))
        value = self._threshold(f"{at}.value", data.get("value"), check, option)
        top = self._top(check, option)
        if (op == "gt" and value >= top) or (op == "lt" and value <= 0):
            bound = f"a value below {top:g}, or gte" if op == "gt" else "a value above 0, or lte"
            raise self._refuse(f"{at}.value", f"nothing is {'above' if op == 'gt' else 'below'} {value:g}", bound)
        held = data.get("unless", [])
        others = cast("list[object]", held if isinstance(held, list) else [held])
        unless = tuple(self._rule(f"{at}.unless.{n}", r, nested=True) for n, r in enumerate(others))
        return Rule(check, op, value, option, unless)

    def _option(self, at: str, check: str, option: object) -> str | None:
        asked = self._questions.get(check)
        options = _options(asked)
        if option is None:
            if isinstance(asked and asked.question, Choice):
                raise self._refuse(f"{at}.option", f"{check} is a choice", "one of its options: " + ", ".join(options))
            return None
        if option not in options:
            expected = ", ".join(options) if options else f"no option: {check} is no choice and no score"
            raise self._refuse(f"{at}.option", f"found {option!r}", expected)
        return str(option)

    def _threshold(self, at: str, value: object, check: str, option: str | None) -> float:
        top = self._top(check, option)
        if not isinstance(value, (int, float)) or isinstance(value, bool) or not 0 <= value <= top:
            raise self._refuse(at, f"found {value!r}", f"a number from 0 to {top:g}")
        return float(value)

    def _top(self, check: str, option: str | None) -> float:
        asked = self._questions.get(check)
        return asked.top if asked and option is None else 1.0

    def _weights(self, weights: object) -> dict[str, float]:
        if weights is None:
            return {}
        if not isinstance(weights, dict) or not weights:
            raise self._refuse("weights", f"found {kind_of(cast('Any', weights))}", "a mapping of check to weight")
        read: dict[str, float] = {}
        for name, weight in cast("dict[str, object]", weights).items():
            if name not in self._names:
                hint = did_you_mean(name, self._names).lstrip("; ")
                raise self._refuse(f"weights.{name}", "unknown check", ", ".join(self._names), hint)
            if isinstance(self._questions.get(name) and self._questions[name].question, Choice):
                raise self._refuse(f"weights.{name}", "a choice has no direction", "a check, a noul or a score")
            if not isinstance(weight, (int, float)) or isinstance(weight, bool) or not 0 < weight < math.inf:
                raise self._refuse(f"weights.{name}", f"found {weight!r}", "a number above 0")
            read[name] = float(weight)
        total = math.fsum(read.values())
        whole = next((w for w in (1.0, 100.0) if math.isclose(total, w, rel_tol=1e-9)), None)
        if whole is None:
            raise self._refuse("weights", f"they add up to {total:g}", "1, or 100")
        return {name: weight / whole for name, weight in read.items()}


def _options(asked: AskedQuestion | None) -> tuple[str, ...]:
    question = asked.question if asked else None
    if isinstance(question, Choice):
        return tuple(question.options)
    return tuple(str(n) for n in range(len(question.levels))) if isinstance(question, Score) else ()

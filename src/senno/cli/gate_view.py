"""A result of the gate for people: from its JSON, so that a recorded run is shown as it was."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import click

from senno.cli.output import print_table
from senno.text import one_line, shown

_MOST = 20
"""Lines of a list that may be long; the rest is counted."""


def print_gate(result: Mapping[str, Any]) -> None:
    """The lane first, then what it stands on."""
    by = f": {result['rule']} (it is {result['value']:.3g})" if result["rule"] else ""
    state = "" if result["state"] == "decided" else f" ({result['state']})"
    _say(f"{result['verdict']}{state}{by}")
    if result["override"]:
        one = result["override"]
        _say(f"  let through by {one['by']} on {one['at'][:10]}: {one['because']}")
    for reason in result["reasons"]:
        _say(f"  no verdict: {reason}")
    for each in result["fired"][1:]:
        _say(f"  and {each['rule']} (it is {each['value']:.3g})")
    if result["tightened"]:
        _say("  by the rules that the change brings, which are stricter")
    _findings(result)
    _answers(result)
    _lists(result)
    _last(result)


def _findings(result: Mapping[str, Any]) -> None:
    rows = [[_place(f) or "–", f["detector"], one_line(f["message"], 200)] for f in result["findings"][:_MOST]]
    if rows:
        print_table("", ["where", "detector", "what was found"], rows, wrap="what was found")
    _more(result["findings"])


def _answers(result: Mapping[str, Any]) -> None:
    rows = [[name, *_answer(each)] for name, each in result["answers"].items()]
    if rows:
        print_table("", ["question", "answer", "of"], rows, wrap="of")


def _answer(each: Mapping[str, Any]) -> list[str]:
    if "missing" in each:
        return ["error", one_line(each["missing"], 200)]
    names = each["files"]
    of = ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")
    if "options" in each and each["value"] is not None and each["options"]:
        best = max(each["options"], key=each["options"].__getitem__)
        value = f"{each['value']:.2f}" if best.isdigit() else f"{best} {each['options'][best]:.2f}"
        return [value, of]
    return [f"{each['value']:.2f}", of]


def _lists(result: Mapping[str, Any]) -> None:
    if result["near"]:
        _say("Near a threshold, for a person to look at:")
        for each in result["near"]:
            _say(f"  {each['rule']} (it is {each['value']:.3g})")
    told = {
        "Not judged:": [f"{_place(o)}: {o['reason']}" for o in result["omitted"]],
        "Not screened:": _unscreened(result["unscreened"]),
        "Allowed by the policy:": [f"{f['path']}: {f['message']}" for f in result["allowed"]],
        "Notes:": result["notes"],
    }
    for title, lines in told.items():
        if lines:
            _say(title)
            for line in lines[:_MOST]:
                _say(f"  {one_line(line, 300)}")
            _more(lines)


def _unscreened(each: Sequence[Mapping[str, Any]]) -> list[str]:
    """By file and reason, with the detectors that could not look."""
    found: dict[tuple[str, str], list[str]] = {}
    for one in each:
        found.setdefault((one["path"], one["reason"]), []).append(one["detector"])
    return [f"{path}: {reason} ({', '.join(names)})" for (path, reason), names in found.items()]


def _last(result: Mapping[str, Any]) -> None:
    left_out = result["rules_left_out"]
    if left_out:
        names = dict.fromkeys(rule.partition(": ")[2].split(" ")[0].partition("=")[0] for rule in left_out)
        _say(f"No question was asked: {len(left_out)} rules were left out, on {', '.join(names)}")
    change = result["change"]
    _say(f"{_counted(change['files'], 'file')}, +{change['added']} −{change['removed']} · rules: {result['rules']}")
    if result["parts"]:
        tokens = "?" if result["tokens_in"] is None else f"{result['tokens_in']:,}"
        cost = "price not known" if result["cost"] is None else f"${float(result['cost']):.4f}"
        _say(
            f"answered by {result['model'] or 'nobody'} ({result['method']}) on "
            f"{_counted(result['parts'], 'part')}, {tokens} tokens, {cost}, {result['seconds']:.2f} s"
        )
    if result["exit_code"] and result["run_id"]:
        _say(f"run {result['run_id']} · to let it through: senno gate override {result['run_id']} --because …")


def _counted(count: int, what: str) -> str:
    return f"{count:,} {what}{'' if count == 1 else 's'}"


def _place(each: Mapping[str, Any]) -> str:
    return f"{each['path']}:{each['line']}" if each["line"] else each["path"]


def _more(items: list[Any]) -> None:
    if len(items) > _MOST:
        _say(f"  … and {len(items) - _MOST} more (--json has all)")


def _say(text: str) -> None:
    click.echo(shown(text))

"""A run as tables: its steps, its answer. The same for a run that goes on and for one in the ledger."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import TYPE_CHECKING, Any, cast

from senno.cli.output import console, table
from senno.ledger import CallRow, RunRecord, RunRow, StepRow, totals
from senno.loop import PYTHON, STOP_WORDS
from senno.text import one_line, shown

if TYPE_CHECKING:
    from rich.console import Console

_PYTHON = f" ({PYTHON})"
MARKS = {"pass": "✓", "fail": "✗", "unverified": "?"}
STEP_COLUMNS = ("#", "step", "round", "↑ in", "↓ out", "cost", "seconds", "what came of it")


def figure(value: int | None, calls: int) -> str:
    """Tokens: `–` where no model was called, `?` where the provider did not say."""
    if not calls:
        return "–"
    return "?" if value is None else f"{value:,}"


def dollars(cost: Decimal | None, calls: int) -> str:
    """US dollars: `–` where no model was called, `?` where the price is not known."""
    if not calls:
        return "–"
    return "?" if cost is None else f"${cost:.4f}"


def step_row(step: StepRow, names: Mapping[str, str]) -> list[str]:
    """One step as the cells of `STEP_COLUMNS`."""
    return [
        str(step.number),
        names.get(step.role, step.role.capitalize()),
        str(step.round) if step.round else "",
        figure(step.tokens_in, step.calls),
        figure(step.tokens_out, step.calls),
        dollars(step.cost, step.calls),
        f"{step.seconds:.2f}",
        summary(step),
    ]


def summary(step: StepRow) -> str:
    """What came of a step, in one line."""
    if step.error:
        return f"error: {one_line(step.error, 300)}"
    return one_line(_OUTPUTS.get(step.role, _values)(step.output), 300) + "".join(
        f" · {one_line(note, 160)}" for note in step.notes
    )


def _values(output: Any) -> str:
    if not isinstance(output, dict):
        return str(output)
    told = {
        k: v
        for k, v in cast("dict[str, Any]", output).items()
        if v not in (None, "", [], False, "all") and not k.startswith("original")
    }
    return ", ".join(f"{k}: {_plain(v)}" for k, v in told.items())


def _plain(value: Any) -> str:
    if isinstance(value, list):
        return ", ".join(_plain(v) for v in cast("list[Any]", value))
    if isinstance(value, dict):
        short = [str(v) for v in cast("dict[str, Any]", value).values() if not isinstance(v, (dict, list))]
        return " ".join(short[:2])
    return str(value)


def _critic(output: Any) -> str:
    # As code holds them: a pass on a source that nobody returned is none.
    checked = output.get("as_checked") or {str(item["number"]): item["checks"] for item in output["items"]}
    rows = [f"{n}: " + " ".join(f"{c['check']} {MARKS[c['status']]}" for c in each) for n, each in checked.items()]
    return "; ".join(rows)


def _judge(output: Any) -> str:
    return "; ".join(f"{_plain(row['item'])}: {row['became']}{_probabilities(row['answers'])}" for row in output)


def _probabilities(answers: Mapping[str, Any]) -> str:
    told = [f"{name} {a['yes']:.2f}" for name, a in answers.items() if "yes" in a]
    return f" ({', '.join(told)})" if told else ""


def _curator(output: Any) -> str:
    return f"words for {len(output['items'])} item(s)"


_OUTPUTS = {"critic": _critic, "judge": _judge, "curator": _curator}


def step_line(row: Sequence[str]) -> str:
    """A step as one line, for where there is no terminal."""
    number, name, round_, tokens_in, tokens_out, cost, seconds, what = row
    spent = "" if tokens_in == "–" else f" ↑{tokens_in} ↓{tokens_out} {cost}"
    return f"{number:>2} {name}{f' (round {round_})' if round_ else ''}{spent} {seconds} s: {what}"


def steps_table(rows: Sequence[Sequence[str]]) -> Any:
    """The table of steps."""
    right = ("#", "round", "↑ in", "↓ out", "cost", "seconds")
    return table("Steps", STEP_COLUMNS, rows, right=right, wrap=STEP_COLUMNS[-1])


def print_steps(steps: Sequence[StepRow], names: Mapping[str, str]) -> None:
    """The table of steps, on stdout."""
    console().print(steps_table([step_row(step, names) for step in steps]))


def print_result(run: RunRow) -> None:
    """The answer of a run, what was left out, and why it stopped."""
    result: dict[str, Any] = run.result or {}
    out = console()
    checks = _check_order(result)
    if result.get("items"):
        columns = ["", "item", *checks, "p", "state", "source"]
        rows = [_item_row(n, item, checks) for n, item in enumerate(result["items"], 1)]
        out.print(table(f"Answer: {one_line(run.request, 90)}", columns, rows, wrap="source"))
    for line in [*_legend(run, result), *_lines(result), *_closing(run, result)]:
        _print_wrapped(out, line)


def _print_wrapped(out: Console, text: str) -> None:
    """Long lines broken at words, what follows as far in as the line itself; line ends of the text are kept."""
    first, *others = shown(text).split("\n")
    indent = " " * (len(first) - len(first.lstrip()))
    for line in (first, *(indent + other for other in others)):
        out.print(textwrap.fill(line, max(40, out.width), subsequent_indent=indent, break_long_words=False))


def _legend(run: RunRow, result: Mapping[str, Any]) -> list[str]:
    """What the probabilities in the table are, and who gave them."""
    questions = dict.fromkeys(name for item in result.get("items", []) for name in item["probabilities"])
    if not questions:
        return []
    judge = run.config.get("models", {}).get("judge", "?")
    what = f"p: probability that {', '.join(questions)} is answered yes, by {judge.removesuffix(_PYTHON)}"
    return [what + (", a score of the loop's own and not calibrated." if judge.endswith(_PYTHON) else "."), ""]


def _check_order(result: Mapping[str, Any]) -> list[str]:
    items = [*result.get("items", []), *result.get("left_out", [])]
    return list(dict.fromkeys(c["check"] for item in items for c in item["checks"]))


def _item_row(number: int, item: Mapping[str, Any], checks: Sequence[str]) -> list[str]:
    status = {c["check"]: MARKS[c["status"]] for c in item["checks"]}
    p = ", ".join(f"{value:.2f}" for value in item["probabilities"].values())
    cited = {s for c in item["checks"] for s in c["sources"]}
    sources = [e["source"] for e in item["evidence"] if not cited or e["id"] in cited]
    state = item["state"].upper() if item["state"] != "accepted" else "accepted"
    return [str(number), item["name"], *(status.get(c, "") for c in checks), p or "–", state, "; ".join(sources[:3])]


def _lines(result: Mapping[str, Any]) -> list[str]:
    lines = [result["intro"], ""] if result.get("intro") else []
    for n, item in enumerate(result.get("items", []), 1):
        mark = " [UNVERIFIED]" if item["state"] == "unverified" else ""
        why = [f"   why unverified: {one_line(w, 200)}" for w in item["why"]] if mark else []
        lines += [f"{n}. {item['name']}{mark}", *([f"   {item['text']}"] if item["text"] else []), *why]
    lines += ["", result["outro"]] if result.get("outro") else []
    left = result.get("left_out", [])
    if left:
        lines += ["", "Left out:"]
        lines += [
            f"  {i['name']}: {i['state']}" + (f": {one_line('; '.join(i['why']), 240)}" if i["why"] else "")
            for i in left
        ]
    lines += [f"? {question}" for question in result.get("questions", [])]
    return lines


def _closing(run: RunRow, result: Mapping[str, Any]) -> list[str]:
    if not result or run.stop is None:
        return [f"This run is {run.status}: no result was recorded."]
    unsure = sum(i["state"] == "unverified" for i in result.get("items", []))
    count = f"{result.get('accepted', 0)} of {result.get('wanted', 0)} accepted"
    lines = ["", f"{count}{f', {unsure} unverified' if unsure else ''}. Stopped: {STOP_WORDS[run.stop]} ({run.stop})."]  # type: ignore[index]
    if result.get("error"):
        lines.append(f"Error: {result['error']}")
    lines += [f"Note: {note}" for note in result.get("notes", [])]
    models = run.config.get("models", {})
    if all(model.endswith((PYTHON, _PYTHON)) for model in models.values()):
        lines.append(
            "No language model took part: what ships with the loop stood in. To add one: --model openai:…, "
            "anthropic:…, ollama:…, http://HOST/v1, gguf:FILE (senno doctor says what is set up)."
        )
    elif models.get("judge", "").endswith(_PYTHON) and result.get("items"):
        name = models["judge"].removesuffix(_PYTHON)
        lines.append(f"The closed questions were answered by {name}, no language model: name one with --judge-model.")
    return lines


def print_run_head(record: RunRecord) -> None:
    """What was run, when, with which models, and what it used."""
    run, out = record.run, console()
    models = ", ".join(f"{role} {model}" for role, model in run.config.get("models", {}).items())
    used = totals(record).overall
    out.print(shown(f"{run.name} · run {run.id} · {run.started:%Y-%m-%d %H:%M:%S} UTC · {run.status}"))
    out.print(shown(f"Request: {one_line(run.request, 500)}"))
    out.print(shown(f"Models: {models}"))
    if used.calls or used.refused:
        parts = [
            f"{used.calls} calls",
            f"↑ {_sum(used.tokens_in)} ↓ {_sum(used.tokens_out)} tokens ({_sum(used.tokens_cached)} cached)",
            f"cost in US dollars {_sum(used.cost)}",
            f"{used.refused} refused by a budget" if used.refused else "",
        ]
        out.print(", ".join(filter(None, parts)))


def _sum(total: Any) -> str:
    if total.known is None:
        return "not known"
    return f"{total.known}" + (f" + {total.unknown} not known" if total.unknown else "")


def print_evidence(result: Mapping[str, Any]) -> None:
    """Why each item is where it is: what the critic said of it, and what the sources say."""
    out = console()
    for item in [*result.get("items", []), *result.get("left_out", [])]:
        _print_wrapped(out, f"\n{item['name']}: {item['state']} in round {item['round']}")
        for check in item["checks"]:
            cites = f" [{', '.join(check['sources'])}]" if check["sources"] else ""
            said = f"{MARKS[check['status']]} {check['check']}: {one_line(check['explanation'], 300)}"
            _print_wrapped(out, f"  {said}{cites}")
        for name, p in item["probabilities"].items():
            _print_wrapped(out, f"  p {name}: {p:.2f}")
        for evidence in item["evidence"]:
            _print_wrapped(out, f"  {evidence['id']} {evidence['source']}: {one_line(evidence['says'], 500)}")


def print_calls(calls: Sequence[CallRow]) -> None:
    """Every call as people read it: what was sent, what came back. `--json` has the exact text."""
    out = console()
    for call in calls:
        answered = call.model_answered or "no answer"
        head = f"call {call.id} · {call.role} · {call.model_asked} → {answered} · {call.outcome} · {call.seconds:.2f} s"
        out.print(shown(f"\n── {head}"))
        out.print(shown(_readable("sent", call.sent)))
        out.print(shown(_readable("received", call.received) if call.received is not None else f"error: {call.error}"))


def _readable(what: str, text: str) -> str:
    """JSON text as its parts: the texts in it with their line ends, all else on a line."""
    try:
        parts: Any = json.loads(text)
    except json.JSONDecodeError:
        return f"{what}: {text}"
    lines = [f"{what}:"]
    for name, value in cast("dict[str, Any]", parts).items() if isinstance(parts, dict) else [("", parts)]:
        if name == "messages":
            lines += [f"[{m.get('role', '?')}] {m.get('text', '')}" for m in value]
        elif value not in (None, [], {}, ""):
            lines.append(f"[{name}] {value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)}")
    return "\n".join(lines)

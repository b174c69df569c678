"""A tuning on a terminal: its progress, its result, its plan."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import click

from senno.cli.output import print_table, progress
from senno.text import one_line, shown
from senno.tune import STOP_WORDS

if TYPE_CHECKING:
    from senno.tune import Load, Plan, TuneResult, Tuning, Watch


def watching(quiet: bool) -> Watch:
    """Progress on stderr: a line for each thing that was found, and on a terminal a count of answers."""
    from senno.tune import Watch

    if quiet:
        return Watch()

    def count(name: str) -> Any:
        if not sys.stderr.isatty():
            return None

        def told(done: int, of: int) -> None:
            click.echo(f"\r\x1b[K{shown(one_line(name, 60))}: {done} of {of}", err=True, nl=False)
            if done == of:
                click.echo("\r\x1b[K", err=True, nl=False)

        return told

    return Watch(progress, count)


def print_result(tuning: Tuning, result: TuneResult) -> None:
    """What a tuning came to."""
    print_rounds(tuning)
    for line in _closing(result):
        click.echo(shown(line))


def print_rounds(tuning: Tuning) -> None:
    """The candidates of a tuning, each with what became of it."""
    rows = [
        [
            str(each["number"]) if first else "",
            look["version"] or "–",
            _score(look["score"]),
            _difference(look["acceptance"]),
            _became(look, each["promoted"]),
        ]
        for each in tuning.rounds
        for first, look in ((look is each["looks"][0], look) for look in each["looks"])
    ]
    if rows:
        columns = ["round", "version", "score", "difference", "what became of it"]
        print_table("", columns, rows, right=("score", "difference"), wrap=columns[-1])


def _closing(result: TuneResult) -> list[str]:
    lines = [f"{_headline(result)} ({STOP_WORDS[result.stop]})"]
    if result.error:
        lines.append(f"  {result.error}")
    if result.score is not None and result.score.mean is not None:
        lines.append(f"  {result.best} on the training part: {mean(result.score)}")
    lines += [f"  {line}" for line in held_out(result.to_json()["held_out"])]
    if result.target is not None:
        lines.append(f"  the target of {result.target:g} is {'met' if result.target_met else 'not met'}")
    lines += [f"  note: {note}" for note in result.notes]
    lines.append(f"  {spent(result.used)}; run {result.run_id}")
    lines += _next(result)
    return lines


_OUTCOMES: Mapping[str, str] = {
    "better": "better: a version was found that is better than the prompt to start from",
    "worse": "worse: nothing that was tried is better than the prompt to start from; keep it",
    "no measurable difference": "no measurable difference: keep the prompt to start from",
    "undecided": "undecided: it stopped before it could tell",
}


def _headline(result: TuneResult) -> str:
    found = result.held_out.acceptance
    if result.outcome == "better" and (found is None or found.outcome != "better"):
        return "better on the training part; the held-out part does not speak against it, and does not confirm it"
    return _OUTCOMES[result.outcome]


def _next(result: TuneResult) -> list[str]:
    if result.outcome == "undecided":
        return [f"Go on where it stopped: senno tune resume {result.run_id}"]
    if result.outcome == "better":
        changed = f"senno tune compare {result.start} {result.best}"
        return [f"The prompt: senno tune export {result.best} · what changed: {changed}"]
    return []


def held_out(told: Mapping[str, Any]) -> list[str]:
    """The final figure in words."""
    if told["acceptance"] is None:
        return [f"held out: not measured: {told['reason']}"]
    times = "once" if told["touches"] == 1 else f"for the {told['touches']}th time: it is not held out any more"
    found = told["acceptance"]
    start, best = told["start"]["mean"], told["best"]["mean"]
    scores = f", {start:.3f} → {best:.3f}" if start is not None and best is not None else ""
    lines = [f"held out (looked at {times}): {found['outcome']}: {_difference(found)}{scores}, n = {found['n']}"]
    if found["outcome"] == "no measurable difference" and found["needed"]:
        lines.append(f"it would take {found['needed']} held-out scenarios to tell this difference")
    return lines


def _became(look: Mapping[str, Any], promoted: str | None) -> str:
    if look["refused"]:
        return f"refused: {one_line(look['refused'], 200)}"
    if look["given_up"]:
        return f"{one_line(look['given_up'], 200)} ({look['saved']} answers saved)"
    found = look["acceptance"]
    if look["version"] == promoted:
        return "better: the incumbent from here on"
    fails = [one_line(reason.partition(": ")[2], 120) for reason in found["reasons"] if reason.startswith("fails")]
    more = f"; {found['needed']} scenarios would tell" if found["needed"] and found["outcome"].startswith("no") else ""
    return f"{found['outcome']}" + (f"; not so: {'; not so: '.join(fails[:2])}{more}" if fails else "")


def _difference(found: Mapping[str, Any] | None) -> str:
    if found is None or found["difference"] is None:
        return "–"
    spread = found["interval"]
    interval = f" ({spread['low']:+.3f} to {spread['high']:+.3f})" if "low" in spread else ""
    return f"{found['difference']:+.3f}{interval}"


def _score(score: Mapping[str, Any] | None) -> str:
    return "–" if score is None or score["mean"] is None else f"{score['mean']:.3f}"


def mean(score: Any) -> str:
    """A score with its interval and its denominator."""
    from senno.stats import Interval

    if score.mean is None:
        return f"not scored (0 of {score.asked} judgements)"
    spread = score.interval
    interval = f" ({spread.low:.3f} to {spread.high:.3f})" if isinstance(spread, Interval) else ""
    return f"{score.mean:.3f}{interval}, {score.n} scenarios, {score.scored} of {score.asked} judgements scored"


def spent(used: Mapping[str, Any]) -> str:
    """Calls, tokens and cost, and how many calls each sum is missing."""
    if "all" not in used:
        return "no calls"
    roles = ", ".join(f"{role} {each['calls']}" for role, each in used.items() if role != "all")
    every = used["all"]
    return (
        f"{every['calls']:,} calls ({roles}), ↑ {_known(every['tokens_in'], '{:,}')} "
        f"↓ {_known(every['tokens_out'], '{:,}')} tokens, cost {_known(every['cost'], '${}')}"
    )


def _known(figure: Mapping[str, Any], form: str) -> str:
    missing = figure["calls_not_known"]
    if figure["known"] is None or (missing and str(figure["known"]) == "0"):
        return "not known"
    return form.format(figure["known"]) + (f" (and {missing} calls not known)" if missing else "")


def print_plan(name: str, plan: Plan) -> None:
    """What a tuning will take, and what it can tell."""
    rows = [[phase.name, *_load(phase.least, phase.most)] for phase in plan.phases]
    rows.append(["in all", *_load(plan.least, plan.most)])
    columns = ["phase", "calls", "tokens", "cost"]
    print_table(f"Plan of {name}: at least, to at most", columns, rows, right=columns[1:])
    for line in _foreseen(plan):
        click.echo(shown(line))


def _load(least: Load, most: Load) -> list[str]:
    calls, tokens = (f"{least.calls:,}", f"{most.calls:,}"), (_tokens(least), _tokens(most))
    return [first if first == last else f"{first} to {last}" for first, last in (calls, tokens, _costs(least, most))]


def _tokens(load: Load) -> str:
    return f"{load.tokens_in + load.tokens_out:,}"


def _costs(least: Load, most: Load) -> tuple[str, str]:
    costs = [load.cost for load in (least, most)]
    if None in costs:
        return "not known", "not known"
    return f"${costs[0]:.4f}", f"${costs[1]:.4f}"


def _foreseen(plan: Plan) -> list[str]:
    whence = "measured in an earlier run" if plan.sd_measured else "a guess, until a run measures it"
    lines = [
        f"{plan.train} scenarios to compare on, {plan.test} held out; at most {plan.looks} candidates are looked at",
        f"a scenario's difference spreads by {plan.sd:.3f} ({whence})",
    ]
    if plan.detectable is None:
        lines.append("no difference can be told from chance on so few scenarios")
    else:
        lines.append(f"the smallest true difference that is found four times in five: {plan.detectable:.3f}")
    lines += [f"to see a difference of {aim}: {count:,} scenarios" for aim, count in plan.needed.items()]
    if plan.bought is not None:
        lines.append(f"the budget buys {plan.bought} of {plan.looks} candidates")
    lines += [f"price not known: {model}" for model in plan.unpriced]
    return [*lines, *(f"warning: {warning}" for warning in plan.warnings)]

"""A tuning as one HTML page: no script, nothing fetched, everything in it escaped."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from senno.files import write_text
from senno.text import shown
from senno.tune import chart
from senno.tune.record import Tuning
from senno.tune.stops import STOP_WORDS
from senno.tune.trial import Trial
from senno.tune.version import Version, diff

_OUTCOMES: Mapping[str, str] = {
    "better": "a better prompt was found",
    "worse": "nothing that was tried is better than the prompt to start from",
    "no measurable difference": "no measurable difference: the prompt to start from stays",
    "undecided": "it stopped before it could tell",
}

MOST_SCENARIOS = 300
"""Those that are shown with their answers."""

MOST_ANSWERS = 3
"""Answers of each scenario that are shown for a version."""


def write_page(tuning: Tuning, path: Path) -> None:
    """Write the page of a tuning to `path`, whole or not at all.

    Raises:
        ConfigError: the place cannot be written.
    """
    write_text(path, page(tuning))


def page(tuning: Tuning) -> str:
    """The page of a tuning, also of one that goes on or was cut off."""
    from jinja2 import Environment, PackageLoader, StrictUndefined, select_autoescape

    templates = Environment(
        loader=PackageLoader("senno.tune", "templates"),
        autoescape=select_autoescape(),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_safe,
    )
    filters: dict[str, Any] = templates.filters
    filters |= {"signed": _signed, "score": _score, "figure": _figure, "diff_lines": _diff_lines}
    filters |= {"failing": _failing, "condition": _condition}
    run, versions = tuning.run, {version.id: version for _, version in tuning.versions}
    stop: Any = run.stop
    scenarios = _scenarios(tuning)
    return templates.get_template("tune.html").render(
        run=run,
        outcome=_outcome(tuning.result),
        found=tuning.result.get("outcome", "undecided"),
        stopped=STOP_WORDS.get(stop, run.status),
        error=tuning.result.get("error"),
        notes=tuning.result.get("notes", []),
        held_out=tuning.result.get("held_out"),
        start=tuning.start,
        best=tuning.best,
        rounds=[_with_diffs(each, versions) for each in tuning.rounds],
        chart=chart.draw(tuning.rounds),
        frame=chart,
        change=diff(versions[tuning.start], versions[tuning.best]) if tuning.start and tuning.best else "",
        prompt=versions[tuning.best].text if tuning.best else "",
        scenarios=scenarios[:MOST_SCENARIOS],
        left_out=max(0, len(scenarios) - MOST_SCENARIOS),
        used=tuning.used,
        asked=run.config.get("models", {}),
        answered=tuning.models,
        config=run.config,
        split=Counter(each.side for each in tuning.scenarios.values()),
    )


def _outcome(result: Mapping[str, Any]) -> str:
    held_out: dict[str, Any] = result.get("held_out") or {}
    acceptance: dict[str, Any] = held_out.get("acceptance") or {}
    confirmed = acceptance.get("outcome") == "better"
    if result.get("outcome") == "better" and not confirmed:
        return "on the training part; the held-out part does not speak against it, and does not confirm it"
    return _OUTCOMES.get(result.get("outcome", ""), "it has not ended")


def _with_diffs(each: Mapping[str, Any], versions: Mapping[str, Version]) -> dict[str, Any]:
    before = versions.get(each["incumbent"])

    def changed(look: Mapping[str, Any]) -> str:
        after = versions.get(look["version"])
        return diff(before, after) if before and after else ""

    return {**each, "looks": [{**look, "diff": changed(look)} for look in each["looks"]]}


def _scenarios(tuning: Tuning) -> list[dict[str, Any]]:
    """Each scenario with what the prompt to start from and the best one did with it."""
    sides = {"start": tuning.start, "best": tuning.best if tuning.best != tuning.start else None}
    trials = {side: _of(tuning, id_) for side, id_ in sides.items() if id_}
    answers: dict[tuple[str, str], list[str]] = {}
    for answer in tuning.answers:
        answers.setdefault((answer.version, answer.scenario), []).append(answer.text)
    found: list[dict[str, Any]] = []
    for scenario in sorted(tuning.scenarios.values(), key=lambda each: (each.side == "test", each.id)):
        row: dict[str, Any] = {"scenario": scenario, "sides": {}}
        for side, trial in trials.items():
            told = _told(trial, scenario.id)
            if told is not None:
                mine = answers.get((sides[side] or "", scenario.id), [])
                row["sides"][side] = {**told, "answers": mine[:MOST_ANSWERS], "more": max(0, len(mine) - MOST_ANSWERS)}
        if row["sides"]:
            found.append(row)
    return found


def _of(tuning: Tuning, id_: str) -> Trial:
    """A version on all scenarios: as the incumbent (or a candidate) on those of the training, and on the held-out."""
    training, test = tuning.training(id_), tuning.trials.get((id_, "test"))
    return Trial(id_, (*(training.judged if training else ()), *(test.judged if test else ())))


def _told(trial: Trial, scenario: str) -> dict[str, Any] | None:
    judged = [each for each in trial.judged if each.scenario == scenario]
    if not judged:
        return None
    scores = [each.score for each in judged if each.score is not None]
    return {
        "score": sum(scores) / len(scores) if scores else None,
        "scored": len(scores),
        "asked": len(judged),
        "verdicts": Counter(each.verdict for each in judged).most_common(),
        "failed": Counter(name for each in judged for name in each.checks_failed).most_common(),
        "errors": list(dict.fromkeys(each.error for each in judged if each.error))[:2],
    }


def _failing(reasons: list[str]) -> list[str]:
    """Those of acceptance's conditions that do not hold."""
    return [reason for reason in reasons if reason.startswith("fails:")]


def _condition(reason: str) -> str:
    return reason.partition(": ")[2]


def _safe(value: Any) -> Any:
    """Beside what would be markup, nothing that would turn the direction of the text around it."""
    return shown(value) if isinstance(value, str) and not hasattr(value, "__html__") else value


def _signed(value: float | None) -> str:
    return "–" if value is None else f"{value:+.3f}"


def _score(value: float | None) -> str:
    return "not scored" if value is None else f"{value:.3f}"


def _figure(figure: Mapping[str, Any]) -> str:
    """A sum, and how many calls it is missing."""
    known, missing = figure["known"], figure["calls_not_known"]
    if known is None or (missing and str(known) == "0"):
        return "not known"
    told = f"{known:,}" if isinstance(known, int) else f"${known}"
    return told + (f" (and {missing} calls not known)" if missing else "")


def _diff_lines(text: str) -> list[tuple[str, str]]:
    """The lines of a diff, each with what it is."""
    kinds = {"+": "plus", "-": "minus", "@": "place"}
    lines = text.splitlines()
    return [("file" if line[:3] in ("+++", "---") else kinds.get(line[:1], "same"), line) for line in lines]

"""A tuning from end to end: files read, models made, the run begun or gone on with, its end recorded."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Any

from senno.config import Config
from senno.errors import ConfigError
from senno.ledger import Ledger
from senno.models import Budget, Calls, calls_from
from senno.tune.answering import Answering, Players
from senno.tune.asking import KeptCalls
from senno.tune.cast import Role
from senno.tune.engine import Engine, Ground, Watch
from senno.tune.history import KIND, History, digest
from senno.tune.making import make_scenarios
from senno.tune.preparing import Prepared, TuneOptions, check_scenarios, merged, prepare
from senno.tune.result import TuneResult
from senno.tune.rewriting import meanings
from senno.tune.scenarios import Scenario, twins
from senno.tune.spending import used
from senno.tune.split import Split, hold_out
from senno.tune.stops import ENDED
from senno.tune.strategies import strategy_named
from senno.tune.tunefile import load_tune

_MOST_NOTES = 5
"""Of one kind, the most alike first; of the rest there is a count."""


async def tune(
    path: Path,
    *,
    ledger: Ledger,
    config: Config | None = None,
    options: TuneOptions | None = None,
    watch: Watch | None = None,
) -> TuneResult:
    """Tune a prompt.

    Args:
        path: the tune file.
        ledger: keeps the run, its versions, answers, judgements and calls.
        config: settings: models, budgets, time-outs; the defaults where it is left out.
        options: what is said beside the file.
        watch: is told of progress.

    Returns:
        What was found, whatever stopped it: `stop` says what did, `exit_code` what the command line exits with.

    Raises:
        ConfigError: nothing was called: a file is wrong, a role has no model, the held-out part was looked at by
            another run, …
    """
    config, options = config or Config(), options or TuneOptions()  # pyright: ignore[reportCallIssue]
    ready = prepare(load_tune(path), config, options)
    if ready.scenarios:
        refuse_touched(ledger, ready, options)
    spec = ready.spec
    about = {
        "file": str(path.resolve()),
        "models": ready.cast.names(),
        "written": dict(ready.cast.written),
        "pieces": dict(ready.pieces),
        "seed": spec.seed,
        "rounds": spec.rounds,
        "candidates": spec.candidates,
        "repeats": spec.repeats,
        "answers": spec.answers,
        "alpha": spec.alpha,
        "strategy": spec.strategy,
        "target": spec.target,
        "touch_again": options.touch_again,
        "budget": {
            "tokens": ready.budget.tokens,
            "cost": None if ready.budget.cost is None else str(ready.budget.cost),
            "seconds": ready.budget.seconds,
            "calls": ready.budget.calls,
        },
    }
    history = History.begin(ledger, spec.name, f"tune {path.name}", about)
    return await _run(ready, history, config, options, watch or Watch(), ready.budget)


async def resume(
    run_id: str,
    *,
    ledger: Ledger,
    config: Config | None = None,
    options: TuneOptions | None = None,
    watch: Watch | None = None,
) -> TuneResult:
    """Go on with a tuning that was cut off, or that stopped on a budget, a failure or an interrupt.

    It comes to the same end as if it had not been cut off, and pays for nothing twice. The models are those that the
    run began with. One that has come to its end comes to it again, and asks no model.

    Raises:
        ConfigError: no such run, another process works on it, or what it stands on has changed since.
    """
    config, options = config or Config(), options or TuneOptions()  # pyright: ignore[reportCallIssue]
    run = ledger.run(run_id).run
    if run.kind != KIND:
        raise ConfigError(f"run {run.id} is of the kind {run.kind!r}; expected a tuning: senno tune history")
    names: dict[Role, str] = {**run.config["written"], **options.models}
    ready = prepare(load_tune(Path(run.config["file"])), config, options, names)
    changed = [piece for piece, was in run.config["pieces"].items() if ready.pieces.get(piece) != was]
    if changed:
        raise ConfigError(
            f"{', '.join(changed)} changed since run {run.id} began, so it would not come to the same end; put it back "
            "as it was, or begin a new run: senno tune"
        )
    ready = replace(ready, budget=merged(ready.budget, Budget(**_read(run.config["budget"]))))
    again = replace(options, touch_again=options.touch_again or bool(run.config.get("touch_again")))
    left = History(ledger, run.id).left(ready.budget)
    if left is None and run.stop not in ENDED:
        raise ConfigError(
            f"a budget of run {run.id} is used up by what it did; raise it to go on: [budget] in {run.config['file']}, "
            "or --max-calls, --max-tokens, --max-cost, --max-seconds"
        )
    history = History.go_on(ledger, run.id)
    return await _run(ready, history, config, again, watch or Watch(), left or Budget(calls=1))


def refuse_touched(ledger: Ledger, ready: Prepared, options: TuneOptions) -> None:
    """Refuse to begin where another run looked at the held-out part, unless that is wanted.

    Raises:
        ConfigError: one did.
    """
    spec = ready.spec
    split = hold_out(ready.scenarios, spec.scenarios.test, spec.seed)
    ground = _ground(ready, split, ready.scenarios, options)
    touched = History(ledger, "").touched(ground.held_out)
    if touched and not options.touch_again:
        last = touched[-1]
        raise ConfigError(
            f"run {last.run_id} looked at the held-out part of these scenarios on {last.made:%Y-%m-%d %H:%M} UTC: a "
            "figure on it would not be held out any more. Bring new scenarios, or draw others by another seed; or "
            "accept it, and have it counted, with --touch-again"
        )


async def _run(
    ready: Prepared, history: History, config: Config, options: TuneOptions, watch: Watch, left: Budget
) -> TuneResult:
    engine: Engine | None = None
    try:
        history.session()
        calls = calls_from(
            config.model_copy(update={"budget": type(config.budget)()}),  # pyright: ignore[reportCallIssue]
            ledger=history.ledger,
            run_id=history.run_id,
            budget=left,
        )
        engine = await _engine(ready, history, calls, config, options, watch)
        result = await engine.run()
    except BaseException as error:
        stop = "interrupted" if isinstance(error, (asyncio.CancelledError, KeyboardInterrupt)) else "error"
        told = None if stop == "interrupted" else f"{type(error).__name__}: {error}"
        kept = engine.result(stop, told).to_json() if engine else {"stop": stop, "error": told}
        history.ledger.end_run(history.run_id, stop, kept)
        raise
    result = replace(result, notes=(*_notes(engine.ground), *result.notes), used=used(history.ledger, history.run_id))
    history.ledger.end_run(history.run_id, result.stop, result.to_json())
    return result


async def _engine(
    ready: Prepared, history: History, calls: Calls, config: Config, options: TuneOptions, watch: Watch
) -> Engine:
    spec, kept = ready.spec, KeptCalls(calls, history)
    scenarios = ready.scenarios
    if not scenarios:
        assert ready.cast.scenarios is not None
        watch.say(f"{ready.cast.scenarios.name} makes {spec.scenarios.count} scenarios")
        scenarios = await make_scenarios(
            ready.cast.scenarios, ready.brief, spec.scenarios.count, calls=kept, cluster=spec.scenarios.cluster
        )
        check_scenarios(spec, ready.start, scenarios)
    split = hold_out(scenarios, spec.scenarios.test, spec.seed)
    history.keep("split", "split", {"train": list(split.train), "test": list(split.test), "seed": split.seed})
    for each in scenarios:
        side = "test" if each.id in split.test else "train"
        told = {"text": each.text, "variables": dict(each.variables), "profile": each.profile, "side": side}
        history.keep("scenario", each.id, {**told, "stratum": each.stratum})
    answering = Answering(
        history,
        calls,
        Players(ready.cast.answer, ready.judge),
        {each.id: each for each in scenarios},
        must=spec.judge.must,
        judge_key=digest(ready.pieces["the checks"], ready.cast.judge.name if ready.cast.judge else None),
        seed=spec.seed,
        concurrency=config.calls.concurrency,
    )
    strategy = strategy_named(spec.strategy, ready.cast.rewrite)
    return Engine(_ground(ready, split, scenarios, options), history, answering, kept, strategy, watch)


def _ground(ready: Prepared, split: Split, scenarios: Sequence[Scenario], options: TuneOptions) -> Ground:
    by_id = {each.id: each for each in scenarios}
    told = meanings(ready.checks)
    return Ground(ready.spec, ready.start, by_id, split, told, ready.policy.weights, options.touch_again)


def _notes(ground: Ground) -> tuple[str, ...]:
    """What is to be known of the scenarios."""
    same = twins(tuple(ground.scenarios.values()))
    told = [", ".join(group[:_MOST_NOTES]) + (", …" if len(group) > _MOST_NOTES else "") for group in same]
    notes = [f"these scenarios say the same, and stay on one side: {names}" for names in told[:_MOST_NOTES]]
    if len(same) > _MOST_NOTES:
        notes.append(f"and there are {len(same) - _MOST_NOTES} more such groups")
    near = ground.split.near
    notes += [
        f"the test scenario {pair.test} shares {pair.overlap:.0%} of its runs of words with {pair.train}, which the "
        "rewriter may see"
        for pair in near[:_MOST_NOTES]
    ]
    if len(near) > _MOST_NOTES:
        notes.append(f"and so do {len(near) - _MOST_NOTES} more of the {len(ground.split.test)} test scenarios")
    return tuple(notes)


def _read(kept: Mapping[str, Any]) -> dict[str, Any]:
    return {**kept, "cost": None if kept["cost"] is None else Decimal(kept["cost"])}

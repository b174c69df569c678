"""Running a loop: from a request to a result, with its record in the ledger."""

from __future__ import annotations

import asyncio

from senno.config import Config
from senno.errors import ConfigError
from senno.ledger import Ledger
from senno.loop.answers import Asker, EvidenceIds
from senno.loop.board import StopReason
from senno.loop.cast import Cast, cast_loop, cast_models, cast_names
from senno.loop.deadline import Deadline
from senno.loop.engine import AskUser, Engine
from senno.loop.judging import ItemJudge, loop_judge
from senno.loop.lookup import Lookup
from senno.loop.result import LoopResult
from senno.loop.spec import LoopSpec
from senno.loop.steps import OnStep, StepLog
from senno.models import calls_from, check_prices


async def run_loop(
    spec: LoopSpec,
    request: str,
    *,
    ledger: Ledger,
    config: Config | None = None,
    cast: Cast | None = None,
    rounds: int | None = None,
    on_step: OnStep | None = None,
    ask_user: AskUser | None = None,
) -> LoopResult:
    """Run a loop on a request, and keep the record.

    Args:
        spec: the loop (`load_loop`).
        request: what the user wants, in their words.
        ledger: where run, steps and calls are kept.
        config: models, budgets, time-outs; the defaults where it is left out.
        cast: who plays which role; by default what `config` names.
        rounds: a bound instead of the loop's own.
        on_step: told of each step when it has ended.
        ask_user: asks the refiner's questions; `None`: they end the run with `stop == "clarify"`.

    Returns:
        The best result the run has, whatever stopped it: `stop` says what did.

    Raises:
        ConfigError: nothing was started: the request is empty or no text, a role has no model, author and judge are
            one.
    """
    if not request.strip():
        raise ConfigError(f'the request is empty; say what you want: senno run {spec.name} "…"')
    _whole_text(request)
    config = config or Config()  # pyright: ignore[reportCallIssue]
    players = cast or cast_loop(spec, config)
    judge = loop_judge(spec, players)
    check_prices(config, spec.budget, cast_models(spec, players))
    bound = rounds or spec.rounds
    run_id = ledger.start_run(
        "loop",
        spec.name,
        request,
        {
            "loop": {"name": spec.name, "path": str(spec.path), "files": dict(spec.digests)},
            "models": cast_names(spec, players),
            "names": {key: role.name for key, role in spec.roles.items()},
            "rounds": bound,
        },
    )
    calls = calls_from(
        config,
        ledger=ledger,
        run_id=run_id,
        budget=spec.budget,
        role_budgets={name: role.budget for name, role in spec.roles.items()},
    )
    ids = EvidenceIds()
    deadline = Deadline(config.budget.seconds or spec.budget.seconds)
    engine = Engine(
        spec,
        players,
        Asker(calls, spec.reasks, ids, deadline),
        ItemJudge(spec, judge, calls, deadline),
        StepLog(ledger, run_id, calls, on_step),
        Lookup(spec, ids, deadline),
        deadline,
        run_id,
        ask_user,
    )
    try:
        result = await engine.run(request, bound)
    except BaseException as error:
        stop: StopReason = "interrupted" if isinstance(error, (asyncio.CancelledError, KeyboardInterrupt)) else "error"
        problem = None if stop == "interrupted" else f"{type(error).__name__}: {error}"
        ledger.end_run(run_id, stop, engine.result(request, stop, problem).to_json())
        raise
    ledger.end_run(run_id, result.stop, result.to_json())
    return result


def _whole_text(request: str) -> None:
    try:
        request.encode("utf-8")
    except UnicodeEncodeError as error:
        raise ConfigError(
            f"the request holds, at character {error.start + 1}, a byte that is not UTF-8 (or half of a surrogate "
            "pair); expected UTF-8 text. Set the terminal to UTF-8, or send the request by standard input: -"
        ) from None


def run_loop_sync(
    spec: LoopSpec,
    request: str,
    *,
    ledger: Ledger,
    config: Config | None = None,
    cast: Cast | None = None,
    rounds: int | None = None,
    on_step: OnStep | None = None,
    ask_user: AskUser | None = None,
) -> LoopResult:
    """`run_loop`, where no event loop is running."""
    return asyncio.run(
        run_loop(
            spec,
            request,
            ledger=ledger,
            config=config,
            cast=cast,
            rounds=rounds,
            on_step=on_step,
            ask_user=ask_user,
        )
    )

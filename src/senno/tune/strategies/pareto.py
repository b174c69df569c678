"""GEPA's reflective Pareto search (Agrawal et al., 2025, arXiv 2507.19457) by its own library, under our rules.

GEPA says which candidate is rewritten next (one drawn from those that are best on some scenario), and which are worth
judging on all of them. Answers, judge, split, budgets, rewriter, constraints and acceptance are ours, and so is the
choice of what is proposed. Nothing of it is kept on disk: GEPA pickles its state into a run folder, and is given none.
"""

from __future__ import annotations

import asyncio
import random
import statistics
from collections.abc import Sequence
from typing import Any

from senno.errors import MalformedAnswer
from senno.models import TextModel
from senno.threads import in_daemon_thread
from senno.tune.rewriting import Completes
from senno.tune.strategies.bridge import Bridge, Ended, library
from senno.tune.strategies.strategy import Evaluate, Proposal, TuneState

MINIBATCH = 3
"""Scenarios that a rewrite is first compared with its parent on: GEPA's own default."""
MOST_SEARCHED = 100
"""Training scenarios that candidates are compared on; of more, so many are drawn by the seed."""


class ParetoSearch:
    """One search in the first round, as long as all rounds together; after it nothing is left to propose.

    So acceptance is told the truth about how many candidates were looked at: `rounds × candidates` at most.

    Args:
        model: the rewriter.
    """

    name = "gepa"

    def __init__(self, model: TextModel) -> None:
        self._model = model

    async def propose(self, state: TuneState, *, calls: Completes, evaluate: Evaluate) -> Sequence[Proposal]:
        """See `Strategy.propose`."""
        if state.round > 1:
            return ()
        bridge = Bridge(state, self._model, calls, evaluate, asyncio.get_running_loop())
        drawn = _drawn(state)
        # The incumbent is judged anew: against the trial that acceptance stands on, a lucky candidate would win twice.
        await bridge.judge(state.incumbent, drawn)
        scenarios = [id_ for id_ in drawn if bridge.mean(state.incumbent.id, id_) is not None]
        left_out = _left_out(len(drawn) - len(scenarios), len(drawn))
        if not scenarios:
            return (Proposal(None, "GEPA had nothing to search on: the incumbent was scored on no scenario"),)
        iterations = state.rounds_left * state.count
        try:
            await in_daemon_thread(_search, bridge, dict(state.incumbent.parts), scenarios, iterations, state.seed)
        finally:
            bridge.end()
        found = _best(bridge, state, scenarios)
        if bridge.failure is not None and not (found and isinstance(bridge.failure, MalformedAnswer)):
            raise bridge.failure
        return _proposals(bridge, found, iterations, len(state.rejected), left_out)


def _drawn(state: TuneState) -> list[str]:
    ids = list(state.scenarios)
    if len(ids) <= MOST_SEARCHED:
        return ids
    kept = set(random.Random(state.seed).sample(ids, MOST_SEARCHED))  # noqa: S311 - a repeatable draw
    return [id_ for id_ in ids if id_ in kept]


def _search(bridge: Bridge, parts: dict[str, str], scenarios: list[str], iterations: int, seed: int) -> None:
    """GEPA, in a thread of its own."""

    def enough(state: Any) -> bool:
        return bridge.failure is not None or state.i + 1 >= iterations

    try:
        library().optimize(
            parts,
            trainset=scenarios,
            valset=scenarios,
            adapter=bridge,
            candidate_selection_strategy="pareto",
            reflection_minibatch_size=min(MINIBATCH, len(scenarios)),
            module_selector="all",
            stop_callbacks=enough,
            logger=bridge,
            callbacks=[bridge],
            acceptance_criterion=bridge,
            track_best_outputs=False,
            raise_on_exception=False,
            seed=seed,
        )
    except Ended:
        return
    except Exception as error:  # noqa: BLE001 - a library of others may raise anything
        bridge.on_error({"exception": error})


def _best(bridge: Bridge, state: TuneState, scenarios: Sequence[str]) -> list[tuple[str, float]]:
    """The candidates that came out above the incumbent, with the mean difference; the best first.

    Only those that GEPA took up, and had judged on all scenarios; over the ones that both were scored on.
    """
    rejected = {one.version for one in bridge.rejected}
    gains: list[tuple[str, float]] = []
    for id_ in bridge.made:
        pairs = [(bridge.mean(state.incumbent.id, each), bridge.mean(id_, each)) for each in scenarios]
        steps = [new - old for old, new in pairs if old is not None and new is not None]
        if id_ not in rejected and len(steps) > len(scenarios) / 2 and (gain := statistics.fmean(steps)) > 0.0:
            gains.append((id_, gain))
    return sorted(gains, key=lambda pair: -pair[1])[: state.count]


def _proposals(
    bridge: Bridge, found: Sequence[tuple[str, float]], iterations: int, before: int, left_out: str
) -> tuple[Proposal, ...]:
    new = bridge.rejected[before:]
    notes = [f"GEPA: {len(bridge.made)} rewrites in {iterations} iterations at most, {len(new)} rejected on the way"]
    if bridge.missing:
        notes.append(f"GEPA: {bridge.missing} of {bridge.asked} answers could not be scored, and counted for nothing")
    notes += [left_out] if left_out else []
    notes += [f"GEPA ended early: {bridge.failure}"] if bridge.failure is not None else []
    notes += [f"rejected in the search: {one.why}" for one in new]
    if not found:
        dropped = tuple(edit for made in bridge.made.values() for edit in made.dropped)
        attempt = "\n\n".join(one.attempt for one in new)
        why = f"GEPA's search found nothing above the incumbent in {iterations} iterations"
        return (Proposal(None, why, attempt, dropped, tuple(notes)),)
    return tuple(
        Proposal(made.version, None, made.attempt, made.dropped, (f"GEPA: {gain:+.3f} in its search", *notes))
        for made, gain in ((bridge.made[id_], gain) for id_, gain in found)
    )


def _left_out(missing: int, all_: int) -> str:
    return f"GEPA: {missing} of {all_} scenarios left out: the incumbent was not scored on them" if missing else ""

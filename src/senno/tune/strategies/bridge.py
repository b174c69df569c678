"""What GEPA sees of a tuning: its adapter, its acceptance on minibatches, its stop. All of it runs in GEPA's thread.

GEPA (0.1) is synchronous and keeps its state to itself; each evaluation and each rewrite goes back to the event loop of
the tuning, through its judge, its journal and its budgets. GEPA's contract asks for a score of 0.0 where an example
failed: here it is given NaN, which wins nothing, is on no front and in no comparison; and what a candidate was worth is
read from our own trials afterwards, not from GEPA.
"""

from __future__ import annotations

import asyncio
import importlib
import math
import statistics
import threading
from collections.abc import Coroutine, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import replace
from typing import Any, TypeVar

from senno.errors import SennoError
from senno.models import TextModel
from senno.threads import told as error_text
from senno.tune.rewriting import Completes, Rejected, Rewrite, rewrite, with_parts
from senno.tune.strategies.strategy import Evaluate, TuneState
from senno.tune.trial import Judged, Trial
from senno.tune.version import Version

T = TypeVar("T")

ORIGIN = "gepa"


def library() -> Any:
    """GEPA; its types are generic in what we give it, and say nothing here."""
    return importlib.import_module("gepa")


class Ended(Exception):
    """The search is over; raised in GEPA's thread only."""


class Bridge:
    """One search: GEPA's adapter, and what it found.

    Args:
        state: of the tuning.
        model: the rewriter.
        calls: the gate to it.
        evaluate: answers and judges.
        loop: where both belong.
    """

    def __init__(
        self, state: TuneState, model: TextModel, calls: Completes, evaluate: Evaluate, loop: asyncio.AbstractEventLoop
    ) -> None:
        self._state = state
        self._model = model
        self._calls = calls
        self._evaluate = evaluate
        self._loop = loop
        self._lock = threading.Lock()
        self._over = False
        self._pending: Future[Any] | None = None
        self._rows: dict[tuple[str, str], tuple[Judged, ...]] = {}
        self.known: dict[str, Version] = {**state.known, state.incumbent.id: state.incumbent}
        self.made: dict[str, Rewrite] = {}
        """The rewrites that became versions, by the version's id."""
        self.rejected: list[Rejected] = list(state.rejected)
        self.asked = 0
        """Answers that were asked for; how many of them were not scored is `missing`."""
        self.missing = 0
        self.failure: BaseException | None = None
        """What ended the search before its time."""

    # What GEPA calls.

    def evaluate(self, batch: Sequence[str], candidate: Mapping[str, str], capture_traces: bool = False) -> Any:
        """GEPA's evaluation of a candidate on scenarios (ids): a mean score each, NaN where there is none."""
        del capture_traces  # the rows are there anyway
        version = self._version(candidate)
        missing = [id_ for id_ in dict.fromkeys(batch) if (version.id, id_) not in self._rows]
        if missing:
            self._wait(self.judge(version, missing))
        rows = [self._rows.get((version.id, id_), ()) for id_ in batch]
        scores = [self.mean(version.id, id_) for id_ in batch]
        held = [math.nan if score is None else score for score in scores]
        return library().EvaluationBatch(outputs=[None] * len(rows), scores=held, trajectories=rows)

    def make_reflective_dataset(
        self, candidate: Mapping[str, str], eval_batch: Any, components_to_update: Sequence[str]
    ) -> Mapping[str, Sequence[Mapping[str, Any]]]:
        """The judged answers of a minibatch, as they are, for each part."""
        del candidate
        rows: dict[int, Judged] = {id(one): one for rows in eval_batch.trajectories for one in rows}
        return {name: [{"judged": one} for one in rows.values()] for name in components_to_update}

    def propose_new_texts(
        self,
        candidate: Mapping[str, str],
        reflective_dataset: Mapping[str, Sequence[Mapping[str, Any]]],
        components_to_update: Sequence[str],
    ) -> dict[str, str]:
        """The parts of a rewrite, by our rewriter under our constraints; none: it was refused."""
        version = self._version(candidate)
        rows = tuple(record["judged"] for record in reflective_dataset[components_to_update[0]])
        told = self._state.told(Trial(version.id, rows))
        if not told.failures:
            return {}
        brief = self._state.brief(version, told, self.known, tuple(self.rejected))
        made = self._wait(rewrite(self._model, brief, calls=self._calls))
        if made.version is None:
            self.rejected.append(Rejected(None, made.attempt, made.refused or ""))
            return {}
        new = replace(made.version, origin=ORIGIN)
        self.known[new.id] = new
        self.made[new.id] = replace(made, version=new)
        return dict(new.parts)

    def should_accept(self, proposal: Any, state: Any) -> bool:
        """GEPA's acceptance on a minibatch: better in sum, on the scenarios that both were scored on."""
        del state
        pairs = [
            (before, after)
            for before, after in zip(proposal.subsample_scores_before, proposal.subsample_scores_after, strict=True)
            if not (math.isnan(before) or math.isnan(after))
        ]
        old, new = (math.fsum(pair[side] for pair in pairs) for side in (0, 1))
        if pairs and new > old:
            return True
        version = self._version(proposal.candidate)
        attempt = self.made[version.id].attempt if version.id in self.made else ""
        measured = f"{old:.2f} before, {new:.2f} after, in sum" if pairs else "none was scored"
        self.rejected.append(Rejected(version.id, attempt, f"not better on {len(pairs)} scenarios: {measured}"))
        return False

    def on_error(self, event: Mapping[str, Any]) -> None:
        """A fault inside GEPA ends the search: GEPA itself would log it and go on."""
        if self.failure is None and not isinstance(event["exception"], Ended):
            self.failure = SennoError(f"GEPA failed: {error_text(event['exception'])}")

    def log(self, message: str) -> None:
        """GEPA's log is not kept: what happened is in the trials and in the notes."""

    # What the strategy calls.

    async def judge(self, version: Version, scenarios: Sequence[str]) -> None:
        """Evaluate a version where it has not been; what failed is not kept, and may be asked again."""
        trial = await self._evaluate(version, scenarios)
        rows: dict[str, list[Judged]] = {}
        for one in trial.judged:
            rows.setdefault(one.scenario, []).append(one)
        self.asked += len(scenarios)
        for id_ in scenarios:
            if any(one.score is not None for one in rows.get(id_, ())):
                self._rows[version.id, id_] = tuple(rows[id_])
            else:
                self.missing += 1

    def mean(self, version: str, scenario: str) -> float | None:
        """The mean score of a version on a scenario; `None`: it has none."""
        scores = [one.score for one in self._rows.get((version, scenario), ()) if one.score is not None]
        return statistics.fmean(scores) if scores else None

    def end(self) -> None:
        """Let GEPA's thread do no more: called when the tuning is interrupted, and when the search is done."""
        with self._lock:
            self._over = True
            if self._pending is not None:
                self._pending.cancel()

    def _version(self, candidate: Mapping[str, str]) -> Version:
        made = with_parts(self._state.incumbent, candidate, ORIGIN)
        return self.known.get(made.id, made)

    def _wait(self, work: Coroutine[Any, Any, T]) -> T:
        """What the event loop makes of `work`; GEPA's thread waits for it."""
        with self._lock:
            if self._over or self.failure is not None:
                work.close()
                raise Ended
            future = asyncio.run_coroutine_threadsafe(work, self._loop)
            self._pending = future
        try:
            return future.result()
        except BaseException as error:
            self.failure = self.failure or error
            raise Ended from error

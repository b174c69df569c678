"""A version before the scenarios: answered, judged, and proved to have arrived; nothing is paid for twice."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, cast

from senno.errors import ModelError, SennoError
from senno.judge import Judge
from senno.models import Calls, Json, Message, Reply, Request, TextModel
from senno.tune.asking import reply_from, reply_json
from senno.tune.history import History, digest
from senno.tune.proving import Proving
from senno.tune.scenarios import Scenario
from senno.tune.scoring import Scoring, readings_from, readings_json
from senno.tune.stops import ModelChanged
from senno.tune.trial import Judged, Trial
from senno.tune.version import Version

Purpose = Literal["control", "look", "search", "test"]
"""What an answer is for: no two purposes share one. `control` repeats of the incumbent, `look` a candidate before
acceptance, `search` inside a strategy, `test` on the held-out part."""

WORKERS_PER_SLOT = 2
"""A worker answers, then judges: while code is at work for one, another keeps the slot of the gate busy."""

Row = tuple[str, int, float | None, str, list[str], str | None]
"""One answer of a closed trial: scenario, repeat, score, verdict, what came out on the bad side, error."""

Told = Callable[[int, int], None]
"""Told how many answers of a trial are judged, of how many."""


@dataclass(frozen=True, slots=True)
class Players:
    """Who answers, and who judges."""

    answerer: TextModel
    judge: Judge


class Answering:
    """Makes trials.

    Args:
        history: what was paid for.
        calls: the gate.
        players: who answers, who judges.
        scenarios: by id.
        must: names that may not regress.
        judge_key: digest of the questions and checks, and of who answers them.
        seed: of the tuning.
        concurrency: calls under way at once.
    """

    def __init__(
        self,
        history: History,
        calls: Calls,
        players: Players,
        scenarios: Mapping[str, Scenario],
        *,
        must: tuple[str, ...],
        judge_key: str,
        seed: int,
        concurrency: int,
    ) -> None:
        self._history, self._calls = history, calls
        self._answerer, self._judge = players.answerer, players.judge
        self._scenarios = scenarios
        self._scoring = Scoring(players.judge.checks, players.judge.policy, must)
        self._judge_key, self._seed = judge_key, seed
        self._workers = concurrency * WORKERS_PER_SLOT
        self._proving = Proving(history, scenarios)

    def proved(self, version: Version) -> bool:
        """Whether it is proved that the model received what a version says."""
        return self._proving.proved(version)

    async def trial(
        self,
        version: Version,
        ids: Sequence[str],
        repeats: Sequence[int],
        purpose: Purpose,
        told: Told | None = None,
    ) -> Trial:
        """Answer and judge a version.

        Args:
            version: tried.
            ids: of the scenarios.
            repeats: the numbers of the answers to each scenario; the same number is the same answer.
            purpose: what for.
            told: of progress.

        Raises:
            BudgetExceeded: what was under way has landed, and is kept.
            ModelChanged: the answerer or the judge is another version than before.
            WiringBroken: a part of the version did not reach the model.
        """
        jobs = [(scenario, repeat) for scenario in ids for repeat in repeats]
        key = digest(purpose, version.id, list(ids), list(repeats))
        closed = self._history.find("trial", key)
        rows = cast("list[Row]", closed["rows"]) if closed else []
        failed = {(row[0], row[1]): (row[3], row[5]) for row in rows if row[5] is not None}
        done = 0

        async def one(job: tuple[str, int]) -> Judged:
            nonlocal done
            scenario, repeat = job
            if job in failed:
                verdict, error = failed[job]
                return Judged(scenario, repeat, None, verdict, error=error)
            judged = await self._judged(version, self._scenarios[scenario], repeat, purpose)
            done += 1
            if told is not None:
                told(done, len(jobs))
            return judged

        trial = Trial(version.id, tuple(await in_order(jobs, one, self._workers)))
        if closed is None:
            # What failed is no answer to give again: it is kept only as part of a trial that is over, so that the
            # trial is what it was when the run goes on.
            told_rows = [list(row_of(each)) for each in trial.judged]
            self._history.keep("trial", key, {"version": version.id, "purpose": purpose, "rows": told_rows})
        return trial

    async def _judged(self, version: Version, scenario: Scenario, repeat: int, purpose: Purpose) -> Judged:
        try:
            answer = await self._answer(version, scenario, repeat, purpose)
        except ModelError as error:
            return Judged(scenario.id, repeat, None, "ERROR", error=f"no answer: {error}")
        readings = await self._readings(scenario, answer.text, repeat, purpose)
        return self._scoring.judged(scenario.id, repeat, answer.text, readings)

    async def _answer(self, version: Version, scenario: Scenario, repeat: int, purpose: Purpose) -> Reply:
        key = digest(purpose, version.id, scenario.id, scenario.content, repeat, self._answerer.name)
        # A provider that takes seeds gives the same answer again, to whoever wants to see it; others leave it out.
        seed = int(digest(self._seed, key)[:7], 16)
        request = Request(version.render(scenario.variables), (Message("user", scenario.text),), seed=seed)

        async def pay() -> Any:
            reply = await self._calls.complete(self._answerer, request, role="answer")
            self._same_model("answer", reply.model)
            where = {"version": version.id, "scenario": scenario.id, "repeat": repeat, "purpose": purpose}
            return {**where, **reply_json(reply)}

        reply = reply_from(await self._history.once("answer", key, pay))
        self._proving.prove(version, scenario, seed)
        return reply

    async def _readings(self, scenario: Scenario, text: str, repeat: int, purpose: Purpose) -> Mapping[str, Any]:
        key = digest(purpose, scenario.id, scenario.content, digest(text), self._judge_key, repeat)
        kept = self._history.find("judgement", key)
        if kept is not None:
            return readings_from(kept["readings"])
        state: Json = {"text": text, "scenario": scenario.text, **scenario.variables}
        looked = await self._judge.look(text, calls=self._calls, state=state, prompt=scenario.text)
        model = looked.decision.model if looked.decision else None
        self._same_model("judge", model)
        if any(reading.failed for reading in looked.readings.values()):
            return looked.readings
        value = {"scenario": scenario.id, "model": model, "readings": readings_json(looked.readings)}
        return readings_from(self._history.keep("judgement", key, value)["readings"])

    def _same_model(self, role: str, model: str | None) -> None:
        """Refuse another version than the one that answered first in this role."""
        if model is None:
            return
        first = self._history.find("model", role)
        if first is None:
            first = self._history.keep("model", role, model)
        if first != model:
            raise ModelChanged(
                f"the {role} was {first}, and now {model} answers: what is compared would be two models, not two "
                "prompts. Name a pinned version and begin a new run, or go on once the first one answers again"
            )


def row_of(judged: Judged) -> Row:
    """What the history has of it: its answer is kept elsewhere, and so are the readings."""
    return (
        judged.scenario, judged.repeat, judged.score, judged.verdict, list(judged.checks_failed), judged.error
    )  # fmt: skip


async def in_order(jobs: Sequence[Any], work: Callable[[Any], Awaitable[Judged]], workers: int) -> list[Judged]:
    """What came of each job, in their order. A failure of senno's tree begins no further job; those begun end first.

    Raises:
        SennoError: the first failure, once nothing is under way: what was paid for has been kept.
    """
    found: dict[int, Judged] = {}
    failures: list[SennoError] = []
    queue = iter(enumerate(jobs))

    async def worker() -> None:
        for number, job in queue:
            if failures:
                return
            try:
                found[number] = await work(job)
            except SennoError as error:
                failures.append(error)

    tasks = [asyncio.ensure_future(worker()) for _ in range(min(workers, len(jobs)))]
    try:
        await asyncio.gather(*tasks)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
    if failures:
        raise failures[0]
    return [found[number] for number in range(len(jobs))]

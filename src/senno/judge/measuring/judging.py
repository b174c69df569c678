"""The same texts judged again and again: what was answered each time, and what failed."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from senno.errors import BudgetExceeded
from senno.judge.checkfile import CheckFile
from senno.judge.judge import Judge, Judgement
from senno.judge.measuring.noise import Noise, noise_of, thresholds_of
from senno.judge.measuring.repeats import Repeats
from senno.judge.measuring.texts import Text
from senno.judge.policy import Policy, Reading
from senno.models import Choice

if TYPE_CHECKING:
    from senno.models import Calls


@dataclass(frozen=True, slots=True)
class Judgings:
    """Every text with its judgements in order of repeats; `None`: it was not judged, since a budget was used up."""

    texts: tuple[Text, ...]
    judgements: Mapping[str, tuple[Judgement | None, ...]]
    """By the id of the text."""
    stopped: str | None = None
    """Why some were not judged."""

    def by_group(self) -> dict[str, Judgings]:
        """The same of the texts of each group; those of none are left out."""
        groups = dict.fromkeys(text.group for text in self.texts if text.group is not None)
        found: dict[str, Judgings] = {}
        for group in groups:
            texts = tuple(text for text in self.texts if text.group == group)
            found[group] = Judgings(texts, {text.id: self.judgements[text.id] for text in texts}, self.stopped)
        return found

    @property
    def versions(self) -> dict[str, int]:
        """How many judgements each version of the model answered."""
        rows = [j for row in self.judgements.values() for j in row if j and j.decision and j.decision.model]
        return dict(Counter(j.decision.model for j in rows if j.decision and j.decision.model))

    @property
    def methods(self) -> tuple[str, ...]:
        """How the probabilities were had."""
        rows = [j.decision for row in self.judgements.values() for j in row if j and j.decision]
        return tuple(sorted({decision.method for decision in rows if decision.method}))

    def readings(self, name: str, check: str, option: str | None = None) -> Repeats:
        """The values of one question, or of one option of it."""

        def read(judgement: Judgement) -> tuple[float | None, str]:
            reading = judgement.readings.get(check, Reading(missing="no reading"))
            value = reading.value if option is None else (reading.options or {}).get(option)
            return (value, "") if reading.missing is None else (None, reading.missing)

        return self._repeats(name, read)

    def scores(self) -> Repeats:
        """The weighted scores of the policy."""

        def read(judgement: Judgement) -> tuple[float | None, str]:
            missing = ", ".join(judgement.verdict.score_missing)
            return judgement.verdict.score, f"no reading for {missing}"

        return self._repeats("score of the policy", read)

    def verdicts(self) -> list[list[str | None]]:
        """The verdicts of each text; `None` where the policy gave none."""
        return [
            [j.verdict.name if j and j.verdict.state == "decided" else None for j in row]
            for row in self.judgements.values()
        ]

    def _repeats(self, name: str, read: Callable[[Judgement], tuple[float | None, str]]) -> Repeats:
        items: dict[str, dict[str, tuple[float | None, ...]]] = {}
        failures: Counter[str] = Counter()
        for text in self.texts:
            values: list[float | None] = []
            for judgement in self.judgements[text.id]:
                value, reason = read(judgement) if judgement else (None, self.stopped or "not judged")
                if value is None:
                    failures[reason] += 1
                values.append(value)
            items.setdefault(text.item, {})[text.id] = tuple(values)
        return Repeats(name, items, dict(failures))


async def judge_again(
    judges: Sequence[Judge],
    texts: Sequence[Text],
    calls: Calls,
    *,
    concurrency: int,
    told: Callable[[int, int], None] | None = None,
) -> Judgings:
    """Judge every text once by each of `judges`, which differ in nothing but the number of the repeat.

    All texts are judged once before any is judged again, so that what a used-up budget leaves is as even as can be.

    Args:
        judges: one a repeat. Where answers are cached, each reads answers of its own repeat only.
        texts: what is judged.
        calls: the way to the model.
        concurrency: texts under way at once.
        told: how many judgements are done, of how many.

    Raises:
        SennoError: what no judging can get over: a ledger that cannot be written, a price that is not known. A model
            that fails is no error of this kind, and a used-up budget ends the judging early.
    """
    found: dict[str, list[Judgement | None]] = {text.id: [None] * len(judges) for text in texts}
    todo = [(number, text) for number in range(len(judges)) for text in texts]
    waiting = iter(todo)
    done = 0
    stopped: str | None = None

    async def work() -> None:
        nonlocal done, stopped
        for number, text in waiting:
            if stopped:
                return
            try:
                found[text.id][number] = await judges[number].judge(text.text, calls=calls, state=text.state)
            except BudgetExceeded as error:
                stopped = str(error)
                return
            done += 1
            if told:
                told(done, len(todo))

    try:
        async with asyncio.TaskGroup() as group:
            for _ in range(min(concurrency, len(todo))):
                group.create_task(work())
    except BaseExceptionGroup as errors:
        raise errors.exceptions[0] from None  # the first ends the others, and is told as it is
    return Judgings(tuple(texts), {id_: tuple(row) for id_, row in found.items()}, stopped)


def figures_of(judgings: Judgings, checks: CheckFile, policy: Policy | None, *, n: int, seed: int) -> list[Noise]:
    """The noise of every question (of a choice, of each option), and of the policy's score where it has one.

    Args:
        judgings: what was judged.
        checks: the questions.
        policy: at whose thresholds flips are counted.
        n: texts in one comparison.
        seed: of the resampling.
    """
    found: list[Noise] = []
    for name, asked in checks.questions.items():
        options = list(asked.question.options) if isinstance(asked.question, Choice) else [None]
        for option in options:
            told = name if option is None else f"{name}={option}"
            cuts = thresholds_of(policy, name, option) if policy else ()
            found.append(noise_of(judgings.readings(told, name, option), n=n, seed=seed, thresholds=cuts))
    if policy and policy.weights:
        found.append(noise_of(judgings.scores(), n=n, seed=seed))
    return found

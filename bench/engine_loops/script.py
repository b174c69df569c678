"""The model: it answers at once, and notes when it was asked and when it had answered."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from itertools import count

from engine_loops.task import CHECKS, ROUNDS

CALLS = 2 * ROUNDS + 1
"""Calls to the model in a run: actor and critic in each round, the curator at the end."""
EXPECTED = [f"Film {number}" for number in range(1, 3 * ROUNDS + 1) if number % 3]
"""The titles that every engine must end up with: of each three, the critic refuses the last."""


class Script:
    """Answers in the order of the loop, whoever asks."""

    def __init__(self) -> None:
        self._answers = answers()
        self._turn = 0
        self._marks: list[float] = []

    def begin(self) -> None:
        """A run begins: the clock runs."""
        self._turn = 0
        self._marks = [time.perf_counter()]

    def ask(self, *_texts: str) -> str:
        """The next answer; what is asked makes no difference."""
        self._marks.append(time.perf_counter())
        answer = self._answers[self._turn]
        self._turn += 1
        self._marks.append(time.perf_counter())
        return answer

    def end(self) -> list[float]:
        """The run has ended.

        Returns:
            Seconds for each step, less those of the model: from the last answer (or the start) to the next question.
            What comes after the last answer counts for the last step.
        """
        self._marks.append(time.perf_counter())
        asked, answered = self._marks[1::2], self._marks[0::2]
        gaps = [later - earlier for earlier, later in zip(answered, asked, strict=True)]
        if len(gaps) != CALLS + 1:
            raise AssertionError(f"{len(gaps) - 1} calls to the model; expected {CALLS}")
        return [*gaps[:-2], gaps[-2] + gaps[-1]]


def answers() -> list[str]:
    """What the model says in one run."""
    numbers = count(1)
    said = [text for _ in range(ROUNDS) for text in (films(numbers), critique())]
    return [*said, wording()]


def films(numbers: Iterator[int]) -> str:
    """Three new films."""
    reason = "A codebreaker finds the key by hand, and the film shows how: the plot turns on the cipher."
    found = [{"title": f"Film {n}", "year": 1950 + n % 70, "reason": reason} for n in (next(numbers) for _ in "abc")]
    return json.dumps({"films": found})


def critique() -> str:
    """The third of three does not fit."""

    def report(number: int) -> dict[str, object]:
        fits = "fail" if number == 3 else "pass"
        statuses = zip(CHECKS, ("pass", "pass", fits), strict=True)
        why = "the sources that were looked up say so, in as many words"
        return {"number": number, "checks": [{"check": c, "status": s, "explanation": why} for c, s in statuses]}

    return json.dumps({"items": [report(n) for n in (1, 2, 3)], "is_satisfied": False, "summary": "one does not fit"})


def wording() -> str:
    """A sentence for each film of the answer."""
    sentences = [{"number": n, "text": f"Film {n} shows how a cipher is broken."} for n in range(1, len(EXPECTED) + 1)]
    return json.dumps({"intro": "These fit:", "items": sentences, "outro": ""})

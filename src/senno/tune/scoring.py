"""From the readings of an answer to its place in a trial: score, verdict, what came out on the bad side. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from senno.judge import CheckFile, Policy, PolicyVerdict, Reading, decide
from senno.tune.trial import Judged


class Scoring:
    """Applies one policy.

    Args:
        checks: the checks and questions.
        policy: its verdicts and weights.
        must: names that count as failed below 0.5 of their share, also where no rule names them.
    """

    def __init__(self, checks: CheckFile, policy: Policy, must: tuple[str, ...]) -> None:
        self._policy, self._must = policy, must
        closing = PolicyVerdict("ok", ())
        rules = [rule for verdict in policy.verdicts[:-1] for rule in verdict.rules]
        self._single = [(rule.check, Policy((PolicyVerdict("bad", (rule,)), closing))) for rule in rules]
        self._order = [*checks.checks, *checks.questions]

    def judged(self, scenario: str, repeat: int, answer: str, readings: Mapping[str, Reading]) -> Judged:
        """One answer, scored. Without a score it is an error, with the names that have no reading."""
        verdict = decide(self._policy, readings)
        if verdict.score is None:
            reasons = [f"{name}: {_why(readings.get(name))}" for name in verdict.score_missing]
            # Bare, as when the run goes on and finds that it failed: what is told to the rewriter must be the same.
            return Judged(scenario, repeat, None, verdict.name, error=f"not scored ({'; '.join(reasons)})")
        return Judged(scenario, repeat, verdict.score, verdict.name, dict(readings), self.failed(readings), answer)

    def failed(self, readings: Mapping[str, Reading]) -> tuple[str, ...]:
        """The names on the bad side: of a rule that fires, or of the must list; in the order of the file."""
        bad = {name for name, policy in self._single if decide(policy, readings).name == "bad"}
        for name in self._must:
            share = readings[name].share if name in readings else None
            if share is not None and share < 0.5:
                bad.add(name)
        return tuple(name for name in self._order if name in bad)


def _why(reading: Reading | None) -> str:
    return (reading.missing if reading else None) or "no reading"


def readings_json(readings: Mapping[str, Reading]) -> dict[str, Any]:
    """Readings as they are kept; none of them failed."""
    return {
        name: [r.value, None if r.options is None else dict(r.options), r.share, r.missing]
        for name, r in readings.items()
    }


def readings_from(kept: Mapping[str, Any]) -> dict[str, Reading]:
    """Readings that were kept."""
    return {name: Reading(*values) for name, values in kept.items()}

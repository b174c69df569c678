"""Answers so near to a threshold that a person should look: the escalation list. Pure."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from senno.judge import CheckFile, Policy, Reading, Rule
from senno.models import Score

BAND = 0.62
"""Half the width of the band in log-odds: 0.35 to 0.65 around a threshold of 0.5, as public review recipes have it."""
_EDGE = 1e-3


@dataclass(frozen=True, slots=True)
class Near:
    """A critical answer that lies near to a threshold."""

    rule: Rule
    value: float


def near(checks: CheckFile, policy: Policy, readings: Mapping[str, Reading], band: float = BAND) -> tuple[Near, ...]:
    """The critical questions whose answer a small error of the judge would take across a threshold.

    A probability is compared in log-odds, so that the band is narrow where the threshold is strict (0.97) and not
    wider than what lies between it and certainty; a score by its share of the scale, in the same way.

    Args:
        checks: the questions; those that say `critical` are looked at.
        policy: its rules have the thresholds; those of `unless` are looked at too.
        readings: over the whole change.
        band: half the width, in log-odds (natural logarithm).
    """
    found: dict[str, Near] = {}
    rules = [each for verdict in policy.verdicts for rule in verdict.rules for each in (rule, *rule.unless)]
    for rule in rules:
        asked = checks.questions.get(rule.check)
        if asked is None or not asked.critical:
            continue
        reading = readings.get(rule.check)
        value = reading and (reading.value if rule.option is None else (reading.options or {}).get(rule.option))
        if value is None:
            continue
        top = asked.top if isinstance(asked.question, Score) and rule.option is None else 1.0
        if abs(_log_odds(value / top) - _log_odds(rule.value / top)) <= band:
            found.setdefault(str(rule), Near(rule, value))
    return tuple(found.values())


def _log_odds(share: float) -> float:
    inside = min(max(share, _EDGE), 1 - _EDGE)
    return math.log(inside / (1 - inside))

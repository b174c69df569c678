"""One reading of a question from its readings on the parts of a change. Pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from senno.judge import CheckFile, Reading


@dataclass(frozen=True, slots=True)
class Combined:
    """A reading over the whole change."""

    reading: Reading
    part: int | None
    """The number of the part that it is from, from 0; `None`: no part gave one, or several did (a choice)."""


def combined(checks: CheckFile, by_part: Sequence[Mapping[str, Reading]]) -> dict[str, Combined]:
    """Each question over all parts.

    What yes means is the question's own: `over_parts` says whether the largest or the smallest answer counts. A part
    without a reading leaves the whole without one: what was not answered might have been the answer that counts.

    Args:
        checks: the questions, by name.
        by_part: the readings of each part, one part at least.
    """
    return {name: _one([part[name] for part in by_part], asked.over_parts) for name, asked in checks.questions.items()}


def _one(readings: Sequence[Reading], order: str) -> Combined:
    missing = [(n, reading) for n, reading in enumerate(readings) if reading.missing is not None]
    if missing:
        part, first = missing[0]
        of = f"part {part + 1} of {len(readings)}: " if len(readings) > 1 else ""
        more = f" (and {len(missing) - 1} more parts)" if len(missing) > 1 else ""
        failed = any(reading.failed for _, reading in missing)
        return Combined(Reading(missing=f"{of}{first.missing}{more}", failed=failed), None)
    largest: Callable[..., float] = max if order == "max" else min
    options = _options(readings, largest)
    values = [reading.value for reading in readings if reading.value is not None]
    value = largest(values)
    part = values.index(value) if options is None or len(readings) == 1 else None
    return Combined(Reading(value, options, readings[values.index(value)].share), part)


def _options(readings: Sequence[Reading], largest: Callable[..., float]) -> Mapping[str, float] | None:
    """Each option by itself: over several parts they need not add up to 1."""
    every = [reading.options for reading in readings]
    if every[0] is None:
        return None
    return {option: largest(each[option] for each in every if each is not None) for option in every[0]}

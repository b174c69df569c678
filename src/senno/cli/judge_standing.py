"""Whether the judge that gave a verdict was measured: this version of it, on these questions."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from senno.text import shown

if TYPE_CHECKING:
    from senno.judge import CheckFile, Judgement
    from senno.ledger import Measurement, MeasurementKind

_KINDS: dict[str, MeasurementKind] = {"noise_floor": "measure", "calibration": "calibrate"}


def standings(ledger: Path, checks: CheckFile, judgement: Judgement) -> dict[str, dict[str, Any]]:
    """What the ledger has of the version that answered: `noise_floor` and `calibration`, each with its `state`.

    `measured` (with the day of the oldest measurement that is needed), `void` or `not measured`, with the reason.
    Empty: no model answered, so there is nothing to measure.
    """
    from senno.errors import SennoError
    from senno.judge.measuring import Measured, Void, standing
    from senno.ledger import Ledger, past_measurements

    if judgement.decision is None or judgement.decision.model is None:
        return {}
    past: dict[str, list[Measurement]] = {name: [] for name in _KINDS}
    try:
        if ledger.exists():
            with Ledger.open(ledger) as opened:
                past = {name: past_measurements(opened, kind) for name, kind in _KINDS.items()}
    except SennoError as error:  # the verdict is there, and is not lost over this
        return {name: {"state": "not measured", "reason": str(error)} for name in _KINDS}
    found: dict[str, dict[str, Any]] = {}
    for name, rows in past.items():
        stands = standing(rows, judgement.decision.model, checks.questions)
        if isinstance(stands, Measured):
            since = min(row.created for row in stands.by.values())
            found[name] = {"state": "measured", "since": since.isoformat(timespec="seconds")}
        else:
            found[name] = {"state": "void" if isinstance(stands, Void) else "not measured", "reason": stands.reason}
    return found


def print_standings(found: dict[str, dict[str, Any]]) -> None:
    """A line each."""
    for name, stands in found.items():
        what = name.replace("_", " ")
        if stands["state"] == "measured":
            click.echo(f"  {what} measured on {stands['since'][:10]}, for this version and these questions")
        else:
            command = f"senno judge {_KINDS[name]}"
            click.echo(shown(f"  {what} {stands['state']}: {stands['reason']} ({command})"))

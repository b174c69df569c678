"""The proof that a version arrived: what the ledger says was sent, held against what the version says."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from senno.tune.history import History
from senno.tune.scenarios import Scenario
from senno.tune.stops import WiringBroken
from senno.tune.version import Version
from senno.tune.wiring import check_wiring

_CHUNK = 200


class Proving:
    """Proves each version once, by the first of its answers.

    Args:
        history: of the run.
        scenarios: by id.
    """

    def __init__(self, history: History, scenarios: Mapping[str, Scenario]) -> None:
        self._history, self._scenarios = history, scenarios
        self._last = 0
        self._rows: dict[int, str] = {}
        """Seed of a request to what was sent: each answer has a seed of its own."""

    def proved(self, version: Version) -> bool:
        """Whether it is proved that the version reached the model."""
        return self._history.find("wiring", version.id) is not None

    def prove(self, version: Version, scenario: Scenario, seed: int) -> None:
        """Look at what was sent for one answer, unless the version is proved.

        Raises:
            WiringBroken: a part of the version was not in it.
        """
        if self.proved(version):
            return
        sent = self._sent(seed)
        if sent is None:
            return
        wiring = check_wiring(version, scenario, sent)
        if wiring.problem or wiring.missing:
            raise WiringBroken(wiring.problem or f"{version.id}: {', '.join(wiring.missing)} did not reach the model")
        self._history.keep("wiring", version.id, {"scenario": scenario.id})
        self._rows.clear()

    def _sent(self, seed: int) -> str | None:
        """What the ledger has of the request with that seed."""
        while seed not in self._rows:
            rows = self._history.ledger.calls(self._history.run_id, after=self._last, limit=_CHUNK)
            if not rows:
                return None
            self._last = rows[-1].id or self._last
            found = ((_seed(row.sent), row.sent) for row in rows if row.role == "answer" and row.outcome == "ok")
            self._rows |= {number: sent for number, sent in found if number is not None}
        return self._rows[seed]


def _seed(sent: str) -> int | None:
    try:
        asked: Any = json.loads(sent)
        return int(asked["seed"])
    except (ValueError, TypeError, KeyError):
        return None

"""What sources say of the items that an actor proposed, looked up by code before the critic reads them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import deepcopy
from typing import Any

from senno.errors import BudgetExceeded, ConfigError, SennoError
from senno.loop.answers import EvidenceIds, evidence_in, raised
from senno.loop.board import Board, Proposal, item_key, screen
from senno.loop.deadline import Deadline
from senno.loop.spec import LoopSpec
from senno.loop.values import Evidence


class Lookup:
    """Looks up evidence by the loop's `evidence` function.

    Args:
        spec: the loop.
        ids: numbers the evidence.
        deadline: of the run.
    """

    def __init__(self, spec: LoopSpec, ids: EvidenceIds, deadline: Deadline) -> None:
        self._spec = spec
        self._ids = ids
        self._deadline = deadline

    async def proposals(
        self, values: Sequence[Mapping[str, Any]], request: Mapping[str, Any], board: Board, missing: int
    ) -> list[Proposal]:
        """The items, each once, with their evidence. Once `missing` of them are new, no further one is looked up.

        Raises:
            ConfigError: `evidence` raised, or returned something else than a list of `Evidence`.
            BudgetExceeded: the time of the run is up.
        """
        found: dict[str, Proposal] = {}
        enough = False
        for value in values:
            key = item_key(value, self._spec.items.key, self._spec.items.text)
            if key in found:
                continue
            before = board.items.get(key)
            # An actor may propose thousands: what is not going to be judged costs no search.
            bare = enough or (before is not None and before.state == "accepted")
            found[key] = Proposal(key, value, () if bare else await self._evidence(request, value))
            enough = enough or len(screen(board, list(found.values()), missing).to_judge) >= missing
        return list(found.values())

    async def _evidence(self, request: Mapping[str, Any], value: Mapping[str, Any]) -> tuple[Evidence, ...]:
        if self._spec.evidence is None:
            return ()
        try:
            # Copies: the function may do with them what it likes.
            found = await self._deadline.call(self._spec.evidence, deepcopy(dict(request)), deepcopy(dict(value)))
        except BudgetExceeded:
            raise
        except Exception as error:
            problem = str(error) if isinstance(error, SennoError) else raised(self._spec.evidence, error)
            raise ConfigError(f"{self._spec.path}: evidence failed, so nothing was judged: {problem}") from error
        evidence = evidence_in(found)
        if evidence is None:
            kind = type(found).__name__
            raise ConfigError(f"{self._spec.path}: evidence returned {kind}; expected a list of Evidence")
        return tuple(self._ids.number(evidence))

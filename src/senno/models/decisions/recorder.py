"""A decision model whose answers are written down as they come, to be replayed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from senno.models.calls import RoleCalls
from senno.models.checked import check_decision
from senno.models.decisions.jevl import record_of
from senno.models.decisions.jevl_file import append_record
from senno.models.protocol import Decision, DecisionModel, Json, Question
from senno.threads import in_daemon_thread


class Recorder:
    """Writes what another decision model answers to a `.jevl` file, and gives it on as it is.

    Args:
        model: answers.
        path: of the file; it is appended to.
        now: aware UTC.
    """

    def __init__(
        self, model: DecisionModel, path: Path, *, now: Callable[[], datetime] = lambda: datetime.now(UTC)
    ) -> None:
        self._model, self._path, self._now = model, path, now

    @property
    def name(self) -> str:
        """The name of the model."""
        return self._model.name

    async def decide(self, state: Json, questions: Mapping[str, Question], *, calls: RoleCalls) -> Decision:
        """Answer every question about `state`: see `DecisionModel.decide`.

        Raises:
            ConfigError: the record cannot be written.
        """
        decision = check_decision(questions, await self._model.decide(state, questions, calls=calls))
        record = record_of(self.name, state, questions, decision, self._now())
        if record is None:
            return replace(decision, notes=(*decision.notes, f"nothing was recorded in {self._path}: no answer came"))
        notes: tuple[str, ...] = await in_daemon_thread(append_record, self._path, record)
        return replace(decision, notes=(*decision.notes, *notes))

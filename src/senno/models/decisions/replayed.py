"""A decision model that answers from a `.jevl` file: no key, no network, and no answer that was not recorded."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import cast

from senno.errors import ConfigError, ModelError
from senno.models.calls import RoleCalls
from senno.models.decisions.digests import record_id, request_digest
from senno.models.decisions.form import question_forms
from senno.models.decisions.jevl import JevlRecord
from senno.models.decisions.jevl_file import JevlFile, read_jevl
from senno.models.decisions.named import asked_model
from senno.models.decisions.openai import WIRE as OPENAI_WIRE
from senno.models.decisions.system_one import WIRE
from senno.models.decisions.wire import read_envelope
from senno.models.protocol import Decision, Json, Question, Unanswered, Usage
from senno.text import one_line

_CHECKED_THEN = (WIRE.method, OPENAI_WIRE.method)


class Replayed:
    """The answers of a `.jevl` file, of senno's or of another program that writes that format.

    A request is found by the model asked for, the state, and the questions with the order of their options. What is
    recorded is checked as if it came over the wire.

    Args:
        path: of the file.
        name: of the model whose answers are replayed, as the user wrote it; empty: the only one in the file.

    Raises:
        ConfigError: the file cannot be read, or holds answers of several models and no name says which.
        FileFormatError: a line is no record (with its number), or one that was changed.
    """

    def __init__(self, path: Path, name: str = "") -> None:
        found = read_jevl(path)
        self._path = path
        self._notes = found.notes
        self._records = {record.digest: record for record in found.records}
        self.name = name or _only_name(path, found)
        self._asked = asked_model(self.name)

    async def decide(self, state: Json, questions: Mapping[str, Question], *, calls: RoleCalls) -> Decision:  # noqa: ARG002 - nothing is called
        """Answer every question about `state`: see `DecisionModel.decide`.

        Raises:
            ModelError: this request is not in the file.
        """
        record = self._records.get(request_digest(self._asked, state, question_forms(questions)))
        if record is None:
            raise self._miss(state, questions)
        kept = record.meta.get("senno_method")
        method = kept if isinstance(kept, str) and kept else WIRE.method
        # Of a chat model nobody checked the version when it answered, so nobody does now.
        asked = self._asked if method in _CHECKED_THEN else ""
        told = f"replayed from {one_line(record.where, 200)}, recorded {one_line(record.data['ts'], 40)}"
        # The tokens were paid for when it was recorded.
        envelope = {"model": record.model, "usage": {"input_tokens": 0, "output_tokens": 0}}
        notes = (*self._notes, told)
        decision = read_envelope(envelope, record.answers, questions, asked, f"replay:{method}", notes)
        return replace(decision, answers={**decision.answers, **_reasons(record, decision)}, usage=Usage(0, 0))

    def _miss(self, state: Json, questions: Mapping[str, Question]) -> ModelError:
        forms = question_forms(questions)
        hint = ""
        blind = {record_id("", record.state, record.questions): record for record in self._records.values()}
        near = blind.get(record_id("", state, forms))
        if near is not None and near.asked_model != self._asked:
            hint = f" (it is there for {one_line(near.asked_model, 60)}, and {self._asked} is asked)"
        elif near is not None:
            hint = " (it is there with the options, or the keys of the state, in another order)"
        asked = one_line(", ".join(map(repr, questions)), 200)
        return ModelError(
            self.name,
            f"{self._path} holds no answers to {asked} about this state{hint}; record them with the same command and "
            f"--record {self._path} in the place of --replay",
        )


def _reasons(record: JevlRecord, decision: Decision) -> dict[str, Unanswered]:
    """Why there was no answer when it was recorded, for the questions that have none."""
    kept = record.meta.get("senno_unanswered")
    told = cast("dict[str, object]", kept) if isinstance(kept, dict) else {}
    return {
        id_: Unanswered(str(told[id_]))
        for id_, answer in decision.answers.items()
        if isinstance(answer, Unanswered) and id_ in told and id_ not in record.answers
    }


def _only_name(path: Path, found: JevlFile) -> str:
    names = {str(record.meta.get("senno_name") or record.asked_model): None for record in found.records}
    if len(names) == 1:
        return next(iter(names))
    if not names:
        left_out = "".join(f" ({note})" for note in found.notes)
        raise ConfigError(f"{path}: it holds no records{left_out}; record some first, with --record")
    several = one_line(", ".join(names), 200)
    raise ConfigError(f"{path}: it holds answers of {several}; name the model whose answers are meant (--judge-model)")

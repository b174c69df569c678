"""One record of a `.jevl` file: what was asked, and what a version answered. Pure functions.

The format is that of jevkit-core 0.2 (`v` 1): one JSON object a line with `v`, `id`, `ts`, `model`, `request` (`state`,
`questions`), `answers`, and perhaps `usage`, `label`, `tags`, `meta`; keys that nobody knows stay. Its `id` does not
see the order of options, which is part of a question: senno keeps a digest that does, in `meta.senno_id`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, cast

from senno.errors import ConfigError, FileFormatError
from senno.models.decisions.digests import record_id, request_digest
from senno.models.decisions.form import answer_form, question_forms
from senno.models.decisions.named import asked_model
from senno.models.decisions.strict_json import NotJson, strict_json
from senno.models.protocol import Decision, Json, Question, Unanswered
from senno.text import one_line

VERSION = 1

_KINDS: Mapping[str, type] = {"id": str, "ts": str, "model": str, "request": dict, "answers": dict}


@dataclass(frozen=True, slots=True)
class JevlRecord:
    """A record.

    Args:
        data: all of it, as it stands in the file.
        where: file and line, for errors; empty: it comes from no file.
    """

    data: Mapping[str, Any]
    where: str = ""

    @property
    def model(self) -> str:
        """The version that answered."""
        return self.data["model"]

    @property
    def asked_model(self) -> str:
        """The version, or the alias, that was asked for."""
        asked = self.meta.get("requested_model")
        return asked if isinstance(asked, str) and asked else self.model

    @property
    def state(self) -> Json:
        """What the questions were about."""
        return self.data["request"].get("state")

    @property
    def questions(self) -> Mapping[str, Any]:
        """The questions as they were sent, by id."""
        return self.data["request"]["questions"]

    @property
    def answers(self) -> Mapping[str, Any]:
        """The answers in System One's form, by id."""
        return self.data["answers"]

    @property
    def meta(self) -> Mapping[str, Any]:
        """What the writer of the record noted."""
        found = self.data.get("meta")
        return cast("Mapping[str, Any]", found) if isinstance(found, dict) else {}

    @property
    def digest(self) -> str:
        """Of the request, with the order of its options (`request_digest`): what a replay goes by.

        Raises:
            FileFormatError: the request is not the one that was recorded, or no JSON.
        """
        kept = self.meta.get("senno_id")
        if isinstance(kept, str) and self.meta.get("senno_redacted") is True:
            return kept
        try:
            found = request_digest(self.asked_model, self.state, self.questions)
        except ConfigError:
            raise FileFormatError(f"{self.where}: request", "a number that JSON does not have", "JSON") from None
        if isinstance(kept, str) and kept != found:
            raise FileFormatError(
                f"{self.where}: request",
                "it was changed after it was recorded, and its answers belong to what it was",
                "a record as it was written",
                "Take the line out, and record the request anew",
            )
        return found


def read_record(line: str, where: str) -> JevlRecord:
    """The record of one line.

    Args:
        line: its text.
        where: file and line.

    Raises:
        FileFormatError: it is no record, or one of a newer version of the format.
    """
    try:
        value = strict_json(line)
    except NotJson as error:
        raise FileFormatError(where, str(error), "one JSON object a line") from None
    if not isinstance(value, dict):
        raise FileFormatError(where, f"found {_told(value)}", "one JSON object a line")
    data = cast("dict[str, Any]", value)
    version = data.get("v")
    if not isinstance(version, int) or isinstance(version, bool) or version < 1:
        raise FileFormatError(f"{where}: v", f"found {_told(version)}", f"{VERSION}")
    if version > VERSION:
        raise FileFormatError(
            f"{where}: v", f"version {version}", f"{VERSION}", "A newer program wrote it: upgrade senno"
        )
    for key, kind in _KINDS.items():
        if not isinstance(data.get(key), kind):
            expected = "a mapping" if kind is dict else "text"
            raise FileFormatError(f"{where}: {key}", f"found {_told(data.get(key))}", expected)
    questions = data["request"].get("questions")
    if not isinstance(questions, dict):
        raise FileFormatError(f"{where}: request.questions", f"found {_told(questions)}", "a mapping")
    return JevlRecord(data, where)


def record_line(record: JevlRecord) -> str:
    """The record as a line, with the line end."""
    return json.dumps(record.data, ensure_ascii=False, separators=(",", ":")) + "\n"


def record_of(
    name: str, state: Json, questions: Mapping[str, Question], decision: Decision, now: datetime
) -> JevlRecord | None:
    """The record of a decision; `None`: nobody answered anything.

    Secrets in the request are replaced, and `meta.senno_redacted` says so: the digests are of what was asked, so it is
    found again all the same. What had no answer stands in `meta.senno_unanswered` with its reason.

    Args:
        name: of the decision model, as the user wrote it.
        state: what the questions are about.
        questions: as asked.
        decision: checked, with an answer to every question.
        now: aware UTC.

    Raises:
        ConfigError: the state holds a number that JSON does not have.
    """
    # Here, since the ledger loads SQLite.
    from senno.ledger import redact

    answers: dict[str, Any] = {}
    missing: dict[str, str] = {}
    for id_, question in questions.items():
        answer = decision.answers[id_]
        if isinstance(answer, Unanswered):
            missing[id_] = answer.reason
        else:
            answers[id_] = answer_form(question, answer)
    if decision.model is None or not answers:
        return None
    asked, forms = asked_model(name), question_forms(questions)
    meta: dict[str, Any] = {
        "requested_model": asked,
        "senno_name": name,
        "senno_id": request_digest(asked, state, forms),
        "senno_method": decision.method,
    }
    if missing:
        meta["senno_unanswered"] = {id_: redact(reason) for id_, reason in missing.items()}
    request = json.dumps({"state": state, "questions": forms}, ensure_ascii=False)
    private = redact(request, json_text=True)
    if private != request:
        meta["senno_redacted"] = True
    tokens = {"input_tokens": decision.usage.tokens_in, "output_tokens": decision.usage.tokens_out}
    data = {
        "v": VERSION,
        "id": record_id(decision.model, state, forms),
        "ts": now.isoformat(timespec="seconds").replace("+00:00", "Z"),
        "model": decision.model,
        "request": json.loads(private),
        "answers": answers,
        **({"usage": tokens} if None not in tokens.values() else {}),
        "meta": meta,
    }
    return JevlRecord(data)


def _told(value: Any) -> str:
    return "nothing" if value is None else one_line(repr(value), 40)

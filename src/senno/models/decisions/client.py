"""Any object with `.system_one(state, questions, model=…)` as a decision model: the official SDK, or a cassette."""

from __future__ import annotations

import inspect
import json
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, Protocol, cast

from senno.errors import ModelError
from senno.models.calls import RoleCalls
from senno.models.decisions.form import question_forms
from senno.models.decisions.named import standing_notes
from senno.models.decisions.refusals import refusal
from senno.models.decisions.size import too_large
from senno.models.decisions.system_one import answers_given, limits_of
from senno.models.decisions.wire import model_of, read_envelope, unanswered, usage_of
from senno.models.outgoing import Outgoing, Received
from senno.models.protocol import AttemptFailed, Decision, Json, Question
from senno.text import one_line
from senno.threads import as_failure, in_daemon_thread, told

METHOD = "systemone"


class SystemOneClient(Protocol):
    """What is asked of the object: TypeSafe's `TypeSafeClient` and `AsyncTypeSafeClient` have it."""

    def system_one(self, state: Any, questions: Any, *, model: str) -> Any:
        """Answer questions about a state: an object or a mapping with `model`, `answers`, `usage`, perhaps awaited."""
        ...


class ClientDecisions:
    """A client as a decision model; what it brings back is checked as if it came over the wire.

    A client that is not asynchronous is called in a thread of its own, so nothing else waits for it. Set its own
    retries to none where it has any: the gate repeats what may succeed later.

    Args:
        client: has `system_one`.
        model: the version to ask for.
        name: as it stands in the ledger, and as it is compared with the author's.
    """

    def __init__(self, client: SystemOneClient, model: str, *, name: str = "") -> None:
        self.name = name or f"typesafe:{model}"
        self._client, self._model = client, model
        self._notes = standing_notes(model)

    async def decide(self, state: Json, questions: Mapping[str, Question], *, calls: RoleCalls) -> Decision:
        """Answer every question about `state`: see `DecisionModel.decide`."""
        asked = question_forms(questions)
        sent = json.dumps({"model": self._model, "state": state, "questions": asked}, ensure_ascii=False)
        over = too_large(sent, state, asked, limits_of(self._model))
        if over:
            return unanswered(questions, over, METHOD)

        async def attempt(_: int | None) -> Received[Mapping[str, Any]]:
            envelope = await self._asked(state, asked)
            if not isinstance(envelope, Mapping):
                raise AttemptFailed(f"the client gave {one_line(repr(envelope), 60)}, and no response", retry=False)
            found = cast("Mapping[str, Any]", envelope)
            text = json.dumps(found, ensure_ascii=False, default=repr)
            return Received(found, text, model_of(found), usage_of(found)[0])

        try:
            envelope = await calls.send(Outgoing(self.name, lambda _: sent, attempt))
        except ModelError as error:
            return unanswered(questions, str(error), METHOD)
        return read_envelope(envelope, answers_given(envelope), questions, self._model, METHOD, self._notes)

    async def _asked(self, state: Json, questions: Mapping[str, Any]) -> Any:
        ask = self._client.system_one
        try:
            if inspect.iscoroutinefunction(ask):
                return _plain(await ask(state, questions, model=self._model))
            found = await in_daemon_thread(lambda: ask(state, questions, model=self._model))
            return _plain(await found if inspect.isawaitable(found) else found)
        except (Exception, SystemExit) as error:
            raise _failure(as_failure(error)) from error


def _failure(error: Exception) -> AttemptFailed:
    """What a client raised: by its status code where it has one, as the SDK's errors do."""
    status = next((code for key in ("status", "status_code") if _is_status(code := getattr(error, key, None))), None)
    if status is None:
        # The SDK's own failures to connect are of these two; what else a client raises is no failure of the network.
        again = isinstance(error, ConnectionError | TimeoutError)
        return AttemptFailed(one_line(told(error), 300), retry=again)
    if status < 400:
        return AttemptFailed(one_line(told(error), 300), retry=False)
    body = getattr(error, "body", None)
    text = body if isinstance(body, str) else json.dumps(body, ensure_ascii=False, default=repr) if body else str(error)
    headers = getattr(error, "headers", None)
    given = dict(cast("Mapping[str, str]", headers)) if isinstance(headers, Mapping) else {}
    return refusal(status, given, text, now=datetime.now(UTC))


def _is_status(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 100 <= value <= 599


def _plain(value: Any) -> Any:
    """Values of JSON from what a client made of them; keys are texts again (the SDK makes numbers of levels)."""
    if isinstance(value, Mapping):
        entries = cast("Mapping[Any, Any]", value).items()
        return {str(key): _plain(each) for key, each in entries}
    if isinstance(value, list | tuple):
        return [_plain(each) for each in cast("list[Any]", value)]
    if value is None or isinstance(value, str | int | float):
        return value
    dump = getattr(value, "model_dump", None)
    if callable(dump):
        return _plain(dump())
    fields = {key: each for key, each in getattr(value, "__dict__", {}).items() if not key.startswith("_")}
    return {key: _plain(each) for key, each in fields.items()} if fields else value

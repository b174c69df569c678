"""The gate to models whose replies are kept: one that was paid for in an earlier session is given again."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict
from typing import Any

from senno.models import Calls, Reply, Request, TextModel, Usage
from senno.tune.history import History, digest


class KeptCalls:
    """`Calls.complete`, with replies out of the history of the run where they are there.

    The same request asked twice is two requests: the second is the second again when the run goes on.
    """

    def __init__(self, calls: Calls, history: History) -> None:
        self._calls, self._history = calls, history
        self._asked: Counter[str] = Counter()

    async def complete(self, model: TextModel, request: Request, *, role: str) -> Reply:
        """See `Calls.complete`."""
        same = digest(role, model.name, asdict(request))
        self._asked[same] += 1

        async def pay() -> Any:
            return reply_json(await self._calls.complete(model, request, role=role))

        return reply_from(await self._history.once("reply", digest(same, self._asked[same]), pay))


def reply_json(reply: Reply) -> dict[str, Any]:
    """A reply as it is kept."""
    usage = [reply.usage.tokens_in, reply.usage.tokens_out]
    return {"text": reply.text, "model": reply.model, "finish": reply.finish, "usage": usage}


def reply_from(kept: Any) -> Reply:
    """A reply that was kept."""
    return Reply(kept["text"], kept["model"], usage=Usage(*kept["usage"]), finish=kept["finish"])

"""A scripted server on loopback that answers closed questions over System One's wire.

    with SystemOneServer(touches_auth=0.9) as server:
        senno("gate", "--staged", "--model", f"systemone:{server.url}#jev-1.13.0")

A yes/no question has the probability that the table gives it, or `OTHERWISE`; a score has all its mass on the level
given (0), a choice on the option given (the first). A function in place of a number is given the state. Behaviours of
`openai_server` in the queue go first.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from openai_server import Behaviour, OpenAIServer, Recorded, answers

OTHERWISE = 0.02
MODEL = "jev-1.13.0"


class SystemOneServer(OpenAIServer):
    def __init__(self, *behaviours: Behaviour, model: str = MODEL, **table: Any) -> None:
        super().__init__(*behaviours)
        self.table: dict[str, Any] = table
        self.model = model

    def next(self, request: Recorded) -> Behaviour:
        if self.queue:
            return super().next(request)
        with self._arrived:
            self.requests.append(request)
            self._arrived.notify_all()
        state, asked = request.body["state"], request.body["questions"]
        given = {name: self._answer(name, question, state) for name, question in asked.items()}
        usage = {"input_tokens": 100 * len(asked), "output_tokens": len(asked)}
        return answers({"model": self.model, "answers": given, "usage": usage})

    def _answer(self, name: str, question: dict[str, Any], state: Any) -> dict[str, Any]:
        told: Any = self.table.get(name)
        if isinstance(told, Callable):
            told = told(state)
        if question["type"] == "noul":
            return {"type": "noul", "noul": OTHERWISE if told is None else told}
        criteria = question["criteria"]
        keys = list(criteria) if question["type"] == "choice" else [str(n) for n in range(len(criteria))]
        best = keys[0] if told is None else str(told)
        shares = {key: 1.0 if key == best else 0.0 for key in keys}
        if question["type"] == "choice":
            return {"type": "choice", "choice": best, "probabilities": shares, "confidence": 1.0}
        legend = dict(zip(keys, criteria, strict=True))
        return {
            "type": "score",
            "score": float(best),
            "legend": legend,
            "probabilities": shares,
            "confidence": 1.0,
        }

"""Models that say what a script says: for tests, and for runs that must not depend on a provider."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Mapping

from senno.models.calls import RoleCalls
from senno.models.outgoing import Outgoing, Received
from senno.models.protocol import (
    Answer,
    AttemptFailed,
    Decision,
    Json,
    Probability,
    Question,
    Reply,
    Request,
    Usage,
)
from senno.models.record import asked_text, decision_text
from senno.text import one_line

Line = str | Reply | AttemptFailed | Callable[[Request], str | Reply]
"""One turn of a script: a text, a whole reply, a failure, or what makes an answer from the request."""


class ScriptedText:
    """A text model that answers from a queue.

    Args:
        name: as it stands in the ledger.
        replies: what it answers, in order. A text has no usage; give a `Reply` where tokens matter.
    """

    def __init__(self, name: str, replies: Iterable[Line]) -> None:
        self._name = name
        self._replies = deque(replies)
        self.requests: list[Request] = []
        """All that it was asked, in order."""

    @property
    def name(self) -> str:
        """The name it was given."""
        return self._name

    async def complete(self, request: Request) -> Reply:
        """The next answer of the queue.

        Raises:
            AttemptFailed: the script says so, or it has ended.
        """
        self.requests.append(request)
        if not self._replies:
            last = request.messages[-1].text if request.messages else request.system
            raise AttemptFailed(
                f"the script of {self._name} has ended, and this is call {len(self.requests)}: {one_line(last, 80)!r}",
                retry=False,
            )
        line = self._replies.popleft()
        if isinstance(line, AttemptFailed):
            raise line
        answer = line if isinstance(line, str | Reply) else line(request)
        return answer if isinstance(answer, Reply) else Reply(answer, self._name)


Answers = Mapping[str, Answer | float]
"""Answers by question id; a number is the probability of yes."""


class ScriptedDecisions:
    """A decision model that answers from a table.

    Args:
        name: as it stands in the ledger.
        answers: by question id, or what makes them from the state and the questions. A question that is not in
            the table stays unanswered.
    """

    def __init__(self, name: str, answers: Answers | Callable[[Json, Mapping[str, Question]], Answers]) -> None:
        self._name = name
        self._answers = answers

    @property
    def name(self) -> str:
        """The name it was given."""
        return self._name

    async def decide(self, state: Json, questions: Mapping[str, Question], *, calls: RoleCalls) -> Decision:
        """The answers of the table to the questions asked; one row in the ledger."""
        sent = asked_text(state, questions)

        async def attempt(_: int | None) -> Received[Decision]:
            found = self._answers(state, questions) if callable(self._answers) else self._answers
            answers = {
                id_: each if not isinstance(each, int | float) else Probability(float(each))
                for id_, each in found.items()
                if callable(self._answers) or id_ in questions
            }
            decision = Decision(answers, self._name, Usage(0, 0), "scripted")
            return Received(decision, decision_text(decision), self._name, decision.usage)

        return await calls.send(Outgoing(self._name, lambda _: sent, attempt))

"""A decision model as a reranker: one question a candidate, and the probability of yes is its score."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from senno.errors import SennoError
from senno.models.calls import Calls
from senno.models.protocol import Decision, DecisionModel, Json, Noul, Probability, Question, Unanswered
from senno.models.reranking.protocol import Reranked, checked, late
from senno.models.waiting import WaitingCalls

ROLE = "rerank"

_MOST = 1200
"""Letters of a task or of a candidate that are sent."""


class DecisionReranker:
    """Puts all candidates to a decision model in one request: the task is the state, each candidate a question.

    Args:
        model: answers the questions. A chat model (`ChatDecisions`) is asked once a candidate.
        calls: the gate.
    """

    def __init__(self, model: DecisionModel, calls: WaitingCalls) -> None:
        self.name = model.name
        self._model, self._calls = model, calls

    def scores(self, query: str, passages: Sequence[str], *, seconds: float | None = None) -> Reranked:
        """See `Reranker.scores`."""
        if not passages:
            return Reranked(())
        questions: dict[str, Question] = {f"c{i}": _question(passage) for i, passage in enumerate(passages)}
        state: Mapping[str, Json] = {"task": query[:_MOST]}

        async def ask(calls: Calls) -> Decision:
            return await calls.decide(self._model, dict(state), questions, role=ROLE)

        try:
            decision = self._calls.run(ask, seconds)
        except TimeoutError:
            return late(self.name, len(passages), seconds or 0.0)
        except SennoError as error:
            return Reranked((None,) * len(passages), (f"{self.name}: {error}",))
        answers = [decision.answers[each] for each in questions]
        failed = [answer.reason for answer in answers if isinstance(answer, Unanswered)]
        notes = [*decision.notes, *([f"{self.name}: {len(failed)} unanswered, {failed[0]}"] if failed else [])]
        return checked(
            self.name, [answer.yes if isinstance(answer, Probability) else None for answer in answers], notes
        )


def _question(passage: str) -> Noul:
    """The candidate goes as data beside the question, so that nothing in it is read as one."""
    return Noul(
        instructions={
            "question": "Would this lesson from a past task help an agent that begins the task in the state?",
            "lesson": passage[:_MOST],
        },
        true="The lesson is about the same kind of task, and its rule applies to it.",
        false="The lesson is about something else, whatever words they share.",
    )

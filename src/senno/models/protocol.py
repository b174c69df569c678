"""What senno asks of a model: two protocols, and the values that cross them.

A backend (`adapter.py`, `gguf.py`, `scripted.py`, `decisions/`) makes **one attempt** a call and raises
`AttemptFailed` when it fails. Retries, time-outs, budgets, concurrency and the ledger are not its business:
they are in `calls.py`, the one gate to any model.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, Protocol, runtime_checkable

if TYPE_CHECKING:
    from decimal import Decimal

    from senno.models.calls import RoleCalls

Json = None | bool | int | float | str | list["Json"] | dict[str, "Json"]


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A model asks for a tool. `arguments` is what it sent, unchecked."""

    id: str
    name: str
    arguments: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Message:
    """One turn. `tool_calls` only with role `assistant`; `tool_call_id` and `tool_name` only with `tool`."""

    role: Literal["user", "assistant", "tool"]
    text: str
    tool_calls: tuple[ToolCall, ...] = ()
    tool_call_id: str | None = None
    tool_name: str | None = None


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool as a model sees it. `parameters` is a JSON Schema of type object."""

    name: str
    description: str
    parameters: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Request:
    """All that one call sends."""

    system: str
    messages: tuple[Message, ...]
    tools: tuple[Tool, ...] = ()
    schema: Mapping[str, Any] | None = None
    """JSON Schema of the answer, sent natively where the provider has a way; `None`: free text. The caller
    validates what comes back in either case."""
    max_tokens: int | None = None
    """Most tokens the answer may have; `None`: the provider's default, or what a budget allows (`Calls`)."""
    temperature: float | None = None
    top_logprobs: int = 0
    """How many alternatives to ask for at each token of the answer; 0: none."""
    seed: int | None = None


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of one call. `None`: the provider did not say (never read as 0)."""

    tokens_in: int | None = None
    tokens_out: int | None = None
    tokens_cached: int | None = None
    """Those of `tokens_in` that were read from the provider's cache."""


@dataclass(frozen=True, slots=True)
class TokenLogprobs:
    """The token chosen and its alternatives, as natural logarithms of probabilities."""

    token: str
    logprob: float
    top: Mapping[str, float] = field(default_factory=dict[str, float])


@dataclass(frozen=True, slots=True)
class Reply:
    """What one attempt brought back."""

    text: str
    model: str
    """The model that answered, as the provider names it; may differ from the one asked for."""
    tool_calls: tuple[ToolCall, ...] = ()
    usage: Usage = Usage()
    finish: Literal["stop", "length", "tool_calls", "content_filter", "unknown"] = "stop"
    logprobs: tuple[TokenLogprobs, ...] | None = None
    """One entry a token of `text`; `None`: the provider gave none."""
    notes: tuple[str, ...] = ()
    """What the backend left out of the request, and why (a server that takes no schema): degradations, in words."""


@runtime_checkable
class TextModel(Protocol):
    """A model that writes."""

    @property
    def name(self) -> str:
        """The name as the user wrote it (`ollama:llama3.2`)."""
        ...

    async def complete(self, request: Request) -> Reply:
        """One attempt.

        Raises:
            AttemptFailed: it failed, and whether trying again may help.
        """
        ...


@dataclass(frozen=True, slots=True)
class Noul:
    """A yes/no question. The answer is a probability of yes. `true` and `false` are the criteria of each side."""

    instructions: str | Mapping[str, Any]
    true: str | None = None
    false: str | None = None


@dataclass(frozen=True, slots=True)
class Score:
    """An ordered scale: `levels` from low to high, two to ten of them."""

    instructions: str | Mapping[str, Any]
    levels: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Choice:
    """One of `options` (name to criterion, or to `None`). The order of options is part of the question."""

    instructions: str | Mapping[str, Any]
    options: Mapping[str, str | None]


Question = Noul | Score | Choice


@dataclass(frozen=True, slots=True)
class Probability:
    """Answer to a `Noul`: probability of yes, in [0, 1]."""

    yes: float


@dataclass(frozen=True, slots=True)
class Distribution:
    """Answer to a `Score` (keys "0", "1", … by level) or a `Choice` (keys: the options). Sums to 1."""

    probabilities: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Unanswered:
    """No usable answer to this question: never a zero, never a pass. `reason` says what came instead."""

    reason: str


Answer = Probability | Distribution | Unanswered


@dataclass(frozen=True, slots=True)
class Decision:
    """Answers by question id: every id that was asked is there."""

    answers: Mapping[str, Answer]
    model: str | None
    """The model version that answered; `None`: no call succeeded."""
    usage: Usage = Usage()
    method: str = ""
    """How the probabilities were had: `logprobs`, `samples:5`, `scripted`, `retrieval`, …"""
    cost: Decimal | None = None
    """US dollars, filled in by `Calls.decide`; `None`: not known."""
    notes: tuple[str, ...] = ()
    """What was refused or left out on the way, in words."""


@runtime_checkable
class DecisionModel(Protocol):
    """A model that answers closed questions. It does not decide: policies do."""

    @property
    def name(self) -> str:
        """The name as the user wrote it."""
        ...

    async def decide(self, state: Json, questions: Mapping[str, Question], *, calls: RoleCalls) -> Decision:
        """Answer every question about `state`.

        Called by `Calls.decide`, which checks what comes back. Whatever goes to a model goes through `calls`, so
        that it is budgeted and recorded: a chat model by `calls.complete(model, request)`, anything else by
        `calls.send(outgoing)`. A question whose call failed for good is `Unanswered`; a used-up budget raises
        `BudgetExceeded`.
        """
        ...


class AttemptFailed(Exception):
    """One attempt failed. Raised by backends, caught by `calls.py`; no user sees it.

    Args:
        problem: what happened, in a few words, with the status code where there is one.
        retry: whether the same request may succeed later (408, 409, 429, 5xx, 529, time-outs, broken connections).
        retry_after: seconds the provider asked to wait; `None`: it did not say.
        usage: tokens that the failed attempt is known to have used.
    """

    def __init__(
        self, problem: str, *, retry: bool, retry_after: float | None = None, usage: Usage | None = None
    ) -> None:
        self.problem = problem
        self.retry = retry
        self.retry_after = retry_after
        self.usage = usage or Usage()
        super().__init__(problem)

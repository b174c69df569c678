"""The one gate to any model: budgets, time-outs, retries, concurrency, and a row in the ledger for every attempt."""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, TypeVar

from senno.errors import ConfigError, ModelError, SennoError
from senno.models.budget import Budget, Expected, Go, Refused, Spent, Wait
from senno.models.checked import check_decision
from senno.models.journal import NOTHING_SAID, CallRecorder, Journal
from senno.models.meter import Flight, Meter
from senno.models.outgoing import Outgoing, Received
from senno.models.prices import Price
from senno.models.protocol import (
    AttemptFailed,
    Decision,
    DecisionModel,
    Json,
    Question,
    Reply,
    Request,
    TextModel,
    Usage,
)
from senno.models.record import reply_text, request_text
from senno.models.retry import RetryPolicy, delay, patience_exceeded

if TYPE_CHECKING:
    from senno.ledger.rows import CallOutcome

T = TypeVar("T")


class Calls:
    """The gate of one run. It belongs to the event loop it is first used in.

    Args:
        ledger: keeps a row for every attempt; `None`: no rows.
        run_id: the run the rows belong to.
        budget: of the run.
        role_budgets: of single roles, beside that of the run.
        retry: how often and how patiently a failed attempt is repeated.
        timeout: seconds for one attempt.
        concurrency: attempts under way at once.
        prices: by model name, for models whose price no table knows.
        clock: monotonic seconds.
        now: aware UTC.
        sleep: waits between attempts.
        chance: a number in [0, 1).

    Raises:
        ConfigError: `timeout` is not above zero, or `concurrency` is below one.
    """

    def __init__(
        self,
        *,
        ledger: CallRecorder | None = None,
        run_id: str | None = None,
        budget: Budget | None = None,
        role_budgets: Mapping[str, Budget] | None = None,
        retry: RetryPolicy | None = None,
        timeout: float = 120.0,
        concurrency: int = 4,
        prices: Mapping[str, Price] | None = None,
        clock: Callable[[], float] = time.monotonic,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        chance: Callable[[], float] = random.random,  # noqa: S311 - spreads retries, guards nothing
    ) -> None:
        if timeout <= 0 or concurrency < 1:
            raise ConfigError(
                f"timeout is {timeout} s and concurrency is {concurrency}; expected above zero, and at least 1"
            )
        self._journal = Journal(ledger, run_id, prices or {})
        self._retry = retry or RetryPolicy()
        self._timeout = timeout
        self._clock = clock
        self._now = now
        self._sleep = sleep
        self._chance = chance
        self._run = Meter("the run", budget or Budget(), since=clock())
        self._roles = {role: Meter(f"the role {role}", each) for role, each in (role_budgets or {}).items()}
        self._slots = asyncio.Semaphore(concurrency)
        self._landed = asyncio.Event()

    async def complete(self, model: TextModel, request: Request, *, role: str) -> Reply:
        """One request to a text model, tried again while that may help.

        An answer that was cut (`finish == "length"`) is returned as it is.

        Raises:
            ModelError: it failed for good.
            BudgetExceeded: a budget of the run or of the role refused it, or cut it short.
            ConfigError: there is a cost budget, and the price of the model is not known.
        """
        return await self.as_role(role).complete(model, request)

    async def decide(
        self, model: DecisionModel, state: Json, questions: Mapping[str, Question], *, role: str
    ) -> Decision:
        """Closed questions to a decision model; what comes back is checked (`check_decision`), and has its cost.

        Raises:
            BudgetExceeded: as in `complete`. A call that failed for good is `Unanswered`, not an error.
        """
        through = self.as_role(role)
        decision = check_decision(questions, await model.decide(state, questions, calls=through))
        return replace(decision, cost=through.spent.cost)

    async def send(self, outgoing: Outgoing[T], *, role: str) -> T:
        """Anything else that goes to a model, tried again while that may help. Raises as `complete` does."""
        return await self.as_role(role).send(outgoing)

    def as_role(self, role: str) -> RoleCalls:
        """The gate as one role sees it, with an account of its own of what goes through it."""
        return RoleCalls(self, role)

    def spent(self, role: str | None = None) -> Spent:
        """What the run, or one role, has used up to now. A step's share: `calls.spent().since(before)`."""
        return self._run.spent if role is None else self._role(role).spent

    def _role(self, role: str) -> Meter:
        return self._roles.setdefault(role, Meter(f"the role {role}", Budget()))

    async def deliver(self, outgoing: Outgoing[T], through: RoleCalls) -> T:
        """What `RoleCalls.send` comes down to: attempts until one succeeds, or none may follow."""
        began = self._clock()
        attempt = 0
        while True:
            attempt += 1
            async with self._slots:
                outcome = await self._attempt(outgoing, through, attempt, began)
            if isinstance(outcome, Received):
                return outcome.value
            await self._sleep(outcome)

    async def _attempt(
        self, outgoing: Outgoing[T], through: RoleCalls, attempt: int, began: float
    ) -> Received[T] | float:
        """What came back, or the seconds to wait before the next attempt."""
        flight = await self._admit(outgoing, through)
        try:
            received = await self._fly(outgoing, flight)
        except AttemptFailed as failure:
            pause = self._pause(outgoing.model, failure, attempt, began)
            outcome: CallOutcome = "failed" if isinstance(pause, SennoError) else "retried"
            self._land(flight, outgoing.model, through, outcome, failure.usage, error=failure.problem)
            if isinstance(pause, SennoError):
                raise pause from failure
            return pause
        except BaseException as error:
            # Cancelled, out of time, or a fault of ours: whatever ends an attempt, its row is left.
            named = "cancelled" if isinstance(error, asyncio.CancelledError) else f"{type(error).__name__}: {error}"
            self._land(flight, outgoing.model, through, "failed", NOTHING_SAID, error=named)
            raise
        self._land(flight, outgoing.model, through, "ok", received.usage, received=received)
        return received

    async def _admit(self, outgoing: Outgoing[T], through: RoleCalls) -> Flight:
        """Wait until both budgets let the attempt go, and set aside what it may take."""
        meters = (self._run, self._role(through.role))
        sent = outgoing.sent(outgoing.max_tokens)
        priced = any(meter.budget.cost is not None for meter in meters)
        expected = self._journal.expected(outgoing.model, sent, outgoing.max_tokens, priced=priced)
        while True:
            answers = [meter.ask(expected, self._clock()) for meter in meters]
            for meter, answer in zip(meters, answers, strict=True):
                if isinstance(answer, Refused):
                    exceeded = meter.exceeded(answer)
                    self._journal.refused(outgoing.model, through.role, sent, self._now(), str(exceeded))
                    raise exceeded
            if not any(isinstance(answer, Wait) for answer in answers):
                granted = [answer for answer in answers if isinstance(answer, Go)]
                return self._take_off(outgoing, expected, granted, meters)
            await self._landed.wait()

    def _take_off(
        self, outgoing: Outgoing[T], expected: Expected, granted: list[Go], meters: tuple[Meter, ...]
    ) -> Flight:
        limits = [go.max_tokens for go in granted if go.max_tokens is not None]
        max_tokens = min(limits) if limits else None
        left = granted[0].seconds
        by_run = left is not None and left < self._timeout
        flight = Flight(
            max_tokens=max_tokens,
            sent=outgoing.sent(max_tokens),
            held=expected.held(max_tokens),
            began=self._now(),
            clock=self._clock(),
            latest=asyncio.get_running_loop().time() + (left if left is not None and by_run else self._timeout),
            latest_by=self._run if by_run else None,
            meters=meters,
        )
        for meter in meters:
            meter.depart(flight)
        return flight

    async def _fly(self, outgoing: Outgoing[T], flight: Flight) -> Received[T]:
        flight.cut_by = flight.latest_by
        try:
            async with asyncio.timeout_at(flight.latest) as scope:
                flight.scope = scope
                self._pace(flight)
                return await outgoing.attempt(flight.max_tokens)
        except TimeoutError as error:
            if flight.scope is None or not flight.scope.expired():
                raise
            if flight.cut_by is not None:
                raise flight.cut_by.out_of_time(self._clock(), ", and this attempt was cut short") from error
            raise AttemptFailed(f"no answer within {self._timeout:g} s", retry=True) from error

    def _pace(self, flight: Flight) -> None:
        for meter in flight.meters:
            meter.pace(self._clock())

    def _pause(self, model: str, failure: AttemptFailed, attempt: int, began: float) -> float | SennoError:
        """Seconds until the next attempt, or the error that there is none."""
        now = self._clock()
        wait = None
        problem = failure.problem
        if failure.retry:
            wait = delay(self._retry, attempt, failure.retry_after, now - began, self._chance())
            problem += patience_exceeded(self._retry, failure.retry_after, now - began)
        if wait is None:
            return ModelError(model, problem, attempt)
        limit = self._run.budget.seconds
        if limit is not None and self._run.elapsed(now) + wait >= limit:
            return self._run.out_of_time(now, f", and {model} is to be asked again in {wait:.1f} s: {problem}")
        return wait

    def _land(
        self,
        flight: Flight,
        model: str,
        through: RoleCalls,
        outcome: CallOutcome,
        usage: Usage,
        *,
        received: Received[T] | None = None,
        error: str | None = None,
    ) -> None:
        seconds = self._clock() - flight.clock
        spent = self._journal.spent(model, flight.sent, usage, received.text if received else "", seconds)
        for meter in flight.meters:
            meter.land(flight, spent)
        through.spent = through.spent.plus(spent)
        self._pace(flight)
        self._landed.set()
        self._landed = asyncio.Event()
        self._journal.ended(model, through.role, outcome, flight, seconds, usage, error=error, received=received)


class RoleCalls:
    """The gate as one role sees it: what a decision model is given. Made by `Calls.as_role`."""

    def __init__(self, calls: Calls, role: str) -> None:
        self._calls = calls
        self.role = role
        self.spent = Spent()
        """What went through this object."""

    async def complete(self, model: TextModel, request: Request) -> Reply:
        """One request to a text model: see `Calls.complete`."""

        def limited(max_tokens: int | None) -> Request:
            return replace(request, max_tokens=max_tokens)

        async def attempt(max_tokens: int | None) -> Received[Reply]:
            reply = await model.complete(limited(max_tokens))
            return Received(reply, reply_text(reply), reply.model, reply.usage)

        outgoing = Outgoing(
            model.name, lambda max_tokens: request_text(limited(max_tokens)), attempt, request.max_tokens
        )
        return await self.send(outgoing)

    async def send(self, outgoing: Outgoing[T]) -> T:
        """Anything else that goes to a model: see `Calls.send`."""
        return await self._calls.deliver(outgoing, self)

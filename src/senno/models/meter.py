"""The account of a run, or of one role of it: what was spent, what is set aside, which attempts are under way."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from datetime import datetime

from senno.errors import BudgetExceeded
from senno.models.budget import Budget, Expected, Go, Held, Refused, Spent, Wait, may_start


@dataclass(eq=False, slots=True)
class Flight:
    """One attempt under way."""

    max_tokens: int | None
    """Most tokens of the answer; `None`: no limit."""
    sent: str
    held: Held
    began: datetime
    clock: float
    """When it began, by the monotonic clock of the run."""
    latest: float
    """When it ends at the latest, by the clock of the event loop."""
    latest_by: Meter | None
    """Whose budget of seconds that is; `None`: its own time-out."""
    meters: tuple[Meter, ...]
    scope: asyncio.Timeout | None = None
    cut_by: Meter | None = None
    """Whose budget of seconds will end it, as things stand."""

    def limit(self, when: float, meter: Meter) -> None:
        """End at `when`, on account of `meter`, if that is before `latest`."""
        if self.scope is None or self.scope.expired():
            return
        sooner = when < self.latest
        self.scope.reschedule(when if sooner else self.latest)
        self.cut_by = meter if sooner else self.latest_by


@dataclass(eq=False, slots=True)
class Meter:
    """One account.

    Args:
        whose: for messages: `the run`, `the critic`.
        budget: its limits.
        since: when the run began, for an account of wall time; `None`: the seconds are those of its attempts.
    """

    whose: str
    budget: Budget
    since: float | None = None
    spent: Spent = field(default_factory=Spent)
    held: Held = field(default_factory=Held)
    flights: set[Flight] = field(default_factory=set[Flight])

    def elapsed(self, now: float) -> float:
        """Seconds that count against the budget."""
        if self.since is not None:
            return now - self.since
        return self.spent.seconds + sum(now - flight.clock for flight in self.flights)

    def ask(self, expected: Expected, now: float) -> Go | Wait | Refused:
        """Whether one more attempt may start."""
        return may_start(self.budget, self.spent, self.held, expected, self.elapsed(now))

    def exceeded(self, refused: Refused) -> BudgetExceeded:
        """The error for a refusal."""
        return BudgetExceeded(refused.kind, self.whose, refused.limit, refused.spent)

    def out_of_time(self, now: float, why: str = "") -> BudgetExceeded:
        """The error for an attempt, or a pause, that would outlast the budget of seconds."""
        return BudgetExceeded("seconds", self.whose, self.budget.seconds, f"{self.elapsed(now):.1f} s{why}")

    def depart(self, flight: Flight) -> None:
        """An attempt starts."""
        self.held = self.held.plus(flight.held)
        self.flights.add(flight)

    def land(self, flight: Flight, spent: Spent) -> None:
        """An attempt ended."""
        self.held = self.held.less(flight.held)
        self.flights.discard(flight)
        self.spent = self.spent.plus(spent)

    def pace(self, now: float) -> None:
        """Share the seconds that are left among the attempts of a role, so that together they cannot outlast them."""
        if self.since is not None or self.budget.seconds is None or not self.flights:
            return
        share = (self.budget.seconds - self.elapsed(now)) / len(self.flights)
        when = asyncio.get_running_loop().time() + share
        for flight in self.flights:
            flight.limit(when, self)

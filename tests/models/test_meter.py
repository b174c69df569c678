from __future__ import annotations

import asyncio
from datetime import UTC, datetime

from senno.models import Budget, Spent
from senno.models.budget import Held
from senno.models.meter import Flight, Meter


class Scope:
    """Stands for an `asyncio.Timeout`."""

    when = 0.0
    over = False

    def expired(self) -> bool:
        return self.over

    def reschedule(self, when: float) -> None:
        assert not self.over
        self.when = when


def flight(meter: Meter, latest: float, latest_by: Meter | None = None, clock: float = 100.0) -> Flight:
    made = Flight(None, "", Held(10, calls=1), datetime.now(UTC), clock, latest, latest_by, (meter,), Scope())
    meter.depart(made)
    return made


def test_attempts_of_a_role_share_the_seconds_that_are_left() -> None:
    """Together they cannot outlast them; who ends early leaves its share to the others."""

    async def main() -> None:
        loop = asyncio.get_running_loop()
        begun = loop.time()
        role = Meter("the role a", Budget(seconds=8))
        four = [flight(role, begun + 60) for _ in range(4)]
        role.pace(now=101.0)  # 4 s are used: 1 s for each of four
        assert all(begun + 1 <= each.scope.when <= loop.time() + 1 for each in four)
        assert all(each.cut_by is role for each in four)

        begun = loop.time()
        for each in four[:2]:
            role.land(each, Spent(1, seconds=1.0))
        role.pace(now=101.0)  # still 4 s: 2 s for each of two
        assert all(begun + 2 <= each.scope.when <= loop.time() + 2 for each in four[2:])
        assert role.elapsed(102.0) == 6.0

    asyncio.run(main())


def test_an_attempt_that_ends_sooner_for_another_reason_keeps_it() -> None:
    async def main() -> None:
        run, role = Meter("the run", Budget(seconds=5), since=0.0), Meter("the role a", Budget(seconds=500))
        soon = asyncio.get_running_loop().time() + 3
        timed, cut = flight(role, soon), flight(role, soon, run)
        role.pace(now=100.0)
        assert timed.scope.when == cut.scope.when == soon
        assert timed.cut_by is None
        assert cut.cut_by is run

    asyncio.run(main())


def test_an_attempt_that_is_being_cut_is_let_be() -> None:
    async def main() -> None:
        role = Meter("the role a", Budget(seconds=8))
        ending = flight(role, 0.0)
        ending.scope.over = True
        role.pace(now=101.0)
        assert ending.scope.when == 0.0

    asyncio.run(main())


def test_what_is_set_aside_is_given_back() -> None:
    meter = Meter("the run", Budget())
    a, b = flight(meter, 0.0), flight(meter, 0.0)
    assert meter.held == Held(20, calls=2)
    meter.land(a, Spent(1, 7, 3))
    assert (meter.held, meter.flights, meter.spent) == (Held(10, calls=1), {b}, Spent(1, 7, 3))

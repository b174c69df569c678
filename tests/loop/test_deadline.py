import asyncio
import contextvars
import sys
import threading

import pytest

from senno.errors import BudgetExceeded
from senno.loop.deadline import Deadline

ASKED = contextvars.ContextVar("asked", default="nothing")


def call(deadline, function, *arguments):
    return asyncio.run(deadline.call(function, *arguments))


async def later(value):
    await asyncio.sleep(0)
    return value


@pytest.mark.parametrize("function", [lambda value: value, later])
def test_a_function_gives_what_it_returns_awaited_where_it_must_be(function):
    assert call(Deadline(None), function, 7) == 7
    assert call(Deadline(60), function, 7) == 7


@pytest.mark.parametrize("error", [ValueError("x"), TimeoutError("its own"), KeyError(1)])
def test_an_error_of_the_function_is_its_own(error):
    def fails():
        raise error

    with pytest.raises(type(error)) as raised:
        call(Deadline(60), fails)
    assert raised.value is error


def test_a_function_that_ends_the_process_has_failed():
    with pytest.raises(RuntimeError, match=r"sys\.exit\(0\)"):
        call(Deadline(None), sys.exit, 0)


def test_when_the_time_is_up_nothing_is_begun():
    now = [0.0]
    deadline = Deadline(5, lambda: now[0])
    now[0] = 5.0
    begun = []
    with pytest.raises(BudgetExceeded, match="the budget of 5 seconds for the run is used up"):
        call(deadline, begun.append, 1)
    assert begun == []


@pytest.mark.parametrize("hangs", [lambda event: event.wait(), lambda event: asyncio.Event().wait()])
def test_what_hangs_is_left_behind(hangs):
    event = threading.Event()
    with pytest.raises(BudgetExceeded) as exceeded:
        call(Deadline(0.05), hangs, event)
    assert exceeded.value.kind == "seconds"
    event.set()


def test_the_function_sees_the_context_of_its_caller():
    async def go():
        ASKED.set("films")
        return await Deadline(None).call(ASKED.get)

    assert asyncio.run(go()) == "films"

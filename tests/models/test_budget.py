from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from senno.errors import ConfigError
from senno.models.budget import (
    OPEN_ANSWER,
    Budget,
    Expected,
    Go,
    Held,
    Refused,
    Spent,
    Wait,
    may_start,
)
from senno.text import estimate_tokens

PRICED = {"cost_in": Decimal("0.10"), "cost_per_token": Decimal("0.001")}


def spent(tokens_in: int = 0, tokens_out: int = 0, cost: str = "0", calls: int = 1) -> Spent:
    return Spent(calls, tokens_in, tokens_out, Decimal(cost))


@pytest.mark.parametrize(
    ("budget", "spent_", "held", "expected", "elapsed", "answer"),
    [
        pytest.param(Budget(), Spent(), Held(), Expected("m", 10), 0, Go(None, None), id="no limits"),
        pytest.param(Budget(), Spent(), Held(), Expected("m", 10, 50), 0, Go(50, None), id="its own limit stays"),
        pytest.param(Budget(tokens=100), spent(), Held(), Expected("m", 40, 20), 0, Go(20, None), id="it fits"),
        pytest.param(Budget(tokens=100), spent(), Held(), Expected("m", 40, 80), 0, Go(60, None), id="output cut"),
        pytest.param(Budget(tokens=100), spent(), Held(), Expected("m", 40), 0, Go(60, None), id="open: what is left"),
        pytest.param(
            Budget(tokens=10**6), spent(), Held(), Expected("m", 100), 0, Go(OPEN_ANSWER, None), id="open: no more"
        ),
        pytest.param(
            Budget(tokens=10**6), spent(), Held(), Expected("m", 100, 20_000), 0, Go(20_000, None), id="more, as asked"
        ),
        pytest.param(
            Budget(cost=Decimal("0.50")),
            spent(),
            Held(),
            Expected("m", 10, None, Decimal(0), Decimal("0.0000006")),
            0,
            Go(OPEN_ANSWER, None),
            id="open, and the money buys much",
        ),
        pytest.param(
            Budget(tokens=100), spent(), Held(tokens=30), Expected("m", 40, 60), 0, Wait(), id="others may leave enough"
        ),
        pytest.param(
            Budget(tokens=100),
            spent(),
            Held(tokens=30),
            Expected("m", 40, 30),
            0,
            Go(30, None),
            id="beside others",
        ),
        pytest.param(Budget(seconds=60), Spent(), Held(), Expected("m", 1), 12.5, Go(None, 47.5), id="time left"),
        pytest.param(
            Budget(cost=Decimal(1)),
            spent(cost="0.4"),
            Held(),
            Expected("m", 10, None, **PRICED),
            0,
            Go(500, None),
            id="output that the money buys",
        ),
        pytest.param(
            Budget(cost=Decimal(1), tokens=120),
            spent(10, 10, "0.4"),
            Held(),
            Expected("m", 10, None, **PRICED),
            0,
            Go(90, None),
            id="the tighter limit holds",
        ),
        pytest.param(
            Budget(cost=Decimal(1)),
            spent(),
            Held(cost=Decimal("0.5")),
            Expected("m", 10, 500, **PRICED),
            0,
            Wait(),
            id="others may leave enough money",
        ),
        pytest.param(
            Budget(cost=Decimal(1)),
            spent(),
            Held(),
            Expected("m", 10, None, Decimal(0), Decimal(0)),
            0,
            Go(OPEN_ANSWER, None),
            id="a free model",
        ),
    ],
)
def test_an_attempt_gets_what_the_budget_leaves(budget, spent_, held, expected, elapsed, answer) -> None:
    assert may_start(budget, spent_, held, expected, elapsed) == answer


@pytest.mark.parametrize(
    ("budget", "spent_", "held", "expected", "elapsed", "kind"),
    [
        pytest.param(Budget(tokens=100), spent(50, 45), Held(), Expected("m", 5), 0, "tokens", id="none for an answer"),
        pytest.param(Budget(tokens=100), spent(), Held(), Expected("m", 500), 0, "tokens", id="the input is too long"),
        pytest.param(Budget(calls=2), spent(calls=2), Held(), Expected("m", 1), 0, "calls", id="calls made"),
        pytest.param(Budget(calls=2), spent(calls=1), Held(calls=1), Expected("m", 1), 0, "calls", id="under way"),
        pytest.param(Budget(seconds=5), Spent(), Held(), Expected("m", 1), 5, "seconds", id="time"),
        pytest.param(
            Budget(cost=Decimal(1)), spent(cost="1"), Held(), Expected("m", 1, None, **PRICED), 0, "cost", id="money"
        ),
        pytest.param(
            Budget(cost=Decimal("0.1005")), spent(), Held(), Expected("m", 1, None, **PRICED), 0, "cost", id="no output"
        ),
    ],
)
def test_a_used_up_budget_refuses_and_says_which(budget, spent_, held, expected, elapsed, kind) -> None:
    answer = may_start(budget, spent_, held, expected, elapsed)
    assert isinstance(answer, Refused)
    assert answer.kind == kind


def test_a_cost_budget_needs_a_price() -> None:
    with pytest.raises(ConfigError, match=r"price of ollama:x is not known.*budget of tokens"):
        may_start(Budget(cost=Decimal(1)), Spent(), Held(), Expected("ollama:x", 1), 0)


@pytest.mark.parametrize("limit", [{"tokens": 0}, {"cost": Decimal(-1)}, {"seconds": 0.0}, {"calls": -3}])
def test_a_limit_that_is_not_above_zero_is_an_error(limit) -> None:
    with pytest.raises(ConfigError, match=f"budget.{next(iter(limit))} is"):
        Budget(**limit)


def test_tokens_are_estimated_by_bytes() -> None:
    assert [estimate_tokens(text) for text in ("", "abc", "abcd", "perché no", "\ud800")] == [0, 1, 2, 3, 1]


def test_a_total_with_an_unknown_part_is_unknown() -> None:
    known = Spent(1, 10, 5, Decimal("0.2"), 1.0)
    estimated = Spent(1, 7, 3, Decimal("0.1"), 1.0, 1, 1)
    both = known.plus(estimated)
    assert (known.tokens_in, known.tokens_out, known.cost) == (10, 5, Decimal("0.2"))
    assert (both.tokens_in, both.tokens_out, both.cost) == (None, None, None)
    assert (both.counted_in, both.counted_out, both.counted_cost) == (17, 8, Decimal("0.3"))
    assert both.since(estimated) == known


amounts = st.integers(0, 10**6)
spents = st.builds(Spent, amounts, amounts, amounts, st.integers(0, 100).map(Decimal), st.just(0.0), amounts, amounts)


@given(spents, spents)
def test_since_undoes_plus(a, b) -> None:
    assert a.plus(b).since(b) == a
    assert a.plus(b) == b.plus(a)


@given(
    st.integers(1, 10**6),
    st.lists(st.tuples(st.integers(1, 5000), st.none() | st.integers(1, 5000), st.integers(0, 5000)), max_size=30),
)
def test_attempts_side_by_side_never_outspend_the_tokens(limit, attempts) -> None:
    """Each attempt sends what was expected and answers with at most what it was granted; all land at the end."""
    budget, held, landed = Budget(tokens=limit), Held(), Spent()
    for tokens_in, wanted, answered in attempts:
        expected = Expected("m", tokens_in, wanted)
        answer = may_start(budget, Spent(), held, expected, 0)
        if isinstance(answer, Go):
            held = held.plus(expected.held(answer.max_tokens))
            landed = landed.plus(Spent(1, tokens_in, min(answered, answer.max_tokens)))
            assert wanted is None or answer.max_tokens <= wanted
    assert landed.counted_in + landed.counted_out <= limit


@given(
    st.integers(1, 1000),
    st.integers(0, 100),
    st.integers(0, 100),
    st.none() | st.integers(1, 1000),
    st.integers(0, 500),
)
def test_no_attempt_waits_for_nobody(limit, used, tokens_in, wanted, under_way) -> None:
    budget, expected = Budget(tokens=limit), Expected("m", tokens_in, wanted)
    alone = may_start(budget, Spent(1, used), Held(), expected, 0)
    beside = may_start(budget, Spent(1, used), Held(tokens=under_way), expected, 0)
    assert not isinstance(alone, Wait)
    assert isinstance(beside, Refused) == isinstance(alone, Refused)

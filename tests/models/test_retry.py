from __future__ import annotations

from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from senno.models.retry import RetryPolicy, delay, patience_exceeded, retry_after

NOW = datetime(2026, 11, 30, 12, 0, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("attempt", "asked", "elapsed", "jitter", "wait"),
    [
        pytest.param(1, None, 0, 0.999999, pytest.approx(0.5), id="first pause"),
        pytest.param(1, None, 0, 0.0, 0.25, id="half of it by chance"),
        pytest.param(3, None, 0, 0.0, 1.0, id="doubled twice"),
        pytest.param(4, None, 0, 0.0, None, id="attempts used up"),
        pytest.param(1, 7.0, 0, 0.0, 7.0, id="the provider asked for more"),
        pytest.param(1, 0.0, 0, 0.0, 0.25, id="the provider asked for nothing"),
        pytest.param(1, 90.0, 29, 0.0, 90.0, id="longer than our longest"),
        pytest.param(1, 90.0, 31, 0.0, None, id="beyond the total"),
        pytest.param(1, 3600.0, 0, 0.0, None, id="far beyond the total"),
        pytest.param(2, None, 119.9, 0.0, None, id="no time for another"),
    ],
)
def test_the_pause(attempt, asked, elapsed, jitter, wait) -> None:
    assert delay(RetryPolicy(), attempt, asked, elapsed, jitter) == wait


def test_giving_up_on_a_long_wait_says_so() -> None:
    assert patience_exceeded(RetryPolicy(), 3600.0, 1.0) == (
        "; the provider asks to wait 3600 s, and retries may take 120 s in all"
    )
    assert patience_exceeded(RetryPolicy(), 60.0, 1.0) == ""
    assert patience_exceeded(RetryPolicy(), None, 1.0) == ""


policies = st.builds(
    RetryPolicy,
    attempts=st.integers(1, 10),
    first=st.floats(0.01, 10),
    factor=st.floats(1, 1e6),
    longest=st.floats(0.01, 100),
    total=st.floats(1, 1000),
)


@given(
    policies, st.integers(1, 1000), st.none() | st.floats(0, 1e6), st.floats(0, 1e6), st.floats(0, 1, exclude_max=True)
)
def test_a_pause_is_within_its_bounds(policy, attempt, asked, elapsed, jitter) -> None:
    wait = delay(policy, attempt, asked, elapsed, jitter)
    if wait is None:
        assert attempt >= policy.attempts or elapsed + max(asked or 0.0, policy.longest) > policy.total
        return
    assert attempt < policy.attempts
    assert elapsed + wait <= policy.total
    assert (asked or 0.0) <= wait <= max(policy.longest, asked or 0.0)


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"retry-after": "3"}, 3.0),
        ({"Retry-After": " 1.5 "}, 1.5),
        ({"Retry-After": "0"}, 0.0),
        ({"Retry-After": "-4"}, None),
        ({"Retry-After": "nan"}, None),
        ({"Retry-After": "inf"}, None),
        ({"Retry-After": "1_0"}, None),
        ({"Retry-After": "1e1"}, None),
        ({"Retry-After": "+1"}, None),
        ({"Retry-After": "٣"}, None),
        ({"Retry-After": "9" * 400}, None),
        ({"retry-after-ms": "1_000"}, None),
        ({"Retry-After": "soon"}, None),
        ({"Retry-After": ""}, None),
        ({"Retry-After": "Mon, 30 Nov 2026 12:00:30 GMT"}, 30.0),
        ({"Retry-After": "Mon Nov 30 12:00:30 2026"}, 30.0),
        ({"Retry-After": "Mon, 30 Nov 2026 11:00:00 GMT"}, 0.0),
        ({"Retry-After": "Mon, 99 Nov 2026 11:00:00 GMT"}, None),
        ({"retry-after-ms": "250", "retry-after": "9"}, 0.25),
        ({"retry-after-ms": "no", "retry-after": "9"}, 9.0),
    ],
)
def test_what_the_headers_ask_for(headers, seconds) -> None:
    assert retry_after(headers, NOW) == seconds


@given(st.text(max_size=40))
def test_no_header_is_too_strange(text) -> None:
    found = retry_after({"Retry-After": text}, NOW)
    assert found is None or found >= 0.0


@given(st.integers(0, 10**6))
def test_a_date_is_so_many_seconds_away(seconds) -> None:
    date = format_datetime(NOW + timedelta(seconds=seconds), usegmt=True)
    assert retry_after({"Retry-After": date}, NOW) == seconds

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lesson_logs import Log, ago
from senno.lessons import profile_for, task_records
from senno.lessons.profile import profile_of

outcomes = st.lists(st.sampled_from(["success", "partial", "failure"]), max_size=200)


@pytest.mark.parametrize(
    ("history", "average"),
    [
        ([], 0.5),
        (["success"], 2 / 3),
        (["failure"], 1 / 3),
        (["partial"], 0.5),
        (["success"] * 8, 0.9),
        (["success"] * 8 + ["failure"], 0.81),  # from here on 0.9 of the average and 0.1 of the outcome
        (["success"] * 8 + ["failure"] * 2, 0.729),
    ],
)
def test_the_average_is_a_mean_with_a_prior_of_two_tries_and_then_exponential(history, average):
    assert profile_of(history).average == pytest.approx(average, abs=1e-12)


@given(outcomes)
def test_no_history_makes_a_profile_certain(history):
    profile = profile_of(history)
    assert 0 < profile.average < 1
    assert profile.tries == profile.successes + profile.partials + profile.failures == len(history)


@given(outcomes)
def test_a_success_raises_the_average_and_a_failure_lowers_it(history):
    before = profile_of(history).average
    assert profile_of([*history, "success"]).average > before > profile_of([*history, "failure"]).average


def test_what_happened_lately_counts_more():
    assert profile_of(["failure"] * 20 + ["success"] * 20).average > 0.85
    assert profile_of(["success"] * 20 + ["failure"] * 20).average < 0.15


def test_a_profile_is_of_one_department_and_task_type_in_the_order_of_the_outcomes():
    log = Log()
    log.task("slow", at=ago(9)).task("quick", at=ago(8))
    log.outcome("success", task="quick", at=ago(7)).outcome("failure", task="slow", at=ago(6))
    log.outcome("failure", kind="invoice", at=ago(5)).outcome("failure", department="sales", at=ago(4))
    profile = profile_for(task_records(log.events), "finance", "reconcile", lessons=1)
    assert (profile.tries, profile.successes, profile.failures, profile.lessons) == (2, 1, 1, 1)
    assert profile == profile_of(["success", "failure"], 1)

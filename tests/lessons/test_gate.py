import pytest
from hypothesis import given
from hypothesis import strategies as st

from lesson_logs import Log, ago, settings
from senno.config import LessonRules, Lessons
from senno.errors import ConfigError
from senno.lessons import PRESETS, Task, attempt, begin, composite, end, reflect, settings_for, task_records


def sure(c):
    return composite(None, c, 0.6)


@pytest.mark.parametrize(
    ("outcome", "c", "lessons", "rules", "reason"),
    [
        ("failure", 0.99, 9, {}, "failed"),
        ("partial", 0.99, 9, {}, "partial"),
        ("success", 0.41, 9, {}, "low_confidence c=0.41 < 0.60"),
        ("success", 0.5999, 9, {}, "low_confidence c=0.5999 < 0.6000"),
        ("success", 0.60, 9, {}, "routine"),
        ("success", 0.84, 9, {"preset": "first"}, "low_confidence c=0.84 < 0.85"),
        ("success", 0.69, 9, {"preset": "voice"}, "low_confidence c=0.69 < 0.70"),
        ("success", 0.69, 9, {"preset": "voice", "threshold": 0.3}, "routine"),
        ("success", 0.9, 1, {}, "novel 1 < 3"),
        ("success", 0.9, 2, {}, "novel 2 < 3"),
        ("success", 0.9, 3, {}, "routine"),
        ("success", 0.9, 0, {"novelty": 0}, "routine"),
        ("success", 0.41, 0, {}, "low_confidence c=0.41 < 0.60"),  # the first reason that holds
    ],
)
def test_reflection_only_on_the_failed_the_uncertain_and_the_new(outcome, c, lessons, rules, reason):
    found = reflect(outcome, sure(c), lessons, settings(**rules))
    assert (found.reflect, found.reason) == (reason != "routine", reason)


@pytest.mark.parametrize(
    ("c", "decision"), [(0.0, "decline"), (0.199, "decline"), (0.2, "ask"), (0.499, "ask"), (0.5, "attempt")]
)
def test_an_attempt_is_made_asked_about_or_declined(c, decision):
    found = attempt(sure(c), settings())
    assert found.decision == decision
    assert found.reason.startswith("c=")


def test_an_agent_without_history_that_states_nothing_may_try():
    assert attempt(sure(0.5), settings()).decision == "attempt"


def test_conflict_between_word_and_history_raises_the_bar_only_where_it_is_switched_on():
    boastful = composite(0.9, 0.05, 0.6)  # c = 0.56
    assert attempt(boastful, settings()).decision == "attempt"
    found = attempt(boastful, settings(conflict_weight=0.2))  # 0.50 + 0.2 · 0.85
    assert (found.decision, found.reason) == ("ask", "c=0.56 < 0.67")
    modest = composite(0.5, 0.8, 0.6)  # c = 0.62, over a bar of 0.60 + 0.2 · 0.3
    assert reflect("success", modest, 9, settings()).reason == "routine"
    assert reflect("success", modest, 9, settings(conflict_weight=0.2)).reason == "low_confidence c=0.62 < 0.66"


@given(st.floats(0, 1), st.floats(0, 1), st.floats(0, 1))
def test_more_confidence_never_makes_the_answer_worse(one, other, weight):
    order = ["decline", "ask", "attempt"]
    low, high = sorted((one, other))
    rules = settings(conflict_weight=weight)
    assert order.index(attempt(sure(low), rules).decision) <= order.index(attempt(sure(high), rules).decision)


def test_the_presets_are_those_of_the_source():
    assert PRESETS == {"measured": 0.60, "first": 0.85, "voice": 0.70}


@pytest.mark.parametrize(
    ("general", "own", "threshold"),
    [
        ({}, None, 0.60),
        ({}, {"preset": "voice"}, 0.70),
        ({"threshold": 0.4}, {}, 0.4),
        ({"threshold": 0.4}, {"preset": "voice"}, 0.70),  # what the department says goes before
        ({"threshold": 0.4}, {"preset": "voice", "threshold": 0.5}, 0.5),
        ({"preset": "first"}, {"novelty": 1}, 0.85),
        ({"preset": "first"}, {"preset": "measured"}, 0.60),
    ],
)
def test_a_department_overrides_what_it_names_and_nothing_else(general, own, threshold):
    departments = {} if own is None else {"voice-channel": LessonRules(**own)}
    rules = Lessons(archive_after_days=60, **general, departments=departments)
    found = settings_for(rules, "voice-channel")
    assert found.threshold == threshold
    assert found.archive_after_days == 60
    assert settings_for(rules, "another").threshold == settings_for(Lessons(**general)).threshold


def test_a_department_may_set_a_value_back_to_the_default():
    rules = Lessons(novelty=9, departments={"sales": LessonRules(novelty=3)})
    assert settings_for(rules, "sales").novelty == 3


def test_thresholds_in_the_wrong_order_are_refused_with_the_place():
    rules = Lessons(departments={"sales": LessonRules(decline_below=0.7)})
    with pytest.raises(ConfigError, match=r"lessons.departments.sales: decline_below is 0.7 and ask_below 0.5"):
        settings_for(rules, "sales")


def test_the_decision_to_reflect_goes_by_the_confidence_before_the_task():
    task = Task("t", "reconcile", "finance")
    begun = begin((), task, settings(), stated=0.3, difficulty="hard")
    assert (begun.confidence.value, begun.decision.decision, begun.event.difficulty) == (0.38, "ask", "hard")
    log = Log().add(begun.event)
    ended = end(task_records(log.events), 3, task, "success", settings())
    assert ended.decision.reason == "low_confidence c=0.38 < 0.60"
    assert (ended.began, ended.reflect.reason) == (True, ended.decision.reason)


def test_without_a_recorded_beginning_the_profile_before_the_outcome_stands_in():
    log = Log()
    for n in range(4):
        log.outcome("success", task=f"t{n}", at=ago(4 - n))
    ended = end(task_records(log.events), 0, Task("new", "reconcile", "finance"), "success", settings(novelty=0))
    assert not ended.began
    assert ended.confidence.value == pytest.approx(5 / 6)
    assert ended.decision.reason == "routine"


def test_few_lessons_on_a_task_type_make_it_novel():
    task = Task("t", "reconcile", "finance")
    assert end((), 1, task, "success", settings(threshold=0)).decision.reason == "novel 1 < 3"


def test_a_success_cannot_have_a_failure_mode():
    with pytest.raises(ConfigError, match="the outcome is success"):
        end((), 0, Task("t", "reconcile"), "success", settings(), failure_mode="typo")

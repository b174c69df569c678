import pytest

from lesson_logs import Log, folded, lesson
from senno.lessons import Credit, failure_against_success
from senno.lessons.credit import ClassCredit, by_outcome

LESSONS = [lesson("a"), lesson("b"), lesson("c", outcome="success")]


def credit(log, id_="a"):
    return folded([lesson(i, log.events[0].at) for i in "abc"], log.events).states[id_].credit


def test_each_outcome_is_credited_to_the_lessons_shown_for_its_task():
    log = Log().recall("a", "b", task="t1").recall("b", task="t2")
    log.outcome("success", task="t1").outcome("failure", task="t2")
    assert credit(log) == Credit(shown=1, successes=1)
    assert credit(log, "b") == Credit(shown=2, successes=1, failures=1)
    assert credit(log, "c") == Credit()


def test_a_task_without_an_outcome_is_shown_and_not_known():
    found = credit(Log().recall("a", task="t1").recall("a", task="t2").outcome("partial", task="t2"))
    assert (found.shown, found.known, found.partials) == (2, 1, 1)


def test_two_recalls_for_one_task_are_one_showing():
    assert credit(Log().recall("a").recall("a", "b").outcome()) == Credit(shown=1, successes=1)


def test_a_second_try_at_a_task_is_credited_to_what_was_shown_for_it_alone():
    log = Log().recall("a").outcome("failure").recall("b").outcome("success")
    assert credit(log) == Credit(shown=1, failures=1)
    assert credit(log, "b") == Credit(shown=1, successes=1)


def test_an_outcome_in_another_department_is_of_another_task():
    assert credit(Log().recall("a").outcome("success", department="sales")).known == 0


def test_what_the_agent_says_counts_for_lessons_that_were_shown():
    log = Log().recall("a", task="t1").outcome(task="t1", use={"a": "helped", "b": "harmed"})
    log.recall("a", task="t2").outcome("failure", task="t2", use={"a": "unused"})
    assert credit(log).said == {"helped": 1, "unused": 1}
    assert credit(log, "b") == Credit()


def test_useful_showings_per_stored_lesson_by_the_outcome_it_was_written_after():
    found = by_outcome(LESSONS, {"a": Credit(4, successes=3, failures=1), "c": Credit(2, successes=1, partials=1)})
    assert found["failure"] == ClassCredit(stored=2, shown=4, known=4, useful=3)
    assert (found["failure"].shown_per_lesson, found["failure"].success_rate) == (2.0, 0.75)
    assert found["failure"].useful_per_lesson == 1.5
    assert found["success"].useful_per_lesson == 1.0
    ratios = failure_against_success(found)
    assert ratios == {"shown_per_lesson": 1.0, "success_rate": 1.5, "useful_per_lesson": 1.5}


@pytest.mark.parametrize("figure", ["shown_per_lesson", "success_rate", "useful_per_lesson"])
def test_what_has_nothing_to_divide_by_is_not_measured(figure):
    found = by_outcome([lesson("a")], {})
    assert getattr(found["success"], figure) is None
    assert failure_against_success(found)[figure] is None


def test_showings_without_any_outcome_say_nothing_about_use():
    found = by_outcome([lesson("a")], {"a": Credit(shown=3)})
    assert found["failure"].shown_per_lesson == 3.0
    assert found["failure"].success_rate is None
    assert found["failure"].useful_per_lesson is None

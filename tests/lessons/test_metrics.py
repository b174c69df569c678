import pytest

from lesson_logs import NOW, Log, ago, folded, lesson
from senno.lessons import (
    ArchivedEvent,
    DeprecatedEvent,
    PromotedEvent,
    ReflectEvent,
    UnarchivedEvent,
    UndoneEvent,
    WrittenEvent,
    measure,
)
from senno.lessons.metrics import Mean, week_end, week_of


def spans(log, lessons=()):
    return {(one.department, one.week): one.metrics for one in measure(folded(lessons, log.events))}


def overall(log, lessons=()):
    return spans(log, lessons)[None, None]


def gate(reflect, reason, task):
    return ReflectEvent(task_id=task, task_type="reconcile", department="finance", reflect=reflect, reason=reason)


def failures(*modes):
    """One try after another on one task type: a mode, `None` for a failure without one, or an outcome."""
    log = Log()
    for n, mode in enumerate(modes):
        if mode in ("success", "partial"):
            log.outcome(mode, task=f"t{n}")
        elif mode == "open":
            log.task(f"t{n}")
        else:
            log.outcome("failure", task=f"t{n}", failure_mode=mode)
    return log


def test_an_empty_log_measures_nothing_and_says_so():
    found = overall(Log())
    nothing = Mean(None, 0, 0)
    assert (found.tasks, found.success, found.repeat_failure, found.reflections) == (0, nothing, nothing, nothing)
    assert (found.gate, found.overhead_tokens, found.overhead_seconds) == (nothing, nothing, nothing)


def test_success_is_over_the_tries_with_an_outcome_and_counts_the_others_as_missing():
    log = Log().task("t1").outcome("success", task="t1").task("t2").outcome("partial", task="t2")
    log.task("t3", attempt="decline").outcome("failure", task="t4")
    found = overall(log)
    assert found.tasks == 4
    assert found.success == Mean(1 / 3, 3, 1)
    assert found.attempts == {"attempt": 2, "decline": 1}


@pytest.mark.parametrize(
    ("modes", "rate", "n", "missing"),
    [
        (["a"], None, 0, 0),  # nothing had failed before: nothing could be repeated
        (["a", "a"], 1.0, 1, 0),
        (["a", "b"], 0.0, 1, 0),
        (["a", "success", "a", "success"], 1 / 3, 3, 0),
        (["a", "b", "a", "b"], 2 / 3, 3, 0),
        (["A-1", "a 1"], 1.0, 1, 0),  # one label in two writings
        (["a", None, "success"], 0.0, 1, 1),
        ([None, "success"], None, 0, 1),  # what failed was not said, so no repetition could be seen
        (["a", "partial", "success"], 0.0, 1, 1),
        (["a", "open", "success"], 0.0, 1, 1),
        (["success", "success", "a"], None, 0, 0),
    ],
)
def test_repeat_failure_is_over_the_tries_at_what_had_failed_before(modes, rate, n, missing):
    assert overall(failures(*modes)).repeat_failure == Mean(rate, n, missing)


def test_a_partial_with_a_mode_is_a_mistake_and_may_be_repeated():
    log = Log().outcome("partial", task="t1", failure_mode="late").outcome("failure", task="t2", failure_mode="late")
    assert overall(log).repeat_failure == Mean(1.0, 1, 0)


@pytest.mark.parametrize("other", [{"kind": "invoice"}, {"department": "sales"}])
def test_a_mistake_on_another_task_type_or_in_another_department_is_no_repetition(other):
    log = Log().outcome("failure", task="t1", failure_mode="a").outcome("failure", task="t2", failure_mode="a", **other)
    assert overall(log).repeat_failure == Mean(None, 0, 0)


def test_the_history_before_a_week_counts_in_it():
    log = Log().outcome("failure", task="t1", failure_mode="a", at=ago(21))
    log.outcome("failure", task="t2", failure_mode="a", at=ago(7)).outcome("success", task="t3", at=ago(0))
    found = spans(log)
    assert found[None, week_of(ago(21))].repeat_failure == Mean(None, 0, 0)
    assert found[None, week_of(ago(7))].repeat_failure == Mean(1.0, 1, 0)
    assert found[None, week_of(NOW)].repeat_failure == Mean(0.0, 1, 0)
    assert found[None, None].repeat_failure == Mean(0.5, 2, 0)


def test_reflections_and_the_gates_share():
    log = Log()
    log.outcome("failure", task="t1").add(gate(True, "failed", "t1"))
    log.add(WrittenEvent(lesson_id="a", task_id="t1")).add(WrittenEvent(lesson_id="b", task_id="t1"))
    log.outcome(task="t2").add(gate(False, "routine", "t2"))
    log.outcome(task="t3").add(gate(True, "low_confidence c=0.41 < 0.60", "t3"))
    log.outcome(task="t4")
    found = overall(log)
    assert found.reflections == Mean(0.5, 4, 0)
    assert found.gate == Mean(2 / 3, 3, 1)
    assert found.gate_reasons == {"failed": 1, "low_confidence": 1, "routine": 1}


def test_overhead_is_the_share_of_recall_and_reflection_where_all_of_it_is_known():
    log = Log().recall("a", task="t1", tokens=60, seconds=1.0).outcome(task="t1", tokens=900, seconds=8.0)
    log.add(WrittenEvent(lesson_id="a", task_id="t1", tokens=40, seconds=1.0))
    log.recall("a", task="t2", tokens=50).outcome(task="t2")  # the task's own tokens are not known
    log.outcome(task="t3", tokens=100).add(WrittenEvent(lesson_id="b", task_id="t3"))  # nor the lesson's
    found = overall(log)
    assert found.overhead_tokens == Mean(0.1, 1, 2)
    assert found.overhead_seconds == Mean(0.2, 1, 2)


def test_a_task_without_recall_or_lesson_has_no_overhead():
    assert overall(Log().outcome(tokens=100)).overhead_tokens == Mean(0.0, 1, 0)


def moved(kind, id_, job="j"):
    return kind(lesson_id=id_, reason="", job=job)


def test_where_lessons_stood_at_the_end_of_each_week():
    lessons = [lesson("a", ago(30)), lesson("b", ago(30)), lesson("c", ago(10))]
    log = Log().outcome(at=ago(28)).outcome(at=ago(14))
    log.add(moved(ArchivedEvent, "a"), ago(14)).add(moved(PromotedEvent, "b"), ago(14))
    log.outcome(at=ago(7)).add(moved(UnarchivedEvent, "a", "j2"), ago(7))
    log.add(DeprecatedEvent(lesson_id="b", reason="obsolete", by="ann"), ago(7)).outcome(at=NOW)
    found = spans(log, lessons)

    def stood(week):
        one = found[None, week].lessons
        return one.active, one.archived, one.deprecated, one.promoted

    assert stood(week_of(ago(28))) == (2, 0, 0, 0)
    assert stood(week_of(ago(14))) == (2, 1, 0, 1)  # a archived, b promoted, c written ten days ago, that Friday
    assert stood(week_of(ago(7))) == (2, 0, 1, 0)
    assert stood(None) == (2, 0, 1, 0)


def test_an_undone_run_is_not_counted():
    log = Log().add(moved(ArchivedEvent, "a"), ago(3)).add(UndoneEvent(job="j"), ago(2))
    assert overall(log, [lesson("a", ago(30))]).lessons.archived == 0


def test_departments_and_weeks_each_have_their_span_and_add_up():
    log = Log().outcome(at=ago(7)).outcome("failure", department="sales", at=ago(7), task="s").outcome(at=NOW, task="u")
    found = spans(log, [lesson("a", ago(30)), lesson("z", ago(30), department="hr")])
    last, now = week_of(ago(7)), week_of(NOW)
    assert set(found) == {
        (None, None), ("finance", None), ("sales", None), ("hr", None),
        (None, last), ("finance", last), ("sales", last), (None, now), ("finance", now),
    }  # fmt: skip
    assert found[None, None].tasks == found["finance", None].tasks + found["sales", None].tasks == 3
    assert found["hr", None].lessons.active == 1
    assert found["hr", None].success == Mean(None, 0, 0)


def test_credit_is_by_the_outcome_after_which_a_lesson_was_written():
    lessons = [lesson("a", ago(30)), lesson("b", ago(30), outcome="success")]
    found = overall(Log().recall("a", "b", at=ago(2)).outcome(at=ago(1)), lessons)
    assert found.credit["failure"].useful_per_lesson == 1.0
    assert found.credit["success"].stored == 1
    assert found.credit["partial"].useful_per_lesson is None


@pytest.mark.parametrize(
    ("at", "week"), [("2026-12-31T23:59:59+00:00", "2026-W53"), ("2027-01-04T00:30:00+01:00", "2026-W53")]
)
def test_weeks_are_iso_weeks_by_utc(at, week):
    from datetime import datetime

    moment = datetime.fromisoformat(at)
    assert week_of(moment) == week
    assert moment < week_end(week)

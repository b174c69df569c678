import random
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lesson_logs import NOW, Log, ago, folded, lesson
from senno.lessons import (
    ArchivedEvent,
    DeprecatedEvent,
    Deprecation,
    OtherEvent,
    PinnedEvent,
    PromotedEvent,
    UnarchivedEvent,
    UndeprecatedEvent,
    UndoneEvent,
    UnpinnedEvent,
)

OLD = lesson("a", ago(150))


def moved(kind, job="j1", id_="a"):
    return kind(lesson_id=id_, reason="why", job=job)


def state(*events, of=OLD, at=NOW):
    log = Log()
    for event in events:
        log.add(event)
    return folded([of], log.events, at).states["a"]


def test_a_lesson_of_which_the_log_says_nothing():
    found = state()
    assert (found.archived, found.promoted, found.pinned, found.deprecated) == (False, False, False, None)
    assert (found.last_retrieved, found.retrieval_count, found.undone_at) == (None, 0, None)


def test_the_last_word_on_a_flag_holds():
    assert state(moved(ArchivedEvent)).archived
    assert not state(moved(ArchivedEvent), moved(UnarchivedEvent, "j2")).archived
    assert state(PinnedEvent(lesson_id="a", by="x")).pinned
    assert not state(PinnedEvent(lesson_id="a", by="x"), UnpinnedEvent(lesson_id="a", by="x")).pinned


def test_an_undone_run_never_was_and_its_lessons_know_when_it_was_undone():
    undone = UndoneEvent(job="j1")
    found = state(moved(ArchivedEvent), moved(PromotedEvent), undone)
    assert (found.archived, found.promoted) == (False, False)
    assert found.undone_at == NOW - timedelta(days=200) + timedelta(seconds=2)
    # What another run decided stands, before and after.
    assert state(moved(ArchivedEvent, "j0"), moved(UnarchivedEvent), undone).archived
    # A clock that was behind puts the undoing first; it holds all the same.
    assert not state(undone, moved(ArchivedEvent)).archived


def test_each_recall_counts_a_lesson_once_and_names_that_are_unknown_are_counted_apart():
    log = Log().recall("a", "a", "ghost", at=ago(3)).recall("a", at=ago(2)).add(moved(ArchivedEvent, id_="ghost"))
    found = folded([OLD], log.events)
    assert found.states["a"].retrieval_count == 2
    assert found.states["a"].last_retrieved == ago(2)
    assert found.dangling == {"ghost": 2}


def test_nothing_later_than_the_moment_counts():
    young = lesson("b", ago(1))
    log = Log().recall("a", at=ago(5)).recall("a", "b", at=ago(1)).outcome(at=ago(0.5))
    found = folded([OLD, young], log.events, ago(3))
    assert list(found.states) == ["a"]
    assert found.states["a"].retrieval_count == 1
    assert found.states["a"].credit.known == 0


def test_a_moment_without_a_time_zone_is_refused():
    with pytest.raises(ValueError, match="without a time zone"):
        folded([OLD], (), datetime(2026, 11, 30))  # noqa: DTZ001


def test_events_of_types_from_the_future_are_ignored():
    assert state(OtherEvent(type="merged", fields={"lesson_id": "a"})) == state()


def test_a_deprecation_is_the_logs_and_the_frontmatters_only_where_the_log_is_silent():
    by_hand = replace(OLD, deprecated=Deprecation("obsolete", "ann"))
    assert state(of=by_hand).deprecated == Deprecation("obsolete", "ann")
    taken = DeprecatedEvent(lesson_id="a", reason="duplicate", by="bo", merged_into="b")
    found = state(taken, of=by_hand)
    assert (found.deprecated.reason, found.deprecated.by, found.merged_into) == ("duplicate", "bo", "b")
    back = UndeprecatedEvent(lesson_id="a", reason="", by="bo")
    assert state(taken, back, of=by_hand).deprecated is None


def test_a_lesson_that_came_with_a_history_keeps_it():
    came = replace(OLD, last_retrieved=ago(10), retrieval_count=19)
    found = state(of=came)
    assert (found.last_retrieved, found.retrieval_count) == (ago(10), 19)
    assert state(of=came, at=ago(20)).last_retrieved is None


def test_a_mistake_recurs_by_department_task_type_and_label_in_any_writing():
    log = Log().outcome("failure", task="task-a", failure_mode="Wrong currency", at=ago(151))
    log.outcome("partial", task="t2", failure_mode="wrong-currency", at=ago(20))
    log.outcome("failure", task="t3", failure_mode="wrong date", at=ago(19))
    log.outcome("failure", task="t4", failure_mode="wrong currency", kind="invoice", at=ago(18))
    log.outcome("failure", task="t5", failure_mode="wrong currency", department="sales", at=ago(17))
    assert folded([OLD], log.events).states["a"].recurrences == (ago(20),)


def test_salience_begins_at_fourteen_days_to_the_second():
    def salience(created):
        return folded([lesson("a", created)]).states["a"].salience

    assert salience(ago(14)) == 0
    assert salience(ago(14) + timedelta(seconds=1)) is None
    rome = timezone(timedelta(hours=1))
    assert salience(ago(14).astimezone(rome)) == 0


def test_a_thousand_recalls_of_one_lesson_do_not_drown_the_others():
    lessons = [lesson(f"l{n:02}", ago(60)) for n in range(20)]

    def saliences(of_first):
        log = Log()
        for n in range(1, 20):
            for _ in range(n % 5 + 3):
                log.recall(f"l{n:02}", at=ago(20))
        for _ in range(of_first):
            log.recall("l00", at=ago(20))
        return {key: one.salience for key, one in folded(lessons, log.events).states.items()}

    calm, loud = saliences(8), saliences(1000)
    assert loud.pop("l00") == 1.0
    calm.pop("l00")
    assert loud == calm
    assert max(calm.values()) <= 1.0
    assert min(calm.values()) > 0.5


def test_salience_is_against_ones_own_department():
    log = Log()
    for _ in range(500):
        log.recall("s1", "s2", department="sales", at=ago(20))
    for _ in range(5):
        log.recall("f1", at=ago(20))
    of_sales = [lesson(key, ago(60), department="sales") for key in ("s1", "s2")]
    states = folded([lesson("f1", ago(60)), *of_sales], log.events).states
    assert [states[key].salience for key in ("f1", "s1", "s2")] == [1.0, 1.0, 1.0]


@st.composite
def writers(draw):
    """Files of three writers with everything that moves a state, some at the same moment."""
    events = st.sampled_from(
        [
            moved(ArchivedEvent),
            moved(ArchivedEvent, "j2"),
            moved(UnarchivedEvent, "j2"),
            moved(PromotedEvent),
            UndoneEvent(job="j1"),
            UndoneEvent(job="j2"),
            PinnedEvent(lesson_id="a", by=""),
            UnpinnedEvent(lesson_id="a", by=""),
            DeprecatedEvent(lesson_id="a", reason="obsolete", by=""),
            UndeprecatedEvent(lesson_id="a", reason="", by=""),
            Log().recall("a", "ghost").events[0].event,
            Log().outcome("failure", task="t", failure_mode="m").events[0].event,
            Log().outcome("success", use={"a": "helped"}).events[0].event,
            Log().task("t").events[0].event,
        ]
    )
    files = []
    for name in ("w1", "w2", "w3"):
        log = Log(name)
        moment = ago(100)
        for event in draw(st.lists(events, max_size=8)):
            moment += timedelta(hours=draw(st.integers(0, 30)))
            log.add(event, moment)
        files.append(log.events)
    return files


@given(writers(), st.randoms())
def test_any_interleaving_of_the_writers_files_gives_the_same_state(files, chance: random.Random):
    together = [event for file in files for event in file]
    shuffled = together.copy()
    chance.shuffle(shuffled)
    lessons = [OLD, lesson("b", ago(20))]
    assert folded(lessons, shuffled) == folded(lessons[::-1], together)


def test_moments_in_other_time_zones_are_the_same_moments():
    log = Log().recall("a", at=ago(3)).recall("a", at=ago(2))
    tokyo = timezone(timedelta(hours=9))
    there = [replace(one, at=one.at.astimezone(tokyo)) for one in log.events]
    assert folded([OLD], there, NOW.astimezone(tokyo)) == folded([OLD], log.events)
    assert folded([OLD], there).as_of.tzinfo is UTC

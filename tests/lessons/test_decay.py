import random
from collections import Counter
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lesson_drafts import draft
from lesson_logs import NOW, Log, ago, folded, lesson, settings
from senno.errors import ConfigError, SennoError
from senno.lessons import (
    ArchivedEvent,
    DeprecatedEvent,
    PinnedEvent,
    PromotedEvent,
    Store,
    UnarchivedEvent,
    UndoneEvent,
    UnpromotedEvent,
    due,
    replay,
    run_decay,
    undo,
)
from senno.lessons.decay import all_due, most_in_a_window, suspects
from senno.lessons.durable import locked
from senno.lessons.event_lines import to_line

SECOND = timedelta(seconds=1)
DAY = timedelta(days=1)


def state(created, *retrieved, events=(), **rules):
    """The state of a lesson, each retrieval followed by a success."""
    log = Log()
    for n, at in enumerate(sorted(retrieved)):
        log.recall("a", task=f"t{n}", at=at)
        log.outcome(task=f"t{n}", at=at)
    for event in events:
        log.add(event)
    return folded([lesson("a", created)], log.events, **rules).states["a"]


def kinds(one, now=NOW, **rules):
    return [change.kind for change in due(one, now, settings(**rules))]


ARCHIVED = ArchivedEvent(lesson_id="a", reason="", job="j")
PROMOTED = PromotedEvent(lesson_id="a", reason="", job="j")
EVENTS = {
    "archived": ArchivedEvent,
    "unarchived": UnarchivedEvent,
    "promoted": PromotedEvent,
    "unpromoted": UnpromotedEvent,
}


@pytest.mark.parametrize(
    ("created", "retrieved", "archived"),
    [
        (ago(90), [], False),
        (ago(90) - SECOND, [], True),
        (ago(90) - timedelta(microseconds=1), [], True),
        (ago(400), [ago(30)], False),
        (ago(400), [ago(30) - SECOND], True),
        (ago(400), [ago(399), ago(30) - SECOND], True),
        (ago(400), [ago(399), ago(29)], False),
        (ago(89), [ago(80)], False),
    ],
)
def test_archived_when_created_over_90_days_ago_and_not_retrieved_in_the_last_30(created, retrieved, archived):
    assert kinds(state(created, *retrieved)) == (["archived"] if archived else [])


@pytest.mark.parametrize(
    ("retrieved", "promoted"),
    [
        ([ago(30)] * 4 + [ago(7) + SECOND], True),
        ([ago(30)] * 4 + [ago(7)], False),  # within 7 days is less than 7 days ago
        ([ago(30) - SECOND] + [ago(30)] * 3 + [ago(1)], False),  # four of them in the last 30 days
        ([ago(30)] * 3 + [ago(1)], False),
        ([ago(1)] * 5, True),
    ],
)
def test_promoted_when_last_retrieved_within_7_days_and_5_times_in_30(retrieved, promoted):
    assert kinds(state(ago(60), *retrieved)) == (["promoted"] if promoted else [])


@pytest.mark.parametrize("zone", ["UTC", "Europe/Rome", "Asia/Tokyo", "Pacific/Apia", "America/St_Johns"])
def test_the_edges_are_the_same_moment_in_every_time_zone(zone):
    there = ZoneInfo(zone)
    # 90 days before this moment Rome was on summer time: its wall clock shows 90 days an hour earlier.
    now = datetime(2026, 11, 30, 12, 0, 0, tzinfo=there)
    created = (now.astimezone(UTC) - timedelta(days=90)).astimezone(there)
    one = folded([lesson("a", created)], at=now).states["a"]
    assert kinds(one, now) == []
    assert kinds(one, now + SECOND) == ["archived"]
    as_written = replace(one, created=created)
    assert kinds(as_written, now) == []
    assert kinds(as_written, now + SECOND) == ["archived"]


def test_a_change_says_why():
    (change,) = due(state(ago(120), ago(45)), NOW, settings())
    assert change.reason == "created 120 days ago, last retrieved 45 days ago"
    (change,) = due(state(ago(120)), NOW, settings())
    assert change.reason == "created 120 days ago, never retrieved"
    (change,) = due(state(ago(60), *[ago(2)] * 6), NOW, settings())
    assert change.reason == "6 retrievals in 30 days (it takes 5), the last 2 days ago"


def test_what_was_decided_is_undone_when_its_condition_no_longer_holds():
    assert kinds(state(ago(200), ago(1), events=[ARCHIVED])) == ["unarchived"]
    assert kinds(state(ago(200), ago(40), events=[ARCHIVED])) == []
    assert kinds(state(ago(60), *[ago(8)] * 9, events=[PROMOTED])) == ["unpromoted"]
    assert kinds(state(ago(60), *[ago(1)] * 9, events=[PROMOTED])) == []
    assert kinds(state(ago(200), *[ago(1)] * 5, events=[ARCHIVED])) == ["promoted", "unarchived"]


def test_a_pinned_lesson_is_exempt_both_ways():
    pinned = PinnedEvent(lesson_id="a", by="ann")
    assert kinds(state(ago(200), events=[pinned])) == []
    assert kinds(state(ago(200), *[ago(1)] * 9, events=[ARCHIVED, pinned])) == []


def test_a_deprecated_lesson_is_left_to_its_review_and_is_no_longer_promoted():
    gone = DeprecatedEvent(lesson_id="a", reason="obsolete", by="ann")
    assert kinds(state(ago(200), events=[gone])) == []
    assert kinds(state(ago(60), *[ago(1)] * 9, events=[gone])) == []
    assert kinds(state(ago(60), *[ago(1)] * 9, events=[PROMOTED, gone])) == ["unpromoted"]


def shown(outcomes, *events):
    log = Log()
    for n, outcome in enumerate(outcomes):
        log.recall("a", task=f"t{n}", at=ago(2)).outcome(outcome, task=f"t{n}", at=ago(2))
    for event in events:
        log.add(event)
    return folded([lesson("a", ago(60))], log.events).states["a"]


def test_a_lesson_often_shown_and_never_followed_by_success_is_reported_and_not_promoted():
    echo = shown(["failure"] * 4 + ["partial"])
    assert kinds(echo) == []
    assert kinds(shown(["failure"] * 4 + ["partial"], PROMOTED)) == ["unpromoted"]
    (suspect,) = suspects([echo], lambda _: settings())
    assert (suspect.lesson_id, suspect.known, suspect.partials) == ("a", 5, 1)
    assert kinds(echo, echo_shown=0) == ["promoted"]
    assert kinds(echo, echo_shown=6) == ["promoted"]
    assert kinds(shown(["failure"] * 4 + ["success"])) == ["promoted"]


def test_a_lesson_whose_mistake_recurs_is_kept():
    log = Log().outcome("failure", task="task-a", failure_mode="wrong currency", at=ago(201))
    log.outcome("failure", task="t1", failure_mode="wrong currency", at=ago(80))
    log.outcome("failure", task="t2", failure_mode="wrong currency", at=ago(70))
    one = folded([lesson("a", ago(200))], log.events).states["a"]
    assert kinds(one) == []
    assert kinds(one, protect_recurrences=0) == ["archived"]
    assert kinds(one, protect_recurrences=3) == ["archived"]
    assert kinds(one, NOW + 11 * DAY) == ["archived"]  # the first is more than 90 days ago by then


def test_the_looser_rule_promotes_for_two_retrievals_in_any_30_days():
    looser = {"promote_rule": "ever", "promote_retrievals": 2}
    assert kinds(state(ago(80), ago(75), ago(45)), **looser) == ["promoted"]
    assert kinds(state(ago(80), ago(75) - SECOND, ago(45)), **looser) == []
    assert kinds(state(ago(80), ago(75), ago(45), events=[PROMOTED]), **looser) == []
    # Where both rules hold, archiving wins.
    assert kinds(state(ago(99), ago(75), ago(45), events=[PROMOTED]), **looser) == ["unpromoted", "archived"]


@given(st.lists(st.integers(0, 100)), st.integers(1, 40))
def test_most_in_a_window_is_the_most_over_all_windows(days, window):
    moments = sorted(ago(day) for day in days)
    slow = max((sum(at <= one <= at + window * DAY for one in moments) for at in moments), default=0)
    assert most_in_a_window(moments, window * DAY) == slow


def test_what_was_undone_is_not_done_again_at_once():
    log = Log().add(ARCHIVED, ago(31)).add(UndoneEvent(job="j"), ago(30))
    one = folded([lesson("a", ago(200))], log.events).states["a"]
    assert kinds(one) == []
    assert kinds(one, NOW + SECOND) == ["archived"]


def applied(lessons, events, now):
    """One run of the policy on values; the log with what it decided."""
    log = Log("decay")
    changes = all_due(folded(lessons, events, now).states.values(), now, lambda _: settings())
    for change in changes:
        log.add(EVENTS[change.kind](lesson_id=change.lesson_id, reason=change.reason, job=f"{now}"), now)
    return [*events, *(replace(one, seq=int(now.timestamp()) + one.seq) for one in log.events)], changes


@given(
    st.integers(0, 400),
    st.lists(st.integers(0, 100)),
    st.lists(st.sampled_from(["pin", "undo", "archive", "promote"]), max_size=4),
)
def test_after_a_run_nothing_is_due(age, days, before):
    events = {
        "pin": PinnedEvent(lesson_id="a", by=""),
        "undo": UndoneEvent(job="j"),
        "archive": ARCHIVED,
        "promote": PROMOTED,
    }
    log = Log()
    for day in sorted(days, reverse=True):
        log.recall("a", at=ago(day))
    lessons = [lesson("a", ago(age))]
    together = [*log.events, *(Log("p").add(events[name], ago(1)).events[0] for name in before)]
    after, _ = applied(lessons, together, NOW)
    assert applied(lessons, after, NOW)[1] == ()


def year():
    """A year of three lessons a day in each of four departments, recalled with a long tail."""
    chance = random.Random(7)
    lessons, log = [], Log()
    start = NOW - 365 * DAY
    departments = [f"d{n}" for n in range(4)]
    own = {name: [] for name in departments}
    for day in range(365):
        at = start + day * DAY
        for name in departments:
            for n in range(3):
                one = lesson(f"{name}-{day:03}-{n}", at, department=name, outcome=chance.choice(["failure", "success"]))
                own[name].append(one.id)
                lessons.append(one)
            for n in range(2):
                task = f"{name}-{day}-{n}"
                # A few lessons are recalled for ever, most only while they are new.
                picked = {own[name][min(int(chance.paretovariate(0.7)) - 1, len(own[name]) - 1)] for _ in range(2)}
                picked |= {chance.choice(own[name][-30:]) for _ in range(3)}
                log.recall(*sorted(picked), task=task, department=name, at=at + timedelta(hours=1 + n))
                outcome = chance.choices(["success", "failure"], [0.8, 0.2])[0]
                log.outcome(outcome, task=task, department=name, at=at + timedelta(hours=2 + n))
    return lessons, log.events


def test_a_year_of_traffic_through_the_decay():
    lessons, events = year()
    after = events
    for weeks_ago in range(48, -1, -4):
        after, _ = applied(lessons, after, NOW - weeks_ago * 7 * DAY)
    found = folded(lessons, after)
    stands = Counter((s.department, s.archived) for s in found.states.values())
    active = [stands[f"d{n}", False] for n in range(4)]
    # 90 days of three a day are 270; what is older and idle is gone, what is still used is not.
    assert all(270 <= count <= 420 for count in active)
    assert sum(active) < len(lessons) / 2
    assert all(0 <= s.salience <= 1 for s in found.states.values() if s.salience is not None)
    assert {s.id for s in found.states.values() if s.promoted}
    assert not any(s.promoted and s.archived for s in found.states.values())
    assert applied(lessons, after, NOW)[1] == ()


def test_a_replay_shows_what_another_policy_would_have_lost():
    # One lesson is needed again after 70 idle days, one is retrieved all along, one never.
    lessons = [lesson("a", ago(300)), lesson("b", ago(300)), lesson("c", ago(65))]
    log = Log()
    for day in range(290, 0, -10):
        log.recall("b", at=ago(day))
    log.recall("a", at=ago(225)).recall("a", at=ago(20))
    found = folded(lessons, log.events)
    now = replay(found, lambda _: settings())
    assert (now.active, now.archived, now.woken, now.woken_lessons) == (3, 0, 1, 1)
    sooner = replay(found, lambda _: settings(archive_after_days=60))
    assert (sooner.active, sooner.archived, sooner.woken) == (2, 1, 2)
    later = replay(found, lambda _: settings(archive_after_days=300))
    assert (later.archived, later.woken) == (0, 0)


def test_a_replay_knows_only_the_mistakes_made_until_then():
    log = Log().outcome("failure", task="task-a", failure_mode="wrong currency", at=ago(301))
    log.recall("a", task="t0", at=ago(50))  # archived by then: no mistake had been made again
    for days in (40, 35):
        log.outcome("failure", task=f"t{days}", failure_mode="wrong currency", at=ago(days))
    found = replay(folded([lesson("a", ago(300))], log.events), lambda _: settings())
    assert (found.woken, found.archived, found.protected) == (1, 0, 1)


@given(st.lists(st.integers(1, 290), max_size=30))
def test_a_replay_of_the_policy_as_set_ends_where_living_through_it_would(days):
    log = Log()
    for day in sorted(days, reverse=True):
        log.recall("a", at=ago(day))
    lessons = [lesson("a", ago(300))]
    after, _ = applied(lessons, log.events, NOW)
    state = folded(lessons, after).states["a"]
    found = replay(folded(lessons, log.events), lambda _: settings())
    assert (found.archived, found.promoted) == (int(state.archived), int(state.promoted))


# The job, on files


class Clock:
    def __init__(self, now=NOW):
        self.now = now

    def __call__(self):
        return self.now


@pytest.fixture
def clock():
    return Clock()


RULES = ("Read the currency column first.", "Ask who signs before you send.", "Count the rows twice.")


@pytest.fixture
def store(tmp_path, clock):
    """Three lessons of 200 days ago; the first recalled five times of late."""
    made = Store.open(tmp_path / "memory", clock)
    for n, rule in enumerate(RULES):
        clock.now = NOW - (200 - n) * DAY
        made.add(draft(task_id=f"T-{n}", what=f"Case {n} went wrong.", why=f"Cause {n} was not seen.", rule=rule))
    first = next(iter(made.lessons())).id
    log = Log("agent")
    for n in range(5):
        log.recall(first, task=f"t{n}", at=ago(2)).outcome(task=f"t{n}", at=ago(2))
    folder = made.root / "events"
    (folder / "agent.jsonl").write_bytes(b"".join(map(to_line, log.events)))
    clock.now = NOW
    return made


def decay(store, **how):
    return run_decay(store, lambda _: settings(), **{"confirmed": True, **how})


def stands(store):
    return [(one.archived, one.promoted) for one in store.lessons()]


def files(store):
    return {path: path.read_bytes() for path in sorted(store.root.rglob("*")) if path.is_file()}


def test_the_job_writes_events_and_folds_the_state_into_the_frontmatter(store):
    report = decay(store)
    assert sorted(change.kind for change in report.changes) == ["archived", "archived", "promoted"]
    assert (report.state, report.rewritten, report.problems) == ("applied", 3, ())
    assert stands(store) == [(False, True), (True, False), (True, False)]
    first = next(iter(store.lessons()))
    assert (first.retrieval_count, first.last_retrieved, first.salience_score) == (5, ago(2), 1.0)
    jobs = {r.event.job for r in store.events.read().events if isinstance(r.event, (ArchivedEvent, PromotedEvent))}
    assert jobs == {report.job}


def test_a_second_run_changes_nothing_at_all(store):
    decay(store)
    before = files(store)
    again = decay(store)
    assert (again.changes, again.job, again.rewritten) == ((), None, 0)
    assert files(store) == before


@pytest.mark.parametrize(
    ("how", "state"),
    [({"dry_run": True}, "dry_run"), ({"confirmed": False}, "first_run"), ({"paused": True}, "paused")],
)
def test_a_dry_run_a_first_run_and_a_paused_one_show_and_change_nothing(store, how, state):
    before = {path: data for path, data in files(store).items() if path.name != ".decay.lock"}
    report = decay(store, **how)
    assert report.state == state
    assert len(report.changes) == 3
    assert {path: data for path, data in files(store).items() if path.name != ".decay.lock"} == before


def test_the_run_after_the_first_needs_no_word(store, clock):
    decay(store)
    clock.now = NOW + 40 * DAY
    report = decay(store, confirmed=False)
    assert report.state == "applied"
    assert [change.kind for change in report.changes] == ["unpromoted", "archived"]


def test_undoing_a_run_puts_everything_back(store, clock):
    job = decay(store).job
    clock.now = NOW + SECOND
    report = undo(store, job, lambda _: settings())
    assert sorted(change.kind for change in report.changes) == ["unarchived", "unarchived", "unpromoted"]
    assert stands(store) == [(False, False)] * 3
    assert decay(store).changes == ()
    with pytest.raises(ConfigError, match="undone already"):
        undo(store, job, lambda _: settings())
    with pytest.raises(ConfigError, match="did you mean"):
        undo(store, job[:-1], lambda _: settings())


def test_a_run_that_was_killed_half_way_is_finished_by_the_next(store):
    victim = store.root / "events" / "killed.jsonl"
    ids = [one.id for one in store.lessons()]
    line = to_line(Log("killed").add(ArchivedEvent(lesson_id=ids[1], reason="", job="j0"), NOW - SECOND).events[0])
    victim.write_bytes(line + line[:40])
    report = decay(store)
    assert {change.lesson_id for change in report.changes} == {ids[0], ids[2]}
    assert stands(store) == [(False, True), (True, False), (True, False)]
    assert any("torn" in problem for problem in report.problems)


def test_an_agent_that_writes_during_the_run_loses_nothing(store):
    other = Store.open(store.root, lambda: NOW)
    grown = []

    def clock_with_an_agent():
        if not grown:  # the job is about to write its first event
            grown.append(other.add(draft(task_id="T-9", rule="Never trust a cached rate.", why="It was a day old.")))
            other.events.append(PinnedEvent(lesson_id=grown[0].lesson.id, by="ann"))
        return NOW

    store.events.clock = clock_with_an_agent
    decay(store)
    assert [one.id for one in other.lessons() if one.id == grown[0].lesson.id]
    assert len(stands(store)) == 4
    assert sum(isinstance(r.event, PinnedEvent) for r in store.events.read().events) == 1


def test_a_run_that_had_to_wait_for_another_decides_nothing_again(store, monkeypatch):
    # Another run begins, and ends, between the call and the lock.
    second = Store.open(store.root, store.events.clock)
    clock = store.events.clock
    ran = []

    @contextmanager
    def other_run_first(file):
        if not ran:
            ran.append(None)
            ran.append(decay(second))
            clock.now += SECOND
        with locked(file):
            yield

    monkeypatch.setattr("senno.lessons.decay_job.locked", other_run_first)
    assert decay(store).changes == ()
    assert len(ran[1].changes) == 3


def test_a_log_that_cannot_be_read_stops_the_job(store):
    (store.root / "events" / "agent.jsonl").unlink()
    (store.root / "events" / "agent.jsonl").mkdir()
    with pytest.raises(SennoError, match="nothing was decided"):
        decay(store)
    assert stands(store) == [(False, False)] * 3


def test_a_file_that_does_not_parse_is_reported_and_left_as_it_is(store):
    broken = store.root / next(iter(store.lessons())).path
    broken.write_bytes(b"---\nid: [\n---\n")
    report = decay(store)
    assert broken.read_bytes() == b"---\nid: [\n---\n"
    assert any(broken.name in problem for problem in report.problems)
    assert report.rewritten == 2
    assert sum(report.dangling.values()) == 5


def test_what_a_person_wrote_in_the_frontmatter_stays(store):
    lesson_ = next(iter(store.lessons()))
    file = store.root / lesson_.path
    file.write_text(file.read_text("utf-8").replace("---\n", "---\nowner: ann  # hers\n", 1), "utf-8")
    decay(store)
    assert "owner: ann  # hers\n" in file.read_text("utf-8")
    assert "promoted: true" in file.read_text("utf-8")

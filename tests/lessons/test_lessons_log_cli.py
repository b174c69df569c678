from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from lesson_drafts import draft
from lesson_logs import Log
from senno.lessons import Store
from senno.lessons.event_lines import to_line


@pytest.fixture
def now():
    return datetime.now(UTC)


@pytest.fixture
def store(machine, now):
    """Two lessons of 200 days ago, one of them recalled six times of late."""
    made = Store.open(machine / "memory", lambda: now - timedelta(days=200))
    for n, rule in enumerate(("Read the currency column first.", "Ask who signs before you send.")):
        made.add(
            draft(
                task_id=f"T-{n}",
                task_type="reconcile",
                what=f"Case {n} went wrong.",
                why=f"Cause {n} was not seen.",
                rule=rule,
            )
        )
    return made


@pytest.fixture
def ids(store, now):
    found = [one.id for one in store.lessons()]
    log = Log("agent")
    for n in range(6):
        at = now - timedelta(days=6 - n)
        log.task(f"t{n}", 0.9, at=at, department="").recall(found[0], task=f"t{n}", department="", tokens=50)
        outcome = "failure" if n == 5 else "success"
        mode = {"failure_mode": "typo"} if n == 5 else {}
        log.outcome(outcome, task=f"t{n}", department="", tokens=950, **mode)
    (store.root / "events" / "agent.jsonl").write_bytes(b"".join(map(to_line, log.events)))
    return found


def test_a_task_from_the_shell_from_its_beginning_to_the_reason_to_reflect(senno):
    begun = senno("lessons", "task", "T-1", "--type", "reconcile", "--stated", "0.8", "--json")
    assert begun.code == 0
    assert (begun.json["decision"], begun.json["reason"]) == ("attempt", "c=0.68 ≥ 0.50")
    assert begun.json["profile"]["tries"] == 0
    failed = senno("lessons", "outcome", "T-1", "failure", "--failure-mode", "typo")
    assert (failed.code, failed.out) == (0, "reflect: failed\n")
    again = senno("lessons", "task", "T-2", "--type", "reconcile", "--stated", "0.95")
    assert "0 of 1 tries succeeded" in again.err
    novel = senno("lessons", "outcome", "T-2", "success", "--json").json
    assert (novel["reflect"], novel["reason"], novel["began"]) == (True, "novel 0 < 3", True)


@pytest.mark.parametrize(("stated", "word", "code"), [(1.0, "attempt", 0), (0.3, "ask", 3), (0.0, "ask", 3)])
def test_the_answer_on_the_attempt_is_an_exit_code_too(senno, stated, word, code):
    ran = senno("lessons", "task", "T", "--type", "x", "--stated", stated)
    assert ran.code == code
    assert ran.out.startswith(f"{word}: c=")


def test_after_failures_a_doubtful_task_is_declined(senno):
    for n in range(3):
        senno("lessons", "outcome", f"T-{n}", "failure", "--type", "x")
    assert senno("lessons", "task", "T", "--type", "x", "--stated", 0.1).code == 1
    assert senno("lessons", "task", "T", "--type", "y", "--stated", 0.5).code == 0


def test_a_department_has_its_own_threshold(senno, machine):
    (machine / "senno.toml").write_text("[lessons]\nnovelty = 0\n[lessons.departments.voice]\npreset = 'voice'\n")
    for home, reason in (("voice", "low_confidence c=0.65 < 0.70"), ("sales", "routine")):
        senno("lessons", "task", "T", "--type", "x", "--stated", 0.75, "--department", home)
        assert senno("lessons", "outcome", "T", "success", "--department", home, "--json").json["reason"] == reason


def test_the_department_and_type_of_a_task_under_way_are_known(senno):
    senno("lessons", "task", "T", "--type", "x", "--department", "sales")
    senno("lessons", "outcome", "T", "success")
    (profile,) = senno("lessons", "stats", "--json").json["profiles"]
    assert (profile["department"], profile["task_type"], profile["successes"]) == ("sales", "x", 1)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("outcome", "T", "success"), "no task 'T' is under way in the log; give its --type"),
        (("outcome", "T", "success", "--type", "x", "--failure-mode", "m"), "the outcome is success"),
        (("outcome", "T", "success", "--type", "x", "--use", "a=good"), "expected LESSON=helped, harmed, neutral"),
        (("outcome", "T", "success", "--type", "x", "--use", "a=helped"), "no lesson 'a'"),
        (("task", "T", "--type", "x", "--stated", "1.2"), "1.2"),
        (("decay", "--undo", "j", "--dry-run"), "--undo goes with no other option"),
        (("decay", "--archive-after", "60", "--yes"), "other settings are shown, not applied"),
        (("decay", "--undo", "j"), "no lessons here yet"),
        (("decay",), "no lessons here yet"),
        (("metrics", "--department", "sales"), "no department 'sales' in the log"),
    ],
)
def test_what_cannot_be_is_refused_and_nothing_is_written(senno, machine, arguments, message):
    ran = senno("lessons", *arguments)
    assert ran.code == 2
    assert message in ran.err
    assert not list(machine.rglob("*.jsonl"))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[lessons]\nnoveltyy = 3\n", "lessons.noveltyy: unknown key 'noveltyy'"),
        ("[lessons.departments.voice]\npresett = 'voice'\n", "did you mean 'preset'?"),
        ("[lessons.departments.voice]\npreset = 'vocie'\n", "lessons.departments.voice.preset: found 'vocie'"),
        ("[lessons]\nthreshold = 1.5\n", "lessons.threshold: found 1.5"),
        ("[lessons.departments.voice]\ndecline_below = 0.9\n", "lessons.departments.voice: decline_below is 0.9"),
    ],
)
def test_settings_that_cannot_be_are_refused_with_their_place(senno, machine, text, message):
    (machine / "senno.toml").write_text(text)
    ran = senno("lessons", "task", "T", "--type", "x")
    assert ran.code == 2
    assert message in ran.err


def test_config_show_has_the_settings_of_departments(senno, machine):
    (machine / "senno.toml").write_text("[lessons.departments.voice]\npreset = 'voice'\n")
    found = senno("config", "show", "--json").json["settings"]
    assert found["lessons.departments"]["value"] == {"voice": {"preset": "voice"}}
    assert found["lessons.archive_after_days"] == {"value": 90, "origin": "default"}


def test_decay_shows_first_then_does_then_has_nothing_to_do_then_is_undone(senno, store, ids):
    first = senno("lessons", "decay")
    assert (first.code, "--yes" in first.err) == (0, True)
    assert not any(one.archived for one in store.lessons())
    done = senno("lessons", "decay", "--yes", "--json").json
    assert sorted(change["kind"] for change in done["changes"]) == ["archived", "promoted"]
    assert [(one.archived, one.promoted) for one in store.lessons()] == [(False, True), (True, False)]
    again = senno("lessons", "decay", "--json").json
    assert (again["changes"], again["rewritten"], again["state"]) == ([], 0, "applied")
    assert "did you mean" in senno("lessons", "decay", "--undo", done["job"][:-2]).err
    back = senno("lessons", "decay", "--undo", done["job"])
    assert back.code == 0
    assert not any(one.archived or one.promoted for one in store.lessons())
    assert "nothing is due" in senno("lessons", "decay").out


def test_a_paused_decay_changes_nothing(senno, store, ids, machine):
    (machine / "senno.toml").write_text("[lessons]\ndecay_paused = true\n")
    ran = senno("lessons", "decay", "--yes")
    assert "paused" in ran.err
    assert not any(one.archived for one in store.lessons())


def test_a_pinned_lesson_is_left_alone(senno, store, ids):
    assert senno("lessons", "pin", ids[1], "--by", "ann").out == f"pinned: {ids[1]}\n"
    assert [c["kind"] for c in senno("lessons", "decay", "--dry-run", "--json").json["changes"]] == ["promoted"]
    senno("lessons", "unpin", ids[1])
    assert len(senno("lessons", "decay", "--dry-run", "--json").json["changes"]) == 2


def test_a_replay_compares_policies_and_writes_nothing(senno, store, ids, machine):
    before = {path: path.read_bytes() for path in machine.rglob("*") if path.is_file()}
    found = senno("lessons", "decay", "--archive-after", "300", "--promote-retrievals", "9", "--json").json
    assert found["settings"] == {"archive_after_days": 300, "promote_retrievals": 9}
    assert (found["as_set"]["archived"], found["as_set"]["promoted"]) == (1, 1)
    assert (found["replayed"]["archived"], found["replayed"]["promoted"]) == (0, 0)
    assert "archive_after_days=300" in senno("lessons", "decay", "--archive-after", "300").out
    assert {path: path.read_bytes() for path in machine.rglob("*") if path.is_file()} == before


def test_metrics_have_their_counts_and_what_is_not_measured_is_null(senno, ids):
    found = senno("lessons", "metrics", "--json").json["spans"]
    whole = found[0]
    assert (whole["department"], whole["week"], whole["tasks"]) == (None, None, 6)
    assert whole["success"] == {"value": pytest.approx(5 / 6), "n": 6, "missing": 0}
    assert whole["repeat_failure"] == {"value": None, "n": 0, "missing": 0}
    assert whole["overhead_tokens"]["value"] == pytest.approx(0.05)
    assert whole["overhead_seconds"] == {"value": None, "n": 0, "missing": 6}
    assert whole["credit"]["failure"]["useful_per_lesson"] == pytest.approx(2.5)
    assert whole["failure_against_success"]["useful_per_lesson"] is None
    table = senno("lessons", "metrics").out
    assert "0.83 (6)" in table
    assert "– (0)" in table


def test_stats_and_calibration_of_a_small_store(senno, ids):
    found = senno("lessons", "stats", "--json").json
    assert (found["lessons"], found["departments"][""]["active"]) == (2, 2)
    assert found["most_shown"][0] == {
        "lesson": ids[0], "shown": 6, "successes": 5, "partials": 0, "failures": 1, "said": {},
    }  # fmt: skip
    assert ids[0] in senno("lessons", "stats").out
    few = senno("lessons", "calibration", "--json").json["overall"]
    assert (few["n"], few["ece"], few["missing"]) == (6, None, "6 cases; it takes 30")
    assert "it takes 30" in senno("lessons", "calibration").out


def test_calibration_of_enough_cases_by_difficulty(senno, machine):
    log = Log("agent")
    for n in range(60):
        hard = n % 2
        log.task(f"t{n}", 0.9, difficulty="hard" if hard else "easy")
        log.outcome("failure" if hard else "success", task=f"t{n}")
    folder = machine / "memory" / "events"
    folder.mkdir(parents=True)
    (folder / "agent.jsonl").write_bytes(b"".join(map(to_line, log.events)))
    found = senno("lessons", "calibration", "--json").json
    assert found["overall"]["ece"] == pytest.approx(0.4)
    assert found["by_difficulty"]["easy"]["ece"] == pytest.approx(0.1)
    assert found["by_difficulty"]["hard"]["ece"] == pytest.approx(0.9)
    assert "0.40" in senno("lessons", "calibration").out


def test_a_line_of_the_log_that_says_nothing_is_reported(senno, store, ids):
    file = Path(store.root / "events" / "agent.jsonl")
    file.write_bytes(file.read_bytes() + b"{not json\n")
    ran = senno("lessons", "stats")
    assert ran.code == 0
    assert f"{file}:19: not JSON" in ran.err
